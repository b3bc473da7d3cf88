"""Graphs, patterns and terms as text."""
