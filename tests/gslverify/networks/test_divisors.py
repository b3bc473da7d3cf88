"""The divisors of written numbers."""

from __future__ import annotations

from math import prod

import pytest

from gslverify.networks.divisors import MOST_DIVISORS, divisors


@pytest.mark.parametrize("number", [1, -1, 12, 97, 10403, 7000021, -360, 2**40, 2 * (2**61 - 1)])
def test_all_divide_and_each_has_its_counterpart(number):
    found = divisors(number)
    assert all(number % one == 0 for one in found)
    assert {abs(number) // one for one in found} == set(found)
    assert {1, abs(number)} <= set(found)


@pytest.mark.parametrize("number", [360, 1013 * 1019, 5040])
def test_few_are_all(number):
    expected = [one for one in range(1, number + 1) if number % one == 0]
    assert sorted(divisors(number)) == expected


def test_of_many_are_the_least_and_the_largest():
    number = prod((2, 3, 5, 7, 11, 13, 17, 19, 23))
    found = divisors(number)
    assert len(found) == MOST_DIVISORS
    assert sorted(found)[:6] == [1, 2, 3, 5, 6, 7]
