"""The web page: runs, items, comparisons, judges and labels, served from a store."""
