"""Where arithmetic on constants leaves their dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, op, pat
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import ask


def divided_twice(dtype: str, most: int) -> Subst:
    """x // a // b => x // (a * b), where a * b may be more than the dtype holds."""
    x, a, b = pat.Wildcard(), pat.Const(shape=()), pat.Const(shape=())
    bounds = [bound for one in (a, b) for bound in (one.value >= 1, one.value <= most)]
    quotient = op.FloorDivide(op.FloorDivide(x, a), b)
    return Subst(quotient, op.FloorDivide(x, a * b), where=[*bounds, x.dtype == dtype])


def capped_thrice(dtype: str, most: int) -> Subst:
    """min(x // 8, a, b, c), where a + b + c is no bound that matters unless it wraps."""
    x, *bounds = (pat.Wildcard(), *(pat.Const(shape=()) for _ in range(3)))
    a, b, c = bounds
    where = [bound for one in bounds for bound in (one.value >= 1, one.value <= most)]
    quotient = op.FloorDivide(x, 8)
    source = op.Minimum(op.Minimum(op.Minimum(quotient, a), b), c)
    inner = op.Minimum(quotient, a + b + c)
    target = op.Minimum(op.Minimum(op.Minimum(inner, a), b), c)
    return Subst(source, target, where=[*where, x.dtype == dtype])


@pytest.mark.smt
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("write", "verdict"),
    [
        (lambda: divided_twice("int8", 12), Verdict.FAIL),
        (lambda: divided_twice("uint8", 16), Verdict.FAIL),
        (lambda: capped_thrice("int8", 45), Verdict.FAIL),
        (lambda: divided_twice("int8", 11), Verdict.PASS),
        (lambda: divided_twice("int32", 16), Verdict.PASS),
    ],
)
def test_rule_is_refuted_where_only_constants_near_their_bounds_wrap(
    write: Callable[[], Any], verdict: Verdict, seed: int
) -> None:
    assert ask(NUMERIC, write, seed=seed, explained=False).verdict is verdict
