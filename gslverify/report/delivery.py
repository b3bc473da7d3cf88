"""Reports on their way to files: a full disk or a folder without permission loses no other."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

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
            write_whole(path, render(name, report))
        except OSError as error:
            reason = error.strerror or str(error)
            yield f"the report {name} could not be written to {path}: {reason}; name another file"
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
        yield f"the step summary could not be written to {path}: {error.strerror or error}"


def write_whole(path: Path, text: str) -> None:
    """Write a file as a whole or not at all, so that an older one survives a full disk."""
    if path.exists() and not path.is_file():  # a device or a pipe, which no file can replace
        path.write_text(text, encoding="utf-8")
        return
    target = path.resolve()
    descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(temporary, target.stat().st_mode if target.exists() else 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
