"""Graphs: reverse post-order, successors, and the work graph of the engine."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from gsl import Expr, Var
from gsl.errors import GraphError
from gsl.graph import LEVEL_GAP, Graph, Node, reverse_post_order, successors
from gsl.graph import node_of as made_of
from tests.match.asking import node_of
from tests.match.cutting import random_outputs
from tests.match.toys import add, exp, multiply, negative, relu, tanh, var
from tests.work_graph import invariants


def names(order: list[Expr]) -> list[str]:
    return [getattr(e, "name", None) or str(getattr(e, "operator", "Tuple")) for e in order]


def test_operands_come_before_their_users_from_left_to_right() -> None:
    x, y = var("x"), var("y")

    order = reverse_post_order([multiply(exp(y), add(x, y)), negative(x)])

    assert names(order) == ["y", "Exp", "x", "Add", "Multiply", "Negative"]


def test_outputs_are_visited_in_order_and_shared_parts_once() -> None:
    x = var("x")
    r = relu(x)
    e, n = exp(r), negative(r)

    assert [x, r, e, n] == reverse_post_order([e, n])
    assert [x, r, n, e] == reverse_post_order([n, e])
    assert [x, r, e] == reverse_post_order([r, e, r])
    assert reverse_post_order([]) == []


def test_successors_are_in_reverse_post_order() -> None:
    x, y = var("x"), var("y")
    r, e = relu(x), exp(x)
    total = add(e, r)
    outputs = [multiply(y, r), total]

    follow = successors(reverse_post_order(outputs))

    assert [r, e] == follow[x]
    assert [outputs[0], total] == follow[r]
    assert follow[total] == []


def test_who_uses_an_operand_twice_is_its_successor_once() -> None:
    x = var("x")
    double = add(x, x)

    assert [double] == successors(reverse_post_order([double]))[x]


def test_order_of_successors_is_the_definition_on_random_graphs() -> None:
    for seed in range(50):
        order = reverse_post_order(random_outputs(Random(seed), 8))
        follow = successors(order)

        for vertex in order:
            assert [w for w in order if vertex in w.operands] == follow[vertex]


def test_work_graph_mirrors_the_expressions() -> None:
    for seed in range(30):
        outputs = random_outputs(Random(seed), 8)
        graph = Graph(outputs)

        invariants(graph)
        assert outputs == [node.expr for node in graph.outputs]
        assert reverse_post_order(outputs) == [node.expr for node in graph.order()]
        assert len(reverse_post_order(outputs)) == len(graph)


def test_unchanged_graph_gives_back_the_very_expressions() -> None:
    outputs = random_outputs(Random(3), 9)

    back = Graph(outputs).to_exprs()

    assert all(a is b for a, b in zip(outputs, back, strict=True))


def test_only_what_lies_above_a_change_is_made_anew() -> None:
    x = var("x")
    r, e = relu(x), exp(x)
    top, aside = negative(r), negative(e)
    graph = Graph([top, aside])
    new = graph.add(exp(x), (node_of(graph, x),))

    graph.replace([(node_of(graph, r), new)], frozenset([new]))
    changed, same = graph.to_exprs()

    assert same is aside
    assert changed is not top
    assert changed.operands[0] is new.expr
    assert x is changed.operands[0].operands[0]


def test_added_node_lies_above_its_operands_by_a_gap() -> None:
    x = var("x")
    graph = Graph([relu(x)])
    below = node_of(graph, x)

    assert below.level == 0
    assert graph.outputs[0].level == LEVEL_GAP
    assert graph.add(exp(x), (below,)).level == 1
    assert graph.add(exp(x), (below,), gap=5).level == 5
    assert graph.add(var("y"), ()).level == 0


def test_nodes_other_than_leaves_are_in_reverse_post_order() -> None:
    for seed in range(30):
        outputs = random_outputs(Random(seed), 8)
        order = [node for node in reverse_post_order(outputs) if node.operands]

        assert [node.expr for node in Graph(outputs) if node.operands] == order


def test_head_is_the_operator_or_the_kind() -> None:
    x = var("x")
    graph = Graph([relu(x)])

    assert [node.head for node in graph.order()] == [Var, relu(x).operator]


@pytest.mark.parametrize("make", [Graph, reverse_post_order])
def test_cycle_is_refused_with_its_place(make: Callable[[list[Expr]], object]) -> None:
    x = var("x")
    below = relu(x)
    above = negative(exp(below))
    below.operands = (above,)

    with pytest.raises(GraphError, match="cycle through"):
        make([above])


def test_arrivals_are_users_that_come_or_change_after_somebody_asked() -> None:
    x, y = var("x"), var("y")
    r, e = relu(x), exp(y)
    graph = Graph([add(r, e), negative(x)])
    at_x, at_e = node_of(graph, x), node_of(graph, e)
    total = graph.outputs[0]
    graph.add(exp(x), (at_x,))

    arrivals = graph.arrivals(at_x)
    others = graph.arrivals(at_e)
    new = graph.add(tanh(x), (at_x,))
    graph.replace([(node_of(graph, r), new)], [new])

    assert arrivals == [new]
    assert others == [total], "its other operand is a new one"
    assert graph.arrivals(at_x) is arrivals


def test_nodes_around_a_replacement_are_listed() -> None:
    x = var("x")
    r, e = relu(x), exp(x)
    graph = Graph([negative(r), e])
    new = graph.add(tanh(x), (node_of(graph, x),))

    old = node_of(graph, r)
    graph.replace([(old, new)], [new])

    assert list(graph.affected) == graph.outputs[:1]
    assert set(graph.released) == {old, node_of(graph, x)}


def test_replace_redirects_users_and_outputs_and_drops_what_is_dead() -> None:
    x = var("x")
    r = relu(x)
    top = negative(r)
    graph = Graph([top, r, r])
    old, below = node_of(graph, r), node_of(graph, x)
    new = graph.add(exp(x), (below,))

    graph.replace([(old, new)], frozenset([new]))

    assert [node_of(graph, top), new, new] == graph.outputs
    assert (new,) == node_of(graph, top).operands
    assert new.output_count == 2
    assert old not in graph
    invariants(graph)


def test_both_operands_of_a_user_are_redirected() -> None:
    r = relu(var("x"))
    graph = Graph([add(r, r)])
    old = node_of(graph, r)
    new = graph.add(exp(r.operands[0]), old.operands)

    graph.replace([(old, new)], frozenset([new]))

    assert (new, new) == graph.outputs[0].operands
    invariants(graph)


def test_replacement_by_itself_changes_nothing() -> None:
    r = relu(var("x"))
    graph = Graph([exp(r)])
    node = node_of(graph, r)

    graph.replace([(node, node)])

    assert [node] == [graph.outputs[0].operands[0]]
    assert len(graph) == 3
    invariants(graph)


def test_two_nodes_change_places_at_once() -> None:
    x = var("x")
    r, e = relu(x), exp(x)
    users = negative(r), negative(e), add(r, e)
    graph = Graph([*users, r, e])
    first, second = node_of(graph, r), node_of(graph, e)

    graph.replace([(first, second), (second, first)])

    operands = [node_of(graph, user).operands for user in users]
    assert [(second,), (first,), (second, first)] == operands
    assert [second, first] == graph.outputs[3:]
    assert (first.output_count, second.output_count) == (1, 1)
    invariants(graph)


def test_node_below_the_replacement_keeps_the_old_operand() -> None:
    r = relu(var("x"))
    e = exp(r)
    graph = Graph([negative(r), negative(e)])
    below, above = node_of(graph, r), node_of(graph, e)

    graph.replace([(below, above), (above, below)])

    assert (below,) == above.operands
    assert [(above,), (below,)] == [output.operands for output in graph.outputs]
    invariants(graph)


def test_deeper_replacement_raises_the_levels_above() -> None:
    r = relu(var("x"))
    top = negative(negative(r))
    graph = Graph([top])
    old = node_of(graph, r)
    node = old.operands[0]
    added = []
    for _ in range(3):
        node = graph.add(exp(node.expr), (node,), LEVEL_GAP)
        added.append(node)
    first, second = graph.order()[-2:]

    graph.replace([(old, node)], frozenset(added))

    deepest = 3 * LEVEL_GAP
    assert [deepest, deepest + 1, deepest + 2] == [node.level, first.level, second.level]
    invariants(graph)


def test_unused_nodes_are_dropped_with_what_only_they_used() -> None:
    x = var("x")
    graph = Graph([relu(x)])
    below = node_of(graph, x)
    first = graph.add(exp(x), (below,))
    second = graph.add(negative(first.expr), (first,))

    graph.drop_unused([first, graph.outputs[0]])
    assert first in graph
    graph.drop_unused([second])
    assert [node in graph for node in (first, second)] == [False, False]
    assert [graph.outputs[0]] == list(below.users)
    invariants(graph)


def test_what_was_added_is_taken_back_alone() -> None:
    x = var("x")
    graph = Graph([relu(x)])
    below = node_of(graph, x)
    first = graph.add(exp(x), (below,))
    second = graph.add(negative(first.expr), (first,))
    before = len(graph)

    graph.take_back(second)
    assert second not in graph
    assert first in graph
    assert not first.users
    assert len(graph) == before - 1
    third = graph.add(exp(x), (below,))
    graph.take_back(first)  # no longer the last
    assert list(below.users) == [graph.outputs[0], third]
    graph.take_back(third)
    assert len(graph) == before - 2
    invariants(graph)


def test_random_replacements_keep_the_invariants() -> None:
    for seed in range(60):
        rng = Random(seed)
        graph = Graph(random_outputs(rng, 9))
        for _ in range(4):
            tensors = [n for n in graph.order() if n.expr.type == var("x").type]
            graph.replace([(rng.choice(tensors), rng.choice(tensors)) for _ in range(2)])

            invariants(graph)


def test_sound_graph_is_verified() -> None:
    Graph(random_outputs(Random(1), 9)).verify()


def test_edge_that_is_known_at_one_end_only_is_found() -> None:
    graph = Graph([relu(var("x"))])
    graph.outputs[0].operands[0].users = ()

    with pytest.raises(GraphError, match="which does not know it"):
        graph.verify()


def test_edge_that_does_not_rise_is_found() -> None:
    graph = Graph([relu(var("x"))])
    graph.outputs[0].level = 0

    with pytest.raises(GraphError, match="may lie on a cycle"):
        graph.verify()


def test_nodes_print_their_expression() -> None:
    assert repr(Graph([relu(var("x"))]).outputs[0]) == "Node(Call(Relu, 1 operands, {}))"


@pytest.mark.parametrize("size", [100_000])
def test_deep_chain_is_walked_without_recursion(size: int) -> None:
    order: list[Node] = [made_of(var("x"), ())]
    for _ in range(size):
        order.append(made_of(order[0].expr, (order[-1],)))

    assert order == reverse_post_order([order[-1]])
    assert [order[1]] == successors(order)[order[0]]
