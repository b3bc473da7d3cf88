"""ExprVisitor: order, how often, where the descent ends, and depth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gsl import Call, Const, Expr, Tuple, Var
from gsl.errors import GraphError
from gsl.graph import reverse_post_order
from gsl.visit import (
    ExprVisitor,
    handles,
)
from tests.match.toys import ADD, add, const, exp, negative, relu, var
from tests.networks import chain, networks
from tests.own_kinds import Block

DEEP = 100_000


class Recorder(ExprVisitor):
    """Notes down the expressions visited."""

    def __init__(self, visit_limit: int = 1) -> None:
        super().__init__(visit_limit)
        self.seen: list[Expr] = []

    def visit_default(self, expr: Expr) -> None:
        self.seen.append(expr)


def reached_by_definition(outputs: Sequence[Expr], limit: int) -> Counter[Expr]:
    """Count the edges from visited users and the outputs, users before their operands."""
    reached = Counter(outputs)
    for expr in reversed(reverse_post_order(outputs)):
        for operand in expr.operands:
            reached[operand] += min(limit, reached[expr])
    return reached


@given(networks)
def test_expressions_are_visited_in_reverse_post_order(outputs: tuple[Expr, ...]) -> None:
    order = reverse_post_order(outputs)
    recorder = Recorder()

    recorder.visit(outputs)

    assert order == recorder.seen


@given(networks, st.integers(1, 4))
def test_expressions_are_visited_as_often_as_reached_up_to_the_limit(
    outputs: tuple[Expr, ...], limit: int
) -> None:
    recorder = Recorder(limit)

    recorder.visit(outputs)

    reached = reached_by_definition(outputs, limit)
    assert reached == recorder.visit_counter
    assert {expr: min(limit, n) for expr, n in reached.items()} == Counter(recorder.seen)


@given(networks, st.integers(1, 3))
def test_operands_are_visited_before_every_visit_of_their_user(
    outputs: tuple[Expr, ...], limit: int
) -> None:
    recorder = Recorder(limit)

    recorder.visit(outputs)

    before: set[Expr] = set()
    for expr in recorder.seen:
        assert before.issuperset(expr.operands)
        before.add(expr)


def test_counter_tells_how_often_an_expression_is_used() -> None:
    x = var("x")
    r = relu(x)
    visitor = ExprVisitor()

    visitor.visit([add(r, r), exp(r), r])

    assert visitor.visit_counter[r] == 4
    assert visitor.visit_counter[x] == 1
    assert visitor.visit_counter[var("x")] == 0


def test_second_visit_only_counts_what_the_first_has_seen() -> None:
    r = relu(var("x"))
    n = negative(r)
    recorder = Recorder()

    recorder.visit(r)
    recorder.visit([n, r])

    assert [r.operands[0], r, n] == recorder.seen
    assert recorder.visit_counter[r] == 3


@pytest.mark.parametrize("limit", [0, -1])
def test_limit_below_one_is_refused(limit: int) -> None:
    with pytest.raises(GraphError, match=f"at least once, not {limit} times"):
        ExprVisitor(limit)


class Names(ExprVisitor):
    """Has methods for leaves, one operator, and all other calls."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def visit_leaf(self, leaf: Const | Var) -> None:
        self.names.append("leaf")

    def visit_call(self, call: Call) -> None:
        self.names.append(call.operator.name)

    @handles(ADD)
    def sum(self, call: Call) -> None:
        self.names.append("sum")


def test_visitor_dispatches_on_leaves_operators_and_kinds() -> None:
    visitor = Names()

    visitor.visit(Tuple([add(relu(var("x")), const(1))]))

    assert visitor.names == ["leaf", "Relu", "leaf", "sum"]


class UpToExp(Recorder):
    """Does not look below Exp."""

    def expand(self, expr: Expr) -> Sequence[Expr]:
        return () if isinstance(expr, Call) and expr.operator.name == "Exp" else expr.operands


class IntoBlocks(Recorder):
    """Looks into the bodies of an own kind of expression."""

    def expand(self, expr: Expr) -> Sequence[Expr]:
        return (*expr.operands, expr.body) if isinstance(expr, Block) else expr.operands


def test_descent_may_end_early() -> None:
    e = exp(relu(var("x")))
    y = var("y")
    top = add(e, y)
    recorder = UpToExp()

    recorder.visit(top)

    assert [e, y, top] == recorder.seen


def test_descent_may_enter_what_is_no_operand() -> None:
    x, y = var("x"), var("y")
    body = negative(y)
    block = Block([x], body)
    recorder = IntoBlocks()

    recorder.visit(relu(block))

    assert [x, y, body, block] == recorder.seen[:-1]


def test_blocks_nested_deeply_are_no_recursion() -> None:
    expr: Expr = var("x")
    for _ in range(20_000):
        expr = Block([], expr)
    recorder = IntoBlocks()

    recorder.visit(expr)

    assert len(recorder.seen) == 20_001


def test_deep_chain_is_visited_without_recursion() -> None:
    top = chain(DEEP)
    recorder = Recorder(2)

    recorder.visit([top, top])

    assert len(recorder.seen) == 2 * (DEEP + 1)
