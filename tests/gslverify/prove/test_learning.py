"""What is learnt from claims holds where they hold, and cases leave nothing out."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from gsl.attr.evaluate import conjunction, disjunction, equal, negation
from gsl.attr.term import Symbol, Term
from gslverify.prove.indices.learning import cases_of, forms_of
from gslverify.prove.indices.replacing import put

A, B, C, D = (Symbol(name, low=1) for name in "abcd")
S, T = Symbol("s"), Symbol("t")
X = Symbol("x", "real", low=0)

CLAIMS: dict[str, list[Term]] = {
    "product is one": [equal(A * B, 1)],
    "product is a size": [S >= 0, T >= 0, equal(S * T, A * B)],
    "zero is left out": [S >= 0, S != 0],
    "other than one": [A != 1],
    "divided": [equal(A % B, 0)],
    "divides one": [equal(A, 1), equal(A % B, 0)],
    "divided and known": [equal(A % B, 0), equal(A, B * C), equal(C, D)],
    "divides itself": [equal(A % A, 0)],
    "joined": [conjunction(equal(A * C, 1), equal(B % D, 0))],
}


def points(symbols: list[Symbol], claims: list[Any]) -> list[dict[Symbol, int]]:
    """Return small values that meet claims."""
    ranges = [range(-1 if one.low is None else int(one.low), 5) for one in symbols]
    found = [dict(zip(symbols, row, strict=True)) for row in product(*ranges)]
    return [values for values in found if all(put(claim, values) is True for claim in claims)]


@pytest.mark.parametrize("name", CLAIMS)
def test_forms_and_their_bounds_hold_where_claims_do(name: str) -> None:
    claims = CLAIMS[name]
    forms = forms_of(claims)
    found = points([A, B, C, D, S, T], claims)
    assert found
    for values in found:
        new = [definition.operands for definition in forms.definitions]
        known = values | {symbol: put(value, values) for symbol, value in new}
        assert all(known[symbol] >= symbol.low for symbol, _ in new)
        assert all(known[symbol] >= least for symbol, least in forms.ranges.leasts())
        for symbol, value in values.items():
            assert put(forms.term(forms.poly(symbol)), known) == value


@pytest.mark.parametrize(
    ("claims", "left", "right", "expected"),
    [
        ([equal(A * B, 1)], A, 1, True),
        ([equal(A * B, 2)], A, 1, False),
        ([equal(S * T, 1)], S, 1, False),
        ([equal(A % B, 0)], A // B * B, A, True),
        ([equal(A % B, 1)], A // B * B, A, False),
        ([equal(A % B, 0), equal(A, B * C)], A // B, C, True),
        ([equal(A, 1), equal(A % B, 0)], B, 1, True),
    ],
)
def test_what_claims_make_equal_has_one_form(
    claims: list[Any], left: Any, right: Any, expected: bool
) -> None:
    assert forms_of(claims).same(left, right) == expected


ONES = [equal(one, 1) for one in (A, B, C, D)]
CHOICES: dict[str, tuple[list[Any], int]] = {
    "none": ([A >= 2], 1),
    "one": ([disjunction(ONES[0], ONES[1])], 2),
    "of three": ([disjunction(ONES[0], ONES[1], ONES[2])], 3),
    "linked": ([disjunction(ONES[0], ONES[1]), disjunction(ONES[0], ONES[2])], 2),
    "known": ([disjunction(ONES[0], ONES[1]), A >= 2], 1),
    "contradicting": ([disjunction(ONES[0], ONES[1]), A >= 2, B >= 2], 0),
    "of reals": ([disjunction(equal(X, 2), ONES[1]), B >= 2], 1),
    "no equations": ([disjunction(A < B, B < A)], 1),
    "too many": ([disjunction(equal(Symbol("p"), 1), equal(Symbol("q"), 1)) for _ in "123456"], 1),
}


@pytest.mark.parametrize("name", CHOICES)
def test_one_case_holds_wherever_claims_do(name: str) -> None:
    claims, count = CHOICES[name]
    cases = cases_of(claims)
    assert len(cases) == count
    if name not in ("of reals", "too many"):
        for values in points([A, B, C, D], claims):
            assert sum(all(put(one, values) is True for one in case) for case in cases) == 1


def test_a_case_is_left_where_the_other_side_is_refused() -> None:
    assert cases_of([disjunction(ONES[0], ONES[1]), negation(ONES[0])]) == [(ONES[1],)]
