"""Inverted index maps give each element exactly the index values that read it."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsl.attr.term import Symbol
from gsl.kernel.evaluate import index_value
from gsl.kernel.inverse import Inverse, invert
from tests.kernel.test_terms import EXTENTS, I, J, terms

A, B = Symbol("a"), Symbol("b")


def readers(found: Inverse, place: dict[Symbol, int]) -> list[tuple[int, int]]:
    """Return the values of i and j that an inverse gives for an element, in order."""
    result = []
    for values in product(*(range(extent) for _, extent in found.free)):
        scope = {**place, **dict(zip((s for s, _ in found.free), values, strict=True))}
        if not index_value(found.condition, scope):
            continue
        scope |= {symbol: index_value(v, scope) for symbol, v in found.values.items()}
        if all(0 <= scope[s] < EXTENTS[s] for s in found.ranges):
            result.append((int(scope[I]), int(scope[J])))
    return sorted(result)


@given(terms, terms, st.integers(1, 12), st.integers(1, 12))
@settings(max_examples=120, deadline=None)
def test_inverses_find_every_reader_once(first: Any, second: Any, m: int, n: int) -> None:
    found = invert([first, second], [(A, m), (B, n)], [(I, 5), (J, 4)], {})
    for a, b in product(range(m), range(n)):
        expected = [
            (i, j)
            for i, j in product(range(5), range(4))
            if (index_value(first, {I: i, J: j}), index_value(second, {I: i, J: j})) == (a, b)
        ]
        assert readers(found, {A: a, B: b}) == expected


@pytest.mark.parametrize(
    ("indices", "free"),
    [
        ([I + J, J], 0),
        ([2 * I + J, J], 0),
        ([I * 4 + J], 0),
        ([I * 4 + J - 3], 0),
        ([(I * 4 + J) // 10, (I * 4 + J) // 5 % 2, (I * 4 + J) % 5], 0),
        ([I + J], 1),
        ([I // 2, J], 1),
        ([I * J], 2),
        ([3], 2),
    ],
)
def test_what_stays_free(indices: list[Any], free: int) -> None:
    place = [(Symbol("a"), 20) for _ in indices]
    assert len(invert(indices, place, [(I, 5), (J, 4)], {}).free) == free
