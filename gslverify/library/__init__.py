"""What the rules of a library do to each other: loops, duplicates, shadows, and an end or none."""
