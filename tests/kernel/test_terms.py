"""Bounds and simplest forms of index terms, held against their values."""

from __future__ import annotations

from itertools import product
from operator import add, mul, sub, truediv
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsl.attr.evaluate import PYTHON
from gsl.attr.term import Symbol, operation
from gsl.errors import KernelError, RuleError
from gsl.kernel.affine import affine, settle, simplify
from gsl.kernel.emit import term_text
from gsl.kernel.evaluate import index_value
from gsl.kernel.expression import Apply, Read
from gsl.kernel.terms import alike, bounds, lies_in, substitute

I, J, N = (Symbol(name) for name in "ijn")  # noqa: E741
EXTENTS = {I: 5, J: 4}
PLACES = [{I: i, J: j} for i, j in product(range(5), range(4))]

leaves = st.sampled_from([I, J, 0, 1, 2, 3, -2])
terms = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from("+-*"), inner, inner).map(lambda t: PYTHON[t[0]](*t[1:])),
        st.tuples(st.sampled_from(["//", "%"]), inner, st.integers(1, 5)).map(
            lambda t: PYTHON[t[0]](*t[1:])
        ),
        st.tuples(st.sampled_from(["min", "max"]), inner, inner).map(
            lambda t: PYTHON[t[0]](*t[1:])
        ),
        inner.map(lambda t: -t),
    ),
    max_leaves=6,
)


@given(terms)
@settings(max_examples=300, deadline=None)
def test_bounds_and_simplest_forms(term: Any) -> None:
    values = [index_value(term, place) for place in PLACES]
    limits = bounds(term, EXTENTS)
    simple = simplify(term, EXTENTS)

    assert limits is not None
    assert limits[0] <= min(values)
    assert max(values) <= limits[1]
    assert [index_value(simple, place) for place in PLACES] == values
    assert alike(simplify(simple, EXTENTS), simple)


@given(terms, terms, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]))
@settings(max_examples=200, deadline=None)
def test_settled_conditions_keep_their_truth(left: Any, right: Any, head: str) -> None:
    condition = ~(operation(head, left, right) & operation("<", I, 3)) | operation("==", J, left)
    settled = settle(condition, EXTENTS)
    for place in PLACES:
        assert bool(index_value(settled, place)) == bool(index_value(condition, place))


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (I + J - I, "j"),
        ((J + I) * 2 - J, "j + i * 2"),
        ((16 * N + I) // 16, "n"),
        ((16 * N + I) % 16, "i"),
        ((16 * N + I) // 4, "i // 4 + n * 4"),
        ((16 * N + I + 20) // 16, "n + 1"),
        (N // 3 + N // 3, "n // 3 * 2"),
        (9 - I, "9 - i"),
        (I - I + 3, "3"),
        (I % 5 + I // 5, "i"),
        (N % 5 * J, "n % 5 * j"),
        (-I, "-i"),
    ],
)
def test_simplest_forms(term: Any, text: str) -> None:
    names = {I: "i", J: "j", N: "n"}
    found = simplify(term, EXTENTS)
    plain = term_text(found, names, lambda part, texts: _plain(part.head, texts))
    assert plain == text


def _plain(head: str, texts: list[str]) -> str:
    return f"-{texts[0]}" if head == "neg" else f"{texts[0]} {head} {texts[1]}"


@pytest.mark.parametrize(
    ("condition", "settled"),
    [(I < 5, True), (I >= 5, False), (I == -1, False), (I != -1, True), (I - I == 0, True)],
)
def test_conditions_that_bounds_decide(condition: Any, settled: bool) -> None:
    assert settle(condition, EXTENTS) is settled


def test_what_is_not_known_has_no_bounds() -> None:
    assert bounds(N + I, EXTENTS) is None
    assert bounds(N % 7, EXTENTS) == (0, 6)
    assert bounds(I // N, EXTENTS) is None
    assert bounds(abs(I), EXTENTS) is None
    assert not isinstance(settle(N < 3, EXTENTS), bool)


def test_lying_inside() -> None:
    assert lies_in(I, 5, EXTENTS)
    assert lies_in(I, 9, EXTENTS)
    assert not lies_in(I, 4, EXTENTS)
    assert not lies_in(I - 1, 5, EXTENTS)
    assert lies_in(I, N, {I: N})
    assert not lies_in(I, N + 1, {I: N})


@pytest.mark.parametrize("head", ["//", "%"])
def test_division_by_zero(head: str) -> None:
    with pytest.raises(KernelError, match="an index divides by zero"):
        affine(operation(head, I, J - J), EXTENTS)
    with pytest.raises(KernelError, match="an index divides by zero"):
        substitute(operation(head, 4, J), {J: 0})


def test_what_is_no_index() -> None:
    with pytest.raises(KernelError, match="is no index arithmetic"):
        substitute(I[0], {})


@pytest.mark.parametrize(("head", "apply"), [("+", add), ("-", sub), ("*", mul), ("/", truediv)])
def test_arithmetic_of_a_term_with_an_element_is_an_element(head: str, apply: Any) -> None:
    element = Read("x", (I,))

    for left, right in ((N, element), (element, N)):
        found = apply(left, right)
        assert isinstance(found, Apply)
        assert found.function == head


def test_an_element_is_no_term() -> None:
    with pytest.raises(RuleError, match="stands where an attribute expression belongs"):
        operation("+", N, Read("x", (I,)))
