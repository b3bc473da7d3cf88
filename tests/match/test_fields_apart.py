"""As many outputs as there are that share nothing, bound to the first by equal attributes."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from gsl import Expr, Subst, Workload, apply, attr, pat
from gsl.engine.record import Record
from gsl.graph import Graph, Node
from gsl.match.find import find, match_at, matcher_of, matches_at
from gsl.match.whole import output_nodes
from tests.match.cutting import k_of
from tests.match.reference import Map, Problem, variadic_matches
from tests.match.test_everywhere import beside, chain, random_outputs, steps
from tests.match.toys import mark, p_mark, p_tag, relu, tag, var

X, Y = pat.Wildcard(), pat.Wildcard()
A = var("a")


def tags(least: int = 2, aliases: bool = False) -> Subst:
    """Return a rule for as many tags of different things as have the same attribute."""
    first = p_tag(X)
    field = p_tag(Y, k=first.k)
    many = pat.Variadic(field, templates=[field, Y], first=[first, X], min_len=least)
    index = attr.Symbol("i")
    own = many(Y, index)
    made = p_mark(own, k=first.k)
    return Subst(many, pat.Variadic(made, templates=[made, own], index=index), aliases=aliases)


def alike(found: Map, _: int) -> bool:
    return len({k_of(node) for (p, _), node in found.items() if isinstance(p, pat.Call)}) == 1


def outputs_of(rule: Subst, found: Any) -> frozenset[Node]:
    return frozenset(output_nodes(rule, found))


def test_the_largest_sets_are_found_and_no_others() -> None:
    rule, seen = tags(), Counter[str]()
    matcher = matcher_of(rule)
    assert matcher is not None
    for seed in range(80):
        rng = Random(seed)
        graph = Graph(random_outputs(rng, rng.randint(4, 8)))
        problem = Problem(rule, graph, where=alike)
        for root in graph:
            sets = {frozenset(images) for images in variadic_matches(problem, root)}
            largest = {one for one in sets if not any(one < other for other in sets)}
            assert {outputs_of(rule, b) for b in matches_at(rule, graph, root)} == largest
            found: Any = find(rule, graph, root)
            assert (found is not None) == bool(sets), (seed, root)
            if found is not None:
                assert outputs_of(rule, matcher.bindings(found)) in largest, (seed, root)
            seen["several"] += len(largest) > 1
            seen["three"] += any(len(one) > 2 for one in largest)
    assert min(seen["several"], seen["three"]) > 10


@pytest.mark.parametrize("aliases", [True, False])
@pytest.mark.parametrize("least", [2, 3])
def test_what_depends_on_another_is_never_merged_and_all_others_are(
    least: int, aliases: bool
) -> None:
    rewrites, rule = 0, tags(least, aliases)
    for seed in range(150):
        rng = Random(seed)
        record = Record()
        after = apply(Workload(random_outputs(rng, rng.randint(5, 20))), [rule], record=record)
        rewrites += sum(record.counts.values())
        graph = Graph(after.outputs)
        graph.verify()
        assert not any(list(matches_at(rule, graph, root)) for root in graph)
    assert rewrites > 30


def test_all_of_many_are_one_match() -> None:
    record = Record()
    rule = tags()
    outputs: list[Expr] = [tag(var(f"x{place}"), 3) for place in range(300)]

    after = apply(Workload(outputs), [rule], record=record)

    assert record.counts == {rule: 1}
    assert {one.operator.name for one in after.outputs} == {"Mark"}


def side_by_side(length: int) -> list[Expr]:
    return [tag(relu(var(f"x{place}")), 3) for place in range(length)]


@pytest.mark.parametrize("make", [chain, beside, side_by_side])
def test_steps_are_linear_in_the_graph(make: Any) -> None:
    once, twice = steps(make(150), tags()), steps(make(300), tags())

    assert once > 100
    assert twice < 2.1 * once


def test_a_field_that_comes_later_is_noticed() -> None:
    rule = tags(3)
    first, appears = p_mark(X, k=7), p_tag(X, k=3)
    outputs = [tag(A, 3), tag(var("b"), 3), mark(var("c"), 7)]

    assert apply(Workload(outputs), [rule]).outputs == tuple(outputs)
    merged = apply(Workload(outputs), [rule, Subst(first, appears)])
    assert [(one.operator.name, one.attributes["k"]) for one in merged.outputs] == [("Mark", 3)] * 3


def test_the_reason_says_that_there_are_too_few() -> None:
    graph = Graph([tag(tag(A, 3), 3)])

    assert "fewer than 2 outputs can be matched" in str(match_at(tags(), graph, graph.outputs[0]))
