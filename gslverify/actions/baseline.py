"""`gslverify baseline`: the file of known results that a run is compared with."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import click

from gsl.errors import GslError, counted
from gslverify.actions.checking import output_of
from gslverify.commands.parameters import (
    resolved_settings,
    writable_file,
)
from gslverify.exits import Exit
from gslverify.gate.baseline import DEFAULT_FILE, Baseline, BaselineError, read
from gslverify.gate.conclusion import accepted, new_baseline, require_clean, tightened
from gslverify.gate.entry import Entry
from gslverify.gate.lines import change_line
from gslverify.gate.report import read_report
from gslverify.project import project_root
from gslverify.report.documents import ReportDocument
from gslverify.report.json import report_document
from gslverify.report.record import Report
from gslverify.session import run_check
from gslverify.settings import Settings

ACCEPT = "gslverify baseline accept RULE --reason TEXT"


def write_command(paths: tuple[str, ...], report: Path | None, **options: Any) -> None:
    """Verify all rules and write down what was found, failures included."""

    def write(found: ReportDocument, path: Path) -> Exit:
        require_clean(found)
        made = new_baseline(found)
        made.write(path)
        bad = sum(not entry.is_good for entry in made.rules.values())
        click.echo(f"{path}: {counted(len(made.rules), 'rule')}, {bad} of them known not to pass")
        click.echo(f"compare with it: gslverify check --baseline {shlex.quote(str(path))}")
        return Exit.CLEAN

    _conclude(paths, report, options, write, exists=False)


def update_command(paths: tuple[str, ...], report: Path | None, **options: Any) -> None:
    """Verify all rules and ask for what they reach now; new failures are never accepted."""

    def update(found: ReportDocument, path: Path) -> Exit:
        require_clean(found)
        old = read(path)
        old.require_fit(path, found.run.profile, found.tool["gslverify"])
        made, left = tightened(old, found)
        made.write(path)
        for change in left:
            click.echo(change_line(change))
        click.echo(f"{path}: {counted(len(made.rules), 'rule')}")
        if left:
            click.echo(f"not taken over: {counted(len(left), 'rule')}; mend them, or: {ACCEPT}")
        return Exit.FINDINGS if left else Exit.CLEAN

    _conclude(paths, report, options, update)


def accept_command(
    rule: str, reason: str, expires: Any, report: Path | None, **options: Any
) -> None:
    """Verify one rule and let the baseline know it as it is, with the reason."""
    if not reason.strip():
        raise click.UsageError("--reason is empty; say why the rule may be as it is")
    if expires is not None and expires.date() < date.today():
        raise click.UsageError(f"--expires {expires.date()} is over already")

    def accept(found: ReportDocument, path: Path) -> Exit:
        old = read(path)
        old.require_fit(path, found.run.profile, found.tool["gslverify"])
        day = None if expires is None else expires.date()
        made, entry = accepted(old, found, rule, reason, day)
        made.write(path)
        click.echo(f"{path}: {_entry_line(rule, entry)}")
        return Exit.CLEAN

    _conclude((rule,), report, options, accept)


def show_command(**options: Any) -> None:
    """Show what is known, rules that do not pass first."""
    path = _path(resolved_settings(options).settings)
    try:
        known: Baseline = read(path)
    except BaselineError as error:
        raise click.UsageError(str(error)) from error
    rules = counted(len(known.rules), "rule")
    click.echo(f"{path}: profile {known.profile}, seed {known.seed}, {rules}")
    for rule_id, entry in sorted(known.rules.items(), key=lambda item: item[1].is_good):
        click.echo(f"  {_entry_line(rule_id, entry)}")


def _entry_line(rule_id: str, entry: Entry) -> str:
    levels = (f"{subject} {level.name.lower()}" for subject, level in entry.assurance.items())
    until = f"until {entry.expires}" if entry.expires is not None else ""
    parts = (" ".join(entry.codes), ", ".join(levels), entry.reason, until)
    return "  ".join((entry.verdict.upper(), rule_id, *filter(None, parts)))


def _path(settings: Settings) -> Path:
    return Path(settings.baseline or os.path.relpath(project_root() / DEFAULT_FILE))


def _conclude(
    paths: tuple[str, ...],
    report: Path | None,
    options: dict[str, Any],
    act: Callable[[ReportDocument, Path], Exit],
    *,
    exists: bool = True,
) -> None:
    """Verify, or read a report, and change the baseline by it; exit with the code of that."""
    resolved = resolved_settings(options)
    settings = resolved.settings
    path = writable_file(_path(settings))
    selectors = paths or settings.rules
    try:
        if exists and report is None:
            read(path).require_fit(path, settings.profile)
        if report is not None:
            sys.exit(act(read_report(report), path))
        if not selectors:
            raise click.UsageError("name files or folders, or set `rules` in [tool.gslverify]")
        ends: list[Report] = []

        def conclude(done: Report) -> Report:
            ends.append(done)
            return replace(done, exit_code=0)

        run_check(selectors, settings, output_of(resolved, options), conclude=conclude)
        sys.exit(act(report_document(ends[0]), path))
    except GslError as error:
        raise click.UsageError(str(error)) from error
