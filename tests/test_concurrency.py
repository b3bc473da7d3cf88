"""One rule used by several threads at once: patterns keep no match state."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Barrier
from typing import Any

from gsl import Subst, Workload, attr, op, pat
from gsl.evaluate import run
from gsl.graph import Graph
from gsl.match import match_at
from tests.match.cutting import random_outputs
from tests.match.toys import add, p_tag, tag, var
from tests.rewriting import shape_of

THREADS = 4


def at_once(work: Callable[[int], Any]) -> list[Any]:
    """Run `work(0)`, `work(1)`, ... in threads that start together."""
    barrier = Barrier(THREADS)

    def start(number: int) -> Any:
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(start, range(THREADS)))


def fan_rule() -> Subst:
    """tag(x, k) + w_0, tag(x, k) + w_1, ...  =>  w_0 + tag(x, k + 1), ..."""
    x, w = pat.Wildcard(), pat.Wildcard()
    tagged = p_tag(x)
    field = tagged + w
    source = pat.Variadic(field, templates=[field, w], min_len=2)
    i = attr.Symbol()
    one = source(w, i)
    new = one + op.Exp(p_tag(x, k=tagged.k + source.length))
    return Subst(source, pat.Variadic(new, templates=[new, one], index=i))


def fan(count: int, k: int) -> Workload:
    shared = tag(var("x"), k)
    return Workload([add(shared, var(f"w{i}")) for i in range(count)])


def test_one_rule_is_applied_by_several_threads() -> None:
    rule = fan_rule()
    workloads = [fan(2 + number, 10 * number) for number in range(THREADS)]

    def work(number: int) -> list[Any]:
        for _ in range(20):
            result = rule(workloads[number])
        return [shape_of(output) for output in result.outputs]

    expected = [
        [("Add", f"w{i}", ("Exp", ("Tag", 10 * n + n + 2, "x"))) for i in range(n + 2)]
        for n in range(THREADS)
    ]
    assert at_once(work) == expected


def test_one_workload_is_rewritten_by_several_threads() -> None:
    workload = Workload(random_outputs(Random(7), 30))
    x = pat.Wildcard()
    rule = Subst(op.Relu(x), op.Maximum(x, 0))
    values = {v.name: [1.0, -1.0] for v in workload.inputs}
    before = [shape_of(e) for e in workload.outputs]

    results = at_once(lambda number: run(rule(workload), values))

    assert all(str(result) == str(results[0]) for result in results)
    assert [shape_of(e) for e in workload.outputs] == before


def test_one_graph_is_matched_by_several_threads() -> None:
    x = pat.Wildcard()
    either = pat.Alt(op.Relu(x), op.Exp(x))
    rule = Subst(op.Negative(either), x)
    graph = Graph(random_outputs(Random(3), 40))
    pattern = Subst(either, op.Relu(x))

    def work(number: int) -> list[bool]:
        return [bool(match_at(s, graph, n)) for s in (rule, pattern) for n in graph] * 5

    first, *others = at_once(work)

    assert any(first)
    assert not all(first)
    assert all(other == first for other in others)


def test_cached_properties_of_a_rule_are_safe_to_share() -> None:
    def work(number: int) -> tuple[Any, ...]:
        return rule.source_patterns, rule.target_patterns, rule.outputs

    for _ in range(20):
        x = pat.Wildcard()
        rule = Subst(op.Relu(x), op.Exp(x))
        results = at_once(work)
        assert all(result == results[0] for result in results)
