"""Variadic patterns and their instances."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import attr, op, pat
from gsl.attr.term import ANYTHING, Access, Symbol
from gsl.errors import RuleError, UnknownNameError
from gsl.span import resolve
from tests.rule_text import underlined

X, W = pat.Wildcard(), pat.Variable()
FIELD = op.Conv2D(X, W)
FIRST, HEAD = pat.Variable(), op.Conv2D(X, pat.Variable())


def test_only_the_field_is_a_template_by_default() -> None:
    many = pat.Variadic(FIELD)

    assert (many.templates, many.first, many.minimum) == ((FIELD,), (), 1)
    assert ANYTHING is many.size
    assert many.operands == (FIELD,)
    assert isinstance(many.symbol, Symbol)


def test_what_was_written_is_kept() -> None:
    i = Symbol("i")
    many = pat.Variadic(
        FIELD, templates=[FIELD, W], first=[HEAD, FIRST], index=i, length=X.ndim, min_len=2
    )

    assert (many.templates, many.first, many.minimum) == ((FIELD, W), (HEAD, FIRST), 2)
    assert i is many.symbol
    assert many.size.name == "ndim"
    assert (many.size,) == many.terms()


def test_first_patterns_are_operands_before_the_field() -> None:
    many = pat.Variadic(FIELD, templates=[FIELD, W], first=[HEAD, FIRST])

    assert many.operands == (HEAD, FIELD)
    assert many.head_operands() == (HEAD,)
    assert FIRST is many.first_of(W)


def test_without_first_patterns_templates_stand_for_themselves() -> None:
    many = pat.Variadic(FIELD, templates=[FIELD, W])

    assert W is many.first_of(W)
    assert many.head_operands() == ()


def test_variadic_pattern_only_has_a_length() -> None:
    many = pat.Variadic(FIELD)

    assert isinstance(many.length, Access)
    with pytest.raises(UnknownNameError, match="has no attribute `shape`"):
        many.shape  # noqa: B018


def test_number_as_field_becomes_a_constant() -> None:
    assert isinstance(pat.Variadic(1).field, pat.Const)


REFUSED: list[tuple[Callable[[], Any], str, str]] = [
    (lambda: pat.Variadic(FIELD, templates=[W]), "must be one of its templates", "pat.Variadic"),
    (lambda: pat.Variadic(FIELD, templates=[]), "must be one of its templates", "pat.Variadic"),
    (lambda: pat.Variadic(FIELD, first=[HEAD, FIRST]), "2 first patterns for 1", "pat.Variadic"),
    (lambda: pat.Variadic(FIELD, min_len=0), "min_len must be at least 1", "pat.Variadic"),
    (lambda: pat.Variadic(FIELD)(X, 0), "the Wildcard pattern is not a template", "pat.Variadic"),
]


@pytest.mark.parametrize(("write", "reason", "start"), REFUSED)
def test_pattern_that_cannot_be_instantiated_is_refused(
    write: Callable[[], Any], reason: str, start: str
) -> None:
    with pytest.raises(RuleError, match=reason) as caught:
        write()

    assert caught.value.code == "GSL133"
    assert underlined(caught.value.span).startswith(start)


def test_instance_of_a_template_has_its_attributes() -> None:
    many = pat.Variadic(FIELD, templates=[FIELD, W])
    i = Symbol("i")

    conv, weight = many(FIELD, i), many(W, i + 1)

    assert FIELD.attribute_names() == conv.attribute_names()
    assert conv.strides.name == "strides"
    assert (many, W) == (weight.variadic, weight.template)
    assert repr(weight) == "an instance of the Variable pattern"


def test_instance_is_located_by_its_index() -> None:
    many = pat.Variadic(FIELD, templates=[FIELD, W])
    i, j = Symbol("i"), Symbol("j")
    inner = many(W, i)
    outer = pat.Variadic(inner, index=j)(inner, j)

    assert (i,) == inner.terms()
    assert (i,) == inner.location()
    assert (j, i) == outer.location()
    assert many(W, 2).index_term.value == 2


def test_instance_goes_back_to_what_the_author_wrote() -> None:
    many = pat.Variadic(FIELD, templates=[FIELD, W])
    instance = many(FIELD, 0)
    again = pat.Variadic(instance)(instance, 1)

    assert FIELD is instance.original()
    assert FIELD is again.original()
    assert set(FIELD.callee.attributes) == set(pat.same_attr(again))
    assert all(access.pattern is again for access in pat.same_attr(again).values())


def test_patterns_remember_where_they_were_written() -> None:
    many = pat.Variadic(FIELD, min_len=2)
    one = many(FIELD, attr.Min(0, 1))

    assert underlined(resolve(many.origin)) == "pat.Variadic(FIELD, min_len=2)"
    assert underlined(resolve(one.origin)) == "many(FIELD, attr.Min(0, 1))"
