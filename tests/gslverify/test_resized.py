"""Rules about sampling between elements: weights are quotients, which no dtype rounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, op, pat
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import ask, only

pytestmark = pytest.mark.smt

Write = Callable[[], Subst]
CENTRED = {"mode": "linear", "coordinates": "half_pixel"}
CUBIC = {"mode": "cubic", "coordinates": "half_pixel", "cubic_coeff": -0.75}


def one_element(**how: Any) -> Subst:
    x = pat.Wildcard(shape=(1,), dtype="float32")
    resized = op.Resize(x, **how)
    return Subst(resized, op.BroadcastTo(x, shape=resized.sizes))


def one_element_between_itself() -> Subst:
    """The weights of an element, such as 1/3 and 2/3, add up to 1."""
    return one_element(**CENTRED)


def one_element_among_four() -> Subst:
    return one_element(**CUBIC)


def ones() -> Subst:
    x = pat.Wildcard(ndim=1, dtype="float32")
    resized = op.Resize(op.OnesLike(x, dtype="float32"), **CENTRED)
    return Subst(resized, op.Ones(shape=resized.sizes, dtype="float32"))


def other_corners() -> Subst:
    """Wrong where three elements are made of two, and right where one is made of any."""
    x = pat.Wildcard(ndim=1, dtype="float32")
    resized = op.Resize(x, mode="linear", coordinates="align_corners")
    fits = x.shape[0] * 3 == resized.sizes[0] * 2
    return Subst(resized, op.Resize(x, sizes=resized.sizes, **CENTRED), where=[fits])


def other_slope() -> Subst:
    x = pat.Wildcard(ndim=1, dtype="float32")
    resized = op.Resize(x, **CUBIC)
    return Subst(resized, op.Resize(x, sizes=resized.sizes, **{**CUBIC, "cubic_coeff": -0.5}))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("write", [one_element_between_itself, one_element_among_four, ones])
def test_weights_that_add_up_to_one_do_so(write: Write, seed: int) -> None:
    assert ask(NUMERIC, write, seed=seed).verdict is Verdict.PASS


@pytest.mark.parametrize("write", [other_corners, other_slope])
def test_other_weights_are_refuted(write: Write) -> None:
    assert only(ask(NUMERIC, write, explained=False)).code is OUTPUTS_DIFFER
