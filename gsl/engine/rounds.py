"""Rewriting and folding in turns: a folded value is a parameter, which rules for weights match."""

from __future__ import annotations

from collections.abc import Mapping

from gsl.engine.fixpoint import apply
from gsl.engine.record import Record
from gsl.errors import RewriteError
from gsl.fold import FoldRecord
from gsl.subst import Subst
from gsl.workload import Workload

MOST_ROUNDS = 50
"""How often rewriting and folding take turns at most."""


def settle(
    workload: Workload,
    named: Mapping[Subst, str],
    *,
    fold: bool = True,
    merge: bool = False,
    max_rewrites: int | None = None,
    record: Record | None = None,
    left: FoldRecord | None = None,
) -> Workload:
    """Return the workload after rewriting and folding until neither changes anything.

    Args:
        workload: what is rewritten; it stays as it is.
        named: the rules, earlier ones first where several match, with names for messages.
        fold: whether what depends on parameters alone becomes a parameter.
        merge: whether common subexpressions are computed once before.
        max_rewrites: how many rewrites there may be between two foldings; no limit if None.
        record: counts the rewrites of each rule.
        left: lists what the last folding could not compute.

    Raises RewriteError when the rules do not come to an end, naming those that go on.
    """
    record = Record() if record is None else record
    left = FoldRecord() if left is None else left
    counts: dict[Subst, int] = {}
    rules = list(named)
    workload = apply(workload, rules, max_rewrites=max_rewrites, record=record, merge=merge)
    for _ in range(MOST_ROUNDS if fold else 0):
        left.left.clear()
        counts = dict(record.counts)
        folded = workload.fold(record=left)
        if folded is workload:
            return workload
        record.refused.clear()  # what is still there is refused again
        workload = apply(folded, rules, max_rewrites=max_rewrites, record=record)
        if workload is folded:
            return workload
    if not fold:
        return workload
    feeding = [named[rule] for rule, count in record.counts.items() if count != counts.get(rule)]
    raise RewriteError(
        f"no end after rewriting and folding {MOST_ROUNDS} times; what is folded is rewritten by "
        f"{', '.join(feeding)} (--no-fold rewrites only)"
    )
