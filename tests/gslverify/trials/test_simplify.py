"""Failures become simpler by their choices, and by sizes and attributes that no choice names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from gsl import Var
from gsl.attr.term import Symbol
from gslverify.codes.numeric import MATCH_REFUSED, OUTPUTS_DIFFER
from gslverify.networks.choices import Tape
from gslverify.networks.network import Network
from gslverify.trials.simplify import simplified
from gslverify.trials.trial import Outcome

ROWS, COLUMNS = Symbol("x.shape[0]", low=1), Symbol("x.shape[1]", low=1)


def failure(rows: int, columns: int) -> Outcome:
    x = Var("x", (rows, columns))
    model = {ROWS.name: rows, COLUMNS.name: columns}
    sampler = SimpleNamespace(free=[ROWS, COLUMNS])
    network = Network((x,), (x,), "alone", model, sampler=sampler)
    code = OUTPUTS_DIFFER if rows >= 2 else MATCH_REFUSED
    return Outcome(network, {"x": np.zeros((rows, columns))}, code=code)


def cubes(choices: Tape, fixed: Mapping[str, int]) -> Outcome:
    """Choose one size for both axes, as the mode "equal" does."""
    size = 1 + choices.number(9)
    return failure(fixed.get(ROWS.name, size), fixed.get(COLUMNS.name, size))


def smallest(retry: Callable[[Tape, Mapping[str, int]], Outcome | None], **given: Any) -> Any:
    found = ((7,), failure(8, 8))
    return simplified(found, retry, given.get("seconds", 60.0)).inputs["x"].shape


def test_axes_that_need_not_be_long_become_short() -> None:
    assert smallest(cubes) == (2, 1)


def test_another_failure_is_not_taken_for_the_same() -> None:
    assert smallest(lambda choices, fixed: cubes(choices, fixed) if fixed else None) == (2, 1)
    assert smallest(lambda choices, fixed: None) == (8, 8)


def test_time_and_attempts_are_bounded() -> None:
    attempts = []

    def slowly(choices: Tape, fixed: Mapping[str, int]) -> Outcome:
        attempts.append(fixed)
        return failure(8, 8)

    assert smallest(cubes, seconds=-1.0) == (8, 8)
    assert smallest(slowly) == (8, 8)
    assert len(attempts) <= 500
