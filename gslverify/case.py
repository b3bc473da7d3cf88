"""The very graphs and inputs of a counterexample, as plain data that can be sent and saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gsl.expr import Const, Expr
from gsl.graph import reverse_post_order
from gsl.records import Record, decode, encode


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A network, what it was rewritten to, and the values of its inputs.

    `source`, `matched` and `target` are positions in `records` (see gsl.records): the outputs of
    the network, the expressions that the outputs of the rule matched, and the outputs afterwards,
    none where the target could not be built. `context` and `escaping` are those of the network.
    `inputs` are arrays by name, none where types alone refute the rule.
    """

    records: tuple[Record, ...]
    source: tuple[int, ...]
    matched: tuple[int, ...]
    target: tuple[int, ...] = ()
    inputs: Mapping[str, Any] = field(default_factory=dict)
    context: str = "alone"
    escaping: bool = False

    def exprs(self) -> list[Expr]:
        """Return the expression of every record; raises as `gsl.records.decode` does."""
        return decode(self.records)


def case_of(
    source: Sequence[Expr],
    matched: Sequence[Expr],
    target: Sequence[Expr] = (),
    inputs: Mapping[str, Any] | None = None,
    context: str = "alone",
    escaping: bool = False,
) -> Case:
    """Return graphs and inputs as plain data; constants keep the number that was asked for."""
    everything = (*source, *matched, *target)
    records, positions = encode(everything)
    for place, expr in enumerate(reverse_post_order(everything)):
        if isinstance(expr, Const) and expr.asked is not None:
            records[place] = ("const", (), expr.asked, expr.dtype)
    first, second = len(source), len(source) + len(matched)
    return Case(
        tuple(records),
        tuple(positions[:first]),
        tuple(positions[first:second]),
        tuple(positions[second:]),
        dict(inputs or {}),
        context,
        escaping,
    )
