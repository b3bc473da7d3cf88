"""Terms about indices and sizes: canonical forms, what is known of them, the solver."""
