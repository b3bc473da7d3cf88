"""What is chosen by indices: proved where the source says that they exist, and only there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gsl import Subst, op, pat, rule
from gsl.pat import Pattern
from tests.gslverify.prove.proving import is_proved_rule

pytestmark = pytest.mark.smt


def vector() -> tuple[Pattern, Pattern, Pattern]:
    return pat.Wildcard(), pat.Wildcard(), pat.Wildcard()


def rows_of_rows() -> Subst:
    x, i, j = vector()
    twice = op.Take(op.Take(x, i, axis=0), j, axis=0)
    return Subst(twice, op.Take(x, op.Take(i, j, axis=0), axis=0), where=ranks(x, i, j))


def function_of_rows() -> Subst:
    x, i, _ = vector()
    return Subst(op.Take(op.Log(x), i, axis=0), op.Log(op.Take(x, i, axis=0)), where=ranks(x, i))


def only_row() -> Subst:
    x, i, _ = vector()
    where = [x.ndim == 1, i.ndim == 0, x.shape[0] == 1]
    return Subst(op.Take(x, i, axis=0), op.Squeeze(x, axis=(0,)), where=where)


def reversed_rows() -> Subst:
    x = pat.Wildcard()
    rows = op.Take(x, pat.Const((1, 0)), axis=0)
    return Subst(rows, op.Flip(x, axis=0), where=[x.ndim == 1, x.shape[0] == 2])


def rows_as_places() -> Subst:
    x, i, _ = vector()
    source = op.GatherND(x, i, batch_dims=0, depth=1)
    target = op.Take(x, op.Squeeze(i, axis=(-1,)), axis=0)
    return Subst(source, target, where=[x.ndim == 1, i.ndim == 2])


def ranks(*patterns: Pattern) -> list[object]:
    return [one.ndim == 1 for one in patterns]


@pytest.mark.parametrize(
    "write", [rows_of_rows, function_of_rows, only_row, reversed_rows, rows_as_places]
)
def test_what_is_gathered_is_proved(write: Callable[[], Subst]) -> None:
    assert is_proved_rule(rule(write))


def indices_in_the_wrong_order() -> Subst:
    x, i, j = vector()
    twice = op.Take(op.Take(x, i, axis=0), j, axis=0)
    return Subst(twice, op.Take(x, op.Take(j, i, axis=0), axis=0), where=ranks(x, i, j))


def one_of_two_rows() -> Subst:
    x, i, _ = vector()
    row = op.Reshape(op.Take(x, i, axis=0), shape=(1,))
    first = op.StridedSlice(x, begin=(0,), end=(1,), strides=(1,))
    where = [x.ndim == 1, i.ndim == 0, x.shape[0] <= 2]
    return Subst(row, first, where=where)


def rows_at_zero() -> Subst:
    x, i, _ = vector()
    return Subst(op.Take(x, i, axis=0), op.Take(x, i * 0, axis=0), where=ranks(x, i))


def sum_of_some_rows() -> Subst:
    x, i, _ = vector()
    some, all_rows = (
        op.Sum(rows, axis=(0,), keepdims=False) for rows in (op.Take(x, i, axis=0), x)
    )
    return Subst(some, all_rows, where=ranks(x, i))


def an_index_that_need_not_exist() -> Subst:
    i = pat.Wildcard()
    found = op.Equal(op.Arange(start=0, step=1, dtype="int64"), i)
    count = op.Sum(op.Cast(found, dtype="float32"), axis=(0,), keepdims=False)
    return Subst(count, op.Full(shape=(), fill_value=1.0, dtype="float32"), where=[i.ndim == 0])


def rows_that_are_not_turned() -> Subst:
    x = pat.Wildcard()
    rows = op.Take(x, pat.Const((1, 0)), axis=0)
    return Subst(rows, x, where=[x.ndim == 1, x.shape[0] == 2])


@pytest.mark.parametrize(
    "write",
    [
        indices_in_the_wrong_order, one_of_two_rows, rows_at_zero, sum_of_some_rows,
        an_index_that_need_not_exist, rows_that_are_not_turned,
    ],
)  # fmt: skip
def test_what_is_gathered_wrongly_is_not_proved(write: Callable[[], Subst]) -> None:
    assert not is_proved_rule(rule(write))
