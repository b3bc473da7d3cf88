"""Flags of rounding are found on numbers with all their digits, whatever was drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gsl import op
from gslverify.trials.roundings import roundings
from gslverify.trials.trial import Outcome as Trial
from tests.gslverify.trials.flagged import Sides, trials_of, write_of


def needed(sides: Sides) -> frozenset[str] | None:
    """Return what a rule needs of which only small whole numbers were drawn, without an error."""
    subst = write_of(sides)()
    passed = [[whole(trial) for trial in few] for few in trials_of(subst, {}, "float32")]
    return roundings(subst, passed, None).needed


def whole(trial: Trial) -> Trial:
    drawn: dict[str, Any] = {name: np.ceil(array) for name, array in trial.inputs.items()}
    return replace(trial, inputs=drawn, exact=True)


def test_whole_numbers_hide_no_flag() -> None:
    assert needed(lambda x, y, z: ((x + y) + z, x + (y + z))) == {"reassoc"}
    assert needed(lambda x, y: (x / y, x * (1 / y))) == {"arcp"}


def test_what_is_exact_needs_no_flag() -> None:
    assert needed(lambda x, y: (x + y, y + x)) == frozenset()
    assert needed(lambda x: (op.Negative(-x), x)) == frozenset()
