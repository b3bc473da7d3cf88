"""Ranks and permutations are named where others do not fail."""

from __future__ import annotations

from typing import Any

import pytest

from gsl import Subst, op, pat
from gslverify.finding import Counterexample
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.stages.asking import ask, only

pytestmark = pytest.mark.smt


def counterexample_of(write: Any) -> Counterexample:
    example = only(ask(NUMERIC, write, use_tvm=False)).counterexample
    assert example is not None
    return example


def last_axis_is_the_second() -> Subst:
    x = pat.Wildcard()
    where = [x.ndim >= 2, x.dtype == "float64"]
    return Subst(op.Softmax(x, axis=-1), op.Softmax(x, axis=1), where=where)


def undone_by_itself() -> Subst:
    """Right for permutations that are their own inverses."""
    x = pat.Wildcard()
    once = op.Transpose(x)
    cube = [x.shape[0] == x.shape[1], x.shape[1] == x.shape[2], x.ndim == 3]
    return Subst(op.Transpose(once, axes=once.axes), x, where=cube)


def quotient_by_product() -> Subst:
    """Wrong at every rank where the product wraps."""
    x, c, d = pat.Wildcard(), pat.Const(shape=()), pat.Const(shape=())
    inside = [(one.value >= 1) & (one.value <= 70000) for one in (c, d)]
    quotient = op.FloorDivide(op.FloorDivide(x, c), d)
    return Subst(quotient, op.FloorDivide(x, c * d), where=[*inside, x.dtype == "int32"])


def test_the_ranks_that_fail_are_named() -> None:
    (said,) = [
        text for text in counterexample_of(last_axis_is_the_second).matters if "ndim" in text
    ]
    assert said.startswith("x.ndim (fails for 3, 4")
    assert said.endswith("with 2)")


def test_the_permutations_that_fail_are_named() -> None:
    (said,) = [text for text in counterexample_of(undone_by_itself).matters if ".axes" in text]
    failing, _, passing = said.partition("; passes")
    assert "(2, 0, 1)" in failing or "(1, 2, 0)" in failing
    assert "(2, 1, 0)" not in failing
    assert "(2, 0, 1)" not in passing
    assert "(1, 2, 0)" not in passing


def test_a_rank_that_does_not_matter_is_low_and_not_named() -> None:
    example = counterexample_of(quotient_by_product)
    assert [len(tensor.shape) for tensor in example.inputs] == [0]
    assert not any("ndim" in text or "shape" in text for text in example.matters)
