"""How many axes tell apart what an output depends on, and that fewer would not do."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from math import prod

import numpy as np
import pytest

from gslverify.ranks.accesses import CONDITION, Access, Accesses
from gslverify.ranks.bound import reason_against_all_ranks
from gslverify.stages.examination import scenarios_of
from tests.gslverify.ranks.attacks_along import slices_apart
from tests.gslverify.stages.asking import question


def read(way: str, **along: str) -> Access:
    """Return the access to an element of x on a way of one step."""
    return Access("x", (way,), frozenset(along.items()))


def asked(way: str, **along: str) -> Access:
    """Return a condition on a way of one step."""
    return Access(CONDITION, (way, CONDITION), frozenset(along.items()))


@pytest.mark.parametrize(
    ("accesses", "needed"),
    [
        ([read("a", i="0")], 0),
        ([read("a", i="0"), read("b", i="0")], 0),
        ([read("a", i="0"), read("b", i="1")], 1),
        ([read("a", i="0", j="0"), read("b", i="1", j="1")], 1),
        ([read("a", i="0"), read("b", i="1"), read("c", i="2")], 2),
        ([asked("a", i="0")], 1),
        ([asked("a", i="0"), asked("b", i="0")], 1),
        ([asked("a", i="0"), asked("b", i="1"), read("a", i="0")], 2),
    ],
)
def test_each_axis_parts_ways_or_shows_a_condition(accesses: Sequence[Access], needed: int) -> None:
    found = Accesses()
    found.note(accesses)
    assert found.needed() == needed


def test_ways_that_meet_in_one_structure_are_apart_if_they_are_in_another() -> None:
    found = Accesses()
    found.note([read("a", i="0"), read("b", i="0")])
    found.note([read("a", i="0"), read("b", i="1")])
    assert found.needed() == 1


def test_inputs_are_counted_by_themselves() -> None:
    found = Accesses()
    others = [Access("y", (way,), frozenset({("i", way)})) for way in "cd"]
    found.note([read("a", i="0"), read("b", i="1"), *others])
    assert found.needed() == 2


def differences(data: np.ndarray, begins: Sequence[tuple[int, ...]]) -> int:
    """Return the product of all differences of slices of one element."""
    return prod(int(data[one] - data[other]) for one, other in combinations(begins, 2))


@pytest.mark.parametrize(("rank", "vanish"), [(3, True), (4, True), (5, False)])
def test_six_slices_differ_from_five_axes_on(rank: int, vanish: bool) -> None:
    data = np.arange(2**rank).reshape((2,) * rank)
    found = [
        differences(data, [tuple(int(one == which) for one in elsewhere) for which in range(6)])
        for elsewhere in product(range(6), repeat=rank)
    ]
    assert any(found) is not vanish


@pytest.mark.smt
@pytest.mark.parametrize(("count", "claimed"), [(5, True), (6, False)])
def test_as_many_slices_may_be_apart_as_axes_are_tried(count: int, claimed: bool) -> None:
    scenarios = scenarios_of(question(lambda: slices_apart(count)))
    usual, large = ([one.instance for one in of] for of in (scenarios.feasible, scenarios.large))
    reason = reason_against_all_ranks(usual[0].subst, usual, large)
    assert reason == ("" if claimed else "5 axes may matter, and 4 are tried")
