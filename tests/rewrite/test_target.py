"""Compiled targets make what the builder makes, or leave it to the builder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from gsl import Expr, Subst, op, pat
from gsl.attr.writer import MISSING, UNDECIDED
from gsl.errors import GslError, RewriteError
from gsl.graph import Graph
from gsl.match.find import find, matcher_of, matches_at
from gsl.rewrite.builder import build_and_replace, rewrite
from gsl.rewrite.made import Maker
from gsl.rewrite.target import construct_of
from tests.engine.test_fixpoint import fan_target, is_well_formed
from tests.match.cutting import Cutter, random_outputs
from tests.match.fans import fan_problem
from tests.match.toys import p_mark, p_pack, p_tag, tag, var
from tests.match.ways import kept
from tests.random_targets import Targets
from tests.rewriting import Rewrite, shape_of
from tests.work_graph import invariants

A = var("a")
X = pat.Wildcard()
t = p_tag(X)


def fixed_case(rng: Random) -> tuple[list[Expr], Subst]:
    outputs = random_outputs(rng, rng.randint(4, 9))
    cut = Cutter(rng, mutations=0.03).problem(Graph(outputs), rng.randint(1, 2)).subst
    targets = Targets(rng, cut.source)
    return outputs, Subst(cut.source, [targets.target(3) for _ in cut.source], where=cut.where)


def fan_case(rng: Random) -> tuple[list[Expr], Subst]:
    problem = fan_problem(rng)
    source = problem.subst.source
    return problem.graph.to_exprs(), Subst(source, fan_target(rng, problem.subst))


def rewritten(rule: Subst, outputs: list[Expr], place: int, number: int, by: Rewrite) -> Any:
    """Return the outputs after match `number` at the node at `place`, or that it was refused."""
    graph = Graph(outputs)
    bindings = kept(matches_at(rule, graph, list(graph)[place]))[number]
    try:
        by(rule, bindings, graph)
    except RewriteError as error:
        assert list(map(shape_of, graph.to_exprs())) == list(map(shape_of, outputs))
        return str(error)
    invariants(graph)
    return list(map(shape_of, graph.to_exprs()))


def all_matches(rule: Subst, outputs: list[Expr]) -> Iterator[tuple[int, int]]:
    graph = Graph(outputs)
    for place, node in enumerate(graph):
        for number, _ in enumerate(kept(matches_at(rule, graph, node))):
            yield place, number


def is_made(rule: Subst, outputs: list[Expr], place: int) -> bool:
    """Tell whether the compiled target makes the first match at `place` without the builder."""
    graph = Graph(outputs)
    matcher, construct = matcher_of(rule), construct_of(rule)
    if matcher is None or construct is None:
        return False
    try:
        construct(matcher.first(list(graph)[place], graph), Maker(graph))
    except (GslError, *MISSING, *UNDECIDED):
        return False
    return True


@pytest.mark.parametrize(("case", "seeds"), [(fixed_case, 500), (fan_case, 150)])
def test_compiled_targets_make_what_the_builder_makes(
    case: Callable[[Random], tuple[list[Expr], Subst]], seeds: int
) -> None:
    seen: Counter[str] = Counter()
    for seed in range(seeds):
        outputs, rule = case(Random(seed))
        if not is_well_formed(rule):
            continue
        for place, number in all_matches(rule, outputs):
            expected = rewritten(rule, outputs, place, number, build_and_replace)

            assert rewritten(rule, outputs, place, number, rewrite) == expected, seed
            seen["refused" if isinstance(expected, str) else "built"] += 1
            seen["compiled"] += is_made(rule, outputs, place)

    assert seen["built"] > seeds / 3
    assert seen["compiled"] > seen["built"] / 2


COMPILED: dict[str, Callable[[], Any]] = {
    "an input": lambda: X,
    "a source": lambda: op.Relu(t),
    "computed attributes": lambda: p_mark(X, k=t.k * 2 + 1),
    "a constant like something": lambda: pat.Const((1.0, 2.0), like=X),
    "a constant of a dtype": lambda: op.Cast(pat.Const((1.0, 2.0), dtype="int8"), dtype="float32"),
    "a tuple and a projection": lambda: pat.Tuple(X, op.Exp(X))[1],
    "a tuple of a length": lambda: p_pack(pat.Variadic(op.Exp(X), length=t.k)),
    "the same operator": lambda: op.same(t)(op.Exp(X), **pat.same_attr(t)),
    "attributes of what is built": lambda: p_tag(new := p_mark(X, k=t.k), k=new.k + 1),
}


@pytest.mark.parametrize("name", COMPILED)
def test_usual_targets_are_compiled(name: str) -> None:
    rule = Subst(t, COMPILED[name]())
    outputs: list[Expr] = [tag(A, 3)]

    assert is_made(rule, outputs, place=1)
    assert rewritten(rule, outputs, 1, 0, rewrite) == rewritten(
        rule, outputs, 1, 0, build_and_replace
    )


INTERPRETED: dict[str, Callable[[], Subst]] = {
    "a choice": lambda: Subst(t, pat.Cond(t.k == 1, op.Exp(X), op.Relu(X))),
    "a source that is interpreted": lambda: Subst(pat.Alt(op.Relu(X), op.Exp(X)), X),
    "first patterns": lambda: Subst(
        t, p_pack(pat.Variadic(op.Exp(X), first=[op.Relu(X)], length=2))
    ),
    "a trait that is not known": lambda: Subst(t, op.Elementwise(X)),
    "attributes of what is built later": lambda: Subst(
        t, p_mark(X, k=(later := p_mark(X, k=2)).k) + later
    ),
}


@pytest.mark.parametrize("name", INTERPRETED)
def test_other_targets_are_left_to_the_builder(name: str) -> None:
    assert construct_of(INTERPRETED[name]()) is None


def test_target_that_fails_is_explained_by_the_builder() -> None:
    graph = Graph([tag(A, 0)])
    rule = Subst(t, p_mark(X, k=1 // t.k))
    root = graph.outputs[0]
    found = find(rule, graph, root)

    with pytest.raises(RewriteError, match="the target cannot be built: division by zero"):
        rewrite(rule, found, graph)
    assert list(graph) == [root.operands[0], root]
    invariants(graph)
