"""Datasets in, tables out."""
