"""Numbers with their uncertainty: pure functions over values, no files and no models."""
