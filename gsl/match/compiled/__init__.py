"""The matcher compiled: Python functions for the rules whose matches need no search."""
