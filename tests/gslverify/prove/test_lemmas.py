"""Laws of products and quotients hold for all integers, and let a solver see what they are for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gsl.attr.term import Symbol
from gslverify.prove.indices.forms import Forms
from gslverify.prove.indices.lemmas import Clause, of_product, of_quotient
from gslverify.prove.indices.relaxed import Relaxed, Reply
from gslverify.prove.indices.replacing import put
from gslverify.semantics.solver import new_context

P, J = Symbol("i", low=0), Symbol("j", low=0)
M, N, K = (Symbol(name, low=1) for name in "mnk")
ANY, REAL = Symbol("a"), Symbol("r", "real", low=1)
SMALL = st.integers(0, 5)


def bounded() -> Forms:
    """Return forms that take i < m and j < n k for granted."""
    forms = Forms()
    forms.bound(P, M)
    forms.bound(J, N * K)
    return forms


def holds(clause: Clause, forms: Forms, values: dict[Symbol, int]) -> bool:
    return any(put(forms.term(poly), values) >= 0 for poly in clause)


@given(st.tuples(SMALL, SMALL, SMALL, SMALL, SMALL), st.integers(-5, 5))
def test_laws_hold_for_numbers_that_break_the_bounds(numbers: Any, a: int) -> None:
    i, j, m, n, k = numbers
    values = {P: i, J: j, M: m + 1, N: n + 1, K: k + 1, ANY: a}
    forms = bounded()
    products = [P * M, P * N * K, J // K * M, J // M * N, P * J]
    clauses = [c for term in products for m, _ in forms.poly(term) for c in of_product(m, forms)]
    quotients = [ANY - J // M, J // K - ANY, (ANY + P) // (M + N) - P, 2 * P - ANY // N]
    clauses += [c for term in quotients for c in of_quotient(forms.poly(term), forms)]
    assert len(clauses) > 12
    assert all(holds(clause, forms, values) for clause in clauses)


@pytest.mark.parametrize("term", [P // N * 2, N // (ANY + 1) - P, REAL // N - P, P * M])
def test_what_the_laws_do_not_cover_has_none(term: Any) -> None:
    forms = bounded()
    assert list(of_quotient(forms.poly(term), forms)) == []


def relaxed() -> Relaxed:
    return Relaxed(bounded(), [], 100_000, new_context(), {})


@pytest.mark.parametrize(
    ("given", "goal", "expected"),
    [
        ([P < M], P * N < M * N, True),
        ([P < M, J < N], P * N + J < M * N, True),
        ([J < N * K], J // K < N, True),
        ([J < N * K], J // K * M + P < N * M + P, True),
        ([P <= (ANY - N) // K], P * K + N <= ANY, True),
        ([], P * N < M * N, False),
        ([P < M], P * N < M, False),
        ([P <= (ANY - N) // K], P * K + N < ANY, False),
        ([J < N * K], J // K < N - 1, False),
    ],
)
def test_the_solver_sees_products(given: list[Any], goal: Any, expected: bool) -> None:
    assert (relaxed().follows(goal, given) is Reply.YES) == expected
