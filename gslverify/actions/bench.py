"""`gslverify bench`: how long verifying takes, and where the time goes."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import click

from gslverify.codes.corpus import is_rule
from gslverify.commands.parameters import (
    resolved_settings,
)
from gslverify.commands.writing import write
from gslverify.corpus.selection import SelectionError
from gslverify.engine.cluster import ClusterError
from gslverify.events import RunDone
from gslverify.exits import Exit
from gslverify.report.statistics import benchmark_document, benchmark_lines
from gslverify.session import carry_out


def bench(
    paths: tuple[str, ...],
    expression: str,
    as_json: bool,
    fail_over: float | None,
    **options: Any,
) -> None:
    """Verify rules and tell where the time went; no verdict is printed."""
    settings = resolved_settings(options).settings
    selectors = paths or settings.rules
    if not selectors:
        raise click.UsageError("name files or folders, or set `rules` in [tool.gslverify]")
    try:
        over = carry_out(selectors, settings, expression)
    except (ClusterError, SelectionError) as error:
        raise click.UsageError(str(error)) from error
    for message in _without_rules(over.done):
        click.echo(message, err=True)
    if as_json:
        click.echo(json.dumps(benchmark_document(over.done, settings.jobs), indent=2))
    else:
        write(benchmark_lines(over.done, settings.jobs))
    if over.code in (Exit.USAGE, Exit.NO_RULES, Exit.INTERRUPTED):
        sys.exit(over.code)
    slow = fail_over is not None and over.done.seconds > fail_over
    if slow:
        click.echo(f"{over.done.seconds:.3g}s are more than {fail_over:g}s", err=True)
    sys.exit(Exit.FINDINGS if slow else Exit.CLEAN)


def _without_rules(done: RunDone) -> Iterator[str]:
    """Yield what is wrong with the paths that gave no rule."""
    for result in done.results:
        if not is_rule(result):
            yield from (f"{f.code} {f.message}; {f.cure}" for f in result.findings)
