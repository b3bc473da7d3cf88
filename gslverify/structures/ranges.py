"""Ranges and constant tensors that are long although no input is, which few draws make them."""

from __future__ import annotations

from collections.abc import Iterator

from gsl.attr.evaluate import equal
from gsl.attr.term import Term
from gsl.expr import Call
from gsl.operators.declaration import tensors
from gslverify.structures.instance import Instance

LENGTHS = (600, 2500, 256)
"""More than int8, float16 and uint8 can count; with the last one, uint8 is back at 0."""


def long_ranges(instance: Instance) -> Iterator[Term]:
    """Yield for every tensor of one axis that is made of nothing the conditions that it is long."""
    for node in instance.graph:
        if not isinstance(node.expr, Call) or node.operands:
            continue
        (made,) = tensors((node.expr.type,))
        if made.ndim == 1:
            demands = (equal(made.shape[0], length) for length in LENGTHS)
            yield from (demand for demand in demands if isinstance(demand, Term))
