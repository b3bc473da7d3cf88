from __future__ import annotations

from pathlib import Path

from gslverify.report.statistics import statistics_lines
from tests.gslverify.report.making import report_of
from tests.gslverify.results import failing, passing, undecided


def test_stages_and_the_slowest_rules(folder: Path) -> None:
    lines = list(statistics_lines(report_of(passing(folder), failing(folder), undecided())))

    assert [line.split() for line in lines] == [
        [],
        ["stage", "rules", "cached", "skipped", "seconds"],
        ["static", "2", "0", "0", "0.00"],
        ["shape", "1", "0", "0", "0.25"],
        ["numeric", "3", "0", "0", "3.00"],
        ["gradient", "1", "0", "1", "0.00"],
        ["slowest", "rules"],
        ["2.00s", "conv.py::two_conv_add"],
        ["1.25s", "conv.py::diamond"],
        ["0.00s", "other.py::undecided"],
    ]


def test_run_without_rules_has_none() -> None:
    assert list(statistics_lines(report_of())) == []
