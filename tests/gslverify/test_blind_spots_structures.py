"""Wrong rules that only one of many structures refutes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, attr, op, pat
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.stages.asking import ask

pytestmark = pytest.mark.smt


def is_cube(x: pat.Pattern) -> Any:
    return attr.All(lambda i: x.shape[i] == x.shape[0], length=x.ndim)


def transposed(wrong: tuple[int, ...]) -> Subst:
    """Wrong where the permutation is one of all."""
    x = pat.Wildcard()
    moved = op.Transpose(x)
    order = attr.Variadic(lambda i: attr.Cond(moved.axes == wrong, i, moved.axes[i]), length=x.ndim)
    target = op.Transpose(op.Relu(x), axes=order)
    return Subst(op.Relu(moved), target, where=[is_cube(x)])


def three_flips() -> Subst:
    """Wrong where two axes of four are as here, in a few of 512 structures."""
    x = pat.Wildcard()
    first = op.Flip(x)
    second = op.Flip(first)
    third = op.Flip(second)
    wrong = (third.axis == -3) & (second.axis == 1)
    inner = op.Flip(op.Flip(op.Relu(x), axis=first.axis), axis=second.axis)
    target = op.Flip(inner, axis=attr.Cond(wrong, 2, third.axis))
    return Subst(op.Relu(third), target, where=[x.ndim == 4])


PERMUTATIONS = [(1, 2, 0), (2, 0, 1), (2, 0, 3, 1), (3, 2, 0, 1), (1, 0, 3, 2)]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("wrong", PERMUTATIONS)
def test_a_mistake_with_one_permutation_is_found(wrong: tuple[int, ...], seed: int) -> None:
    assert ask(NUMERIC, lambda: transposed(wrong), seed=seed).verdict is Verdict.FAIL


def test_a_mistake_with_no_permutation_is_none() -> None:
    assert ask(NUMERIC, lambda: transposed((0, 0))).verdict is Verdict.PASS


@pytest.mark.parametrize("write", [three_flips])
def test_structures_that_decide_otherwise_are_examined(write: Callable[[], Subst]) -> None:
    assert ask(NUMERIC, write).verdict is Verdict.FAIL
