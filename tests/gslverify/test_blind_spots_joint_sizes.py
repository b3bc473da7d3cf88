"""Rules that are wrong for few sizes only, of which several have to come together.

Resizes and adaptive pools divide places by sizes. No input and no decision of the target tells the
sizes at which one of these rules is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from gsl import Subst, attr, op, pat
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import ask, only

pytestmark = pytest.mark.smt

Write = Callable[[], Subst]
Conditions = Callable[[Any, Any, Any], Iterable[Any]]
HALF = {"mode": "nearest", "coordinates": "half_pixel", "rounding": "round_prefer_floor"}
CORNERS = {"mode": "nearest", "coordinates": "align_corners", "rounding": "round_prefer_floor"}
FLOOR = {"mode": "nearest", "coordinates": "asymmetric", "rounding": "floor"}


def resized_twice(kind: dict[str, str], where: Conditions, rank: int = 1) -> Subst:
    """resize[b](resize[a](x)) => resize[b](x)"""
    x = pat.Wildcard(dtype="float32", ndim=rank)
    once = op.Resize(x, **kind)
    twice = op.Resize(once, **kind)
    sizes = [(x.shape[i], once.sizes[i], twice.sizes[i]) for i in range(rank)]
    kept = [same for m, a, b in sizes[:-1] for same in (m == a, m == b)]
    return Subst(twice, op.Resize(x, sizes=twice.sizes, **kind), where=[*kept, *where(*sizes[-1])])


def flipped(where: Callable[[Any, Any], Iterable[Any]], rank: int = 1) -> Subst:
    """resize(flip(x)) => flip(resize(x)), right where n has as many factors 2 as m"""
    x = pat.Wildcard(dtype="float32", ndim=rank)
    resized = op.Resize(op.Flip(x, axis=rank - 1), **HALF)
    m, n = x.shape[rank - 1], resized.sizes[rank - 1]
    kept = [resized.sizes[i] == x.shape[i] for i in range(rank - 1)]
    target = op.Flip(op.Resize(x, sizes=resized.sizes, **HALF), axis=rank - 1)
    return Subst(resized, target, where=[*kept, *where(m, n), n >= m])


def up_to(*levels: int) -> Callable[[Any, Any], Iterable[Any]]:
    """Demand as many factors 2, up to those of the last level."""
    return lambda m, n: [attr.Or(m % level != 0, n % level == 0) for level in levels]


def pooled_twice(where: Conditions) -> Subst:
    """pool[b](pool[a](x)) => pool[b](x), adaptive ones"""
    x = pat.Wildcard(dtype="float32", ndim=4)
    once = op.AdaptiveAvgPool2D(x, layout="NCHW")
    twice = op.AdaptiveAvgPool2D(once, layout="NCHW")
    sizes = x.shape[3], once.output_size[1], twice.output_size[1]
    rows = [once.output_size[0] == x.shape[2], twice.output_size[0] == x.shape[2]]
    target = op.AdaptiveAvgPool2D(x, output_size=twice.output_size, layout="NCHW")
    return Subst(twice, target, where=[*rows, *where(*sizes)])


WRONG: dict[str, Write] = {
    "6 to 19 to 3": lambda: resized_twice(HALF, lambda m, a, b: [b % 2 == 1, a >= m * b]),
    "3 to 7 to 12": lambda: resized_twice(
        HALF, lambda m, a, b: [b % m == 0, a >= 2 * m, m % 2 == 1]
    ),
    "3 to 20 to 5": lambda: resized_twice(CORNERS, lambda m, a, b: [a % b == 0, a >= m * b]),
    "10 to 5 to 2": lambda: resized_twice(
        FLOOR, lambda m, a, b: [m % a == 0, m % b == 0, a >= 2 * b]
    ),
    "images": lambda: resized_twice(HALF, lambda m, a, b: [b % 2 == 1, a >= m * b], 4),
    "16 to 24, flipped": lambda: flipped(up_to(2, 4, 8)),
    "8 to 12, flipped images": lambda: flipped(up_to(2, 4), 4),
    "10 to 5 to 2, pooled": lambda: pooled_twice(
        lambda m, a, b: [m % a == 0, m % b == 0, a >= 2 * b]
    ),
}
RIGHT: dict[str, Write] = {
    "whole factors": lambda: resized_twice(FLOOR, lambda m, a, b: [m % a == 0, a % b == 0]),
    "whole factors, flipped": lambda: flipped(lambda m, n: [n % m == 0]),
    "whole factors, pooled": lambda: pooled_twice(lambda m, a, b: [m % a == 0, a % b == 0]),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", WRONG)
def test_sizes_are_tried_together(name: str, seed: int) -> None:
    assert only(ask(NUMERIC, WRONG[name], seed=seed, explained=False)).code is OUTPUTS_DIFFER


@pytest.mark.parametrize("name", RIGHT)
def test_what_holds_for_all_these_sizes_passes(name: str) -> None:
    assert ask(NUMERIC, RIGHT[name]).verdict is Verdict.PASS
