"""What attribute terms, dtypes and kernels mean to the solver: the only door to z3."""
