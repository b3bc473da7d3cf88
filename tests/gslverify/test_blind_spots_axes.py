"""Wrong rules about axes of which the first is counted from the end and the others are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, attr, op, pat
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from gslverify.stages.shape import SHAPE
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import is_refuted, question

pytestmark = pytest.mark.smt


def one_after_the_other(rest: Callable[[Any, Any, Any], Any], *where: Any) -> Subst:
    """sum[a, b](x) => sum[rest](sum[a](x)), for exactly two axes of an input of any rank."""
    x = pat.Wildcard()
    both = op.Sum(x, keepdims=False)
    a, b = both.axis[0], both.axis[1]
    inner = op.Sum(x, axis=a, keepdims=False)
    conditions = [attr.Length(both.axis) == 2, *(demand(x, a, b) for demand in where)]
    return Subst(both, op.Sum(inner, axis=rest(x, a, b), keepdims=False), where=conditions)


def shifted_always() -> Subst:
    """Wrong for (-1, 1) of three axes: the first number is less, but its axis is behind."""
    return one_after_the_other(lambda x, a, b: b - 1, lambda x, a, b: a < b, lambda x, a, b: b >= 0)


def shifted(x: Any, a: Any, b: Any) -> Any:
    return attr.Cond(a % x.ndim < b % x.ndim, b % x.ndim - 1, b % x.ndim)


def shifted_but_for_both_signs() -> Subst:
    """Wrong for (-3, 1) of three axes, right for (-1, 1)."""

    def rest(x: Any, a: Any, b: Any) -> Any:
        return attr.Cond(attr.And(a < 0, b >= 0), attr.Min(b, x.ndim - 2), shifted(x, a, b))

    return one_after_the_other(rest)


def shifted_where_behind() -> Subst:
    return one_after_the_other(shifted)


def squeezed_one_after_the_other() -> Subst:
    x = pat.Wildcard()
    both = op.Squeeze(x)
    a, b = both.axis[0], both.axis[1]
    target = op.Squeeze(op.Squeeze(x, axis=a), axis=b - 1)
    return Subst(both, target, where=[attr.Length(both.axis) == 2, a < b, b >= 1])


def added_one_after_the_other() -> Subst:
    x = pat.Wildcard()
    both = op.ExpandDims(x)
    a, b = both.axis[0], both.axis[1]
    target = op.ExpandDims(op.ExpandDims(x, axis=a), axis=b)
    return Subst(both, target, where=[attr.Length(both.axis) == 2, a < b, b >= 1])


def kept_where_written_from_the_front() -> Subst:
    """Wrong for any number of axes of which one is counted from the end: it is not kept as 1."""
    x = pat.Wildcard()
    total = op.Sum(x, keepdims=True)
    count = attr.Length(total.axis)

    def size(i: Any) -> Any:
        is_gone = attr.Exists(lambda k: total.axis[k] == i, length=count)
        return attr.Cond(is_gone, 1, x.shape[i])

    shape = attr.Variadic(size, length=x.ndim)
    where = [total.axis[count - 1] >= 0, total.axis[0] <= total.axis[count - 1]]
    target = op.Reshape(op.Sum(x, axis=total.axis, keepdims=False), shape=shape)
    return Subst(total, target, where=where)


WRONG = [
    shifted_always,
    shifted_but_for_both_signs,
    squeezed_one_after_the_other,
    added_one_after_the_other,
    kept_where_written_from_the_front,
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("write", WRONG, ids=lambda write: write.__name__)
def test_axes_of_both_signs_are_tried(write: Callable[[], Subst], seed: int) -> None:
    assert is_refuted(write, SHAPE, NUMERIC, seed=seed)


def test_axes_of_both_signs_are_no_counterexample() -> None:
    asked = question(shifted_where_behind)
    results = [stage.run(asked) for stage in (SHAPE, NUMERIC)]
    assert {result.verdict for result in results} == {Verdict.PASS}
