"""In which order a network is computed, remembered: it is run on many inputs in a row."""

from __future__ import annotations

from functools import lru_cache

from gsl.expr import Expr, Var
from gsl.graph import reverse_post_order

NETWORKS_REMEMBERED = 64


@lru_cache(maxsize=NETWORKS_REMEMBERED)
def evaluation_order(outputs: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """Return all expressions below `outputs`, operands before those that use them."""
    return tuple(reverse_post_order(outputs))


@lru_cache(maxsize=NETWORKS_REMEMBERED)
def inputs_of(outputs: tuple[Expr, ...]) -> tuple[Var, ...]:
    """Return the variables below `outputs`, in the order of evaluation."""
    return tuple(expr for expr in evaluation_order(outputs) if isinstance(expr, Var))
