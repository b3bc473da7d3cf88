"""The pages of `gslverify explain`, one module for each family of codes; imports nothing heavy."""

from __future__ import annotations

from gslverify.codes import (
    backend,
    corpus,
    expectation,
    expression,
    gate,
    internal,
    levels,
    library,
    numeric,
    satisfiable,
    shape,
    static,
    stored,
)

__all__ = [
    "backend",
    "corpus",
    "expectation",
    "expression",
    "gate",
    "internal",
    "levels",
    "library",
    "numeric",
    "satisfiable",
    "shape",
    "static",
    "stored",
]
