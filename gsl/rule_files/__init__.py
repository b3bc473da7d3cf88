"""Files of rules: tried out in a child process, then imported."""
