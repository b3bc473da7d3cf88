"""Building targets and putting them in the place of a match."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from gsl import Call, Expr, Subst, Tuple, Var, Workload, attr, op, pat
from gsl.errors import RewriteError
from gsl.evaluate import run
from gsl.graph import Graph, reverse_post_order
from gsl.match import match_at
from gsl.rewrite.builder import rewrite
from tests.match.asking import node_of
from tests.match.toys import (
    RELU,
    add,
    const,
    exp,
    half,
    multiply,
    negative,
    p_halves,
    p_pack,
    p_tag,
    pack,
    relu,
    tag,
    tanh,
    var,
)
from tests.rewriting import once, shape_of

A, B = var("a"), var("b")
X, Y = pat.Wildcard(), pat.Wildcard()


t = p_tag(X)


def merge_fans() -> Subst:
    """relu(x) + w_0, relu(x) + w_1, ...  =>  exp(x) * w_0, exp(x) * w_1, ..."""
    weight = pat.Wildcard()
    field = op.Relu(X) + weight
    source = pat.Variadic(field, templates=[field, weight])
    i = attr.Symbol()
    one = source(weight, i)
    new = op.Exp(X) * one
    return Subst(source, pat.Variadic(new, templates=[new, one], index=i))


def test_every_output_of_a_variadic_rule_is_replaced_by_its_own() -> None:
    inner = relu(A)
    sums = [add(inner, var(f"w{i}")) for i in range(3)]

    results = once(merge_fans(), [sums[1], negative(sums[0]), sums[2]], sums[1])

    assert [shape_of(e) for e in results] == [
        ("Multiply", ("Exp", "a"), "w1"),
        ("Negative", ("Multiply", ("Exp", "a"), "w0")),
        ("Multiply", ("Exp", "a"), "w2"),
    ]
    assert len({id(e.operands[0]) for e in (results[0], results[2])}) == 1


def test_outputs_are_replaced_in_their_order() -> None:
    rule = Subst([op.Relu(X), op.Exp(X)], [op.Tanh(X), op.Negative(X)])
    r, e = relu(A), exp(A)

    results = once(rule, [e, r, add(r, e)], r)

    assert [shape_of(x) for x in results] == [
        ("Negative", "a"), ("Tanh", "a"), ("Add", ("Tanh", "a"), ("Negative", "a"))
    ]  # fmt: skip


def test_outputs_may_be_exchanged_with_each_other() -> None:
    r, e = op.Relu(X), op.Exp(X)
    first, second = relu(A), exp(A)
    both = add(first, second)

    results = once(Subst([r, e], [e, r]), [first, second, both], first)

    assert [shape_of(x) for x in results] == [
        ("Exp", "a"), ("Relu", "a"), ("Add", ("Exp", "a"), ("Relu", "a"))
    ]  # fmt: skip


def test_output_may_be_replaced_by_one_above_it() -> None:
    below = op.Relu(X)
    above = op.Exp(below)
    r = relu(A)
    e = exp(r)

    results = once(Subst([below, above], [above, below]), [negative(r), negative(e)], r)

    assert [shape_of(x) for x in results] == [
        ("Negative", ("Exp", ("Relu", "a"))), ("Negative", ("Relu", "a"))
    ]  # fmt: skip


def test_all_users_of_a_replaced_output_see_the_new_one() -> None:
    r = relu(A)

    results = once(Subst(op.Relu(X), op.Exp(X)), [negative(r), add(r, r), r], r)

    assert [shape_of(x) for x in results] == [
        ("Negative", ("Exp", "a")), ("Add", ("Exp", "a"), ("Exp", "a")), ("Exp", "a")
    ]  # fmt: skip


def test_target_on_top_of_the_source_keeps_it_below() -> None:
    r = op.Relu(X)

    results = once(Subst(r, op.Exp(r)), [negative(inner := relu(A)), inner], inner)

    assert [shape_of(x) for x in results] == [
        ("Negative", ("Exp", ("Relu", "a"))), ("Exp", ("Relu", "a"))
    ]  # fmt: skip


def test_shared_weights_stay_shared() -> None:
    weight = const(2)
    first, second = multiply(A, weight), multiply(B, weight)
    rule = Subst(X * (c := pat.Const()), c * X)

    results = Subst(op.Relu(X), op.Exp(X))(Workload([relu(first), relu(second)])).outputs
    one, two = once(rule, [first, second])

    assert all(r.operands[0].operands[1] is weight for r in results)
    assert one.operands[0] is weight
    assert two is second


def test_one_tensor_may_stand_for_several_inputs_of_different_matches() -> None:
    rule = Subst(op.Relu(X) + Y, Y + op.Relu(X))

    (result,) = once(rule, [add(relu(A), B)])

    assert shape_of(result) == ("Add", "b", ("Relu", "a"))


REFUSED: dict[str, tuple[Callable[[], Subst], Callable[[], Expr], str]] = {
    "another shape": (
        lambda: Subst(op.Relu(X), op.Sum(X, axis=0)),
        lambda: relu(A),
        "the target has type float32[], the source float32[2]",
    ),
    "another dtype": (
        lambda: Subst(op.Relu(X), op.Cast(X, dtype="int8")),
        lambda: relu(A),
        "the target has type int8[2], the source float32[2]",
    ),
    "an ill-typed target": (
        lambda: Subst(op.Relu(X), X @ X),
        lambda: relu(Var("m", (2, 3))),
        "the target cannot be built",
    ),
    "an illegal attribute": (
        lambda: Subst(t, op.Softmax(X, axis=t.k)),
        lambda: tag(A, 5),
        "attribute `axis` of Softmax must be legal",
    ),
    "a malformed attribute": (
        lambda: Subst(op.Relu(X), p_tag(X, k=X.dtype)),
        lambda: relu(A),
        "'float32' is not an integer",
    ),
    "an attribute without a value": (
        lambda: Subst(op.Relu(X), p_tag(X, k=X.shape[4])),
        lambda: relu(A),
        "index 4 is out of range",
    ),
    "a field that is not there": (
        lambda: Subst(t, p_halves(X)[t.k]),
        lambda: tag(A, 2),
        "field 2 of a tuple of 2 fields",
    ),
    "no fields": (
        lambda: Subst(t, p_pack(pat.Variadic(op.Exp(X), length=t.k))),
        lambda: tag(A, 0),
        "a tuple cannot have 0 fields",
    ),
    "a number of fields that is none": (
        lambda: Subst(op.Relu(X), p_pack(pat.Variadic(op.Exp(X), length=X.dtype))),
        lambda: relu(A),
        "a tuple cannot have 'float32' fields",
    ),
    "an instance that is not there": (
        lambda: Subst(
            p_pack(m := pat.Variadic(f := p_tag(y := pat.Wildcard()), templates=[f, y])), m(y, 5)
        ),
        lambda: pack(tag(A), tag(B)),
        "there is no field 5 in 2 fields",
    ),
    "a fraction as an integer": (
        lambda: Subst(op.Relu(X), X + 0.5),
        lambda: Call(RELU, [Var("i", (2,), "int8")]),
        "0.5 is not a value of int8",
    ),
    "a number too large": (
        lambda: Subst(op.Relu(X), X + 1000),
        lambda: Call(RELU, [Var("i", (2,), "int8")]),
        "1000 is not a value of int8",
    ),
    "a text as a number": (
        lambda: Subst(op.Relu(X), X * pat.Const(X.dtype)),
        lambda: relu(A),
        "'float32' is not a value of float32",
    ),
    "a condition that is no truth value": (
        lambda: Subst(t, pat.Cond(t.k, X, op.Relu(X))),
        lambda: tag(A, 2),
        "a condition is true or false, not 2",
    ),
    "an input that has not matched": (
        lambda: Subst(op.Exp(pat.Alt(op.Relu(X), op.Tanh(Y))), Y),
        lambda: exp(relu(A)),
        "the Wildcard pattern has not matched anything, so it cannot be built",
    ),
    "an operator known only by a trait": (
        lambda: Subst(op.Relu(X), op.Elementwise(X)),
        lambda: relu(A),
        "the call of elementwise does not say which operator to build",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_target_leaves_the_graph_unchanged(name: str) -> None:
    subst, source, reason = REFUSED[name]
    root = source()
    outputs = [negative(root), root] if isinstance(root.type, type(A.type)) else [root]
    graph = Graph(outputs)
    before = [(node, node.operands, node.level, list(node.users)) for node in graph]
    rule = subst()
    bindings = match_at(rule, graph, node_of(graph, root))

    with pytest.raises(RewriteError) as caught:
        rewrite(rule, bindings, graph)

    assert reason in str(caught.value)
    after = [(node, node.operands, node.level, list(node.users)) for node in graph]
    assert before == after
    assert all(a is b for a, b in zip(outputs, graph.to_exprs(), strict=True))


def test_second_output_that_cannot_be_built_undoes_the_first() -> None:
    rule = Subst([op.Relu(X), op.Exp(X)], [op.Tanh(X), op.Sum(X, axis=0)])
    outputs = [relu(A), exp(A)]
    graph = Graph(outputs)

    with pytest.raises(RewriteError, match="the target has type"):
        rewrite(rule, match_at(rule, graph, graph.outputs[0]), graph)

    assert len(graph) == 3
    assert graph.to_exprs() == outputs


def test_only_used_new_nodes_are_returned() -> None:
    graph = Graph([relu(A)])
    rule = Subst(op.Relu(X), op.Exp(op.Tanh(X)))

    added = rewrite(rule, match_at(rule, graph, graph.outputs[0]), graph)

    assert [shape_of(node.expr)[0] for node in added] == ["Tanh", "Exp"]
    assert added[-1] is graph.outputs[0]


SOUND: dict[str, Callable[[], Subst]] = {
    "operands exchanged": lambda: Subst(op.Tanh(X) + Y, Y + op.Tanh(X)),
    "two outputs": lambda: Subst([X + Y, X * Y], [Y + X, Y * X]),
    "a factor taken out": lambda: Subst(-(X * Y), (-X) * Y),
}


@pytest.mark.parametrize("name", SOUND)
def test_sound_rule_keeps_the_values(name: str) -> None:
    top = add(tanh(A), multiply(B, relu(A)))
    workload = Workload([add(A, B), negative(multiply(A, B)), multiply(A, B), half(top, 1)])
    values = {"a": np.array([1.0, -2.0], "float32"), "b": np.array([3.0, 4.0], "float32")}
    subst, graph = SOUND[name](), Graph(workload.outputs)
    root = next(node for node in graph.order() if match_at(subst, graph, node))

    rewrite(subst, match_at(subst, graph, root), graph)
    changed = workload.with_outputs(graph.to_exprs())

    assert any(a is not b for a, b in zip(workload.outputs, changed.outputs, strict=True))
    for expected, value in zip(run(workload, values), run(changed, values), strict=True):
        assert np.array_equal(expected, value)


def test_nothing_else_of_the_graph_is_touched() -> None:
    aside = negative(exp(B))
    both = Tuple([relu(A), aside])

    (result,) = once(Subst(op.Relu(X), op.Tanh(X)), [both], both.operands[0])

    assert result.operands[1] is aside
    assert [type(e) for e in reverse_post_order([result])].count(Var) == 2


def test_interior_may_be_returned_as_the_output() -> None:
    inner = op.Relu(X)

    results = once(Subst(op.Exp(inner), inner), [negative(root := exp(r := relu(A))), root], root)

    assert shape_of(results[0]) == ("Negative", ("Relu", "a"))
    assert results[1] is r


def test_interior_that_escapes_is_not_replaced() -> None:
    inner = relu(A)
    workload = Workload([exp(inner), inner])

    assert Subst(op.Exp(op.Relu(X)), op.Tanh(X))(workload) is workload


def test_two_inputs_are_two_tensors() -> None:
    workload = Workload(multiply(A, A))

    assert Subst(X * Y, Y * X)(workload) is workload
    assert Subst(X * X, op.Square(X))(workload) is not workload


def test_cycle_through_two_roots_is_declined() -> None:
    below = exp(A)
    above = multiply(relu(below), A)
    workload = Workload(above)
    rule = Subst([op.Exp(X), Y * X], [op.Tanh(X), Y + X])

    assert rule(workload) is workload
    apart = Workload([exp(A), multiply(relu(B), A)])
    assert rule(apart) is not apart
