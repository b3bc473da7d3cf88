"""The rows of the table by families of operators: importing this package registers them."""

from __future__ import annotations

from gsl.onnx.rows import (
    activation,
    arithmetic,
    attention,
    bits,
    contributed,
    convolution,
    create,
    fused,
    index,
    join,
    layout,
    linear,
    logic,
    normalise,
    places,
    pool,
    quantise,
    quantised,
    reduce,
    resize,
)

__all__ = [
    "activation",
    "arithmetic",
    "attention",
    "bits",
    "contributed",
    "convolution",
    "create",
    "fused",
    "index",
    "join",
    "layout",
    "linear",
    "logic",
    "normalise",
    "places",
    "pool",
    "quantise",
    "quantised",
    "reduce",
    "resize",
]
