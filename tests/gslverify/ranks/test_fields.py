"""Rules of any number of outputs: when a proof for a few fields is one for all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from gsl import attr, op, pat
from gsl.pat import Pattern, Variadic
from gsl.subst import Subst
from gslverify.ranks.fields import reason_against_all_lengths
from gslverify.stages.prove import PROVE
from tests.gslverify.stages.asking import ask

x, y = pat.Wildcard(), pat.Wildcard()
inner = op.Abs(x)
outer = op.Abs(inner)
i = attr.Symbol("i")


def calls(**options: Any) -> Variadic:
    """|| |x| || for any number of x."""
    return pat.Variadic(outer, templates=[outer, inner, x], **options)


def rule_of(
    source: Variadic, field: Pattern, where: Sequence[Any] = (), templates: Sequence[Pattern] = ()
) -> Subst:
    return Subst(source, pat.Variadic(field, templates=[field, *templates], index=i), where=where)


def independent() -> Subst:
    source = calls()
    return rule_of(source, op.Abs(source(x, i)))


def with_a_condition_on_each_field() -> Subst:
    source = calls()
    each = attr.All(lambda j: source(x, j).ndim == 2, length=source.length)
    return rule_of(source, op.Abs(source(x, i)), [each])


def of_the_first_field() -> Subst:
    """Every field is the first, which it is where all are equal."""
    first = op.Relu(y)
    again = op.Relu(y)
    source = pat.Variadic(again, templates=[again], first=[first], min_len=2)
    return rule_of(source, source(again, 0))


@pytest.mark.parametrize("write", [independent, with_a_condition_on_each_field, of_the_first_field])
def test_independent_fields_need_no_limit(write: Any) -> None:
    assert reason_against_all_lengths(write()) == ""


@pytest.mark.smt
def test_a_proof_says_that_it_holds_for_all_lengths() -> None:
    (proved,) = ask(PROVE, independent).assurances
    assert proved.text == "proved, ranks 0-4, all lengths"


def later_fields() -> Subst:
    """Field 5 is wrong, which no rule of four fields has."""
    source = calls()
    wrong = op.Negative(source(x, i))
    return rule_of(source, pat.Cond(i == 5, wrong, op.Abs(source(x, i))), templates=[wrong])


def fields_of_long_tuples() -> Subst:
    source = calls()
    wrong = op.Negative(source(x, i))
    field = pat.Cond(source.length > 5, wrong, op.Abs(source(x, i)))
    return rule_of(source, field, templates=[wrong])


def neighbours() -> Subst:
    source = calls()
    return rule_of(source, op.Abs(source(x, i + 0)))


def a_condition_on_the_number() -> Subst:
    source = calls()
    return rule_of(source, op.Abs(source(x, i)), [source.length < 5])


def a_condition_on_two_fields() -> Subst:
    source = calls()
    both = attr.All(
        lambda j: source(x, j).ndim == source(x, source.length - j - 1).ndim, length=source.length
    )
    return rule_of(source, op.Abs(source(x, i)), [both])


def a_late_field() -> Subst:
    source = calls()
    return rule_of(source, op.Abs(source(x, i)), [source(x, 3).ndim == 2])


def a_tuple_inside() -> Subst:
    whole = op.Concatenate(pat.Variadic(inner, templates=[inner, x]), axis=0)
    source = pat.Variadic(op.Negative(whole), index=i)
    return Subst(source, source)


def one_result() -> Subst:
    return Subst(op.Concatenate(calls(), axis=0), op.Abs(x))


@pytest.mark.parametrize(
    ("write", "reason"),
    [
        (later_fields, "asks for the number of a field"),
        (fields_of_long_tuples, "asks how many fields"),
        (neighbours, "depends on others"),
        (a_condition_on_the_number, "asks how many fields"),
        (a_condition_on_two_fields, "depends on others"),
        (a_late_field, "5 fields may matter, and 4 are tried"),
        (a_tuple_inside, "belong together"),
        (one_result, "make one result"),
    ],
)
def test_other_fields_keep_their_lengths(write: Any, reason: str) -> None:
    assert reason in reason_against_all_lengths(write())
