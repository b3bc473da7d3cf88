"""Tensor index notation: what an operator means, element by element."""
