"""Rules that are wrong where two choices of attributes come together, and only at some sizes.

Which arm of an attribute of the target is taken is decided by choices that few structures make. So
these have graphs of their own, and every structure has axes with one element in turn.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gsl import Subst, attr, op, pat
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import is_refuted

pytestmark = pytest.mark.smt

ALIKE = ("mode", "coordinates", "rounding", "cubic_coeff")


def one_axis_after_the_other(rightly: bool) -> Subst:
    """resize(x)  =>  resize of its axes in turn; wrong for cubic half pixels of one element"""
    x = pat.Wildcard(dtype="float64", ndim=2)
    both = op.Resize(x)
    alike = {name: getattr(both, name) for name in ALIKE}
    rows = op.Resize(x, sizes=(both.sizes[0], x.shape[1]), **alike)
    rare = (both.coordinates == "pytorch_half_pixel") & (both.mode == "cubic")
    if not rightly:
        alike["coordinates"] = attr.Cond(rare, "half_pixel", both.coordinates)
    return Subst(both, op.Resize(rows, sizes=both.sizes, **alike))


def negative_of_resized(rightly: bool) -> Subst:
    """-resize(x)  =>  resize(-x); wrong for aligned corners with another cubic coefficient"""
    x = pat.Wildcard(dtype="float64", ndim=1)
    resized = op.Resize(x)
    alike = {name: getattr(resized, name) for name in ALIKE}
    rare = (resized.coordinates == "align_corners") & (resized.mode == "cubic")
    if not rightly:
        alike["cubic_coeff"] = attr.Cond(rare, -0.5, resized.cubic_coeff)
    return Subst(op.Negative(resized), op.Resize(op.Negative(x), sizes=resized.sizes, **alike))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("write", [one_axis_after_the_other, negative_of_resized])
def test_an_arm_of_few_structures_is_tried_at_several_sizes(
    write: Callable[[bool], Subst], seed: int
) -> None:
    assert is_refuted(lambda: write(False), NUMERIC, seed=seed)


def test_the_right_arm_is_not_refuted() -> None:
    assert not is_refuted(lambda: negative_of_resized(True), NUMERIC, seed=0)
    assert not is_refuted(lambda: one_axis_after_the_other(True), NUMERIC, seed=0)
