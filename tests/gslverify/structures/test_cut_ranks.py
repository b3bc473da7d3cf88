"""Which ranks a rule tells apart, and that rules are tried at them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, attr, op, pat
from gslverify.codes.numeric import TOO_FEW_EXAMPLES
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from gslverify.structures.targets.counted import (
    Point,
    turning_points,
    turning_points_of_conditions,
)
from tests.gslverify.stages.asking import ask, only


def softmax(axis: Callable[[Any], Any], *where: Callable[[Any], Any]) -> Subst:
    """|softmax(x)| => softmax(x) along another axis."""
    x = pat.Wildcard()
    conditions = [condition(x) for condition in where]
    return Subst(op.Abs(op.Softmax(x, axis=-1)), op.Softmax(x, axis=axis(x)), where=conditions)


def flipped(axis: Callable[[Any], Any], most: int | None = None) -> Subst:
    """flip[0](relu(x)) => relu(flip(x)) along an axis that the rank says."""
    x = pat.Wildcard()
    flip = op.Flip(x, axis=axis(x.ndim))
    where = [] if most is None else [x.ndim <= most]
    return Subst(op.Flip(op.Relu(x), axis=0), op.Relu(flip), where=where)


def sum_below(rank: Any) -> Any:
    return attr.Sum(lambda i: i, length=rank)


ONCE_OF_EIGHT = attr.Tuple(*(int(rank == 8) for rank in range(12)))
SUM_OF_EIGHT = attr.Tuple(*(int(total == 28) for total in range(46)))


def ranks(points: tuple[Point, ...]) -> tuple[int, ...]:
    return tuple(rank for point in points for rank in point.ranks.values())


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (softmax(lambda x: x.ndim - 1), ()),
        (softmax(lambda x: attr.Cond(x.ndim >= 4, 0, -1)), ()),
        (softmax(lambda x: attr.Cond(x.ndim >= 8, 0, -1)), (8,)),
        (softmax(lambda x: attr.Cond(x.ndim >= 20, 0, -1)), (20,)),
        (softmax(lambda x: attr.Min(x.ndim - 1, 6)), (7, 8)),
        (softmax(lambda x: (x.ndim - 1) % 7), (8,)),
        (softmax(lambda x: -1, lambda x: x.ndim < 8), ()),
        (softmax(lambda x: attr.Max(0, attr.Min(1, x.ndim - 3 - 2 - 3))), (8, 9, 10)),
        (softmax(lambda x: attr.Sum(lambda i: i // 8, length=x.ndim)), (10,)),
        (softmax(lambda x: x.shape[x.ndim - 8]), ()),
    ],
)
def test_numbers_that_ranks_meet(rule: Subst, expected: tuple[int, ...]) -> None:
    assert ranks(turning_points(rule)) == expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (lambda x: x.ndim < 8, ()),
        (lambda x: (x.ndim == 1) | (x.ndim >= 9), (9,)),
        (lambda x: x.shape[0] < 8, ()),
        (lambda x: x.ndim < 1000, ()),
    ],
)
def test_numbers_that_ranks_meet_in_conditions(
    condition: Callable[[Any], Any], expected: tuple[int, ...]
) -> None:
    assert ranks(turning_points_of_conditions(softmax(lambda x: -1, condition))) == expected


@pytest.mark.smt
@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        (lambda: softmax(lambda x: attr.Cond(x.ndim >= 8, 0, -1)), Verdict.FAIL),
        (lambda: softmax(lambda x: attr.Min(x.ndim - 1, 6)), Verdict.FAIL),
        (
            lambda: softmax(lambda x: 0, lambda x: (x.ndim >= 9) | (x.ndim == 1)),
            Verdict.FAIL,
        ),
        (lambda: flipped(lambda n: ONCE_OF_EIGHT[n], 10), Verdict.FAIL),
        (
            lambda: flipped(lambda n: SUM_OF_EIGHT[attr.Sum(lambda i: i, length=n)], 10),
            Verdict.FAIL,
        ),
        (lambda: flipped(lambda n: 1 - attr.Min(1, attr.Abs(n * n - 64))), Verdict.FAIL),
        (lambda: flipped(lambda n: attr.Max(0, attr.Min(1, n - 3 - 2 - 3))), Verdict.FAIL),
        (lambda: flipped(lambda n: attr.Sum(lambda i: i // 8, length=n)), Verdict.FAIL),
        (lambda: flipped(lambda n: attr.Tuple(*[0] * 12)[n], 10), Verdict.PASS),
        (lambda: flipped(lambda n: n * n // 200), Verdict.PASS),
        (lambda: softmax(lambda x: -1, lambda x: x.ndim < 8), Verdict.PASS),
        (lambda: softmax(lambda x: -1, lambda x: x.ndim < 20), Verdict.PASS),
        (lambda: softmax(lambda x: attr.Cond(x.ndim >= 8, x.ndim - 1, -1)), Verdict.PASS),
    ],
)
def test_rules_are_tried_at_the_ranks_that_they_name(
    rule: Callable[[], Subst], verdict: Verdict
) -> None:
    assert ask(NUMERIC, rule, use_tvm=False).verdict is verdict


@pytest.mark.smt
def test_target_that_names_a_rank_that_is_not_tried_is_inconclusive() -> None:
    result = ask(NUMERIC, lambda: softmax(lambda x: attr.Cond(x.ndim >= 20, 0, -1)), use_tvm=False)

    assert only(result).code is TOO_FEW_EXAMPLES
    assert "an input of 20 axes" in only(result).message


@pytest.mark.smt
@pytest.mark.parametrize(
    "condition",
    [
        lambda x: x.ndim <= 12,
        lambda x: x.ndim != 30,
        lambda x: 2 * x.ndim != 12,
        lambda x: x.ndim * x.shape[0] <= 64,
    ],
)
def test_conditions_on_ranks_that_are_not_tried_are_none_of_the_target(
    condition: Callable[[Any], Any],
) -> None:
    def same() -> Subst:
        return softmax(lambda x: -1, condition)

    assert ask(NUMERIC, same, use_tvm=False).verdict is Verdict.PASS


@pytest.mark.smt
@pytest.mark.parametrize("most", [8, 10])
def test_permutations_of_many_axes_are_not_listed(most: int) -> None:
    def moved() -> Subst:
        x = pat.Wildcard()
        first = op.Transpose(x)
        target = op.Transpose(op.Relu(x), axes=first.axes)
        return Subst(op.Relu(first), target, where=[x.ndim <= most])

    assert ask(NUMERIC, moved, use_tvm=False).verdict is Verdict.PASS


@pytest.mark.smt
def test_target_of_a_permutation_that_names_a_rank_is_inconclusive() -> None:
    def moved() -> Subst:
        x = pat.Wildcard()
        first = op.Transpose(x)
        limited = op.Relu(first)
        return Subst(op.Abs(limited), pat.Cond(x.ndim >= 8, first, limited))

    assert only(ask(NUMERIC, moved, use_tvm=False)).code is TOO_FEW_EXAMPLES
