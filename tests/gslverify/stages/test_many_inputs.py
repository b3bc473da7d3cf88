"""Rules of many inputs with conditions about all of them end, and say what is open."""

from __future__ import annotations

import pytest

from gsl import Subst, attr, op, pat
from gsl.pat import Pattern
from gslverify.finding import Verdict
from gslverify.stages.satisfiable import SATISFIABLE
from tests.gslverify.stages.asking import ask, only

pytestmark = pytest.mark.smt


def forty_inputs(needed: bool = True) -> Subst:
    """Forty inputs, ten of any rank, and conditions on the ranks of all ten together.

    Unless these are `needed` the rule is right without them.
    """
    free = [pat.Wildcard() for _ in range(10)]
    flat = [pat.Wildcard(ndim=1) for _ in range(30)]
    calls: list[Pattern] = [op.Relu(x) for x in (*free, *flat)]
    ranks = free[0].ndim
    for number, x in enumerate(free[1:], 2):
        ranks = ranks + number * x.ndim
    sizes = attr.Sum(lambda i: free[0].shape[i], length=free[0].ndim)
    for x in flat:
        sizes = sizes + x.shape[0]
    targets: list[Pattern] = [op.Relu(op.Relu(x)) for x in (*free, *flat)]
    if needed:
        targets[0] = pat.Cond(ranks % 7 == 6, targets[0], free[0])
    return Subst(
        calls,
        targets,
        where=[ranks % 7 == 6, (ranks // 11) % 5 == 4, sizes % (ranks + 1) == ranks],
    )


def test_forty_inputs_end_and_name_what_is_open() -> None:
    result = ask(SATISFIABLE, forty_inputs, max_variants=8)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert any("structures were tried" in detail for detail in only(result).details)
    assert any("the rank of" in detail for detail in only(result).details)


def test_conditions_on_forty_inputs_that_nothing_needs_leave_nothing_open() -> None:
    result = ask(SATISFIABLE, lambda: forty_inputs(needed=False))
    assert (result.verdict, result.findings) == (Verdict.PASS, ())
