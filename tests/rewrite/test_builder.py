"""Building targets from matches: every form, instances, memoised attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Call, Expr, Subst, Var, Workload, attr, op, pat
from gsl.attr import evaluate as meaning
from gsl.errors import UndecidedError
from gsl.graph import Graph
from gsl.match import match_at
from gsl.operators.declaration import Need
from gsl.rewrite.builder import Builder, build_and_replace, known, rewrite
from tests.match.toys import (
    RELU,
    Tag,
    exp,
    mark,
    negative,
    p_halves,
    p_mark,
    p_pack,
    p_tag,
    pack,
    relu,
    tag,
    var,
)
from tests.rewriting import once, shape_of

A, B = var("a"), var("b")
X, Y = pat.Wildcard(), pat.Wildcard()


def tagged(k: int) -> pat.Call:
    return p_tag(X, k=k)


t = p_tag(X)

TARGETS: dict[str, tuple[Callable[[], Subst], Callable[[], Expr], Any]] = {
    "an input": (lambda: Subst(op.Relu(X), X), lambda: relu(A), "a"),
    "a call": (lambda: Subst(op.Relu(X), op.Exp(X)), lambda: relu(A), ("Exp", "a")),
    "calls of calls": (
        lambda: Subst(op.Relu(X), op.Exp(-X) + X),
        lambda: relu(A),
        ("Add", ("Exp", ("Negative", "a")), "a"),
    ),
    "an interior": (
        lambda: Subst(op.Exp(r := op.Relu(X)), op.Negative(r)),
        lambda: exp(relu(A)),
        ("Negative", ("Relu", "a")),
    ),
    "the source itself": (
        lambda: Subst(r := op.Relu(X), op.Exp(r)),
        lambda: relu(A),
        ("Exp", ("Relu", "a")),
    ),
    "an attribute": (lambda: Subst(t, p_mark(X, k=t.k + 1)), lambda: tag(A, 2), ("Mark", 3, "a")),
    "a default": (lambda: Subst(op.Relu(X), p_tag(X)), lambda: relu(A), ("Tag", 0, "a")),
    "a constant": (
        lambda: Subst(op.Relu(X), pat.Const((3, 4))),
        lambda: relu(A),
        [3.0, 4.0],
    ),
    "a number like its neighbour": (
        lambda: Subst(op.Relu(X), X + 2),
        lambda: Call(RELU, [Var("i", (2,), "int8")]),
        ("Add", "i", 2),
    ),
    "a number before what it is like": (
        lambda: Subst(op.Relu(X), 1 / (1 + op.Exp(-X))),
        lambda: relu(A),
        ("Divide", 1.0, ("Add", 1.0, ("Exp", ("Negative", "a")))),
    ),
    "a number of a term": (lambda: Subst(t, X * t.k), lambda: tag(A, 3), ("Multiply", "a", 3.0)),
    "a constant of a dtype": (
        lambda: Subst(op.Relu(X), op.Add(X, pat.Const(2, dtype=X.dtype))),
        lambda: Call(RELU, [Var("i", (2,), "int64")]),
        ("Add", "i", 2),
    ),
    "a tuple": (
        lambda: Subst(op.Relu(X), p_pack((X, op.Exp(X)))),
        lambda: relu(A),
        ("Pack", ("a", ("Exp", "a"))),
    ),
    "a projection": (
        lambda: Subst(op.Relu(X), p_halves(X)[1]),
        lambda: relu(A),
        (1, ("Halves", "a")),
    ),
    "the same operator": (
        lambda: Subst(op.Exp(e := op.Elementwise(X)), op.same(e)(op.Exp(X))),
        lambda: exp(negative(A)),
        ("Negative", ("Exp", "a")),
    ),
    "the same operator and attributes": (
        lambda: Subst(op.Exp(e := op.trait("unary")(X)), op.same(e)(X, **pat.same_attr(e))),
        lambda: exp(tag(A, 4)),
        ("Tag", 4, "a"),
    ),
    "an attribute beside the copied ones": (
        lambda: Subst(
            op.Exp(e := op.trait("unary")(X)), pat.call(Tag, (X,), {"attributes_of": e, "k": 9})
        ),
        lambda: exp(mark(A, 4)),
        ("Tag", 9, "a"),
    ),
    "one of two by a condition": (
        lambda: Subst(t, pat.Cond(t.k > 2, X, op.Relu(X))),
        lambda: tag(A, 3),
        "a",
    ),
    "the other by a condition": (
        lambda: Subst(t, op.Exp(pat.Cond(t.k > 2, X, op.Relu(X)))),
        lambda: tag(A, 2),
        ("Exp", ("Relu", "a")),
    ),
    "one by the arm that matched": (
        lambda: Subst(
            op.Exp(o := pat.Alt(op.Relu(X), tagged(1))), pat.Cond(o.arm == 1, -X, op.Tanh(X))
        ),
        lambda: exp(tag(A, 1)),
        ("Negative", "a"),
    ),
    "a tuple of a given length": (
        lambda: Subst(
            t, p_pack(pat.Variadic(f := p_mark(X, k=(i := attr.Symbol()) * 2), templates=[f],
                                   index=i, length=t.k))
        ),
        lambda: tag(A, 3),
        ("Pack", (("Mark", 0, "a"), ("Mark", 2, "a"), ("Mark", 4, "a"))),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TARGETS)
def test_target_is_built(name: str) -> None:
    subst, source, expected = TARGETS[name]

    (result,) = once(subst(), [source()])

    assert shape_of(result) == expected


def test_shared_target_is_built_once() -> None:
    double = op.Exp(X)

    (result,) = once(Subst(op.Relu(X), double + double), [relu(A)])

    assert result.operands[0] is result.operands[1]


def test_type_of_what_was_built_is_kept() -> None:
    number = Call(RELU, [Var("i", (2,), "int8")])

    (result,) = once(Subst(op.Relu(X), X + 2), [number])

    assert result.type == number.type
    assert result.operands[1].dtype == "int8"


def fold_tags() -> Subst:
    """pack(tag(x_0), tag(x_1), ...)  =>  pack(mark(x_0), mark(x_1), ...)"""
    leaf = pat.Wildcard()
    field = p_tag(leaf)
    source = pat.Variadic(field, templates=[field, leaf])
    i = attr.Symbol()
    part, old = source(leaf, i), source(field, i)
    new = p_mark(part, k=old.k * 10 + i)
    target = pat.Variadic(new, templates=[new, part, old], index=i, length=source.length)
    return Subst(p_pack(source), p_pack(target))


def test_instances_of_the_source_are_used_field_by_field() -> None:
    (result,) = once(fold_tags(), [pack(tag(A, 1), tag(B, 2))])

    assert shape_of(result) == ("Pack", (("Mark", 10, "a"), ("Mark", 21, "b")))


def test_fields_may_read_what_they_have_just_built() -> None:
    i = attr.Symbol()
    inner = p_mark(X, k=i + 5)
    outer = p_tag(inner, k=inner.k)
    target = pat.Variadic(outer, templates=[outer, inner], index=i, length=3)

    (result,) = once(Subst(op.Relu(X), p_pack(target)), [relu(A)])

    assert [shape_of(field)[1:] for field in result.operands[0].operands] == [
        (k, ("Mark", k, "a")) for k in (5, 6, 7)
    ]


def test_first_patterns_stand_for_field_zero_of_a_target() -> None:
    field, head = op.Exp(X), op.Relu(X)
    target = pat.Variadic(field, first=[head], length=3)

    (result,) = once(Subst(-X, p_pack(target)), [negative(A)])

    assert [shape_of(f) for f in result.operands[0].operands] == [
        ("Relu", "a"), ("Exp", "a"), ("Exp", "a")
    ]  # fmt: skip


def test_fields_of_a_built_tuple_can_be_used_again() -> None:
    i = attr.Symbol()
    field = p_mark(X, k=i)
    tuple_ = pat.Variadic(field, templates=[field], index=i, length=2)

    (result,) = once(Subst(op.Relu(X), op.Add(p_pack(tuple_), tuple_(field, 1))), [relu(A)])

    assert result.operands[1] is result.operands[0].operands[0].operands[1]


def test_branch_not_taken_is_not_built() -> None:
    graph = Graph([tag(A, 1)])
    rule = Subst(t, pat.Cond(t.k == 1, op.Exp(X), op.Sum(X, axis=9)))

    added = rewrite(rule, match_at(rule, graph, graph.outputs[0]), graph)

    assert len(added) == 1


def test_undecided_condition_needs_someone_to_decide() -> None:
    symbol = attr.Symbol()

    with pytest.raises(UndecidedError, match="a conditional target depends on an unknown value"):
        known(symbol == 1)
    assert known(True) is True


def test_conditions_can_be_decided_from_outside() -> None:
    graph = Graph([tag(A, 1)])
    rule = Subst(t, pat.Cond(t.k == 1, op.Exp(X), op.Relu(X)))
    asked: list[Any] = []

    def refuse(condition: Any) -> bool:
        asked.append(condition)
        return False

    builder = Builder(match_at(rule, graph, graph.outputs[0]), graph, decide=refuse)
    node = builder.build(rule.target[0], None)

    assert shape_of(node.expr) == ("Relu", "a")
    assert asked == [True]


def test_attribute_left_open_takes_its_default() -> None:
    assert shape_of(*once(Subst(t, p_mark(X, k=None)), [tag(A, 3)])) == ("Mark", 0, "a")


REPRESENTABLE: list[tuple[Any, str]] = [
    (2, "the constant 2 must be a value of its dtype"),
    (2.0, "the constant 2.0 must be a value of its dtype"),
    (0.5, "the constant 0.5 must be a value of its dtype"),
    (t.k, "must be a value of its dtype"),
]


@pytest.mark.parametrize(("number", "reason"), REPRESENTABLE)
def test_constant_of_an_unknown_dtype_must_be_a_value_of_it(number: Any, reason: str) -> None:
    dtype, k = attr.Symbol("dtype", "text"), attr.Symbol("k")
    graph = Graph([Call(Tag, [Var("x", (2,), dtype)], {"k": k})])
    bindings = match_at(Subst(t, X), graph, graph.outputs[0])
    need = Need()

    node = Builder(bindings, graph, need).build(pat.Const(number, like=X), None)

    assert node.expr.type.dtype is dtype
    ((_, claim),) = need.claims
    assert reason in claim


def counting(monkeypatch: pytest.MonkeyPatch, head: str) -> list[tuple[Any, ...]]:
    """Note the operands of every operation `head` from now on."""
    calls: list[tuple[Any, ...]] = []
    compute = meaning.PYTHON[head]

    def counted(*values: Any) -> Any:
        calls.append(values)
        return compute(*values)

    monkeypatch.setitem(meaning.PYTHON, head, counted)
    return calls


def test_shared_attribute_expression_is_evaluated_once_per_match(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    total = t.k * 7
    target = p_mark(p_mark(p_mark(X, k=total), k=total + 1), k=total)
    graph = Graph([tag(A, 3), tag(B, 4)])
    rule = Subst(t, target)
    calls = counting(monkeypatch, "*")

    for node in list(graph.outputs):
        build_and_replace(rule, match_at(rule, graph, node), graph)

    assert calls == [(3, 7), (4, 7)]
    assert shape_of(graph.outputs[0].expr)[1] == 21


def test_expressions_that_look_alike_are_evaluated_each(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counting(monkeypatch, "*")

    once(Subst(t, p_mark(p_mark(X, k=t.k * 7), k=t.k * 7)), [tag(A, 3)], by=build_and_replace)

    assert calls == [(3, 7), (3, 7)]


def test_expression_with_a_free_symbol_is_evaluated_once_per_field(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    i = attr.Symbol()
    fixed, varying = t.k * 7, i * 5
    field = p_mark(p_mark(X, k=fixed + varying), k=varying)
    target = pat.Variadic(field, templates=[field, *field.operands], index=i, length=3)
    calls = counting(monkeypatch, "*")

    (result,) = once(Subst(t, p_pack(target)), [tag(A, 2)], by=build_and_replace)

    assert calls == [(2, 7), (0, 5), (1, 5), (2, 5)]
    assert [shape_of(f)[1:] for f in result.operands[0].operands] == [
        (0, ("Mark", 14, "a")), (5, ("Mark", 19, "a")), (10, ("Mark", 24, "a"))
    ]  # fmt: skip


def test_part_without_the_bound_symbol_is_evaluated_once_in_a_sum(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    product = t.k * 7
    total = attr.Sum(lambda k: product + k, length=4)
    calls, sums = counting(monkeypatch, "*"), counting(monkeypatch, "+")

    (result,) = once(Subst(t, p_mark(X, k=total)), [tag(A, 1)], by=build_and_replace)

    assert shape_of(result)[1] == 4 * 7 + 6
    assert calls == [(1, 7)]
    assert len(sums) == 7


def test_values_do_not_leak_from_match_to_match() -> None:
    rule = Subst(t, p_mark(X, k=t.k + 1))

    result = rule(Workload([tag(A, 1), tag(B, 5)]))

    assert [shape_of(e)[1] for e in result.outputs] == [2, 6]
