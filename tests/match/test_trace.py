"""How far a rule matches, and what stops it."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from gsl import Expr, Subst, op, pat
from gsl.errors import MisuseError
from gsl.graph import Graph
from gsl.match import Mismatch, Trace, match_at, trace
from tests.match.cutting import Cutter, random_outputs
from tests.match.toys import add, exp, negative, p_tag, relu, tag, var

X, Y = pat.Wildcard(), pat.Wildcard()
A, B = var("a"), var("b")


def traced(source: Any, outputs: Sequence[Expr], **subst: Any) -> Trace:
    """Trace a source at the first output."""
    graph = Graph(outputs)
    return trace(Subst(source, source, **subst), graph, graph.outputs[0])


first, second = op.Exp(X), op.Negative(op.Relu(X))
t = p_tag(X)


@pytest.mark.parametrize("ask", [match_at, trace])
def test_rule_is_matched_at_a_node(ask: Any) -> None:
    with pytest.raises(
        MisuseError, match=r"matched at a node of a graph, not at Var\('a'.*outputs"
    ):
        ask(Subst(op.Relu(X), X), Graph([A]), A)


CASES: dict[str, tuple[Any, list[Expr], list[pat.Pattern], str]] = {
    "nothing": (op.Relu(X), [exp(A)], [], "expected the call of Relu, found Exp"),
    "the root": (r := op.Relu(op.Exp(X)), [relu(A)], [r], "expected the call of Exp"),
    "all but an attribute": (
        tags := p_tag(below := op.Relu(X), k=1), [tag(relu(A), 2)], [tags, below, X],
        "attribute `k` is 2",
    ),
    "all but a further output": (
        [first_of_two := op.Exp(X), op.Tanh(X)], [exp(A), relu(A)], [first_of_two, X],
        "nothing above what is bound can be this output",
    ),
    "the better of two arms": (
        either := op.Relu(pat.Alt(op.Exp(X), arm := -op.Tanh(X))), [relu(negative(A))],
        [either, arm], "expected the call of Tanh",
    ),
    "all but what escapes": (
        [first, second], [exp(A), negative(inner := relu(A)), inner],
        [first, X, second, second.operands[0]], "used outside of it",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_best_partial_match_and_its_reason(name: str) -> None:
    source, outputs, bound, reason = CASES[name]

    found = traced(source, outputs)

    nodes = {p for p, _ in found.bindings.nodes if not isinstance(p, pat.Alt)}
    assert nodes == set(bound)
    assert reason in str(found.mismatch)


def test_condition_that_does_not_hold_is_named_with_everything_bound() -> None:
    found = traced(t, [tag(A, 1)], where=[t.k == 2])

    assert found.mismatch is not None
    assert found.mismatch.reason == "a condition of the rule does not hold"
    assert found.bindings[t].attributes["k"] == 1


def test_rule_that_matches_has_no_mismatch() -> None:
    found = traced(op.Relu(X) + Y, [add(relu(A), B)])

    assert found.mismatch is None
    assert found.bindings[X] is A
    assert found.bindings[Y] is B


def test_trace_as_text_has_a_line_for_every_pattern() -> None:
    lines = str(traced(op.Relu(op.Exp(X)), [relu(exp(A))])).splitlines()
    failed = str(traced(op.Relu(op.Exp(X)), [relu(A)])).splitlines()

    assert [line.partition(" is ")[0] for line in lines[:-1]] == [
        "the call of Relu", "the call of Exp", "the Wildcard pattern"
    ]  # fmt: skip
    assert lines[-1] == "the rule matches"
    assert failed[-1].startswith("but ")
    assert "expected the call of Exp, found" in failed[-1]


def test_fields_are_told_apart() -> None:
    weight = pat.Wildcard()
    field = X + weight
    many = pat.Variadic(field, templates=[field, weight], min_len=3)

    found = traced(many, [add(A, B), add(A, var("c"))])

    assert "fewer than 3 outputs" in str(found.mismatch)
    assert "the call of Add of field 0 is Call(Add" in str(found)


def test_trace_says_what_match_says() -> None:
    seen = {True: 0, False: 0}
    for seed in range(150):
        rng = Random(seed)
        graph = Graph(random_outputs(rng, 7))
        rule = Cutter(rng, mutations=0.1).problem(graph, 1 + seed % 2).subst
        for node in graph:
            expected, found = match_at(rule, graph, node), trace(rule, graph, node)

            seen[found.mismatch is None] += 1
            if isinstance(expected, Mismatch):
                assert str(found.mismatch) == str(expected)
            else:
                assert found.mismatch is None
                assert found.bindings.nodes.keys() >= {(p, ()) for p in rule.source}
    assert min(seen.values()) > 50
