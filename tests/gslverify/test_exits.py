from __future__ import annotations

from pathlib import Path

import pytest

from gslverify.events import INTERRUPTED, RunDone
from gslverify.exits import Exit, exit_code
from gslverify.finding import RuleResult
from gslverify.settings import Settings
from tests.gslverify.results import crashed, expected, failing, passing, undecided


@pytest.mark.parametrize(
    ("fail_on", "codes"),
    [
        (("fail", "vacuous", "error"), {"fail": 1, "inconclusive": 0, "crash": 3}),
        (("inconclusive",), {"fail": 0, "inconclusive": 1, "crash": 0}),
        (("vacuous",), {"fail": 0, "inconclusive": 0, "crash": 0}),
        (("error",), {"fail": 0, "inconclusive": 0, "crash": 3}),
    ],
)
def test_verdicts_that_fail_a_run_can_be_chosen(
    fail_on: tuple[str, ...], codes: dict[str, int], folder: Path
) -> None:
    settings = Settings(fail_on=fail_on)
    results = {"fail": failing(folder), "inconclusive": undecided(), "crash": crashed()}

    found = {name: exit_code(RunDone((one,), 0.0), settings) for name, one in results.items()}

    assert found == codes


def test_what_passes_or_fails_as_expected_never_fails_a_run(folder: Path) -> None:
    results: tuple[RuleResult, ...] = (passing(folder), expected())
    everything = Settings(fail_on=("fail", "vacuous", "inconclusive", "error"))

    assert exit_code(RunDone(results, 0.0), everything) is Exit.CLEAN


def test_interrupted_run_has_its_own_code(folder: Path) -> None:
    done = RunDone((failing(folder),), 0.0, INTERRUPTED)

    assert exit_code(done, Settings(fail_on=("vacuous",))) is Exit.INTERRUPTED
