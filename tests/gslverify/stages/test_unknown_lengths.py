"""Lengths, indices, slices and axes that depend on sizes are decided in each of their few cases.

Of every kind there is a rule that is right, and one that is wrong in some of the cases only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, attr, op, pat
from gslverify.codes.shape import ILLEGAL_TARGET, OUTPUT_SHAPE
from gslverify.finding import Verdict
from gslverify.stages.satisfiable import SATISFIABLE
from gslverify.stages.shape import SHAPE
from tests.gslverify.stages.asking import Write, ask, only

pytestmark = pytest.mark.smt

Make = Callable[..., Any]


def reshaped(rank: int, condition: Make, shape: Make) -> Subst:
    """A reshape under a condition, with its shape computed in another way."""
    x = pat.Wildcard()
    r = op.Reshape(x)
    return Subst(r, op.Reshape(x, shape=shape(x)), where=[x.ndim == rank, *condition(x, r)])


def leading_one(x: Any) -> Any:
    return attr.Cond(x.shape[0] == 1, 1, 0)


def first_one(x: Any) -> Any:
    minimum = attr.BinaryOp.MIN
    return attr.ReduceIndexed(minimum, lambda i: attr.Cond(x.shape[i] == 1, i, x.ndim - 1), x.ndim)


def ones(x: Any) -> Any:
    return attr.Sum(lambda i: attr.Cond(x.shape[i] == 1, 1, 0), length=x.ndim)


def without_the_first(x: Any, r: Any) -> list[Any]:
    k = leading_one(x)
    alike = attr.All(lambda i: r.shape[i] == x.shape[i + k], length=x.ndim - k)
    return [r.ndim == x.ndim - k, alike]


def rest(x: Any) -> Any:
    k = leading_one(x)
    return attr.Variadic(lambda i: x.shape[i + k], length=x.ndim - k)


def squeezed(x: Any, r: Any) -> list[Any]:
    b = first_one(x)
    return [x.shape[b] == 1, r.shape == x.shape[:b] + x.shape[b + 1 :]]


def length_right() -> Subst:
    return reshaped(2, without_the_first, rest)


def length_wrong() -> Subst:
    return reshaped(2, without_the_first, lambda x: x.shape[1:])


def slice_right() -> Subst:
    return reshaped(2, squeezed, lambda x: x.shape[: first_one(x)] + x.shape[first_one(x) + 1 :])


def slice_wrong() -> Subst:
    return reshaped(2, squeezed, lambda x: x.shape[1:])


def as_many_axes_as_ones(x: Any, r: Any) -> list[Any]:
    return [r.ndim == attr.Length(attr.Variadic(lambda i: 1, length=ones(x)))]


def count_right() -> Subst:
    x = pat.Wildcard()
    r = op.Reshape(x)
    where = [x.ndim <= 2, *as_many_axes_as_ones(x, r)]
    return Subst(r, op.Reshape(x, shape=r.shape), where=where)


def count_wrong() -> Subst:
    return reshaped(2, as_many_axes_as_ones, lambda x: x.shape)


def transposed(inner: Make) -> Subst:
    x = pat.Wildcard()
    three = x.shape[0] == 3
    order = attr.Tuple(attr.Cond(three, 0, 1), attr.Cond(three, 1, 0), 2)
    back = op.Transpose(op.Transpose(x, axes=order), axes=inner(order))
    return Subst(op.Relu(x), op.Relu(back), where=[x.ndim == 3])


def axes_right() -> Subst:
    return transposed(attr.inverse)


def axes_wrong() -> Subst:
    return transposed(lambda order: (1, 0, 2))


def indexed(index: int) -> Subst:
    x = pat.Wildcard()
    first = x.shape[attr.Cond(x.shape[0] == 17, index, 0)]
    same = op.Reshape(x, shape=(first, x.shape[1]))
    return Subst(op.Relu(x), op.Relu(same), where=[x.ndim == 2])


def index_right() -> Subst:
    return indexed(-2)


def index_wrong() -> Subst:
    return indexed(-1)


def index_outside() -> Subst:
    return indexed(2)


def source_axis(shape: Make) -> Subst:
    x = pat.Wildcard()
    r = op.Reshape(x, shape=rest(x))
    return Subst(op.Relu(r), op.Reshape(op.Relu(x), shape=shape(x)), where=[x.ndim == 2])


def source_right() -> Subst:
    return source_axis(rest)


def source_wrong() -> Subst:
    return source_axis(lambda x: x.shape)


def empty_extremum() -> Subst:
    """The least of nothing has no value, so nothing can be built of size 3."""
    x = pat.Wildcard()
    few = attr.Cond(x.shape[0] == 3, 0, 1)
    least = attr.ReduceIndexed(attr.BinaryOp.MIN, lambda i: x.shape[i], few)
    return Subst(op.Relu(x), op.Relu(op.Reshape(x, shape=(least,))), where=[x.ndim == 1])


def divided_by_zero() -> Subst:
    """On neither side of the choice where the condition has no value."""
    x = pat.Wildcard()
    condition = 6 // (x.shape[0] - 17) == 2
    target = pat.Cond(condition, op.Relu(x), op.Relu(op.Reshape(x, shape=x.shape)))
    return Subst(op.Relu(x), target, where=[x.ndim == 1])


RIGHT = [length_right, slice_right, count_right, axes_right, index_right, source_right]
WRONG = [
    (length_wrong, ILLEGAL_TARGET),
    (slice_wrong, ILLEGAL_TARGET),
    (count_wrong, OUTPUT_SHAPE),
    (axes_wrong, OUTPUT_SHAPE),
    (index_wrong, ILLEGAL_TARGET),
    (index_outside, ILLEGAL_TARGET),
    (source_wrong, OUTPUT_SHAPE),
    (empty_extremum, ILLEGAL_TARGET),
    (divided_by_zero, ILLEGAL_TARGET),
]


@pytest.mark.parametrize("write", RIGHT)
def test_every_case_is_proved(write: Write) -> None:
    assert ask(SATISFIABLE, write).findings == ()
    result = ask(SHAPE, write)
    assert (result.verdict, result.findings) == (Verdict.PASS, ())
    (assurance,) = result.assurances
    assert assurance.text.startswith("proved, rank")


@pytest.mark.parametrize(("write", "code"), WRONG)
def test_a_single_wrong_case_refutes(write: Write, code: Any) -> None:
    assert only(ask(SHAPE, write)).code is code


@pytest.mark.parametrize("columns", [2, None])
def test_defaults_of_targets_that_are_sizes_are_decided_in_each_case(columns: int | None) -> None:
    def write() -> Subst:
        x = pat.Variable(shape=(None, None, None))
        t = pat.Wildcard(shape=(None, columns), dtype="int64")
        rows = op.GatherND(x, t, batch_dims=0)
        return Subst(op.Relu(rows), op.GatherND(op.Relu(x), t))

    assert ask(SHAPE, write).verdict is Verdict.PASS


def test_defaults_of_targets_that_do_not_fit_in_some_case_are_refuted() -> None:
    def write() -> Subst:
        x = pat.Variable(shape=(None, None))
        t = pat.Wildcard(shape=(None, None), dtype="int64")
        rows = op.GatherND(x, t, batch_dims=0)
        return Subst(op.Relu(rows), op.GatherND(op.Reshape(x, shape=(-1,)), t))

    assert ask(SHAPE, write).verdict is Verdict.FAIL
