"""`gslverify merge`: the reports of all shards of a run as one."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from gsl.errors import GslError
from gslverify.atomic import reason_of, write_whole
from gslverify.commands.parameters import (
    resolved_settings,
)
from gslverify.configuration.resolve import DEFAULT, Resolved
from gslverify.documents import written
from gslverify.exits import Exit, excused
from gslverify.gate.conclusion import judged, known_by, known_results
from gslverify.gate.merge import exit_code_of, merged
from gslverify.gate.report import read_report
from gslverify.report.documents import ReportDocument
from gslverify.report.json import dumps
from gslverify.report.known import marked


def merge(reports: tuple[Path, ...], output: Path | None, **options: Any) -> None:
    """Merge the JSON reports of all shards of a run into that of the whole run."""
    resolved = resolved_settings(options)
    settings = resolved.settings
    try:
        whole = merged({path: read_report(path) for path in reports})
        known = known_results(settings)
        code = _ending(whole, resolved)
        lines: tuple[str, ...] = ()
        if known is not None:
            code, lines = judged(whole, settings, known, code, whole=True)
            whole = marked(whole, known_by(known))
        code = excused(code, settings)
        text = dumps(written(replace(whole, run=replace(whole.run, exit_code=int(code)))))
        if output is not None:
            write_whole(output, text.encode())
    except OSError as error:
        raise click.UsageError(f"{output} cannot be written: {reason_of(error)}") from error
    except GslError as error:
        raise click.UsageError(str(error)) from error
    if output is None:
        click.echo(text, nl=False)
    for line in lines:
        click.echo(line, err=output is None)
    sys.exit(code)


def _ending(whole: ReportDocument, resolved: Resolved) -> Exit:
    """Return the exit code of the whole run, with other failures where somebody asks for them."""
    if resolved.values["fail-on"].origin == DEFAULT:
        return Exit(whole.run.exit_code)
    return exit_code_of(whole, resolved["fail-on"])
