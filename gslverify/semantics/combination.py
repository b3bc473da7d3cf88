"""Factors with which sums of products add up, found by linear arithmetic."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import z3

LIMIT = 200_000
"""The solver's own unit, for one combination."""


def combination(
    columns: Sequence[tuple[bool, Iterable[tuple[Hashable, Any]]]], total: Mapping[Hashable, int]
) -> list[Fraction] | None:
    """Return factors with which columns add up to a total, None where none are found.

    A column has numbers by rows, and may have a factor below 0 only where it says so.
    """
    context = z3.Context()
    solver = z3.SimpleSolver(ctx=context)
    solver.set("rlimit", LIMIT)
    factors = [z3.Real(f"f{number}", context) for number, _ in enumerate(columns)]
    rows: dict[Hashable, list[Any]] = {row: [] for row in total}
    for factor, (is_free, column) in zip(factors, columns, strict=True):
        if not is_free:
            solver.add(factor >= 0)
        for row, number in column:
            rows.setdefault(row, []).append(factor * number)
    if any(total[row] and not rows[row] for row in total):
        return None
    for row, parts in rows.items():
        solver.add(z3.Sum(parts) == total.get(row, 0))
    if solver.check() != z3.sat:
        return None
    model = solver.model()
    values = (model.eval(one, model_completion=True).as_fraction() for one in factors)
    return [Fraction(value) for value in values]
