"""Rules broken on purpose, to measure how well a rule is constrained and how much is noticed."""
