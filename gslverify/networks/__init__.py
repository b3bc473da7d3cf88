"""Generated networks that a rule matches, and arrays for their inputs."""
