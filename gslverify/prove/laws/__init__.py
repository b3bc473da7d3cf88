"""What proofs may use of functions: rows of laws, and what applies them to values."""
