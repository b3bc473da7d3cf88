"""Flags are declared, compared with what a compiler grants, and refused where they are wrong."""

from __future__ import annotations

from typing import Any

import pytest

import gsl
from gsl import Call, Subst, Var, Workload, op, pat, rule
from gsl.errors import MisuseError, RuleError
from gsl.flags import FLAGS, OF_SPECIAL_VALUES, USUAL, in_order, known_flags
from gsl.operators import lookup


def relu_relu() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x))


def workload() -> Workload:
    relu = lookup("Relu")
    return Workload([Call(relu, [Call(relu, [Var("x", (2,))])])])


def test_flags_have_their_names_of_llvm_and_sentences() -> None:
    assert list(FLAGS)[:7] == ["nnan", "ninf", "nsz", "reassoc", "arcp", "contract", "afn"]
    assert all(FLAGS.values())
    assert FLAGS.keys() >= OF_SPECIAL_VALUES | USUAL


def test_flags_are_listed_in_one_order() -> None:
    assert in_order({"nsz", "afn", "nnan"}) == ["nnan", "nsz", "afn"]


@pytest.mark.parametrize(
    ("declared", "assumed", "kept"),
    [
        ({}, USUAL, frozenset()),
        ({"nan": "same"}, USUAL - {"nsz"}, OF_SPECIAL_VALUES),
        ({"flags": ()}, frozenset(), OF_SPECIAL_VALUES),
        ({"flags": ["nsz", "nsz"]}, {"nsz"}, {"nnan", "ninf"}),
        ({"flags": {"reassoc"}, "nan": "same"}, {"reassoc"}, OF_SPECIAL_VALUES),
        ({"flags": {"nnan", "ninf", "nsz", "afn"}}, {"nnan", "ninf", "nsz", "afn"}, frozenset()),
    ],
)
def test_what_a_rule_assumes_and_keeps(
    declared: dict[str, Any], assumed: set[str], kept: set[str]
) -> None:
    made = rule(**declared)(relu_relu)
    assert (made.assumed, made.kept) == (assumed, kept)
    assert made().flags == assumed


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"flags": {"nans"}}, "there is no flag 'nans'; did you mean `nnan`?"),
        ({"flags": {"quickly"}}, "there is no flag 'quickly'; the flags are nnan, ninf"),
        ({"flags": {1}}, "there is no flag 1"),
        ({"flags": "nsz"}, "flags='nsz' is not a set of flags"),
        ({"flags": 3}, "flags=3 is not a set of flags"),
        ({"flags": {"nsz", "nnan"}, "nan": "same"}, "to do without nnan, nsz, which flags= asks"),
        ({"flags": {"nsz"}, "nan": "sam"}, "nan='sam' is not"),
    ],
)
def test_wrong_flags_are_told_when_the_rule_is_called(
    declared: dict[str, Any], message: str
) -> None:
    made = rule(**declared)(relu_relu)
    with pytest.raises(RuleError) as caught:
        made()
    assert (caught.value.code, message in str(caught.value)) == ("GSL108", True)


@pytest.mark.parametrize(
    ("declared", "granted", "fires"),
    [
        (set(), [], True),
        (set(), None, True),
        ({"nnan"}, None, True),
        ({"nnan"}, ["nsz"], False),
        ({"nnan"}, ["nsz", "nnan"], True),
        (None, USUAL, True),
        (None, ["nnan", "ninf"], False),
    ],
)
def test_only_rules_that_need_no_more_than_is_granted_are_applied(
    declared: set[str] | None, granted: list[str] | None, fires: bool
) -> None:
    before = workload()
    after = gsl.apply(before, [rule(flags=declared)(relu_relu)()], flags=granted)
    assert (after is not before) == fires


@pytest.mark.parametrize("granted", [{"nans"}, "nsz", 3])
def test_what_is_no_flag_cannot_be_granted(granted: Any) -> None:
    with pytest.raises(MisuseError):
        gsl.apply(workload(), [relu_relu()], flags=granted)
    with pytest.raises(MisuseError):
        known_flags(granted)
