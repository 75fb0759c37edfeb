"""adjudge: a measuring instrument for text."""

__version__ = "0.1.0"
