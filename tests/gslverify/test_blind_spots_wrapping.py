"""Rules with `nowrap` that are wrong for elements on which no integer that wraps has a bearing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, op, pat, rule
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.finding import StageResult, Verdict
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import only

pytestmark = pytest.mark.smt

Write = Callable[[], Subst]


def bytes_of(count: int) -> list[Any]:
    return [pat.Wildcard(ndim=1, dtype="int8") for _ in range(count)]


def filled(like: pat.Pattern, number: int) -> pat.Pattern:
    return op.FullLike(like, fill_value=number)


def sum_wraps(x: pat.Pattern, y: pat.Pattern) -> pat.Pattern:
    wide = op.Cast(x, dtype="int16") + op.Cast(y, dtype="int16")
    return op.Greater(wide, 127)


def where_another_output_wraps() -> Subst:
    x, y = bytes_of(2)
    difference = op.Where(sum_wraps(x, y), x, x - y)
    return Subst([x + y, x - y], [x + y, difference], where=[x.shape == y.shape])


def where_what_is_not_chosen_wraps() -> Subst:
    x, z = bytes_of(2)
    is_positive = op.Greater(z, op.ZerosLike(z))
    wrong = op.Where(op.Equal(x, filled(x, 127)), op.ZerosLike(z), z)
    target = op.Where(is_positive, x + 100, wrong)
    return Subst(op.Where(is_positive, x + 100, z), target, where=[x.shape == z.shape])


def where_a_neighbour_wraps() -> Subst:
    (x,) = bytes_of(1)
    large = op.Cast(op.Greater(x, filled(x, 27)), dtype="int8")
    total = x + 100
    return Subst(total, total + op.Max(large, axis=(0,), keepdims=True))


def where_it_wraps_itself() -> Subst:
    x, y = bytes_of(2)
    target = op.Where(sum_wraps(x, y), x, x + y)
    return Subst(x + y, target, where=[x.shape == y.shape])


def where_what_is_chosen_wraps() -> Subst:
    x, z = bytes_of(2)
    is_positive = op.Greater(z, op.ZerosLike(z))
    other = op.Where(op.Greater(x, filled(x, 27)), op.ZerosLike(z), x + 100)
    target = op.Where(is_positive, other, z)
    return Subst(op.Where(is_positive, x + 100, z), target, where=[x.shape == z.shape])


def where_what_is_moved_wraps() -> Subst:
    """The elements that wrap are at other places in the end."""
    x, y = bytes_of(2)
    return Subst(
        op.Flip(x + y, axis=0),
        op.Flip(op.Where(sum_wraps(x, y), x, x + y), axis=0),
        where=[x.shape == y.shape],
    )


WRONG = where_another_output_wraps, where_what_is_not_chosen_wraps, where_a_neighbour_wraps
RIGHT = where_it_wraps_itself, where_what_is_chosen_wraps, where_what_is_moved_wraps


def asked(write: Write, seed: int) -> StageResult:
    settings = Settings(use_tvm=False, explained=False, seed=seed)
    written = rule(flags={"nowrap"})(write)
    return NUMERIC.run(Question(f"tests::{written.name}", written, settings))


def by_name(write: Any) -> str:
    return write.__name__


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("write", WRONG, ids=by_name)
def test_what_does_not_wrap_is_compared(write: Write, seed: int) -> None:
    assert only(asked(write, seed)).code is OUTPUTS_DIFFER


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("write", RIGHT, ids=by_name)
def test_what_wraps_is_excused(write: Write, seed: int) -> None:
    assert asked(write, seed).verdict is Verdict.PASS
