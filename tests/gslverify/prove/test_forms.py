"""Canonical forms: equal forms mean equal numbers, and what must become one does."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gsl.attr.evaluate import choose, conjunction, contains, disjunction, equal, evaluate, negation
from gsl.attr.term import Symbol, operation
from gslverify.prove.indices.conditions import opposite
from gslverify.prove.indices.forms import Forms
from gslverify.prove.indices.learning import forms_of
from gslverify.prove.indices.relaxed import Relaxed, Reply
from gslverify.prove.indices.replacing import put
from gslverify.semantics.solver import new_context

P, J = Symbol("i", low=0), Symbol("j", low=0)
M, N, K = (Symbol(name, low=1) for name in "mnk")
DTYPE = Symbol("dtype", "text")
DIVISORS = (M, N, 2, 3, M + N, M * N)


def bounded() -> Forms:
    """Return forms that know i < m and j < n."""
    forms = Forms()
    forms.bound(P, M)
    forms.bound(J, N)
    return forms


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (P + J, J + P),
        ((P + 1) * (P - 1), P * P - 1),
        (P * N - (P - 1) * N, N),
        ((P * N + J) // N, P),
        ((P * N + J) % N, J),
        ((P * N + J) // N * N + (P * N + J) % N, P * N + J),
        ((J * M + P) % M, P),
        (((P * N + J) * K) // K, P * N + J),
        (choose(equal(M, 1), 0, P), P),
        (choose(equal(M, 1), 1, M), M),
        (choose(equal(K, 1), J, J), J),
        (choose(equal(K // 2 + 1, 1), 1, K // 2 + 1), K // 2 + 1),
        (operation("min", P, J), operation("min", J, P)),
        (P // 1, P),
        ((P // M * (M + N) + P % M) // (M + N), P // M),
        ((P // K * (K + N) + P % K + N) // (K + N), P // K),
        ((P // K * (K + N) + P % K + N) % (K + N), P % K + N),
        (choose(equal(N * K, 1), 1, N * K), N * K),
        (Symbol("i") * 0, 0),
    ],
)
def test_equal_terms_have_one_form(left: Any, right: Any) -> None:
    assert bounded().same(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (P, J),
        (P // N, 0),
        ((P * N + J) // M, P),
        ((P * N + J) // (M + N), P),
        (choose(equal(N, 1), 0, P), P),
        (P - J, J - P),
    ],
)
def test_other_terms_have_other_forms(left: Any, right: Any) -> None:
    assert not bounded().same(left, right)


def test_claims_are_used() -> None:
    forms = forms_of([conjunction(equal(M, N * K), equal(N, 3)), contains(DTYPE, ("bool",))])
    assert forms.same(M, 3 * K)
    assert forms.names.is_named(DTYPE, "bool")
    assert not forms.names.is_named(Symbol("other", "text"), "bool")


def test_a_symbol_is_not_defined_by_itself() -> None:
    forms = forms_of([equal(M, (M + 1) // 2)])
    assert not forms.same(M, 1)


def test_symbols_are_not_defined_in_a_circle() -> None:
    circle = [equal(M, choose(equal(N, 1), 5, N)), equal(N, choose(equal(M, 1), 5, M))]
    forms = forms_of(circle)
    assert forms.same(M, choose(equal(N, 1), 5, N))
    assert not forms.same(M, N)
    relaxed = Relaxed(forms, circle, 10_000, new_context(), {})
    assert relaxed.follows(M >= 1, []) is Reply.YES


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (P < P + 1, True),
        (P >= P + 1, False),
        (equal(P, P), True),
        (equal(P + 1, P), False),
        (equal(DTYPE, DTYPE), True),
        (conjunction(P < P, J < 3), False),
        (P >= 0, True),
        (P < 0, False),
        (P % M < M, True),
        (P % M + N < M + N, True),
        (P % M + M < M, False),
        (M >= 1, True),
        (equal(M + P, 0), False),
        (M + N != 1, True),
        (disjunction(P <= P, J < 3), True),
    ],
)
def test_conditions_are_decided(condition: Any, expected: bool) -> None:
    assert Forms().condition(condition) is expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (P < J, negation(J <= P)),
        (P < J, P + 1 <= J),
        (equal(P, J), equal(J, P)),
        (P != J, negation(equal(P, J))),
        (conjunction(P < J, J < N), conjunction(J < N, P < J)),
    ],
)
def test_conditions_that_mean_the_same_have_one_form(one: Any, other: Any) -> None:
    forms = Forms()
    assert forms.condition(one) == forms.condition(other)
    assert forms.condition(negation(one)) == opposite(forms.condition(other))


def terms() -> st.SearchStrategy[Any]:
    """Draw index arithmetic over i, j and positive divisors."""
    leaves = st.sampled_from([P, J, M, N]) | st.integers(-3, 3)

    def bigger(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        heads = st.sampled_from(["+", "-", "*", "min", "max"])
        plain = st.builds(operation, heads, parts, parts)
        divided = st.builds(
            operation, st.sampled_from(["//", "%"]), parts, st.sampled_from(DIVISORS)
        )
        chosen = st.builds(lambda a, b, c, d: choose(a < b, c, d), parts, parts, parts, parts)
        return plain | divided | chosen

    return st.recursive(leaves, bigger, max_leaves=8)


@given(terms(), st.integers(1, 4), st.integers(1, 4), st.data())
def test_a_form_has_the_value_of_its_term(term: Any, m: int, n: int, data: Any) -> None:
    values = {M: m, N: n, P: data.draw(st.integers(0, m - 1)), J: data.draw(st.integers(0, n - 1))}
    forms = bounded()
    assert put(forms.term(forms.poly(term)), values) == put(term, values)


@given(
    terms(),
    terms(),
    st.sampled_from(["<", "<=", "==", "!="]),
    st.integers(1, 4),
    st.integers(1, 4),
    st.data(),
)
def test_what_is_decided_is_so(left: Any, right: Any, head: str, m: int, n: int, data: Any) -> None:
    values = {M: m, N: n, P: data.draw(st.integers(0, m - 1)), J: data.draw(st.integers(0, n - 1))}
    condition = operation(head, left, right)
    form = bounded().condition(condition)
    assert form in (put(condition, values), form if not isinstance(form, bool) else None)


def test_put_leaves_other_symbols() -> None:
    assert evaluate(put(P + J, {P: 2}), _Values({J: 5})) == 7


class _Values:
    def __init__(self, values: dict[Symbol, int]) -> None:
        self.values = values

    def access(self, term: Any) -> Any:
        raise AssertionError(term)

    def symbol(self, symbol: Symbol) -> int:
        return self.values[symbol]

    def bind(self, symbol: Symbol, value: Any) -> _Values:
        return _Values({**self.values, symbol: value})
