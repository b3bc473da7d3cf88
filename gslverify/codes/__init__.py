"""The pages of `gslverify explain`, one module for each family of codes; imports nothing heavy."""

from __future__ import annotations

from gslverify.codes import (
    author,
    backend,
    corpus,
    declaration,
    expectation,
    expression,
    foreign,
    gate,
    gradient,
    ignores,
    internal,
    levels,
    library,
    numeric,
    preconditions,
    satisfiable,
    shape,
    static,
    stored,
)
from gslverify.finding import CODES

__all__ = [
    "CODES",
    "author",
    "backend",
    "corpus",
    "declaration",
    "expectation",
    "expression",
    "foreign",
    "gate",
    "gradient",
    "ignores",
    "internal",
    "levels",
    "library",
    "numeric",
    "preconditions",
    "satisfiable",
    "shape",
    "static",
    "stored",
]
