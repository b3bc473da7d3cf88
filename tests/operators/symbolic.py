"""Runs a shape rule on unknown sizes and asks whether it says the same as on known ones."""

from __future__ import annotations

from typing import Any

from three_way import Case

from gsl.attr.evaluate import evaluate
from gsl.attr.term import Symbol, Term
from gsl.operators.declaration import Need
from gsl.types import TensorType, TupleType, Type


class Sizes:
    """Symbols for sizes, each with the known size that it stands for."""

    def __init__(self) -> None:
        self.known: dict[Symbol, int] = {}

    def symbol(self, symbol: Symbol) -> int:
        return self.known[symbol]

    def hide(self, type_: Type) -> Type:
        """Return the type with a new symbol for every size."""
        if isinstance(type_, TupleType):
            return TupleType(tuple(map(self.hide, type_.fields)))
        symbols = tuple(Symbol("size", low=0) for _ in type_.shape)
        self.known |= dict(zip(symbols, type_.shape, strict=True))
        return type_.with_shape(symbols)

    def reveal(self, value: Any) -> Any:
        """Return a type or an attribute value with every term replaced by its value."""
        match value:
            case TupleType(fields=fields):
                return TupleType(tuple(map(self.reveal, fields)))
            case TensorType(shape=shape, dtype=dtype):
                return TensorType(self.reveal(shape), dtype)
            case tuple():
                return tuple(map(self.reveal, value))
            case Term():
                return evaluate(value, self)
            case _:
                return value


def check_symbolic(case: Case) -> None:
    """Demand the same attributes, preconditions that hold, and the same result."""
    sizes, need = Sizes(), Need()
    types = tuple(map(sizes.hide, case.types))
    attributes = case.operator.normalise(case.attributes, types)
    result = case.operator.infer(types, attributes, need)
    assert sizes.reveal(tuple(attributes.values())) == tuple(case.canonical.values()), case
    assert [reason for claim, reason in need.claims if not sizes.reveal(claim)] == [], case
    assert sizes.reveal(result) == case.operator.infer(case.types, case.canonical), case
