"""Sizes, attributes and dtypes with which a structure is that of a graph."""
