"""Defects that other rewriters are known to have, each seen not to be here."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import pytest

from gsl import Expr, Subst, Workload, apply, op, pat
from gsl.engine.record import Record
from gsl.graph import Graph
from tests.match.toys import add, exp, negative, p_pack, relu, tanh, var
from tests.rewriting import shape_of

A, B = var("a"), var("b")
X, Y, Z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()


@pytest.mark.parametrize("order", list(permutations((exp, negative, tanh))))
def test_three_outputs_over_a_shared_interior_match_in_every_order_of_users(
    order: tuple[Callable[[Expr], Expr], ...],
) -> None:
    """Matched in one of four orders by GSL."""
    inner = op.Relu(X)
    rule = Subst(
        [op.Exp(inner), op.Negative(inner), op.Tanh(inner)], [op.Exp(X), op.Negative(X), op.Tanh(X)]
    )
    node, record = relu(A), Record()

    result = apply(Workload([make(node) for make in order]), [rule], record=record)

    assert record.total == 1
    assert [shape_of(one) for one in result.outputs] == [shape_of(make(A)) for make in order]


def test_one_node_never_stands_for_two_outputs() -> None:
    """ONNX Script and Inductor rewrite it with itself for ever."""
    rule = Subst([X + Y, X + Z], [(both := op.Exp(p_pack(pat.Tuple(Y, Z)))), both])
    record = Record()
    workload = Workload(add(A, B))

    assert apply(workload, [rule], record=record) is workload
    assert record.total == 0


@pytest.mark.parametrize("count", [2, 3, 5])
def test_identical_siblings_are_found(count: int) -> None:
    """Three of them are never found by ONNX Script and Inductor."""
    rule = Subst([one := op.Relu(X), op.Relu(X)], [one, one])

    result = apply(Workload([relu(A) for _ in range(count)]), [rule])

    assert len({id(output) for output in result.outputs}) == 1
    assert [shape_of(output) for output in result.outputs] == [("Relu", "a")] * count


def test_interleaved_branches_are_rewritten_and_stay_in_order() -> None:
    """Missed, or left with users before operands, by Relax and ONNX Script."""
    rule = Subst([op.Exp(X), op.Tanh(X)], [(new := op.Relu(X)), op.Negative(new)])
    first: Expr = exp(A)
    between = negative(relu(first))
    second = tanh(A)
    workload = Workload([add(between, second), add(second, first)])
    record = Record()

    result = apply(workload, [rule], record=record)

    assert record.total == 1
    Graph(result.outputs).verify()
    seen: set[Expr] = set()
    for expr in result.order:
        assert seen.issuperset(expr.operands)
        seen.add(expr)


def test_branch_above_the_other_output_is_declined() -> None:
    """To replace both at once would close a cycle."""
    rule = Subst([X + Y, op.Exp(Y)], [op.Exp(Y), X + Y])
    workload = Workload(add(relu(below := exp(A)), A))

    assert below.operands == (A,)
    assert apply(workload, [rule]) is workload
