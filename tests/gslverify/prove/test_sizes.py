"""Rules about sizes as tensors are proved, and those that confuse them are not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gsl import Subst, op, pat, rule
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.prove.proving import is_proved_rule
from tests.gslverify.stages.asking import ask

pytestmark = pytest.mark.smt


def size_of_transposed() -> Subst:
    x = pat.Wildcard("x")
    return Subst(op.Size(op.Transpose(x)), op.Size(x))


def shape_of_swapped() -> Subst:
    x = pat.Wildcard("x", ndim=2)
    swapped = op.Transpose(x, axes=(1, 0))
    return Subst(op.Shape(swapped), op.Flip(op.Shape(x), axis=0))


def shape_of_transposed() -> Subst:
    x = pat.Wildcard("x")
    return Subst(op.Shape(op.Transpose(x)), op.Shape(x))


def size_of_sum() -> Subst:
    x, y = pat.Wildcard("x"), pat.Wildcard("y")
    return Subst(op.Size(x + y), op.Size(x))


@pytest.mark.parametrize("write", [size_of_transposed, shape_of_swapped])
def test_sizes_are_proved_to_be_equal(write: Callable[[], Subst]) -> None:
    assert is_proved_rule(rule()(write))


@pytest.mark.parametrize("write", [shape_of_transposed, size_of_sum])
def test_other_sizes_are_refuted(write: Callable[[], Subst]) -> None:
    assert not is_proved_rule(rule()(write))
    assert ask(NUMERIC, write).verdict is Verdict.FAIL


def test_longest_axes_are_not_those_of_a_broadcast_without_elements() -> None:
    def shape_of_sum() -> Subst:
        x, y = pat.Wildcard("x"), pat.Wildcard("y")
        longest = op.Maximum(op.Shape(x), op.Shape(y))
        return Subst(op.Shape(x + y), longest, where=[x.ndim == y.ndim])

    (finding,) = ask(NUMERIC, shape_of_sum).findings
    assert finding.code.id == "GSL408"
