"""The pages of `gslverify explain`, one module for each family of codes; imports nothing heavy."""

from __future__ import annotations

from gslverify.codes import (
    corpus,
    expectation,
    expression,
    internal,
    numeric,
    prove,
    satisfiable,
    shape,
    static,
)

__all__ = [
    "corpus",
    "expectation",
    "expression",
    "internal",
    "numeric",
    "prove",
    "satisfiable",
    "shape",
    "static",
]
