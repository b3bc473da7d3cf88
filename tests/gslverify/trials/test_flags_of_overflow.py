"""What overflows on one side alone needs ninf, whatever becomes of it there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from gsl import op
from gslverify.finding import Finding
from tests.gslverify.trials.flagged import (
    Sides,
    check_flags,
    codes_of,
    found_by,
    trials_of,
    write_of,
)


def mean(x: Any) -> Any:
    return op.Mean(x, axis=(0,), keepdims=False)


def variance(x: Any) -> tuple[Any, Any]:
    middle = mean(x)
    return op.Variance(x, axis=(0,), keepdims=False), mean(x * x) - middle * middle


RULES: Mapping[str, tuple[Sides, str, str]] = {
    "mean of halved squares": (
        lambda x: (mean(x * x), mean(x * (x * 0.5)) * 2),
        "float16",
        "ninf reassoc",
    ),
    "cosh by exponentials": (
        lambda x: ((op.Exp(x) + op.Exp(-x)) / 2, op.Cosh(x)),
        "float32",
        "ninf afn",
    ),
    "what is infinite": (lambda x: (op.IsInf(op.Exp(x)), op.IsInf(x)), "float32", "ninf"),
}


@pytest.mark.parametrize("name", RULES)
def test_flags_are_found_in_narrow_windows(name: str) -> None:
    sides, dtype, flags = RULES[name]
    check_flags(write_of(sides, dtype), flags, {0: (4,)}, dtype)


def test_nan_that_the_target_makes_of_infinities_is_none_of_nnan() -> None:
    write = write_of(variance, "float16")
    passed = trials_of(write(), {0: (4,)}, "float16")
    others = {"nnan", "nsz", "reassoc", "contract"}
    outcomes = found_by(write, passed, others)
    assert codes_of(outcomes) == ["GSL406"]
    (finding,) = [one for one in outcomes if isinstance(one, Finding)]
    assert '"ninf"' in finding.cure
    assert codes_of(found_by(write, passed, others | {"ninf"})) == []


def test_nan_of_the_source_is_excused_by_nnan() -> None:
    write = write_of(lambda x: (x - x, x * 0))
    passed = trials_of(write(), {0: (4,)})
    assert codes_of(found_by(write, passed, {"nnan", "nsz"})) == []
    back = write_of(lambda x: (op.ZerosLike(x), x - x))
    passed = trials_of(back(), {0: (4,)})
    assert codes_of(found_by(back, passed, {"nnan", "nsz"})) == ["GSL406"]
    assert codes_of(found_by(back, passed, {"nnan", "ninf", "nsz"})) == []
