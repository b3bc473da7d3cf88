"""Failures are shown in the simplest structure that has them, and alone if they are there, too."""

from __future__ import annotations

import pytest

from gsl import Subst, op, pat
from gslverify.finding import Counterexample
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.stages.asking import ask, only

pytestmark = pytest.mark.smt


def shown(write: object) -> Counterexample:
    """Return the counterexample to a rule."""
    example = only(ask(NUMERIC, write)).counterexample  # type: ignore[arg-type]
    assert example is not None
    return example


def test_constants_that_wrap_are_shown_with_a_scalar() -> None:
    def wraps() -> Subst:
        x, c, d = pat.Wildcard(), pat.Const(dtype="int32"), pat.Const(dtype="int32")
        small = [c.value > 0, d.value > 0, c.value < 100_000, d.value < 100_000]
        target = op.FloorDivide(x, op.Multiply(c, d))
        where = [*small, x.dtype == "int32"]
        return Subst(op.FloorDivide(op.FloorDivide(x, c), d), target, where=where)

    (tensor,) = shown(wraps).inputs

    assert tensor.shape == ()


def test_what_fails_alone_is_shown_alone() -> None:
    def transposed() -> Subst:
        x = pat.Wildcard()
        whole = op.Transpose(-x)
        moved = op.Transpose(x, axes=whole.axes)
        return Subst(whole, pat.Cond(whole.axes == (4, 2, 0, 3, 1), moved, -moved))

    example = shown(transposed)

    assert not [note for note in example.notes if note.startswith("context")]
    assert [tensor.shape for tensor in example.inputs] == [(1,) * 5]
