"""`gslverify compare`: two JSON reports by the rules of the gate."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from gslverify.commands.parameters import resolved_settings
from gslverify.exits import Exit, excused
from gslverify.gate.conclusion import policy_of, record_of
from gslverify.gate.judge import judge
from gslverify.gate.lines import gate_lines
from gslverify.gate.markdown import comparison
from gslverify.gate.report import ReportError, read_report, require_one_profile, slower


def compare(old: Path, new: Path, form: str, **options: Any) -> None:
    """Say what changed between two reports of `gslverify check --output-format json`."""
    settings = resolved_settings(options).settings
    try:
        before, now = read_report(old), read_report(new)
        require_one_profile({old: before, new: now})
        policy = policy_of(settings, lambda rule_id: True)
        changes = judge(record_of(before), record_of(now), policy)
        times = slower(before, now)
        comment = comparison(changes, now, times) if form == "markdown" else ""
    except ReportError as error:
        raise click.UsageError(str(error)) from error
    if form == "markdown":
        click.echo(comment, nl=False)
    else:
        for line in gate_lines(changes, f"{old} -> {new}", strict=policy.strict):
            click.echo(line)
        for one in times:
            click.echo(f"  slower       {one}")
    failed = any(policy.fails(change) for change in changes)
    sys.exit(excused(Exit.FINDINGS if failed else Exit.CLEAN, settings))
