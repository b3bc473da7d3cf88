"""Applying rules to a workload until nothing matches."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock, patch

import pytest

from gsl import Call, Expr, Subst, Var, Workload, apply, op, pat, rule
from gsl.engine import fixpoint
from gsl.engine.fixpoint import OTHERS_PER_NODE, matches
from gsl.engine.record import Record
from gsl.errors import GraphError, MisuseError, RewriteError, RuleError
from gsl.evaluate import run
from gsl.graph import Graph, reverse_post_order
from gsl.match import match_at
from gsl.operators import REGISTRY
from gsl.rewrite.builder import rewrite
from tests.match.toys import (
    TANH,
    add,
    exp,
    half,
    multiply,
    negative,
    p_halves,
    p_pack,
    p_tag,
    relu,
    tag,
    tanh,
    var,
)
from tests.rewriting import shape_of

A, B = var("a"), var("b")
X, Y = pat.Wildcard(), pat.Wildcard()

DOUBLE_NEGATION = Subst(op.Negative(-X), X)
IDEMPOTENT = Subst(op.Relu(op.Relu(X)), op.Relu(X))


def apply_to(outputs: Expr | list[Expr], *rules: Subst, **options: object) -> list[object]:
    return [shape_of(e) for e in apply(Workload(outputs), rules, **options).outputs]


def test_rules_are_applied_until_none_matches() -> None:
    chain = relu(relu(negative(negative(relu(A)))))

    assert apply_to(chain, DOUBLE_NEGATION, IDEMPOTENT) == [("Relu", "a")]


def test_what_becomes_possible_above_or_below_is_done_in_the_same_call() -> None:
    opens = Subst(op.Exp(X), op.Relu(X))

    assert apply_to(relu(exp(relu(A))), IDEMPOTENT, opens) == [("Relu", "a")]


def test_first_rule_that_matches_is_applied() -> None:
    to_exp, to_tanh = Subst(op.Relu(X), op.Exp(X)), Subst(op.Relu(X), op.Tanh(X))

    assert apply_to(relu(A), to_exp, to_tanh) == [("Exp", "a")]
    assert apply_to(relu(A), to_tanh, to_exp) == [("Tanh", "a")]


def test_rules_may_feed_each_other_as_long_as_it_ends() -> None:
    count_down = [Subst(p_tag(X, k=k), p_tag(X, k=k - 1)) for k in (1, 2, 3)]

    assert apply_to(tag(A, 3), *count_down) == [("Tag", 0, "a")]


def test_workload_that_no_rule_touches_is_returned_itself() -> None:
    workload = Workload(exp(A))

    assert apply(workload, [IDEMPOTENT, DOUBLE_NEGATION]) is workload
    assert apply(workload, []) is workload


def test_what_no_rule_touches_stays_the_very_same_object() -> None:
    aside = exp(negative(B))
    workload = Workload([relu(relu(A)), aside])

    result = apply(workload, [IDEMPOTENT])

    assert result.outputs[1] is aside
    assert result.inputs == workload.inputs


def test_inputs_that_are_not_used_any_more_stay_inputs() -> None:
    forget = Subst(op.Relu(X) + Y, op.Relu(X))

    result = apply(Workload(add(relu(A), B)), [forget])

    assert [v.name for v in result.inputs] == ["a", "b"]


def test_record_counts_rewrites_by_rule() -> None:
    record = Record()

    apply_to([relu(relu(relu(A))), negative(negative(B))], IDEMPOTENT, DOUBLE_NEGATION,
             record=record)  # fmt: skip

    assert record.counts == {IDEMPOTENT: 2, DOUBLE_NEGATION: 1}
    assert record.total == 3
    assert record.refused == []


def test_record_may_be_used_again() -> None:
    record = Record()
    workload = Workload(negative(negative(A)))

    apply(workload, [DOUBLE_NEGATION], record=record, max_rewrites=1)
    apply(workload, [DOUBLE_NEGATION], record=record, max_rewrites=1)
    untouched = Workload(exp(A))

    assert record.total == 2
    assert apply(untouched, [DOUBLE_NEGATION], record=record) is untouched


def test_refused_match_is_noted_once_and_the_next_rule_tried() -> None:
    refused = Subst(op.Relu(X), op.Sum(X, axis=0))
    taken = Subst(op.Relu(X), op.Tanh(X))
    record = Record()

    assert apply_to(exp(relu(A)), refused, taken, record=record) == [("Exp", ("Tanh", "a"))]
    (refusal,) = record.refused
    assert refusal.rule is refused
    assert shape_of(refusal.root) == ("Relu", "a")
    assert "the target has type" in str(refusal.error)


def test_refused_match_does_not_hinder_the_others() -> None:
    only_matrices = Subst(op.Relu(X), op.Softmax(X, axis=1))
    matrix = Var("m", (2, 2))
    record = Record()

    result = apply_to([relu(A), relu(matrix)], only_matrices, record=record)

    assert result == [("Relu", "a"), ("Softmax", 1, "m")]
    assert len(record.refused) == 1


@pytest.mark.parametrize("legal", [0, 1, 5, 30])
def test_match_beside_refused_ones_is_replaced(legal: int) -> None:
    """Which of many users makes a target that can be built does not depend on their order."""
    flat = op.Reshape(X)
    rule = Subst([op.Exp(X), flat], [op.Tanh(X), op.Reshape(op.Relu(X), shape=(flat.shape[0], 2))])
    square = Var("m", (2, 2))
    shapes = [(2, 2) if place == legal else (1, 4) for place in range(31)]
    reshaped = [Call(REGISTRY["Reshape"], [square], {"shape": shape}) for shape in shapes]
    record = Record()

    result = apply_to([exp(square), *reshaped], rule, record=record)

    assert result[0] == ("Tanh", "m")
    assert result[1 + legal] == ("Reshape", (2, 2), ("Relu", "m"))
    assert (record.total, len(record.refused)) == (1, 1 if legal else 0)


def test_cycle_that_was_closed_later_is_refused() -> None:
    inner = relu(A)
    outer = exp(inner)
    workload = Workload(tanh(outer))
    inner.operands = (outer,)

    with pytest.raises(GraphError, match="the graph has a cycle through"):
        apply(workload, [IDEMPOTENT])


def test_matches_beside_refused_ones_are_tried_in_linear_time() -> None:
    flat, other = op.Reshape(X), op.Reshape(X)
    rule = Subst([flat, other], [flat, op.Reshape(X, shape=(other.shape[0], 2))])
    square = Var("m", (2, 2))
    many = [Call(REGISTRY["Reshape"], [square], {"shape": (1, 4)}) for _ in range(150)]

    tried = Mock(side_effect=rewrite)
    with patch.object(fixpoint, "rewrite", tried):
        workload = Workload(many)
        assert apply(workload, [rule]) is workload

    assert 1000 < tried.call_count < OTHERS_PER_NODE * 151 + 151 + 1


def test_refusal_shows_the_operands_of_what_was_made_before() -> None:
    """Expressions of new nodes get their operands at the end."""
    tuples = Subst(op.Negative(op.Negative(X)), p_pack(pat.Tuple(X, X)))
    halves = Subst(op.Relu(X), p_pack(p_halves(X)))
    typed = Subst(p_pack(X), pat.Const(0.0, dtype=X.dtype))
    record = Record()

    apply(Workload([negative(negative(A)), relu(B)]), [tuples, halves, typed], record=record)

    of_tuple, of_halves = [str(refusal.error) for refusal in record.refused]
    assert "Tuple(2 fields) has no attribute `dtype`" in of_tuple
    assert "Call(Halves, 1 operands, {}) has no attribute `dtype`" in of_halves


def test_ill_formed_rule_is_refused_before_anything_runs() -> None:
    record = Record()

    with pytest.raises(RuleError, match="GSL131"):
        apply(Workload(relu(relu(A))), [IDEMPOTENT, Subst(op.Relu(X), Y)], record=record)

    assert record.total == 0


ENDLESS = {
    "a rule that matches its own target": [Subst(op.Relu(X), op.Relu(op.Relu(X)))],
    "a target on top of the source": [Subst(r := op.Relu(X), op.Relu(r))],
    "a rule and its converse": [Subst(op.Relu(X), op.Exp(X)), Subst(op.Exp(X), op.Relu(X))],
    "outputs exchanged": [Subst([r, (e := op.Exp(r))], [e, r])],
}


@pytest.mark.parametrize("name", ENDLESS)
def test_rules_without_end_are_stopped(name: str) -> None:
    workload = Workload([negative(inner := relu(A)), exp(inner)])

    with pytest.raises(RewriteError, match="not done after 50 rewrites"):
        apply(workload, ENDLESS[name], max_rewrites=50)

    assert [shape_of(e) for e in workload.outputs] == [
        ("Negative", ("Relu", "a")), ("Exp", ("Relu", "a"))
    ]  # fmt: skip


def test_limit_is_the_number_of_rewrites_that_are_allowed() -> None:
    chain = relu(relu(relu(A)))

    assert apply_to(chain, IDEMPOTENT, max_rewrites=2) == [("Relu", "a")]
    with pytest.raises(RewriteError, match="not done after 1 rewrites"):
        apply_to(chain, IDEMPOTENT, max_rewrites=1)
    with pytest.raises(RewriteError, match="not done after 0 rewrites"):
        apply_to(chain, IDEMPOTENT, max_rewrites=0)
    assert apply_to(exp(A), IDEMPOTENT, max_rewrites=0) == [("Exp", "a")]


def test_limit_has_a_default() -> None:
    with pytest.raises(RewriteError, match="not done after 1000 rewrites"):
        apply_to(relu(A), Subst(op.Relu(X), op.Relu(op.Relu(X))))


def test_who_rewrites_without_end_is_told_what_to_do() -> None:
    with pytest.raises(RewriteError, match="or allow more with max_rewrites"):
        apply_to(relu(A), Subst(op.Relu(X), op.Relu(op.Relu(X))))


@rule
def written_by_a_function() -> Subst:
    """relu(x) => exp(x)"""
    return Subst(op.Relu(X), op.Exp(X))


MISUSED: list[tuple[Any, Any, str]] = [
    (relu(A), [], "rules apply to a Workload, not to Call"),
    (Workload(relu(A)), written_by_a_function(), r"are not a list .*write \[rule\]"),
    (Workload(relu(A)), [written_by_a_function], "write written_by_a_function"),
    (Workload(relu(A)), ["rule"], "'rule' is no rule"),
]


@pytest.mark.parametrize(("workload", "rules", "message"), MISUSED)
def test_things_of_another_kind_are_refused(workload: Any, rules: Any, message: str) -> None:
    with pytest.raises(MisuseError, match=message):
        apply(workload, rules)


@pytest.mark.parametrize(
    "options", [*({"max_rewrites": limit} for limit in (-1, 1.5, True, "3")), {"record": 3}]
)
def test_options_of_another_kind_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(MisuseError, match=r"max_rewrites is a whole number|the record is"):
        apply(Workload(relu(A)), [written_by_a_function()], **options)


def test_target_on_top_of_the_source_makes_no_cycle() -> None:
    relu_again = Subst(source := op.Relu(X), op.Exp(source))
    stop = Subst(op.Exp(op.Relu(X)), op.Tanh(X))

    assert apply_to(add(inner := relu(A), inner), stop, relu_again) == [
        ("Add", ("Tanh", "a"), ("Tanh", "a"))
    ]


def test_rules_whose_root_is_no_call_are_applied() -> None:
    halves = pat.GetItem(pat.call(half(A, 0).operands[0].operator, (X,)), 0)

    assert apply_to(half(A, 0), Subst(halves, X)) == ["a"]


def test_matches_are_listed_without_changing_anything() -> None:
    workload = Workload([relu(relu(relu(A))), exp(A)])

    found = list(matches(Subst(op.Relu(X), X), workload))

    assert [shape_of(node.expr) for node, _ in found] == [
        ("Relu", "a"), ("Relu", ("Relu", "a")), ("Relu", ("Relu", ("Relu", "a")))
    ]  # fmt: skip
    assert all(node in graph for node, graph in found)
    assert list(matches(Subst(op.Tanh(X), X), workload)) == []
    with pytest.raises(RuleError, match="GSL135"):
        list(matches(Subst(X, X), workload))


def test_results_of_a_rewrite_are_visited_before_the_rest() -> None:
    record = Record()
    unpack = Subst(op.Exp(X), op.Relu(op.Relu(op.Relu(X))))

    assert apply_to(exp(A), unpack, IDEMPOTENT, record=record) == [("Relu", "a")]
    assert record.counts == {unpack: 1, IDEMPOTENT: 2}


def test_dropped_nodes_are_not_visited() -> None:
    collapse = Subst(op.Exp(op.Relu(X)), op.Tanh(X))
    result = apply_to(multiply(exp(relu(relu(A))), B), IDEMPOTENT, collapse)

    assert result == [("Multiply", ("Tanh", "a"), "b")]


@pytest.mark.parametrize("size", [100_000])
def test_long_chain_is_built_rewritten_and_evaluated(size: int) -> None:
    expr: Expr = A
    for _ in range(size):
        expr = negative(expr)
    workload = Workload(exp(expr))
    record = Record()

    result = apply(workload, [DOUBLE_NEGATION], record=record)

    assert record.total == size // 2
    assert [shape_of(e) for e in result.outputs] == [("Exp", "a")]
    assert run(workload, {"a": A.shape[0]})[0] > 7
    assert len(reverse_post_order(workload.outputs)) == size + 2


def test_deep_rule_matches_when_something_far_below_its_root_has_changed() -> None:
    size = 120
    source: pat.Pattern = op.Exp(X)
    expr: Expr = exp(relu(exp(A)))
    for _ in range(size):
        source, expr = op.Negative(source), negative(expr)
    deep, prepare = Subst(op.Tanh(source), X), Subst(op.Relu(op.Exp(X)), op.Relu(X))
    inner = Subst(op.Exp(op.Relu(X)), op.Exp(X))
    record = Record()

    result = apply(Workload(tanh(expr)), [deep, prepare, inner], record=record)

    assert [shape_of(e) for e in result.outputs] == ["a"]
    assert record.counts == {prepare: 1, inner: 1, deep: 1}


def test_long_pattern_is_matched_and_built() -> None:
    size = 5_000
    expr: Expr = A
    source: pat.Pattern = X
    target: pat.Pattern = X
    for _ in range(size):
        expr, source, target = relu(expr), op.Relu(source), op.Tanh(target)
    rule, graph = Subst(source, target), Graph([expr])

    added = rewrite(rule, match_at(rule, graph, graph.outputs[0]), graph)

    assert len(added) == size
    var, *calls = reverse_post_order(graph.to_exprs())
    assert var is A
    assert {call.operator for call in calls} == {TANH}
