"""The regression gate: what is known about the rules, and what a run changes about it."""
