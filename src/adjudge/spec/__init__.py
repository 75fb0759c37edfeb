"""Judges as data: files → Judge → prompt and response schema."""
