"""Which orders of many axes a rule names, and that rules are tried with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, attr, op, pat
from gslverify.codes.numeric import TOO_FEW_EXAMPLES
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from gslverify.structures.named_orders import named_orders
from tests.gslverify.stages.asking import ask, is_refuted, only

FIVE = (4, 2, 0, 3, 1)
SIX = (5, 4, 2, 0, 3, 1)


def transposed(wrong_if: Callable[[Any], Any]) -> Subst:
    """T(-x) => T(x) where a condition on the transpose holds, -T(x) elsewhere."""
    x = pat.Wildcard()
    whole = op.Transpose(-x)
    moved = op.Transpose(x, axes=whole.axes)
    return Subst(whole, pat.Cond(wrong_if(whole), moved, -moved))


def softmax(axis: int) -> Subst:
    """softmax(||x||) => softmax(x) along one axis, softmax(|x|) along all others."""
    x = pat.Wildcard()
    whole = op.Softmax(op.Abs(op.Abs(x)))
    wrong, right = op.Softmax(x, axis=whole.axis), op.Softmax(op.Abs(x), axis=whole.axis)
    return Subst(whole, pat.Cond(whole.axis == axis, wrong, right))


@pytest.mark.parametrize(
    ("condition", "orders"),
    [
        (lambda t: t.axes == FIVE, (FIVE,)),
        (lambda t: (t.axes == SIX) | (t.axes == FIVE), (FIVE, SIX)),
        (lambda t: t.axes == (3, 2, 1, 0), ()),
        (lambda t: t.axes == (4, 4, 0, 3, 1), ()),
        (lambda t: t.axes[0] == 4, ()),
    ],
)
def test_orders_of_many_axes(
    condition: Callable[[Any], Any], orders: tuple[tuple[int, ...], ...]
) -> None:
    assert named_orders(transposed(condition)) == orders


@pytest.mark.smt
@pytest.mark.parametrize("order", [FIVE, SIX, (1, 2, 3, 4, 5, 6, 7, 8, 0)])
def test_a_mistake_in_an_order_that_is_named_is_found(order: tuple[int, ...]) -> None:
    def wrong() -> Subst:
        return transposed(lambda t: t.axes == order)

    assert is_refuted(wrong, NUMERIC)


@pytest.mark.smt
def test_orders_that_are_named_raise_no_alarm() -> None:
    def right() -> Subst:
        x = pat.Wildcard()
        whole = op.Transpose(-x)
        axes = attr.Cond(whole.axes == FIVE, FIVE, whole.axes)
        return Subst(whole, -op.Transpose(x, axes=axes))

    assert ask(NUMERIC, right).verdict is Verdict.PASS


@pytest.mark.smt
@pytest.mark.parametrize(
    "write", [lambda: transposed(lambda t: t.axes == (*range(11, -1, -1),)), lambda: softmax(11)]
)
def test_an_arm_that_no_graph_took_is_no_pass(write: Callable[[], Subst]) -> None:
    finding = only(ask(NUMERIC, write))

    assert finding.code is TOO_FEW_EXAMPLES
    assert "of the target is true" in finding.message
    assert "axes ==" in finding.message or "axis == 11" in finding.message
