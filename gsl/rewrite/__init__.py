"""Targets of matches: built, compiled, and put in the place of their sources."""
