"""What conditions allow beside what usual structures show is tried in some larger structure."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gsl import Subst, attr, op, pat
from gslverify.finding import Verdict
from gslverify.stages.alternatives import variants_by_alternatives
from gslverify.stages.numeric import NUMERIC
from gslverify.stages.satisfiable import SATISFIABLE
from gslverify.stages.shape import SHAPE
from tests.gslverify.stages.asking import is_refuted, question

pytestmark = pytest.mark.smt

Write = Callable[[], Subst]
FIRST = {3: (0, 2, 3, 1), 4: (0, 2, 3, 4, 1)}
BACK, WRONG_BACK = {3: (0, 3, 1, 2), 4: (0, 4, 1, 2, 3)}, (0, 4, 2, 1, 3)


def flipped_twice(with_volumes: bool) -> Write:
    """Both flips are along one axis, or along two of volumes."""

    def write() -> Subst:
        x = pat.Wildcard()
        inner = op.Flip(x)
        outer = op.Flip(inner)
        same = outer.axis == inner.axis
        volumes = (inner.axis == 2) & (outer.axis == 4)
        return Subst(outer, x, where=[same | volumes if with_volumes else same])

    return write


def flipped_in_eight_axes() -> Subst:
    x = pat.Wildcard()
    inner = op.Flip(x)
    outer = op.Flip(inner)
    apart = (x.ndim == 8) & (inner.axis == 6) & (outer.axis == 7)
    return Subst(outer, x, where=[(outer.axis == inner.axis) | apart])


def there_and_back(last: tuple[int, ...]) -> Write:
    """Transposes images, or volumes, and back."""

    def write() -> Subst:
        x = pat.Wildcard()
        there = op.Transpose(x)
        back = op.Transpose(there)
        images = (there.axes == FIRST[3]) & (back.axes == BACK[3])
        volumes = (there.axes == FIRST[4]) & (back.axes == last)
        return Subst(back, x, where=[images | volumes])

    return write


def mean_over(axes: tuple[tuple[int, ...], ...], most: int) -> Write:
    """A flip along an axis over which is reduced; `most` may be one that is not."""

    def write() -> Subst:
        x = pat.Wildcard()
        turned = op.Flip(x)
        mean = op.Mean(turned, keepdims=True)
        where = [attr.In(mean.axis, axes), turned.axis >= 2, turned.axis <= most]
        return Subst(mean, op.Mean(x, **pat.same_attr(mean)), where=where)

    return write


def cumsum_of_flip(volumes: bool) -> Write:
    def write() -> Subst:
        x = pat.Wildcard()
        turned = op.Flip(x)
        total = op.Cumsum(turned)
        apart = (x.ndim <= 4) & (turned.axis % x.ndim != total.axis % x.ndim)
        also = (x.ndim == 5) & (turned.axis == 2)
        target = op.Flip(op.Cumsum(x, **pat.same_attr(total)), axis=turned.axis)
        return Subst(total, target, where=[apart | also if volumes else apart])

    return write


def reshaped(sizes: tuple[tuple[int, ...], ...]) -> Write:
    """A flip of a reshaped matrix, along an axis that has one place if the shape is the first."""

    def write() -> Subst:
        x = pat.Wildcard(shape=(1, 2))
        shaped = op.Reshape(x)
        turned = op.Flip(shaped, axis=0)
        allowed = [shaped.shape == one for one in sizes]
        where = [allowed[0] | allowed[1] if allowed[1:] else allowed[0]]
        return Subst(turned, shaped, where=where)

    return write


@pytest.mark.parametrize(
    "write",
    [
        flipped_twice(True),
        flipped_in_eight_axes,
        there_and_back(WRONG_BACK),
        mean_over(((2, 3), (2, 3, 4)), 4),
        cumsum_of_flip(True),
        reshaped(((1, 2), (2, 1, 1, 1, 1, 1))),
    ],
)
def test_what_an_alternative_allows_is_tried(write: Write) -> None:
    assert variants_by_alternatives(write())
    assert is_refuted(write, SATISFIABLE, SHAPE, NUMERIC)


@pytest.mark.parametrize(
    "write",
    [there_and_back(BACK[4]), mean_over(((2, 3), (2, 3, 4)), 3), reshaped(((1, 2), (1, 1, 2)))],
)
def test_sound_alternatives_pass(write: Write) -> None:
    asked = question(write)
    stages = SATISFIABLE, SHAPE, NUMERIC
    assert all(stage.run(asked).verdict is Verdict.PASS for stage in stages)


@pytest.mark.parametrize(
    "write", [flipped_twice(False), cumsum_of_flip(False), reshaped(((1, 2), (2, 1)))]
)
def test_nothing_is_added_where_usual_structures_meet_all(write: Write) -> None:
    assert not variants_by_alternatives(write())
