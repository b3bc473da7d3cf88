"""Attribute expressions: what Python syntax builds, and what it refuses to pretend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import attr, op, pat
from gsl.attr.term import (
    ANYTHING,
    Access,
    Constant,
    Operation,
    Projection,
    Reduce,
    Slice,
    Symbol,
    Term,
    TupleOf,
    VariadicTuple,
    as_term,
    children,
    free_symbols,
    subterms,
)
from gsl.errors import RuleError
from gsl.span import resolve
from tests.rule_text import underlined

a, b = Symbol("a"), Symbol("b")

OPERATORS: list[tuple[Callable[[], Any], str, list[Any]]] = [
    (lambda: a + b, "+", [a, b]),
    (lambda: a + 1, "+", [a, 1]),
    (lambda: 1 + a, "+", [1, a]),
    (lambda: a - 1, "-", [a, 1]),
    (lambda: 1 - a, "-", [1, a]),
    (lambda: a * 2, "*", [a, 2]),
    (lambda: 2 * a, "*", [2, a]),
    (lambda: a / 2, "/", [a, 2]),
    (lambda: 2 / a, "/", [2, a]),
    (lambda: a // 2, "//", [a, 2]),
    (lambda: 2 // a, "//", [2, a]),
    (lambda: a % 2, "%", [a, 2]),
    (lambda: 2 % a, "%", [2, a]),
    (lambda: -a, "neg", [a]),
    (lambda: a == b, "==", [a, b]),
    (lambda: a == 1, "==", [a, 1]),
    (lambda: 1 == a, "==", [a, 1]),  # noqa: SIM300
    (lambda: a != 1, "!=", [a, 1]),
    (lambda: a < 1, "<", [a, 1]),
    (lambda: 1 < a, ">", [a, 1]),  # noqa: SIM300
    (lambda: a <= 1, "<=", [a, 1]),
    (lambda: a > 1, ">", [a, 1]),
    (lambda: a >= 1, ">=", [a, 1]),
    (lambda: a & b, "and", [a, b]),
    (lambda: True & a, "and", [True, a]),
    (lambda: a | b, "or", [a, b]),
    (lambda: False | a, "or", [False, a]),
    (lambda: ~a, "not", [a]),
    (lambda: attr.And(a, b), "and", [a, b]),
    (lambda: attr.Or(a, b), "or", [a, b]),
    (lambda: attr.Not(a), "not", [a]),
    (lambda: attr.Min(a, 1), "min", [a, 1]),
    (lambda: attr.Max(1, a), "max", [1, a]),
    (lambda: attr.Cond(a, 1, b), "cond", [a, 1, b]),
    (lambda: attr.In(a, (1, 2)), "in", [a, (1, 2)]),
    (lambda: attr.Length(a), "length", [a]),
    (lambda: attr.Abs(a), "abs", [a]),
    (lambda: attr.Floor(a), "floor", [a]),
    (lambda: attr.Ceil(a), "ceil", [a]),
    (lambda: attr.Sqrt(a), "sqrt", [a]),
]


def written(term: Term) -> Any:
    return term.value if isinstance(term, Constant) else term


@pytest.mark.parametrize(("build", "head", "operands"), OPERATORS)
def test_python_operators_build_operations(
    build: Callable[[], Any], head: str, operands: list[Any]
) -> None:
    term = build()

    assert isinstance(term, Operation)
    assert head == term.head
    for expected, operand in zip(operands, map(written, term.operands), strict=True):
        assert operand is expected if isinstance(expected, Term) else operand == expected


def test_values_become_terms() -> None:
    assert a is as_term(a)
    assert ANYTHING is as_term(None)
    assert attr.Any is ANYTHING
    assert written(as_term(3)) == 3
    assert written(as_term("same")) == "same"
    assert written(as_term([1, 2])) == (1, 2)
    assert written(as_term(())) == ()


def test_tuples_with_open_parts_become_tuples_of_terms() -> None:
    term = as_term((1, None, a, (2, 3)))

    assert isinstance(term, TupleOf)
    assert [1, ANYTHING, a] == [written(field) for field in term.fields[:3]]
    assert written(term.fields[3]) == (2, 3)
    assert isinstance(attr.Tuple(1, a), TupleOf)


def test_brackets_project_and_slice() -> None:
    one, some, every = a[b], a[1:b], a[::2]

    assert isinstance(one, Projection)
    assert (a, b) == (one.tuple, one.index)
    assert isinstance(some, Slice)
    assert [a, 1, b, ANYTHING] == [written(part) for part in children(some)]
    assert [a, ANYTHING, ANYTHING, 2] == [written(part) for part in children(every)]


BINDERS: list[tuple[Callable[..., Any], str | None]] = [
    (attr.Variadic, None),
    (attr.Sum, "+"),
    (attr.Product, "*"),
    (attr.All, "and"),
    (attr.Exists, "or"),
    (lambda body, length: attr.ReduceIndexed(attr.BinaryOp.MIN, body, length), "min"),
    (lambda body, length: attr.ReduceIndexed("max", body, length), "max"),
]


@pytest.mark.parametrize(("build", "head"), BINDERS)
def test_binders_bind_a_symbol_of_their_own(build: Callable[..., Any], head: str | None) -> None:
    seen: list[Symbol] = []

    def body(index: Symbol) -> Any:
        seen.append(index)
        return index + a

    term = build(body, length=b)

    assert isinstance(term, Reduce if head else VariadicTuple)
    assert head == getattr(term, "head", None)
    assert seen[0] is term.symbol
    assert b is term.length
    assert frozenset((a, b)) == free_symbols(term)


def test_unknown_reduction_is_refused() -> None:
    with pytest.raises(ValueError, match="xor"):
        attr.ReduceIndexed("xor", lambda k: k, 2)


REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: bool(a == b), "no truth value before matching"),
    (lambda: 1 if a else 2, "no truth value before matching"),
    (lambda: a == 1 and b == 2, "write conditions with `&`"),
    (lambda: 1 < a < 3, "no truth value before matching"),
    (lambda: list(a), "the length of an attribute expression is not known"),
    (lambda: [*a], "build a tuple with attr.Variadic"),
    (lambda: 1 in a, "write attr.In"),
    (lambda: len(a), "write attr.Length"),
    (lambda: list(range(a)), "attr.Variadic, attr.Sum or attr.All"),
    (lambda: (1, 2)[a], "attr.Variadic, attr.Sum or attr.All"),
]


@pytest.mark.parametrize(("decide", "hint"), REFUSED)
def test_what_rules_ask_is_a_finding(decide: Callable[[], Any], hint: str) -> None:
    with pytest.raises(RuleError) as caught:
        decide()

    assert caught.value.code == "GSL118"
    assert caught.value.span is not None
    assert caught.value.span.file == __file__


def test_what_the_package_asks_is_an_error_of_its_own() -> None:
    # As in a shape rule that branches on a size that is not known.
    with pytest.raises(TypeError) as caught:
        eval("1 if a else 2", {"a": a, "__name__": "gsl.operators"})

    assert not isinstance(caught.value, RuleError)


@pytest.mark.parametrize(("decide", "hint"), REFUSED)
def test_terms_decide_nothing(decide: Callable[[], Any], hint: str) -> None:
    with pytest.raises(TypeError, match=hint):
        decide()


def test_terms_are_equal_only_to_themselves_in_sets() -> None:
    same, other = a + 1, a + 1

    assert len({same, other, same}) == 2


def test_operation_that_cannot_take_part_in_arithmetic_still_builds() -> None:
    term = a + "text"

    assert [term.head, written(term.operands[1])] == ["+", "text"]


def test_children_are_listed_in_the_order_of_evaluation() -> None:
    repeated = attr.Variadic(lambda i: i + a, length=b)

    assert (b, repeated.body) == children(repeated)
    assert (a, b) == children(a[b])
    assert children(a) == ()
    assert children(ANYTHING) == ()
    assert children(pat.Wildcard().shape) == ()


def test_subterms_yields_shared_parts_once_outermost_first() -> None:
    shared = a + 1
    whole = shared * shared

    assert [whole, shared, a] == [t for t in subterms(whole) if not isinstance(t, Constant)]
    assert len(list(subterms(whole))) == 4


def test_access_to_an_instance_contains_its_index() -> None:
    w = pat.Variable()
    field = op.Relu(w)
    many = pat.Variadic(field, templates=[field, w])
    i, j = Symbol("i"), Symbol("j")

    access = many(w, i + 1).shape
    instance = many(w, i)
    again = pat.Variadic(instance, index=j)(instance, j)

    assert isinstance(access, Access)
    assert frozenset((i,)) == free_symbols(access)
    assert frozenset((i, j)) == free_symbols(access[j])
    assert frozenset() == free_symbols(w.shape)
    assert frozenset() == free_symbols(attr.Sum(lambda k: many(w, k).shape[0], length=many.length))
    assert frozenset((i, j)) == free_symbols(again.dtype)


FREE: list[tuple[Callable[[], Any], list[Symbol]]] = [
    (lambda: as_term(1), []),
    (lambda: a, [a]),
    (lambda: a + b * a, [a, b]),
    (lambda: attr.Tuple(a, (b, None)), [a, b]),
    (lambda: a[b:], [a, b]),
    (lambda: VariadicTuple(a + b, a, as_term(2)), [b]),
    (lambda: VariadicTuple(as_term(1), a, a), [a]),
    (lambda: Reduce("+", a, a, b), [b]),
    (lambda: Reduce("+", VariadicTuple(a + b, b, a), a, as_term(2)), []),
    (lambda: Reduce("+", a, a, as_term(2)) + a, [a]),
]


@pytest.mark.parametrize(("build", "symbols"), FREE)
def test_free_symbols_are_those_not_bound_inside(
    build: Callable[[], Any], symbols: list[Symbol]
) -> None:
    assert frozenset(symbols) == free_symbols(build())


def test_free_symbols_visit_shared_parts_once() -> None:
    term: Any = a
    for _ in range(200):
        term = term + term

    assert frozenset((a,)) == free_symbols(term)
    assert len(list(subterms(term))) == 201


def test_operations_and_accesses_remember_where_they_were_written() -> None:
    x = pat.Wildcard()
    condition = x.ndim == 2

    assert underlined(resolve(condition.origin)) == "x.ndim == 2"
    assert underlined(resolve(condition.operands[0].origin)) == "x.ndim"
