"""Counterexamples as files: written by a run, replayed, pinned, and turned into scripts."""
