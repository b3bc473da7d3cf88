"""Reports of made-up runs, for tests of formats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gslverify.events import RunDone
from gslverify.finding import RuleResult
from gslverify.report.record import Report
from gslverify.settings import Settings
from tests.gslverify.results import crashed, expected, failing, passing, undecided, unmet

ARGV = ("check", ".", "--seed", "3")


def report_of(*results: RuleResult, **fields: Any) -> Report:
    """Return the report of a run that ended with these results."""
    done = RunDone(results, 58.23, fields.pop("stop_reason", ""))
    return Report(done, Settings(seed=3), (".",), 1, ARGV, **fields)


def report_of_everything(folder: Path) -> Report:
    """Return the report of a run with a rule of every verdict."""
    return report_of(passing(folder), failing(folder), undecided(), crashed(), expected(), unmet())
