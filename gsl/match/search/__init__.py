"""The matcher that searches: complete for every rule, and the one that knows reasons."""
