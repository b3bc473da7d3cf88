"""Outputs that share nothing, bound to each other by equal attributes."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any
from unittest.mock import patch

import pytest

from gsl import Expr, Subst, Workload, apply, op, pat
from gsl.engine.record import Record
from gsl.graph import Graph
from gsl.match.find import find, match_at, matcher_of
from gsl.match.independent import ByLevel, _Cone
from tests.match.asking import node_of
from tests.match.cutting import k_of
from tests.match.reference import Map, Problem, fixed_matches
from tests.match.test_brute_force import assert_same
from tests.match.toys import RELU, add, exp, mark, negative, p_mark, p_tag, relu, tag, tanh, var
from tests.match.ways import ways

X, Y, Z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
A, B = var("a"), var("b")


def pair(second: Any = p_tag, aliases: bool = False) -> Subst:
    """Return a rule for a tag and a tag or mark of something else, with the same attribute."""
    one = p_tag(X)
    two = second(Y, k=one.k)
    return Subst([one, two], [p_mark(X, k=one.k), p_mark(Y, k=one.k)], aliases=aliases)


def above() -> Subst:
    """Return a rule for two relus of tags with the same attribute, told by their operands."""
    one, two = p_tag(X), p_tag(Y)
    outputs = [op.Relu(one), op.Relu(two)]
    return Subst(outputs, outputs, where=[one.k == two.k])


def three() -> Subst:
    """Return a rule for two outputs that share a tensor, and one that shares nothing."""
    one, beside = p_tag(X), p_mark(X)
    two = p_tag(Y, k=one.k)
    return Subst([one, two, beside], [one, two, beside])


RULES = {
    "pair": pair,
    "other operator": lambda: pair(p_mark),
    "aliases": lambda: pair(aliases=True),
    "above": above,
    "three": three,
}


def random_outputs(rng: Random, calls: int) -> list[Expr]:
    """Return the outputs of a random graph with many tags."""
    tensors: list[Expr] = [A, B]
    used: set[Expr] = {A, B}
    for _ in range(calls):
        operand, other = rng.choice(tensors), rng.choice(tensors[-3:])
        made = [
            tag(operand, rng.randint(0, 1)),
            mark(operand, rng.randint(0, 1)),
            add(operand, other),
        ]
        tensors.append(rng.choice([made[0], made[0], relu(tag(operand)), *made]))
        used.update(tensors[-1].operands)
    return [one for one in tensors if one not in used]


def demanded(rule: Subst) -> Any:
    """Return what `fixed_matches` is told: that attributes of the first two tags are equal."""
    one, two = (s.operands[0] if s.callee is RELU else s for s in rule.source[:2])

    def alike(found: Map, _: int) -> bool:
        return k_of(found[one, ()]) == k_of(found[two, ()])

    return alike


@pytest.mark.parametrize("name", RULES)
def test_every_match_is_found_and_no_other(name: str) -> None:
    seen: Counter[str] = Counter()
    for seed in range(60):
        rng = Random(seed)
        graph = Graph(random_outputs(rng, rng.randint(4, 8)))
        rule = RULES[name]()
        problem = Problem(rule, graph, where=demanded(rule))
        found_by = ways(problem)
        for root in graph:
            expected = fixed_matches(problem, root)
            for way, found in found_by.items():
                assert_same(found(root), expected, (seed, root, way))
            seen["matches"] += bool(expected)
            seen["several"] += len(expected) > 1
    assert matcher_of(RULES[name]()) is not None
    assert seen["matches"] > 10


def test_what_depends_on_another_is_never_merged_and_all_others_are() -> None:
    rewrites, rule = 0, pair(aliases=True)
    for seed in range(300):
        rng = Random(seed)
        before = Workload(random_outputs(rng, rng.randint(5, 25)))
        record = Record()
        after = apply(before, [rule], record=record)
        rewrites += sum(record.counts.values())
        graph = Graph(after.outputs)
        graph.verify()
        problem = Problem(rule, graph, where=demanded(rule))
        assert not any(fixed_matches(problem, root) for root in graph)
    assert rewrites > 100


def test_nodes_that_come_go_and_rise_are_noticed() -> None:
    rule = pair()
    graph = Graph([tag(A, 3), negative(tag(B, 4))])
    root, other = graph.outputs
    assert find(rule, graph, root) is None

    new = graph.add(tag(B, 3), (node_of(graph, B),))
    graph.replace([(other.operands[0], new)], [new])
    found: Any = find(rule, graph, root)
    assert new in found

    deep = graph.add(exp(B), (new.operands[0],), gap=5000)
    graph.replace([(new.operands[0], deep)], [deep])
    assert new.level > deep.level
    assert new in find(rule, graph, root)

    last = graph.add(tanh(A), (node_of(graph, A),))
    graph.replace([(other, last)], [last])
    assert find(rule, graph, root) is None


def test_what_depended_is_merged_once_it_does_not() -> None:
    rule = pair()
    forgets = Subst(X + p_mark(Z, k=7), X)
    first = tag(A, 3)
    outputs = [first, tag(add(B, mark(first, 7)), 3)]

    assert list(apply(Workload(outputs), [rule]).outputs) == outputs
    merged = apply(Workload(outputs), [rule, forgets])
    assert [one.operator.name for one in merged.outputs] == ["Mark", "Mark"]


def steps(outputs: list[Expr], rule: Subst) -> int:
    """Return how many nodes are looked at where a rule is applied."""
    with (
        patch.object(_Cone, "_follow", autospec=True, side_effect=_Cone._follow) as followed,
        patch.object(_Cone, "is_outside", autospec=True, side_effect=_Cone.is_outside) as asked,
    ):
        apply(Workload(outputs), [rule])
    return int(followed.call_count + asked.call_count)


def chain(length: int) -> list[Expr]:
    expr: Expr = A
    for _ in range(length):
        expr = relu(tag(expr, 3))
    return [expr]


def beside(length: int) -> list[Expr]:
    return [tag(var(f"x{place}"), place // 2) for place in range(length)]


@pytest.mark.parametrize("make", [chain, beside])
def test_steps_are_linear_in_the_graph(make: Any) -> None:
    once, twice = steps(make(150), pair()), steps(make(300), pair())

    assert once > 100
    assert twice < 2.1 * once


def test_nodes_are_told_by_their_distance() -> None:
    rng = Random(0)
    for _ in range(50):
        graph = Graph([add(relu(A), var(f"x{place}")) for place in range(30)])
        nodes = list(graph)
        for node in nodes:
            node.level = rng.randint(0, 8)
        known, present = ByLevel(), []
        for node in nodes:
            known.add(node)
        for _ in range(20):
            gone = rng.choice(nodes)
            if gone in present or rng.random() < 0.3:
                known.remove(gone)
                nodes.remove(gone)
            level = rng.randint(0, 8)
            distances = [abs(node.level - level) for node in known.nearest(level)]
            assert distances == sorted(distances)
            assert set(known.nearest(level)) == set(nodes)
            if rng.random() < 0.5:
                dropped = rng.choice(nodes)
                dropped.level = -1
                nodes.remove(dropped)


def test_the_reason_says_that_independent_nodes_were_looked_for() -> None:
    graph = Graph([tag(tag(A, 3), 3)])

    mismatch = match_at(pair(), graph, node_of(graph, graph.outputs[0].operands[0].expr))

    assert "nothing that is independent of what is bound can be this output" in str(mismatch)
