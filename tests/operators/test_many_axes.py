"""Forms of attributes of tensors with many axes: a few, at once, and the rest when asked for."""

from __future__ import annotations

from itertools import islice
from math import factorial

import pytest

from gsl.operators.domain_axes import MOST_AXES_IN_EVERY_ORDER, Axes, Permutation
from gsl.types import TensorType


def fresh(*_: object, **__: object) -> None:
    raise AssertionError("nothing is unknown about axes")


@pytest.mark.parametrize("rank", [MOST_AXES_IN_EVERY_ORDER + 1, 12, 64])
def test_orders_of_many_axes_are_few_and_different(rank: int) -> None:
    operands = (TensorType((2,) * rank, "float32"),)
    domain = Permutation()
    usual = list(domain.instances(operands, fresh))

    assert len(set(usual)) == len(usual) == 2 * rank
    assert all(sorted(order) == list(range(rank)) for order in usual)
    assert all(domain.claim(order, operands) is True for order in usual)
    further = list(islice(domain.further(operands, fresh), 100))
    assert len({*usual, *further}) == len(usual) + 100


@pytest.mark.parametrize("rank", [0, 1, 4, 6])
def test_orders_of_a_few_axes_are_all(rank: int) -> None:
    operands = (TensorType((2,) * rank, "float32"),)
    usual = list(Permutation().instances(operands, fresh))
    assert len(set(usual)) == len(usual) == factorial(rank)
    assert list(Permutation().further(operands, fresh)) == []


@pytest.mark.parametrize("rank", [12, 40])
def test_sets_of_many_axes_are_few(rank: int) -> None:
    operands = (TensorType((2,) * rank, "float32"),)
    usual = list(Axes().instances(operands, fresh))
    assert {*range(1, rank + 1)} == {len(axes) for axes in usual}
    assert all(Axes().claim(axes, operands) is True for axes in usual)
    assert len(usual) < 10 * rank * rank
