"""Axes and positions as people write them stand for those that graphs have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Call, Expr, Subst, Tuple, Var, Workload, apply, op, pat
from gsl.errors import RuleError
from gsl.operators import lookup

LARGEST = 2**63 - 1
X, W = Var("x", (3, 4, 5)), pat.Wildcard()


def sliced(x: Any, begin: tuple[int, ...], end: tuple[int, ...]) -> Any:
    make = op.StridedSlice if isinstance(x, pat.Pattern) else of(lookup("StridedSlice"))
    return make(x, begin=begin, end=end, strides=(1,) * len(begin))


def of(operator: Any) -> Callable[..., Expr]:
    return lambda x, **attributes: Call(operator, (x,), attributes)


def matches(source: Any, graph: Expr) -> bool:
    """Tell whether a call in a graph is one that a rule writes."""
    above = Call(lookup("Abs"), (graph,), {})
    (output,) = apply(Workload(above), [Subst(op.Abs(source), source)]).outputs
    return not (isinstance(output, Call) and output.operator is lookup("Abs"))


@pytest.mark.parametrize(
    ("begin", "end", "same", "other"),
    [
        ((0, 0, -2), (3, 4, 5), ((0, 0, 3), (3, 4, 5)), ((0, 0, 2), (3, 4, 5))),
        ((0, 0, 0), (-1, 4, 5), ((0, 0, 0), (2, 4, 5)), ((0, 0, 0), (3, 4, 5))),
        ((1, 0, 0), (LARGEST,) * 3, ((1, 0, 0), (3, 4, 5)), ((1, 0, 0), (3, 4, 4))),
        ((-9, 0, 0), (2**31 - 1, 4, 5), ((0, 0, 0), (3, 4, 5)), ((1, 0, 0), (3, 4, 5))),
    ],
)
def test_positions_are_counted_from_the_end_and_clamped(
    begin: Any, end: Any, same: Any, other: Any
) -> None:
    source = sliced(W, begin, end)
    assert matches(source, sliced(X, *same))
    assert matches(source, sliced(X, begin, end))
    assert not matches(source, sliced(X, *other))


@pytest.mark.parametrize("axes", [(0, -1, -2), (-3, 2, 1), (0, 2, 1)])
def test_axes_of_a_permutation_are_counted_from_the_end(axes: tuple[int, ...]) -> None:
    transpose = of(lookup("Transpose"))
    source = op.Transpose(W, axes=axes)
    assert matches(source, transpose(X, axes=(0, 2, 1)))
    assert matches(source, transpose(X, axes=axes))
    assert not matches(source, transpose(X, axes=(1, 0, 2)))


@pytest.mark.parametrize("axis", [1, -1, 0])
def test_no_axis_is_asked_for_where_a_scale_has_none(axis: int) -> None:
    data, scale, zero = Var("d", (3, 4), "int8"), Var("s", ()), Var("z", (), "int8")
    call = Call(lookup("DequantizeLinear"), (data, scale, zero), {"axis": 1})
    assert matches(op.DequantizeLinear(W, pat.Wildcard(), pat.Wildcard(), axis=axis), call)


@pytest.mark.parametrize(("axis", "matched"), [(1, True), (0, False)])
def test_the_axis_of_a_scale_with_places_counts(axis: int, matched: bool) -> None:
    data, scale, zero = Var("d", (4, 4), "int8"), Var("s", (4,)), Var("z", (4,), "int8")
    call = Call(lookup("DequantizeLinear"), (data, scale, zero), {"axis": 1})
    source = op.DequantizeLinear(W, pat.Wildcard(), pat.Wildcard(), axis=axis)
    assert matches(source, call) == matched


def test_an_equation_without_a_result_has_the_letters_that_occur_once() -> None:
    x, y = Var("x", (2, 3)), Var("y", (3, 4))
    product = Call(lookup("Einsum"), (Tuple((x, y)),), {"equation": "ij,jk->ik"})
    assert matches(op.Einsum((W, pat.Wildcard()), equation="ij,jk"), product)


def test_an_equation_that_leaves_axes_open_is_refused() -> None:
    with pytest.raises(RuleError, match="write a letter for each of them") as caught:
        op.Einsum((W, pat.Wildcard()), equation="...ij,jk->...ik")
    assert caught.value.code == "GSL113"
