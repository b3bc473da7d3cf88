"""Rules that match tensors without elements only, all of them or some of their structures."""

from __future__ import annotations

from typing import Any

import pytest

from gsl import attr, op, pat
from gsl.subst import Subst
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from gslverify.stages.satisfiable import SATISFIABLE
from gslverify.stages.shape import SHAPE
from tests.gslverify.stages.asking import question

pytestmark = pytest.mark.smt


def verdicts(write: Any) -> set[Verdict]:
    """Return what the stages say of a rule, one after the other."""
    asked = question(write, explained=False)
    return {stage.run(asked).verdict for stage in (SATISFIABLE, SHAPE, NUMERIC)}


def matrix() -> Any:
    return pat.Wildcard(ndim=2, dtype="float32")


def size(x: Any) -> Any:
    return attr.Product(lambda i: x.shape[i], length=x.ndim)


def concat_with_no_rows() -> Subst:
    a, b = matrix(), matrix()
    return Subst(op.Concatenate((a, b), axis=0), a, where=[b.shape[0] == 0])


def of_a_given_shape() -> Subst:
    x, y = pat.Variable(shape=(0, 3), dtype="float32"), pat.Wildcard(ndim=2)
    return Subst(op.Concatenate((x, y), axis=0), y)


def sum_of_nothing() -> Subst:
    x = matrix()
    zeros = op.Full(shape=(x.shape[0],), fill_value=0.0, dtype="float32")
    return Subst(op.Sum(x, axis=(1,), keepdims=False), zeros, where=[x.shape[1] == 0])


def no_result_has_elements() -> Subst:
    x = pat.Wildcard(dtype="float32")
    return Subst(op.Exp(x), op.ZerosLike(x), where=[size(x) == 0])


def concat_with_no_columns() -> Subst:
    a, b = matrix(), matrix()
    return Subst(op.Concatenate((a, b), axis=0), a, where=[b.shape[1] == 0])


def of_a_shape_given_in_part() -> Subst:
    x, y = pat.Variable(shape=(0, None), dtype="float32"), pat.Wildcard(ndim=2)
    return Subst(op.Concatenate((x, y), axis=1), y)


def sum_of_nothing_is_one() -> Subst:
    x = matrix()
    ones = op.Full(shape=(x.shape[0],), fill_value=1.0, dtype="float32")
    return Subst(op.Sum(x, axis=(1,), keepdims=False), ones, where=[x.shape[1] == 0])


def fewer_than_two_elements() -> Subst:
    x = pat.Wildcard(dtype="float32")
    return Subst(op.Relu(x), x, where=[size(x) <= 1])


def of_two_axes_only_without_elements() -> Subst:
    x = pat.Wildcard(dtype="float32")
    total = op.Sum(x, axis=(0,), keepdims=False)
    more = op.Full(shape=(), fill_value=attr.Cond(x.ndim == 2, 1.0, 0.0), dtype="float32")
    some = (x.ndim == 1) | ((x.ndim == 2) & (x.shape[0] == 0))
    parts = op.Relu(x) - op.Relu(-x)
    return Subst(total, op.Sum(parts, axis=(0,), keepdims=False) + more, where=[some])


def maximum_of_nothing() -> Subst:
    x = matrix()
    zeros = op.Full(shape=(x.shape[0], 1), fill_value=0.0, dtype="float32")
    return Subst(op.Max(x, axis=(1,), keepdims=True), zeros, where=[x.shape[1] == 0])


@pytest.mark.parametrize(
    "write", [concat_with_no_rows, of_a_given_shape, sum_of_nothing, no_result_has_elements]
)
def test_right_rules_pass(write: Any) -> None:
    assert verdicts(write) == {Verdict.PASS}


@pytest.mark.parametrize(
    "write",
    [
        concat_with_no_columns,
        of_a_shape_given_in_part,
        sum_of_nothing_is_one,
        fewer_than_two_elements,
        of_two_axes_only_without_elements,
    ],
)
def test_wrong_rules_are_refuted(write: Any) -> None:
    assert Verdict.FAIL in verdicts(write)


def test_what_is_not_defined_on_nothing_is_vacuous() -> None:
    assert Verdict.VACUOUS in verdicts(maximum_of_nothing)
