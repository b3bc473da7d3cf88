"""Instances of a rule: a network and what it is rewritten to, at one choice of sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gsl.errors import GslError
from gsl.expr import Call, Expr, Proj
from gsl.workload import Workload


class CannotLiftError(GslError):
    """Instances are not those of one rule that can be written down; the message says why.

    Give more instances, or instances whose sizes are different primes, or write the rule by hand.
    """


@dataclass(frozen=True, slots=True)
class Instance:
    """A network before and after a rewrite; inputs are the same where their names are.

    Sizes that are free should be different primes, and other ones in every instance: sizes that
    are equal in all instances are taken to be equal by the rule.
    """

    source: Workload
    target: Workload


Row = tuple[Expr, ...]
"""The expressions at one place of a graph, one of each instance."""


def aligned(workloads: Sequence[Workload]) -> list[Row]:
    """Return the expressions of all workloads side by side, in reverse post-order.

    Raises CannotLiftError when the graphs do not have the same operators in the same places.
    """
    orders = [workload.order for workload in workloads]
    counts = sorted({len(order) for order in orders})
    if len(counts) > 1:
        numbers = " and ".join(map(str, counts))
        raise CannotLiftError(f"the graph has {numbers} nodes at different sizes")
    rows = list(zip(*orders, strict=True))
    places = [{expr: place for place, expr in enumerate(order)} for order in orders]
    for row in rows:
        kinds = dict.fromkeys(_kind(expr) for expr in row)
        if len(kinds) > 1:
            raise CannotLiftError(f"at different sizes the graph has {' or '.join(kinds)}")
        wiring = {
            tuple(known[operand] for operand in expr.operands)
            for known, expr in zip(places, row, strict=True)
        }
        if len(wiring) > 1:
            raise CannotLiftError(f"operands of {next(iter(kinds))} differ at different sizes")
    return rows


def _kind(expr: Expr) -> str:
    match expr:
        case Call():
            return expr.operator.name
        case Proj():
            return f"field {expr.index} of a tuple"
        case _:
            return type(expr).__name__.lower()
