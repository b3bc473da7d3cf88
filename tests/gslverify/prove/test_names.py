"""What names terms may stand for decides conditions on them, from wherever it is known."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import pytest

from gsl.attr.evaluate import contains, equal
from gsl.attr.term import Symbol, Term
from gslverify.prove.indices.learning import forms_of
from gslverify.prove.indices.replacing import put

A, B, C = (Symbol(name, "text") for name in "abc")
NAMES = ("bool", "float16", "float32", "int8")
FLOATS = ("float16", "float32")

CLAIMS: dict[str, list[Any]] = {
    "options": [contains(A, FLOATS), contains(B, ("bool", "int8"))],
    "of what it equals": [contains(A, FLOATS), equal(A, B), equal(B, C)],
    "both": [contains(A, FLOATS), contains(B, ("float32", "bool")), equal(A, B)],
    "named": [equal(A, "int8"), equal(B, A), contains(C, FLOATS)],
    "at once": [contains(A, FLOATS), contains(A, ("float32", "int8"))],
}
QUESTIONS = [
    *(equal(one, name) for one in (A, B, C) for name in NAMES),
    *(equal(one, other) for one, other in permutations((A, B, C), 2)),
    *(contains(one, names) for one in (A, B, C) for names in (FLOATS, ("bool", "int8"), NAMES)),
]


@pytest.mark.parametrize("name", CLAIMS)
def test_what_is_decided_holds_wherever_the_claims_do(name: str) -> None:
    claims = CLAIMS[name]
    worlds = [dict(zip((A, B, C), row, strict=True)) for row in product(NAMES, repeat=3)]
    worlds = [one for one in worlds if all(put(claim, one) is True for claim in claims)]
    assert worlds
    for order in permutations(claims):
        forms = forms_of(order)
        for question in QUESTIONS:
            possible = {put(question, one) for one in worlds}
            found = forms.condition(question)
            if isinstance(found, bool):
                assert possible == {found}, question


DECIDED: list[tuple[str, Term, bool]] = [
    ("options", equal(A, "bool"), False),
    ("options", equal(A, B), False),
    ("options", contains(B, FLOATS), False),
    ("of what it equals", equal(C, "bool"), False),
    ("both", equal(A, "float32"), True),
    ("both", equal(B, "float32"), True),
    ("named", equal(B, C), False),
    ("at once", equal(A, "float32"), True),
]


@pytest.mark.parametrize(("name", "question", "expected"), DECIDED)
def test_names_that_are_left_decide(name: str, question: Term, expected: bool) -> None:
    for order in permutations(CLAIMS[name]):
        assert forms_of(order).condition(question) is expected
