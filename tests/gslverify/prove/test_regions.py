"""Regions keep their points and sums their values, however few indices they are written with."""

from __future__ import annotations

import math
from typing import Any

import pytest

from gsl.attr.evaluate import conjunction, equal
from gsl.attr.term import Symbol
from gslverify.prove.indices.forms import Forms
from gslverify.prove.indices.replacing import put
from gslverify.prove.solving import solutions
from gslverify.prove.values.algebra import Algebra, single
from gslverify.prove.values.flattening import flattened
from gslverify.prove.values.regions import Regions
from gslverify.prove.values.values import Region
from tests.gslverify.prove.test_normal import points, value_at

P, Q, R = (Symbol(name, low=0) for name in "pqr")
M, N, K = (Symbol(name, low=1) for name in "mnk")
SIZES = {M: 2, N: 3, K: 4}
BOX = ((P, M), (Q, N))


@pytest.mark.parametrize(
    ("guards", "left"),
    [
        ((P < 1,), {Q}),
        ((P >= 1, P < 2), {Q}),
        ((P >= M - 1,), {Q}),
        ((equal(P, 1),), {Q}),
        ((Q <= P, Q >= P), {Q}),
        ((P >= 1,), {P, Q}),
        ((P < 2,), {P, Q}),
        ((2 * P >= 1, 2 * P < 2), {P, Q}),
        ((conjunction(P < 1, Q < 1),), set()),
    ],
)
def test_an_index_with_one_value_goes_and_no_point_is_lost(
    guards: tuple[Any, ...], left: set[Symbol]
) -> None:
    forms = Forms()
    for symbol, extent in BOX:
        forms.bound(symbol, extent)
    found = Regions(forms).simplified(Region(BOX, guards))
    assert found is not None
    region, mapping = found
    assert len(region.symbols) == len(left)
    there = {
        tuple(put(mapping.get(symbol, symbol), point) for symbol, _ in BOX)
        for point in points(region, SIZES)
    }
    assert there == {(one[P], one[Q]) for one in points(Region(BOX, guards), SIZES)}


@pytest.mark.parametrize(
    ("place", "guards", "count"),
    [
        (P * N + Q, (), 1),
        (Q * M + P, (), 1),
        (P * N + Q + 1, (P * N + Q < 4,), 1),
        (P * M + Q, (), 2),
        (P * N + Q * 2, (), 2),
        (P * N + Q, (Q < 2,), 2),
        (Q, (), 2),
    ],
)
def test_indices_that_are_used_as_one_number_become_one(
    place: Any, guards: tuple[Any, ...], count: int
) -> None:
    forms = Forms()
    algebra = Algebra(forms)
    for symbol, extent in BOX:
        forms.bound(symbol, extent)
    whole = Region(BOX, guards), single(algebra.term(place * place + place))
    region, value = flattened(whole, algebra)
    assert len(region.extents) == count
    assert summed(region, value) == summed(*whole)


def summed(region: Region, value: Any) -> list[float]:
    return sorted(math.floor(value_at(value, point)) for point in points(region, SIZES))


def test_indices_of_what_may_be_empty_stay_apart() -> None:
    forms, size = Forms(), Symbol("size")
    algebra = Algebra(forms)
    whole = Region(((P, M), (Q, size))), single(algebra.term(P * size + Q))
    assert flattened(whole, algebra) is whole


@pytest.mark.parametrize(
    ("equations", "expected"),
    [
        ([(P // N, M), (P % N, K)], {P: 10}),
        ([(P // N // M, K), (P // N % M, 1), (P % N, 2)], {P: 29}),
        ([(P + Q, K), (Q, 1)], {P: 3, Q: 1}),
        ([(2 * P, K)], {}),
        ([(P * N, K)], {}),
    ],
)
def test_equations_are_solved(equations: list[Any], expected: dict[Symbol, int]) -> None:
    found = solutions(equations, [P, Q], Forms())
    assert {symbol: put(term, SIZES) for symbol, term in found.items()} == expected
