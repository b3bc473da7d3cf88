"""The operators: importing this package registers all declarations."""

from __future__ import annotations

from gsl.operators import (
    activation,
    comparison,
    convolution,
    convolution_transpose,
    create,
    diagonal,
    elementwise,
    index,
    join,
    layout,
    linear,
    normalise,
    pool,
    reduce,
    scatter,
)
from gsl.operators.declaration import REGISTRY, Operator, lookup

__all__ = [
    "REGISTRY",
    "Operator",
    "activation",
    "comparison",
    "convolution",
    "convolution_transpose",
    "create",
    "diagonal",
    "elementwise",
    "index",
    "join",
    "layout",
    "linear",
    "lookup",
    "normalise",
    "pool",
    "reduce",
    "scatter",
]
