from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gslverify.report.delivery import deliver, deliver_step_summary
from gslverify.report.github import github
from tests.gslverify.report.making import report_of
from tests.gslverify.results import crashed, expected, failing, passing, undecided


def test_annotations_have_title_place_and_repro(folder: Path) -> None:
    lines = github(report_of(failing(folder))).splitlines()

    assert lines[1] == (
        "::error title=GSL401 two_conv_add,file=conv.py,line=6,col=9,endLine=6,endColumn=48::"
        "output y: 2 of 4 elements differ%0Aadd groups=1 to conv1%0A"
        "gslverify check conv.py::two_conv_add --seed 3"
    )
    assert lines[0].startswith("::warning title=GSL140")


def test_levels(folder: Path) -> None:
    text = github(report_of(undecided(), crashed(), expected(), passing(folder)))

    assert [line.split()[0] for line in text.splitlines() if line.startswith("::")] == [
        "::notice",
        "::error",
    ]


def test_at_most_ten_of_a_level(folder: Path) -> None:
    results = [replace(crashed(), rule_id=f"other.py::r{n}") for n in range(13)]

    text = github(report_of(*results))

    assert text.count("::error ") == 10
    assert "3 more of level error are not annotated" in text


def test_names_cannot_start_another_command(folder: Path) -> None:
    finding = replace(crashed().findings[0], message="100%\n::error::gotcha\r\x1b[0m")
    result = replace(crashed(), rule_id="a.py::x,file=b:c", stages=(), remarks=(finding,))

    first, *rest = github(report_of(result)).splitlines()

    start = "::error title=GSL901 x%2Cfile=b%3Ac::100%25%0A::error::gotcha"
    assert first.startswith(start)
    assert not any(line.startswith("::") for line in rest)


def test_step_summary_is_added_to_the_file_that_github_names(folder: Path) -> None:
    summary = folder / "summary.md"
    summary.write_text("before\n", "utf-8")
    environment = {"GITHUB_STEP_SUMMARY": str(summary)}

    failures = list(deliver(report_of(failing(folder)), [("github", Path("log"))], environment))

    assert failures == []
    assert summary.read_text("utf-8").startswith(
        "before\n<!-- gslverify -->\n### gslverify: 1 rule"
    )
    assert "::error" in (folder / "log").read_text("utf-8")


def test_step_summary_that_cannot_be_written_is_told(folder: Path) -> None:
    environment = {"GITHUB_STEP_SUMMARY": "no/summary.md"}

    (failure,) = deliver_step_summary(report_of(passing(folder)), environment)

    assert failure.endswith("could not be written to no/summary.md: No such file or directory")
