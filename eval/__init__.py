"""Evaluations against people's judgements; not part of the package."""
