"""Where a rewrite may have made matches possible."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from gsl import Expr, Subst, Workload, apply, attr, op, pat
from gsl.engine.affected import Neighbourhood
from gsl.engine.fixpoint import matches
from gsl.engine.places import LONGEST_WAY
from gsl.engine.ways import FEW, Anywhere, PutOff
from gsl.graph import Graph
from gsl.operators import REGISTRY
from tests.match.asking import node_of
from tests.match.toys import (
    add,
    exp,
    half,
    multiply,
    negative,
    p_halves,
    p_tag,
    relu,
    tag,
    tanh,
    var,
)
from tests.rewriting import shape_of

X, Y, W = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
A, B = var("a"), var("b")


def roots(rule: Subst, outputs: Sequence[Expr], touched: Expr) -> list[object]:
    """Return the roots of matches that `touched` may be part of, what is put off as "..."."""
    graph = Graph(outputs)
    found = Neighbourhood([rule]).roots(node_of(graph, touched))
    return ["..." if isinstance(one, PutOff) else shape_of(one.expr) for one in found]


def fan(positional: bool = False) -> pat.Variadic:
    index = attr.Symbol("i")
    leaf = pat.Wildcard()
    inner = p_tag(leaf, k=index) if positional else p_tag(leaf)
    field = X + inner
    return pat.Variadic(field, templates=[field, inner, leaf], index=index)


r, e = relu(A), exp(A)
inner_tag = tag(B, 1)
branch, other = add(A, inner_tag), add(A, tag(B, 2))
CASES: dict[str, tuple[Callable[[], Subst], list[Expr], Expr, list[object]]] = {
    "the root itself": (lambda: Subst(op.Relu(X), X), [r], r, [shape_of(r)]),
    "another operator": (lambda: Subst(op.Relu(X), X), [e], e, []),
    "an input": (lambda: Subst(op.Relu(X), X), [r], A, []),
    "up to the root": (lambda: Subst(op.Exp(op.Relu(X)), X), [exp(r)], r, [shape_of(exp(r))]),
    "up past other operators": (lambda: Subst(op.Exp(op.Relu(X)), X), [tanh(r)], r, []),
    "an interior node with more users": (
        lambda: Subst(op.Exp(op.Relu(X)), X), [exp(r), tanh(r)], r, [],
    ),
    "an interior node that is an output": (
        lambda: Subst(op.Exp(op.Relu(X)), X), [exp(r), r], r, [],
    ),
    "down and up to the first output": (
        lambda: Subst([op.Relu(X), op.Exp(X)], [X, X]), [r, e], e, [shape_of(r)],
    ),
    "through an alternative": (
        lambda: Subst(op.Tanh(pat.Alt(op.Relu(X), op.Exp(X))), X), [tanh(e)], e,
        [shape_of(tanh(e))],
    ),
    "through a projection": (
        lambda: Subst(p_halves(op.Relu(X))[0], X), [half(r, 0)], r, [shape_of(half(r, 0))],
    ),
    "from a field to field zero": (
        lambda: Subst(fan(), fan()), [branch, other], inner_tag, [shape_of(branch)],
    ),
    "from a field to all that may be field zero": (
        lambda: Subst(fan(positional=True), X), [branch, other], inner_tag,
        [shape_of(branch), shape_of(other), shape_of(branch)],
    ),
}  # fmt: skip


def test_only_interior_nodes_matter_when_a_user_has_gone() -> None:
    rules = [Subst([op.Relu(op.Exp(X)), op.Tanh(X)], [X, X])]
    heads = [REGISTRY[name] for name in ("Relu", "Exp", "Tanh", "Negative")]
    neighbourhood = Neighbourhood(rules)
    neighbourhood.learn(heads)

    everywhere, interior = (
        [head.name for head in heads if ways[head] is not None]
        for ways in (neighbourhood.ways_from, neighbourhood.ways_from_interior)
    )

    assert everywhere == ["Relu", "Exp", "Tanh"]
    assert interior == ["Exp"]


def test_match_is_found_when_an_interior_node_has_lost_a_user() -> None:
    """The second rule takes from `relu` the user that kept the first from matching."""
    r = relu(A)
    rules = [Subst(op.Exp(op.Relu(X)), op.Tanh(X)), Subst(X + op.Negative(Y), op.Negative(Y))]
    applied = apply(Workload([exp(r), add(r, negative(B))]), rules)
    assert [shape_of(one) for one in applied.outputs] == [shape_of(tanh(A)), shape_of(negative(B))]


@pytest.mark.parametrize("name", CASES)
def test_roots_around_a_node(name: str) -> None:
    rule, outputs, touched, expected = CASES[name]

    assert sorted(map(str, roots(rule(), outputs, touched))) == sorted(map(str, expected))


def test_what_was_made_may_be_a_further_output_of_a_root_examined_before() -> None:
    made = Subst(op.Tanh(op.Negative(X)), op.Exp(X))
    pair = Subst([op.Relu(X), op.Exp(X)], [op.Abs(X), op.Square(X)])

    after = apply(Workload([relu(A), tanh(negative(A))]), [made, pair])

    assert [output.operator.name for output in after.outputs] == ["Abs", "Square"]


def test_match_is_found_when_an_input_no_longer_depends_on_an_output() -> None:
    pair = Subst([op.Relu(X), op.Multiply(X, Y)], [op.Abs(X), op.Multiply(X, Y)])
    cut = Subst(op.Add(X, Y), Y)
    positive = relu(A)
    far = tanh(negative(add(positive, B)))
    network = Workload([positive, multiply(A, far)])

    assert apply(network, [pair]) is network
    after = apply(network, [pair, cut])

    assert [output.operator.name for output in after.outputs] == ["Abs", "Multiply"]


def test_crowd_of_users_is_put_off_and_found_later() -> None:
    rule = Subst([op.Relu(X), op.Exp(X)], [X, X])
    crowd = [relu(A) for _ in range(FEW + 1)]
    graph = Graph([e, negative(A), *crowd])
    neighbourhood = Neighbourhood([rule])

    (put_off,) = neighbourhood.roots(graph.outputs[0])

    assert isinstance(put_off, PutOff)
    assert list(neighbourhood.further(put_off, graph)) == graph.outputs[2:]
    assert put_off in {next(iter(neighbourhood.roots(graph.outputs[0]))): None}


def test_several_rules_are_looked_at_together() -> None:
    rules = [Subst(op.Relu(X), X), Subst(op.Exp(op.Relu(X)), X), Subst(op.Tanh(op.Exp(X)), X)]
    graph = Graph([exp(r)])
    relu_node, exp_node = node_of(graph, r), graph.outputs[0]

    assert set(Neighbourhood(rules).roots(relu_node)) == {relu_node, exp_node}


def test_root_of_a_deep_pattern_is_looked_for_anywhere() -> None:
    source: pat.Pattern = X
    for _ in range(2 * LONGEST_WAY):
        source = op.Exp(source)
    neighbourhood = Neighbourhood([Subst(op.Tanh(source), X)])
    top = tanh(exp(A))
    graph = Graph([relu(top), negative(A)])

    found = list(neighbourhood.roots(node_of(graph, top.operands[0])))
    (far,) = [one for one in found if isinstance(one, Anywhere)]

    assert node_of(graph, top) in found, "one step up, as for any pattern"
    assert [node.expr for node in neighbourhood.further(far, graph)] == [top]


def test_heads_that_one_call_has_taught_are_known_to_the_next() -> None:
    """Rules are compiled once for all calls, whatever the graphs have in them."""
    rules = [Subst(op.Relu(op.Relu(X)), op.Relu(X))]
    for top in (exp, tanh, negative):
        twice = Workload([top(relu(relu(A)))])
        assert next(matches(rules[0], twice))
        assert [shape_of(one) for one in apply(twice, rules).outputs] == [shape_of(top(relu(A)))]


def test_user_of_a_shared_node_that_is_the_only_one_is_not_looked_for() -> None:
    """A step down and up again leads to others, so there must be two users."""
    rules = [Subst([op.Relu(X), op.Tanh(X)], [X, X])]
    alone, beside = exp(A), exp(B)
    graph = Graph([tanh(alone), tanh(beside), relu(beside)])
    found = [Neighbourhood(rules).roots(output) for output in graph.outputs[:2]]
    assert [[shape_of(one.expr) for one in roots] for roots in found] == [
        [],
        [shape_of(relu(beside))],
    ]
