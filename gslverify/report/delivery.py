"""Reports on their way to files: a full disk or a folder without permission loses no other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from gslverify.atomic import reason_of, write_whole
from gslverify.report.formats import render
from gslverify.report.record import Report

SUMMARY_VARIABLE = "GITHUB_STEP_SUMMARY"
"""Names the file to which a step on GitHub adds its summary in Markdown."""


def deliver(
    report: Report, wanted: Iterable[tuple[str, Path]], environment: Mapping[str, str]
) -> Iterator[str]:
    """Write every wanted report; yield a sentence for each that could not be written.

    Where a report for GitHub is among `wanted`, or is shown, its step summary is written, too.
    """
    for name, path in wanted:
        try:
            write_report(path, render(name, report))
        except OSError as error:
            problem = f"could not be written to {path}: {reason_of(error)}"
            yield f"the report {name} {problem}; name another file"
        if name == "github":
            yield from deliver_step_summary(report, environment)


def deliver_step_summary(report: Report, environment: Mapping[str, str]) -> Iterator[str]:
    """Add the summary in Markdown to the file that GitHub names, if it does."""
    path = environment.get(SUMMARY_VARIABLE, "")
    if not path:
        return
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(render("markdown", report))
    except OSError as error:
        yield f"the step summary could not be written to {path}: {reason_of(error)}"


def write_report(path: Path, text: str) -> None:
    """Write a file as a whole or not at all, so that an older one survives a full disk."""
    write_whole(path, text.encode("utf-8", "backslashreplace"))
