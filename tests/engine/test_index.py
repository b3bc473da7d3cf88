"""Rules by the heads of their root and its operands."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from gsl import Call, Const, Expr, Proj, Record, Subst, Tuple, Var, Workload, apply, op, pat
from gsl.engine.index import Heads, RuleIndex, heads_of, may_stand, root_of
from gsl.graph import Graph
from gsl.match.find import matcher_of, search_of
from gsl.operators import lookup
from tests.match.cutting import Cutter, random_outputs
from tests.match.toys import (
    ADD,
    EXP,
    MULTIPLY,
    NEGATIVE,
    RELU,
    Tag,
    add,
    exp,
    p_tag,
    relu,
    tag,
    var,
)

X, Y = pat.Wildcard(), pat.Wildcard()
A, B = var("a"), var("b")


def concatenated(*parts: Expr) -> Call:
    return Call(lookup("Concatenate"), [Tuple(parts)], {"axis": 0})


HEADS: list[tuple[pat.Pattern, Heads]] = [
    (op.Relu(X), Heads(frozenset({RELU}))),
    (pat.Alt(op.Relu(X), pat.Alt(op.Exp(X), -X)), Heads(frozenset({RELU, EXP, NEGATIVE}))),
    (pat.Alt(op.Relu(X), op.Elementwise(X)), Heads()),
    (op.Elementwise(X), Heads(trait="elementwise")),
    (op.same(op.Relu(X))(X), Heads(frozenset({RELU}))),
    (op.same(op.same(op.Elementwise(X))(X))(Y), Heads(trait="elementwise")),
    (X, Heads()),
    (pat.Variable(), Heads(frozenset({Var}))),
    (pat.Const(), Heads(frozenset({Const}))),
    (pat.Tuple(X, Y), Heads(frozenset({Tuple}))),
    (pat.Variadic(op.Relu(X)), Heads(frozenset({Tuple}))),
    (pat.GetItem(X, 0), Heads(frozenset({Proj}))),
]


@pytest.mark.parametrize(("pattern", "heads"), HEADS)
def test_heads_of_a_pattern(pattern: pat.Pattern, heads: Heads) -> None:
    assert heads_of(pattern) == heads


def test_head_is_in_a_set_by_name_or_by_trait() -> None:
    assert RELU in Heads(frozenset({RELU}))
    assert EXP not in Heads(frozenset({RELU}))
    assert RELU in Heads(trait="elementwise")
    assert Tag not in Heads(trait="elementwise")
    assert Var not in Heads(trait="elementwise")
    assert Var in Heads()


def test_root_is_the_first_output_or_field_zero() -> None:
    relus, exps = op.Relu(X), op.Exp(X)

    assert root_of(Subst([relus, exps], [X, X])) is relus
    assert root_of(Subst(pat.Variadic(relus), X)) is relus
    assert root_of(Subst(pat.Variadic(relus, first=[exps]), X)) is exps


def rules_at(expr: Expr, *sources: pat.Pattern) -> list[int]:
    rules = [Subst(source, X) for source in sources]
    found = RuleIndex(rules).rules_at(Graph([expr]).outputs[0])
    return [rules.index(rule) for rule in found]


def test_rules_keep_their_order() -> None:
    sources = (op.Relu(X), op.Exp(X), op.Elementwise(X), op.Relu(Y))

    assert rules_at(relu(A), *sources) == [0, 2, 3]
    assert rules_at(exp(A), *sources) == [1, 2]
    assert rules_at(tag(A), *sources) == []


def test_operands_of_the_root_tell_rules_apart() -> None:
    sources = (op.Relu(X) + Y, X + op.Relu(Y), pat.Variable() + Y, X + Y, op.Relu(X + Y))

    assert rules_at(add(relu(A), B), *sources) == [0, 3]
    assert rules_at(add(A, relu(B)), *sources) == [1, 2, 3]
    assert rules_at(relu(add(A, B)), *sources) == [4]


def test_heads_without_a_rule_are_known() -> None:
    index = RuleIndex([Subst(op.Relu(X), X), Subst(p_tag(X), X)])

    index.learn((ADD, RELU))

    assert [index.has_root[head] for head in (RELU, Tag, ADD, Var)] == [True, True, False, False]


def test_rule_that_matches_is_always_among_those_found() -> None:
    matches = 0
    for seed in range(200):
        rng = Random(seed)
        graph = Graph(random_outputs(rng, 8))
        rule = Cutter(rng, mutations=0.05).problem(graph, 1 + seed % 2).subst
        index = RuleIndex([rule])
        for node in graph:
            if any(True for _ in search_of(rule, graph).matches(node)):
                matches += 1
                assert index.rules_at(node) == (rule,), (seed, node)
                assert may_stand(root_of(rule), node), (seed, node)
                index.learn((node.head,))
                assert index.has_root[node.head]

    assert matches > 100


STANDING: list[tuple[pat.Pattern, Expr, bool]] = [
    (op.Relu(op.Exp(X)), relu(exp(A)), True),
    (op.Relu(op.Exp(op.Tanh(X))), relu(exp(A)), False),
    (op.Relu(pat.Alt(op.Exp(X), op.Relu(X))), relu(relu(A)), True),
    (op.Relu(pat.Alt(op.Exp(X), op.Relu(X))), relu(tag(A)), False),
    (op.Concatenate(pat.Variadic(op.Relu(X))), concatenated(relu(A), B), True),
    (op.Concatenate(pat.Variadic(op.Relu(X))), concatenated(exp(A), B), False),
    (op.Concatenate(pat.Variadic(op.Exp(X), first=[op.Relu(X)])), concatenated(relu(A), B), True),
    (op.Concatenate(pat.Tuple(X, Y)), concatenated(A), False),
]


@pytest.mark.parametrize(("pattern", "expr", "expected"), STANDING)
def test_heads_below_a_root_tell_what_cannot_match(
    pattern: pat.Pattern, expr: Expr, expected: bool
) -> None:
    assert may_stand(pattern, Graph([expr]).outputs[0]) is expected


def test_no_search_begins_where_heads_say_no(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = Subst(op.Concatenate(pat.Variadic(op.Relu(X))), X)
    assert matcher_of(rule) is None
    begun: list[object] = []
    monkeypatch.setattr("gsl.match.find.search_of", lambda *given: begun.append(given))

    apply(Workload(concatenated(exp(A), B)), [rule])

    assert begun == []


def test_calls_of_another_number_of_operands_are_told_apart() -> None:
    from_tag = pat.call(Tag, (X,))

    assert rules_at(Call(Tag, [A]), from_tag) == [0]
    assert rules_at(Tuple([A, B]), pat.Tuple(X, Y), pat.Tuple(X, Y, pat.Wildcard())) == [0]


def fan(least: int) -> pat.Variadic:
    """Return relus of one tensor, at least so many."""
    field = op.Relu(X)
    return pat.Variadic(field, templates=[field], min_len=least)


SEVERAL: list[tuple[Any, list[int]]] = [
    ([op.Relu(X), op.Exp(X)], [1, 2]),
    (op.Relu(X) + op.Exp(X), []),
    ([op.Relu(X), op.Exp(Y)], [0, 1, 2]),
    (fan(2), [1, 2]),
    (fan(1), [0, 1, 2]),
]


@pytest.mark.parametrize(("source", "expected"), SEVERAL)
def test_root_whose_operand_needs_several_users_is_told_by_them(
    source: Any, expected: list[int]
) -> None:
    graph = Graph([relu(A), relu(B), relu(B), exp(B)])
    rule = Subst(source, source)
    others = [Subst(op.Relu(X), op.Relu(X)) for _ in range(2)]
    index = RuleIndex([rule, *others])

    found = [place for place in range(3) if rule in index.rules_at(graph.outputs[place])]

    assert found == expected


def test_operand_shared_by_the_operands_of_the_root_has_several_users() -> None:
    total = add(relu(A), exp(A))
    rule = Subst(op.Relu(X) * X, X)
    index = RuleIndex([rule])

    roots = [Call(MULTIPLY, [relu(A), A]), Call(MULTIPLY, [relu(A), B]), total]
    found = [bool(index.rules_at(Graph([root]).outputs[0])) for root in roots]

    assert found == [True, False, False]


def test_arms_of_a_field_are_no_operands_of_the_root() -> None:
    """The second output is the operand of the first one, which nothing else needs to use."""
    inner = op.Relu(X)
    field = pat.Alt(op.Negative(inner), inner)
    source = pat.Variadic(field, templates=[field], first=[op.Exp(inner)], min_len=2)
    squared = op.Square(X)
    target = pat.Variadic(squared, templates=[squared], length=source.length)
    never = Subst(op.Exp(op.Tanh(X)), X)
    record = Record()

    apply(Workload(exp(relu(A))), [Subst(source, target), never], record=record)

    assert record.total == 1
