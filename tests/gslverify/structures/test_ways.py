"""Ways to compute a target, with and without having built it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gsl import Subst, attr, op, pat
from gslverify.structures.targets import ways
from gslverify.structures.targets.arms import COND
from gslverify.structures.targets.ways import in_other_ways, ways_of
from gslverify.structures.variants import Search


def by_axis() -> Subst:
    """A conditional target in a conditional target, which read the source alone."""
    x = pat.Wildcard()
    total = op.Sum(x, keepdims=True)
    inner = pat.Cond(total.ndim == 3, op.Negative(op.Negative(total)), total)
    return Subst(op.Abs(total), op.Abs(pat.Cond(total.axis == (0,), total, inner)))


def by_attribute() -> Subst:
    x = pat.Wildcard()
    total = op.Sum(x, keepdims=True)
    axis = attr.Cond(total.ndim == 2, total.axis, total.axis)
    return Subst(total, op.Sum(x, axis=axis, keepdims=True))


def by_what_was_made() -> Subst:
    """Decides by a type of the target."""
    x = pat.Wildcard()
    moved = op.Transpose(x)
    again = op.Transpose(x, axes=moved.axes)
    axis = attr.Cond(again.ndim == 2, attr.Tuple(0), attr.Tuple(-1))
    return Subst(op.Relu(moved), op.Sum(again, axis=axis))


@pytest.mark.parametrize("write", [by_axis, by_attribute, by_what_was_made])
def test_a_target_is_not_built_in_vain(
    write: Callable[[], Subst], monkeypatch: pytest.MonkeyPatch
) -> None:
    subst = write()
    search = Search(subst)
    search.has_more_after(100)
    short = ways_of(subst, search.found)
    monkeypatch.setattr(ways, "_depends_on_target", lambda subst, heads: True)
    assert short == ways_of(subst, search.found)
    assert len(short) > 1


def test_what_reads_a_target_depends_on_it() -> None:
    assert not ways._depends_on_target(by_axis(), COND)
    assert not ways._depends_on_target(by_attribute(), COND)
    assert ways._depends_on_target(by_what_was_made(), COND)


def test_one_structure_of_every_way_that_is_not_known_is_returned() -> None:
    subst = by_attribute()
    search = Search(subst)
    every = ways_of(subst, [one for one, _ in search.variants()])
    assert [*in_other_ways(subst, every, search.again())] == []
    assert len([*in_other_ways(subst, (), search.again())]) == len(every)
