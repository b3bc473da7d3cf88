"""When `apply` ends, no rule matches any more: nothing is forgotten on the work list.

Random rules that are cut out of a random graph, with targets made of what they have matched. What
is left at the end is held against the search that interprets rules and knows no work list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from unittest.mock import patch

import pytest

from gsl import Expr, Subst, Workload, apply, attr, op, pat
from gsl.check import check
from gsl.engine import ways
from gsl.engine.record import Record
from gsl.errors import RewriteError
from gsl.expr import Call
from gsl.graph import Graph, reverse_post_order
from gsl.match.compiled import loops
from gsl.match.find import search_of
from gsl.operators import lookup
from gsl.rewrite.builder import build_and_replace
from tests.match.cutting import Cutter, random_outputs
from tests.match.fans import fan_problem
from tests.match.toys import add, exp, p_tag, tag, var
from tests.match.ways import kept
from tests.work_graph import invariants

MOST_REWRITES = 60
Case = Callable[[Random], tuple[list[Expr], list[Subst]]]


def random_target(rng: Random, source: tuple[pat.Pattern, ...]) -> list[pat.Pattern]:
    """Return a target for each output: an input, or one operator over an input."""
    inputs = [p for p in reverse_post_order(source) if isinstance(p, pat.Wildcard | pat.Variable)]
    makers = (op.Relu, op.Exp, p_tag, lambda below: below, lambda below: below)
    if not inputs:
        return list(source)
    return [rng.choice(makers)(rng.choice(inputs)) for _ in source]


def fan_target(rng: Random, subst: Subst) -> pat.Variadic:
    """Return a target for a variadic source: one operator over a leaf of each field."""
    source = subst.variadic
    assert source is not None
    leaves = [t for t in source.templates if isinstance(t, pat.Wildcard | pat.Variable)]
    index = attr.Symbol("i")
    below = source(rng.choice(leaves), index) if leaves else pat.Const((1.0, 2.0))
    new = op.Relu(below)
    return pat.Variadic(new, templates=[new, below], index=index)


def random_rules(rng: Random, outputs: list[Expr], count: int) -> Iterator[Subst]:
    """Yield well-formed rules that match somewhere in the graph below `outputs`."""
    while count:
        cut = Cutter(rng, mutations=0.05).problem(Graph(outputs), rng.randint(1, 2)).subst
        rule = Subst(cut.source, random_target(rng, cut.source), where=cut.where)
        if is_well_formed(rule):
            count -= 1
            yield rule


def is_well_formed(rule: Subst) -> bool:
    return all(finding.warning for finding in check(rule))


def left_over(rule: Subst, outputs: tuple[Expr, ...]) -> Iterator[Expr]:
    """Yield the roots of matches whose target can be built."""
    for expr in reverse_post_order(outputs):
        graph = Graph(outputs)
        root = next(node for node in graph if node.expr is expr)
        for bindings in kept(search_of(rule, graph).matches(root)):
            try:
                build_and_replace(rule, bindings, graph)
            except RewriteError:
                continue
            yield expr
            break


def cut_case(rng: Random) -> tuple[list[Expr], list[Subst]]:
    outputs = random_outputs(rng, rng.randint(6, 16))
    return outputs, list(random_rules(rng, outputs, count=3))


def fan_case(rng: Random) -> tuple[list[Expr], list[Subst]]:
    """Return a graph of branches, with a rule that merges them and one that changes them."""
    problem = fan_problem(rng)
    outputs = problem.graph.to_exprs()
    rule = Subst(problem.subst.source, fan_target(rng, problem.subst), where=problem.subst.where)
    fans = [rule] if is_well_formed(rule) else []
    return outputs, [*fans, *random_rules(rng, outputs, count=1)]


@pytest.mark.parametrize("few", [0, 8])
@pytest.mark.parametrize(("case", "seeds"), [(cut_case, 300), (fan_case, 200)])
def test_no_rule_matches_what_apply_returns(case: Case, seeds: int, few: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(seeds):
        outputs, rules = case(Random(seed))
        record = Record()
        with patch.object(loops, "FEW", few), patch.object(ways, "FEW", few):
            try:
                result = apply(Workload(outputs), rules, max_rewrites=MOST_REWRITES, record=record)
            except RewriteError:
                seen["without end"] += 1
                continue
        invariants(Graph(result.outputs))
        for rule in rules:
            assert list(left_over(rule, result.outputs)) == [], seed
        seen["rewritten"] += bool(record.total)
        seen["often"] += record.total > 2
        seen["refused"] += bool(record.refused)

    assert seen["rewritten"] > seeds / 2
    assert seen["often"] > seeds / 10
    assert seen["refused"] or case is fan_case
    assert seen["without end"] < seeds / 4


def test_candidate_whose_operand_changes_is_looked_at_again() -> None:
    """More candidates than are tried one by one: they are grouped before the match is possible."""
    x, y = pat.Wildcard(), pat.Wildcard()
    first = p_tag(x)
    beside = x + p_tag(y, k=first.k)
    pair = Subst([first, beside], [op.Relu(first), x])
    prepare = Subst(op.Exp(op.Exp(x)), p_tag(x, k=3))
    a = var("a")
    many = [add(a, exp(exp(var(f"b{i}")))) for i in range(20)]
    record = Record()

    apply(Workload([tag(a, 3), *many]), [pair, prepare], record=record, max_rewrites=100)

    assert record.counts == {prepare: 20, pair: 20}


@pytest.mark.parametrize("count", [100, 400])
def test_equal_siblings_are_merged_in_linear_time(count: int) -> None:
    x = pat.Wildcard()
    kept_one = op.Relu(x)
    merge = Subst([kept_one, op.Relu(x)], [kept_one, kept_one])
    a = var("a")
    siblings = [exp(Call(lookup("Relu"), [a])) for _ in range(count)]
    redirect, moved = Graph._redirect, []
    with patch.object(
        Graph, "_redirect", lambda graph, *given: (moved.append(1), redirect(graph, *given))
    ):
        merged = apply(Workload(siblings), [merge])
    assert len({expr.operands[0] for expr in merged.outputs}) == 1
    assert len(moved) <= 2 * count
