"""The operators: importing this package registers all declarations."""

from __future__ import annotations

from gsl.operators import (
    activation,
    bits,
    comparison,
    convolution,
    convolution_transpose,
    create,
    diagonal,
    division,
    elementwise,
    index,
    join,
    layout,
    linear,
    linear_units,
    normalise,
    pool,
    reduce,
    scatter,
    trigonometry,
)
from gsl.operators.declaration import REGISTRY, Operator, lookup

__all__ = [
    "REGISTRY",
    "Operator",
    "activation",
    "bits",
    "comparison",
    "convolution",
    "convolution_transpose",
    "create",
    "diagonal",
    "division",
    "elementwise",
    "index",
    "join",
    "layout",
    "linear",
    "linear_units",
    "lookup",
    "normalise",
    "pool",
    "reduce",
    "scatter",
    "trigonometry",
]
