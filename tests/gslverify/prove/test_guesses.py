"""Guesses refute only what fails for some values, and find the simplest failures."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gsl.attr.evaluate import contains, equal
from gsl.attr.term import Symbol, operation
from gslverify.prove.indices.guesses import is_refuted

P, J = Symbol("i", low=0), Symbol("j", low=0)
M, N = Symbol("m", low=1), Symbol("n", low=1)
ONE, OTHER = Symbol("one", "text"), Symbol("other", "text")
FLAG, SCALE = Symbol("flag", "bool"), Symbol("scale", "real", low=0)


@pytest.mark.parametrize(
    ("goal", "conditions"),
    [
        (M < N, []),
        (equal(M, N), [P < M]),
        (equal(P, 0), [P < M]),
        (equal(ONE, OTHER), []),
        (equal(P % M, P - M), [P < M]),
        (FLAG, []),
        (SCALE < 0, []),
        (False, [P < M, J < N]),
        (False, []),
    ],
)
def test_what_fails_for_simple_numbers_is_refuted(goal: Any, conditions: Any) -> None:
    assert is_refuted(goal, conditions)


@pytest.mark.parametrize(
    ("goal", "conditions"),
    [
        (P < M, [P < M]),
        (M >= 1, []),
        (False, [P < M, operation("not", P < M)]),
        (False, [M > 100]),
        (equal(ONE, OTHER), [equal(ONE, OTHER)]),
        (contains(ONE, ("float32",)), [contains(ONE, ("float32",))]),
        (equal(M // (P - P), 0), []),
        (equal(M, operation("unheard of", M)), []),
        (False, [Symbol("high", high=-5) >= 0]),
    ],
)
def test_what_follows_or_is_not_seen_is_not_refuted(goal: Any, conditions: Any) -> None:
    assert not is_refuted(goal, conditions)


@given(st.integers(-3, 3), st.integers(-3, 3), st.integers(-3, 3))
def test_no_consequence_is_refuted(a: int, b: int, c: int) -> None:
    goal = P * a + J * b + M * c

    assert not is_refuted(goal >= 0, [goal > 0])
    assert not is_refuted(equal(goal, 0), [goal >= 0, goal <= 0])
