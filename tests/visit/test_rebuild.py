"""An expression over other operands: itself, a copy, or inferred anew."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from gsl import Expr, Proj, Tuple, Var
from gsl.errors import GraphError, OperatorError
from gsl.graph import reverse_post_order
from gsl.visit import rebuild
from tests.match.toys import add, const, half, relu, var
from tests.networks import networks
from tests.own_kinds import Block, Twice

X, Y, WIDE = var("x"), var("y"), Var("wide", (3,))


def test_rebuilt_over_its_own_operands_is_itself() -> None:
    for expr in (X, relu(X), Tuple([X, Y]), half(X, 1), Twice(X), const(1)):
        assert rebuild(expr, expr.operands) is expr
        assert rebuild(expr, (*expr.operands,)) is expr


def test_rebuilt_tuple_may_have_another_number_of_fields() -> None:
    assert str(rebuild(Tuple([X]), (X, WIDE)).type) == "(float32[2], float32[3])"


REFUSED: list[tuple[Expr, tuple[Any, ...], type[Exception], str]] = [
    (relu(X), (X, X), OperatorError, "Relu takes 1 operand, not 2"),
    (half(X, 1), (X, X), GraphError, r"Proj\(1\) cannot have 2 operands"),
    (half(X, 1), (X,), GraphError, "only a tuple has fields"),
    (Proj(Tuple([X, Y]), 1), (Tuple([X]),), GraphError, "field 1 of a tuple of 1 fields"),
    (X, (X,), GraphError, r"Var\('x', .*cannot have 1 operands"),
    (Block([X], X), (WIDE,), GraphError, r"Block\(\) cannot have 1 operands of these types"),
    (Twice(X), (X, X), GraphError, "Twice takes one operand, not 2"),
    (relu(X), (3,), GraphError, "an operand is an expression, not 3"),
    (add(X, Y), (WIDE, 3), GraphError, "an operand is an expression, not 3"),
    (Tuple([X]), (X, None), GraphError, "an operand is an expression, not None"),
]


@pytest.mark.parametrize(("expr", "operands", "error", "message"), REFUSED)
def test_operands_that_cannot_be_had_are_refused(
    expr: Expr, operands: tuple[Any, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        rebuild(expr, operands)


SAME: list[tuple[Expr, Expr]] = [
    (X, Y),
    (Tuple([X, X]), Tuple([Y, X])),
    (Tuple([X, Tuple([Y])]), Tuple([X, Tuple([X])])),
]
DIFFERENT: list[tuple[Expr, Expr]] = [
    (X, WIDE),
    (X, Var("x", (2,), "float16")),
    (X, Var("x", (2, 1))),
    (X, Tuple([X])),
    (Tuple([X]), X),
    (Tuple([X]), Tuple([X, X])),
    (Tuple([X, X]), Tuple([X, WIDE])),
    (Tuple([Tuple([X])]), Tuple([Tuple([WIDE])])),
]


@pytest.mark.parametrize(("old", "new"), SAME)
def test_tuple_over_operands_of_the_same_types_keeps_its_type(old: Expr, new: Expr) -> None:
    whole = Tuple([old])

    copy = rebuild(whole, (new,))

    assert copy is not whole
    assert copy.type is whole.type
    assert copy.operands == (new,)


@pytest.mark.parametrize(("old", "new"), DIFFERENT)
def test_tuple_over_operands_of_other_types_gets_another_type(old: Expr, new: Expr) -> None:
    assert rebuild(Tuple([old]), (new,)).type == Tuple([new]).type != Tuple([old]).type


@given(networks)
def test_rebuilt_over_copies_differs_in_the_operands_only(outputs: tuple[Expr, ...]) -> None:
    for expr in reverse_post_order(outputs):
        copies = tuple(operand.with_operands(operand.operands) for operand in expr.operands)

        result = rebuild(expr, copies)

        assert (result is expr) == (not expr.operands)
        assert (repr(expr), expr.type, copies) == (repr(result), result.type, result.operands)
