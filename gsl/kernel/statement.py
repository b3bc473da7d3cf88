"""Kernels: statements that say what the elements of tensors are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gsl.attr.term import Symbol, Term, free_symbols
from gsl.kernel.expression import Expression
from gsl.types import Int

DATA_TYPES: Mapping[str, str] = {
    "float": "float32",
    "double": "float64",
    "float32": "float32",
    "float64": "float64",
}
"""Names of data types, and what NumPy calls them."""


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """`tensor` has `value` at the variables `indices`, each of which comes with its extent."""

    tensor: str
    indices: tuple[tuple[Symbol, Int], ...]
    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """Statements in the order in which they are computed.

    Attributes:
        name: a name for the function that it is.
        inputs: tensors that are given.
        outputs: tensors that it is for; others that it computes are intermediate.
        data_type: one of DATA_TYPES, the type of all tensors.
        shapes: dimensions of every tensor: ints, or terms in the symbols that stand for sizes.
        statements: each tensor that is no input has one, before it is read.
    """

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    data_type: str
    shapes: Mapping[str, tuple[Int, ...]]
    statements: tuple[Statement, ...]

    @property
    def sizes(self) -> tuple[Symbol, ...]:
        """The symbols in the dimensions, in the order of inputs and statements."""
        names = (*self.inputs, *(statement.tensor for statement in self.statements))
        found: dict[Symbol, None] = {}
        for dim in (dim for name in names for dim in self.shapes.get(name, ())):
            if isinstance(dim, Term):
                found |= dict.fromkeys(sorted(free_symbols(dim), key=lambda symbol: symbol.name))
        return tuple(found)
