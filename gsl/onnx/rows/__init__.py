"""The rows of the table by families of operators: importing this package registers them."""

from __future__ import annotations

from gsl.onnx.rows import (
    activation,
    arithmetic,
    bits,
    convolution,
    create,
    index,
    join,
    layout,
    linear,
    logic,
    normalise,
    pool,
    reduce,
    resize,
)

__all__ = [
    "activation",
    "arithmetic",
    "bits",
    "convolution",
    "create",
    "index",
    "join",
    "layout",
    "linear",
    "logic",
    "normalise",
    "pool",
    "reduce",
    "resize",
]
