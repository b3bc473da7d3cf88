"""ExprFunctor: one method for each kind of expression, for operators, and for own kinds."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gsl import Call, Const, Expr, Proj, Tuple, Var
from gsl.errors import GraphError
from gsl.visit import ExprFunctor, handles, post_order_fold
from tests.match.toys import ADD, RELU, add, const, half, multiply, negative, relu, var
from tests.own_kinds import Block, Thrice, Twice

X = var("x")
ONE_OF_EACH: dict[str, Expr] = {
    "const": const(1),
    "var": X,
    "call": relu(X),
    "tuple": Tuple([X, X]),
    "proj": half(X, 0),
    "own": Twice(X),
}


class Kinds(ExprFunctor[str]):
    def visit_const(self, const: Const) -> str:
        return "const"

    def visit_var(self, var: Var) -> str:
        return "var"

    def visit_call(self, call: Call) -> str:
        return "call"

    def visit_tuple(self, whole: Tuple) -> str:
        return "tuple"

    def visit_proj(self, proj: Proj) -> str:
        return "proj"

    @handles(Twice)
    def visit_twice(self, twice: Twice) -> str:
        return "own"


class Leaves(ExprFunctor[str]):
    def visit_leaf(self, leaf: Const | Var) -> str:
        return "leaf"

    def visit_default(self, expr: Expr) -> str:
        return "other"


class Nothing(ExprFunctor[str]):
    pass


@pytest.mark.parametrize("kind", ONE_OF_EACH)
def test_every_kind_goes_to_its_method(kind: str) -> None:
    assert Kinds()(ONE_OF_EACH[kind]) == kind


@pytest.mark.parametrize("kind", ONE_OF_EACH)
def test_leaves_and_all_else_have_a_common_default(kind: str) -> None:
    assert Leaves()(ONE_OF_EACH[kind]) == ("leaf" if kind in {"const", "var"} else "other")


@pytest.mark.parametrize("expr", ONE_OF_EACH.values(), ids=ONE_OF_EACH)
def test_expression_without_a_method_is_an_error_that_names_both(expr: Expr) -> None:
    with pytest.raises(
        GraphError, match=r"Nothing has no method for .*override `visit_default`"
    ) as info:
        Nothing()(expr)

    assert repr(expr) in str(info.value)


@pytest.mark.parametrize("thing", [3, None, "x", [X]])
def test_what_is_no_expression_is_an_error(thing: object) -> None:
    with pytest.raises(
        GraphError, match=f"Leaves is for expressions, not for a {type(thing).__name__}"
    ):
        Leaves()(thing)  # type: ignore[arg-type]


class Cost(ExprFunctor[int, int]):
    """Takes an argument, and has methods for operators."""

    def visit_default(self, expr: Expr, unit: int) -> int:
        return unit

    @handles(ADD, RELU)
    def cheap(self, call: Call, unit: int) -> int:
        return 2 * unit

    @handles(Twice)
    def twice(self, expr: Twice, unit: int) -> int:
        return 3 * unit


class OwnCost(Cost):
    """Overrides one method by its name and adds another for a case that the base handles."""

    def twice(self, expr: Twice, unit: int) -> int:
        return 30 * unit

    @handles(RELU)
    def relu(self, call: Call, unit: int) -> int:
        return 20 * unit


COSTS: list[tuple[ExprFunctor[int, int], Expr, int]] = [
    (Cost(), X, 1),
    (Cost(), multiply(X, X), 1),
    (Cost(), add(X, X), 2),
    (Cost(), relu(X), 2),
    (Cost(), Twice(X), 3),
    (Cost(), Thrice(X), 3),
    (Cost(), Block([], X), 1),
    (OwnCost(), add(X, X), 2),
    (OwnCost(), relu(X), 20),
    (OwnCost(), Twice(X), 30),
    (OwnCost(), Thrice(X), 30),
]


@pytest.mark.parametrize(("functor", "expr", "expected"), COSTS)
def test_methods_for_operators_and_own_kinds(
    functor: ExprFunctor[int, int], expr: Expr, expected: int
) -> None:
    assert functor(expr, 1) == expected
    assert functor(expr, 5) == 5 * expected


def test_subclass_leaves_its_base_alone() -> None:
    assert Cost()(relu(X), 1) == 2
    assert Kinds()(negative(X)) == "call"


def test_methods_of_two_bases_are_united() -> None:
    class Both(OwnCost, Cost):
        @handles(Block)
        def block(self, expr: Block, unit: int) -> int:
            return 7 * unit

    assert [Both()(e, 1) for e in (Block([], X), relu(X), Twice(X))] == [7, 20, 30]


def test_two_methods_for_one_case_are_refused() -> None:
    with pytest.raises(GraphError, match="Torn handles Relu twice: one, other"):

        class Torn(ExprFunctor[int]):
            @handles(RELU)
            def one(self, call: Call) -> int:
                return 1

            @handles(RELU, ADD)
            def other(self, call: Call) -> int:
                return 2

    with pytest.raises(GraphError, match="Split handles Twice twice: one, other"):

        class Split(ExprFunctor[int]):
            @handles(Twice)
            def one(self, expr: Twice) -> int:
                return 1

            @handles(Twice)
            def other(self, expr: Twice) -> int:
                return 2


@pytest.mark.parametrize("case", ["Relu", int, X, None])
def test_only_kinds_and_operators_are_handled(case: object) -> None:
    with pytest.raises(GraphError, match="kinds of expressions or operators, not "):
        handles(case)  # type: ignore[call-overload]


class Depth(ExprFunctor[int, Sequence[int]]):
    def visit_default(self, expr: Expr, operands: Sequence[int]) -> int:
        return 1 + max(operands, default=-1)


def test_functor_of_operand_results_is_folded_over_a_network() -> None:
    r = relu(X)
    top = add(negative(r), r)

    depths = post_order_fold(top, Depth())

    assert list(depths.values()) == [0, 1, 2, 3]
    assert depths[top] == 3
