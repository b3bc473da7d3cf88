"""Differences in the last place are found where a narrower dtype or a decision hides most."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from gsl import Call, Subst, Var, op, pat
from gsl.operators import lookup
from gslverify.comparison.under_flags import Sides, coarse_results
from gslverify.trials.boundaries import at_boundaries
from gslverify.trials.trial import Outcome as Trial
from tests.gslverify.trials.flagged import codes_of, found_by, needed_by, trials_of

Write = Callable[[], Subst]
SMALL = dict.fromkeys(range(3), (2, 3))
SPECIAL = ("nnan", "ninf", "nsz")


def few(write: Write) -> list[list[Trial]]:
    return trials_of(write(), SMALL)[:2]


def three() -> tuple[pat.Pattern, pat.Pattern, pat.Pattern]:
    return pat.Wildcard(), pat.Wildcard(), pat.Wildcard()


def sums(dtype: str) -> Subst:
    x, y, z = three()
    return Subst(op.Cast((x + y) + z, dtype=dtype), op.Cast(x + (y + z), dtype=dtype))


def factored(dtype: str) -> Subst:
    x, y, z = three()
    return Subst(op.Cast(x * z + y * z, dtype=dtype), op.Cast((x + y) * z, dtype=dtype))


def sums_there_and_back() -> Subst:
    x, y, z = three()
    one, other = (op.Cast(s, dtype="float16") for s in ((x + y) + z, x + (y + z)))
    return Subst(op.Cast(one, dtype="float32"), op.Cast(other, dtype="float32"))


def quotient_by_root() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(
        op.Cast(x / op.Sqrt(y), dtype="float16"), op.Cast(x * op.Rsqrt(y), dtype="float16")
    )


def rounded_sums() -> Subst:
    x, y, z = three()
    return Subst(op.Round((x + y) + z), op.Round(x + (y + z)))


def tenths() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Trunc(x * 0.1), op.Trunc(x / 10.0))


def signs() -> Subst:
    x, y, z = three()
    return Subst(op.Sign((x + y) - z), op.Sign(x + (y - z)))


def compared() -> Subst:
    x, y, z = three()
    return Subst(op.Less(x * y, z * y + z), op.Less(x * y, (y + 1.0) * z))


def halved() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Cast(x / 2.0, dtype="float16"), op.Cast(x * 0.5, dtype="float16"))


def turned() -> Subst:
    x, y, z = three()
    return Subst(op.Cast((x * y) + z, dtype="float16"), op.Cast(z + (y * x), dtype="float16"))


WRONG: dict[str, Write] = {
    "sums, float16": lambda: sums("float16"),
    "sums, bfloat16": lambda: sums("bfloat16"),
    "factored, float16": lambda: factored("float16"),
    "factored, int8": lambda: factored("int8"),
    "there and back": sums_there_and_back,
    "root": quotient_by_root,
    "rounded": rounded_sums,
    "tenths": tenths,
    "signs": signs,
    "compared": compared,
}


@pytest.mark.parametrize("name", WRONG)
def test_a_rule_that_rounds_otherwise_is_not_called_bit_exact(name: str) -> None:
    found = found_by(WRONG[name], few(WRONG[name]), SPECIAL)
    assert codes_of(found) == ["GSL409"]


@pytest.mark.parametrize("flag", ["arcp", "contract", "lossy"])
def test_another_flag_does_not_excuse_it(flag: str) -> None:
    write = WRONG["sums, float16"]
    found = found_by(write, few(write), (*SPECIAL, flag))
    assert codes_of(found) == ["GSL409"]


@pytest.mark.parametrize("name", ["sums, float16", "there and back", "rounded", "signs"])
def test_the_flag_that_it_needs_is_enough(name: str) -> None:
    found = found_by(WRONG[name], few(WRONG[name]), (*SPECIAL, "reassoc"))
    assert codes_of(found) == []
    assert "reassoc" in needed_by(found)


@pytest.mark.parametrize("write", [halved, turned])
def test_what_rounds_alike_stays_bit_exact(write: Write) -> None:
    found = found_by(write, few(write), ())
    assert codes_of(found) == []
    assert needed_by(found) == ""


def test_inputs_are_neighbours_between_which_a_result_changes() -> None:
    (trial, *_), *_ = trials_of(halved(), {0: (2,)})
    sides = Sides(trial.network.outputs, trial.target, trial.inputs)
    found = [one.inputs["x0"] for one in at_boundaries(trial, sides, 0)]
    assert len(found) >= 8
    for one, other in zip(found[::2], found[1::2], strict=True):
        (place,) = np.flatnonzero(one != other)
        assert one[place] in np.nextafter(other[place], np.float32([-np.inf, np.inf]))
        with np.errstate(over="ignore"):
            halves = [np.float16(array[place] / 2) for array in (one, other)]
        assert halves[0] != halves[1]


def test_nothing_is_sought_where_no_number_becomes_coarser() -> None:
    x = Var("x", (2,))
    outputs = (Call(lookup("Negative"), [x]),)
    sides = Sides(outputs, outputs, {"x": np.ones(2, np.float32)})
    assert coarse_results(outputs, sides) == []
