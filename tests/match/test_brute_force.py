"""Completeness: the engine finds exactly the matches that the definitions allow.

Thousands of random pairs of a rule and a graph; at every node of the graph the engine is held
against a matcher that tries everything. So are its two halves, the search that interprets a rule
and the code to which the rule is compiled. `GSL_PAIRS=7` runs seven times as many, over 20,000.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random

import pytest

from gsl import Subst, pat
from gsl.graph import Graph, Node
from gsl.match import Bindings, Mismatch, match_at
from gsl.match.whole import output_nodes
from tests.match.cutting import Cutter, random_outputs
from tests.match.fans import fan_problem
from tests.match.reference import (
    INPUTS,
    Instance,
    Map,
    Problem,
    fixed_matches,
    is_match,
    literal_matches,
    may_be,
    variadic_matches,
)
from tests.match.ways import Way, ways

SCALE = int(os.environ.get("GSL_PAIRS", "1"))


def frozen(found: Mapping[Instance, Node]) -> frozenset[object]:
    return frozenset(found.items())


def assert_same(found: list[Bindings] | None, expected: list[Map], case: object) -> None:
    """Assert that a way has found the same matches, each once, unless it leaves that to another."""
    if found is not None:
        maps = Counter(frozen(one.nodes) for one in found)
        assert maps == Counter(map(frozen, expected)), case


def cut_problem(seed: int, outputs: int, calls: int = 8) -> Problem:
    rng = Random(seed)
    graph = Graph(random_outputs(rng, rng.randint(3, calls)))
    return Cutter(rng, rng.choice((0.0, 0.05, 0.15))).problem(graph, outputs)


def with_aliases(problem: Problem) -> Problem:
    """Return the same problem for a rule of which inputs may stand for one tensor."""
    subst = problem.subst
    aliased = Subst(subst.source, subst.target, where=subst.where, aliases=True)
    return replace(problem, subst=aliased)


def test_inputs_may_stand_for_one_tensor_if_a_rule_says_so() -> None:
    seen: Counter[str] = Counter()
    for seed in range(400 * SCALE):
        problem = with_aliases(cut_problem(seed, 1 + seed % 2, calls=7))
        for root in problem.graph:
            expected = fixed_matches(problem, root)
            for way, find in ways(problem).items():
                assert_same(find(root), expected, (seed, root, way))
            seen["matches"] += bool(expected)
            seen["aliased"] += any(map(has_aliases, expected))
    for seed, limited in limited_fans(150):
        problem = with_aliases(limited)
        found_by = ways(problem)
        for root in problem.graph:
            outputs = check_variadic(problem, root, seed, found_by)
            seen["more fields"] += len(outputs) > len(found_by_default(limited, root))

    assert seen["matches"] > 100 * SCALE
    assert seen["aliased"] > 10 * SCALE
    assert seen["more fields"] > 10 * SCALE


def has_aliases(found: Map) -> bool:
    inputs = [node for (pattern, _), node in found.items() if isinstance(pattern, INPUTS)]
    return len(set(inputs)) < len(inputs)


def found_by_default(problem: Problem, root: Node) -> tuple[Node, ...]:
    found = match_at(problem.subst, problem.graph, root)
    return tuple(output_nodes(problem.subst, found)) if isinstance(found, Bindings) else ()


@pytest.mark.parametrize(("outputs", "pairs"), [(1, 800), (2, 800), (3, 600)])
def test_every_match_of_fixed_outputs_is_found_and_no_other(outputs: int, pairs: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(pairs * SCALE):
        problem = cut_problem(seed, outputs, calls=8 if outputs < 3 else 6)
        found_by = ways(problem)
        for root in problem.graph:
            expected = fixed_matches(problem, root)
            for way, find in found_by.items():
                found = find(root)
                assert_same(found, expected, (seed, root, way))
                seen[f"{way} matches"] += bool(found)
            assert bool(match_at(problem.subst, problem.graph, root)) is bool(expected)
            seen["matches" if expected else "mismatches"] += 1
            seen["several"] += len(expected) > 1
        for pattern in problem.subst.source_patterns:
            seen[type(pattern).__name__] += 1
        seen["real outputs"] += len(problem.subst.source) == outputs
        seen["conditions"] += bool(problem.subst.where)

    assert seen["grouped matches"] > seen["matches"] / 3
    assert seen["conditions"] > pairs * SCALE / 10
    assert seen["matches"] > pairs * SCALE / 3
    assert seen["mismatches"] > pairs * SCALE
    assert seen["several"] > 10
    assert seen["real outputs"] > pairs * SCALE / 2
    kinds = ("Wildcard", "Variable", "Const", "Call", "Tuple", "GetItem", "Alt", "Variadic")
    assert all(seen[kind] > 10 for kind in kinds)


def limited_fans(pairs: int) -> Iterator[tuple[int, Problem]]:
    """Yield random problems that are small enough for trying all sets, or orders, of outputs."""
    for seed in range(pairs * SCALE):
        problem = fan_problem(Random(seed))
        field = problem.subst.variadic.field
        candidates = sum(may_be(field, node) for node in problem.graph)
        if candidates <= (4 if problem.positional else 6):
            yield seed, problem


def test_largest_sets_of_variadic_outputs_are_found() -> None:
    seen: Counter[str] = Counter()
    for seed, problem in limited_fans(1100):
        seen["pairs"] += 1
        seen["by position"] += problem.positional
        seen["first patterns"] += bool(problem.subst.variadic.first)
        seen["alternatives"] += any(
            isinstance(pattern, pat.Alt) for pattern in problem.subst.source_patterns
        )
        found_by = ways(problem)
        for root in problem.graph:
            outputs = check_variadic(problem, root, seed, found_by)
            seen["compiled"] += bool(outputs and found_by["grouped"](root))
            seen["matches" if outputs else "mismatches"] += 1
            seen["long"] += len(outputs) > 2

    assert seen["pairs"] > 900 * SCALE
    assert min(seen.values()) > 80 * SCALE
    kinds = {"matches", "mismatches", "long", "by position", "alternatives", "compiled"}
    assert set(seen) >= kinds


def check_variadic(
    problem: Problem, root: Node, seed: int, found_by: Mapping[str, Way]
) -> tuple[Node, ...]:
    """Compare with the reference and return the outputs that were found."""
    found = match_at(problem.subst, problem.graph, root)
    possible = variadic_matches(problem, root)
    sets = {frozenset(outputs) for outputs in possible}
    largest = {one for one in sets if not any(one < other for other in sets)}
    for way, find in found_by.items():
        check_way(problem, find(root), largest, (seed, root, way))
    if isinstance(found, Mismatch):
        return ()
    outputs = tuple(output_nodes(problem.subst, found))
    assert outputs[0] is root
    assert is_match(problem, found.nodes, outputs, len(outputs)), (seed, root)
    assert frozenset(outputs) in largest, (seed, root)
    return outputs


def check_way(
    problem: Problem, found: list[Bindings] | None, largest: set[frozenset[Node]], case: object
) -> None:
    """Assert that a way has found one match for each largest set, unless it leaves that."""
    if found is None:
        return
    every = [tuple(output_nodes(problem.subst, bindings)) for bindings in found]
    assert Counter(map(frozenset, every)) == Counter(largest), case
    for bindings, outputs in zip(found, every, strict=True):
        assert is_match(problem, bindings.nodes, outputs, len(outputs)), case


def test_reference_agrees_with_trying_every_map() -> None:
    matches = 0
    for seed in range(500 * SCALE):
        problem = cut_problem(seed, 1 + seed % 3, calls=3)
        patterns = problem.subst.source_patterns
        variants = any(isinstance(p, pat.Alt | pat.Variadic) for p in patterns)
        if variants or len(patterns) > 4 or len(problem.graph) > 7:
            continue
        for root in problem.graph:
            derived, literal = fixed_matches(problem, root), literal_matches(problem, root)
            assert set(map(frozen, derived)) == set(map(frozen, literal)), (seed, root)
            matches += bool(derived)

    assert matches > 100


def test_reference_reads_attributes_only_of_nodes_that_fit() -> None:
    """A call of the same operator as another one is demanded to have an attribute of it."""
    problem = cut_problem(5_001_152, outputs=2)

    assert not any(fixed_matches(problem, root) for root in problem.graph)
