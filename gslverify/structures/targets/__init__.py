"""What decides how a target is computed: the arms it takes, and how its conditions fall."""
