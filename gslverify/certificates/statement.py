"""What is to be shown of a structure, and its form, which is all that a proof depends on.

Structures of one rule often differ in the names of symbols only: in which axis is called what. A
proof of one of them is a proof of the other.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gsl.attr.term import Constant, Operation, Symbol, Term
from gsl.kernel.expression import Apply, Expression, Number, Read, Reduction, Select
from gslverify.certificates.checking import Output, inputs_of, outputs_of
from gslverify.certificates.subjects import parts_of
from gslverify.prove.proof import Target, computed_dtypes


@dataclass
class Statement:
    """The claims of a structure, and on each way to its target the tensors that must be equal."""

    claims: Sequence[Term]
    ways: Sequence[Target]

    @cached_property
    def outputs(self) -> list[list[Output]]:
        """The tensors that source and target have to agree in; may raise RefusedError."""
        return [list(outputs_of(way)) for way in self.ways]

    @cached_property
    def form(self) -> Hashable:
        """What it has in common with statements that differ in the names of symbols only."""
        asked: list[Any] = [tuple(self.claims)]
        for way, outputs in zip(self.ways, self.outputs, strict=True):
            inputs, exprs = inputs_of(way), [expr for pair in way.pairs for expr in pair]
            limits = ((n, one.shape, one.low, one.high) for n, one in inputs.limits.items())
            asked += [way.path, tuple(computed_dtypes(exprs)), tuple(inputs.dtypes.items())]
            asked += [
                tuple(limits),
                *((o.name, *o.extents.items(), o.left, o.right) for o in outputs),
                *(tuple(o.results.values()) for o in outputs[:1]),
            ]
        return form_of(tuple(asked))


def form_of(asked: Any) -> Hashable:
    """Return what terms, expressions and tuples of such have in common but for names of symbols."""
    form = _Form()
    return form.number(asked), tuple(form.nodes)


class _Form:
    """Numbers for what has the same parts, and for symbols in the order in which they are met."""

    def __init__(self) -> None:
        self.nodes: dict[Hashable, int] = {}
        self._symbols: dict[Symbol, int] = {}
        self._seen: dict[int, tuple[Any, int]] = {}

    def number(self, one: Any) -> int:
        """Return the number of a term, an expression, a tuple of such, or a value."""
        if id(one) not in self._seen:
            self._seen[id(one)] = one, self.nodes.setdefault(self._node(one), len(self.nodes))
        return self._seen[id(one)][1]

    def _node(self, one: Any) -> Hashable:
        match one:
            case Operation(head=head, operands=operands):
                return ("of terms", head, *map(self.number, operands))
            case Symbol(sort=sort, low=low, high=high):
                return "symbol", self._symbols.setdefault(one, len(self._symbols)), sort, low, high
            case Constant(value=value):
                return "constant", type(value).__name__, repr(value)
            case tuple():
                return ("tuple", *map(self.number, one))
            case Number() | Read() | Apply() | Select() | Reduction():
                names = (getattr(one, name, None) for name in ("function", "tensor", "guarded"))
                bound = [symbol for symbol, _ in getattr(one, "variables", ())]
                inner = map(self.number, (*bound, *parts_of(one)))
                return (type(one).__name__, *names, *inner)
            case Term() | Expression():
                return "itself", object()  # equal to nothing in another statement
        return type(one).__name__, repr(one)
