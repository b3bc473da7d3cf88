"""What `gslverify check` does once it is known what is to be verified."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from gslverify.actions.appearance import chosen_style
from gslverify.actions.watching import WATCHER, changes_in, command_without, watch
from gslverify.configuration.resolve import Resolved
from gslverify.configuration.table import FLAG_VARIABLES
from gslverify.corpus.selection import SelectionError
from gslverify.engine.cluster import ClusterError
from gslverify.gate.baseline import BaselineError
from gslverify.gate.conclusion import at_the_gate, known_failures, known_results
from gslverify.mutation.collect import mutant_selectors
from gslverify.project import real
from gslverify.report.formats import lacking
from gslverify.session import Output, run_check


def verify(
    resolved: Resolved, paths: tuple[str, ...], expression: str, options: Mapping[str, Any]
) -> None:
    """Verify what is named, report it, and end the process; raise UsageError for a mistake."""
    settings = resolved.settings
    named = paths or settings.rules
    selectors = _selectors(named, options["mutant"])
    if options["watching"]:
        _watch(paths, named)
        return
    whole = not (expression or settings.tags or settings.changed_since)
    try:
        known = known_results(settings)
        code = run_check(
            selectors,
            settings,
            replace(output_of(resolved, options), known=known_failures(known)),
            expression,
            conclude=lambda report: at_the_gate(report, known, whole=whole),
        )
    except (BaselineError, ClusterError, SelectionError) as error:
        raise click.UsageError(str(error)) from error
    sys.exit(code)


def _selectors(named: Sequence[str], mutant: str) -> Sequence[str]:
    """Return what is verified: what is named, or a mutant of it."""
    if not named:
        raise click.UsageError("name files or folders, or set `rules` in [tool.gslverify]")
    try:
        return mutant_selectors(named, mutant) if mutant else named
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def _watch(paths: tuple[str, ...], selectors: tuple[str, ...]) -> None:
    """Run the command again and again, each time in a process of its own.

    A process keeps the modules that it has imported, and would not see that they have changed.
    """
    if find_spec(WATCHER) is None:
        raise click.UsageError(f"--watch needs the package {WATCHER}; install gslverify[watch]")
    once = {name: v for name, v in os.environ.items() if name != FLAG_VARIABLES["--watch"]}
    arguments = command_without(click.get_current_context().obj, paths)

    def verify(chosen: Sequence[str]) -> None:
        # -P: what lies in the folder must not pass for modules of Python.
        command = [sys.executable, "-P", "-m", "gslverify", *arguments, *chosen]
        subprocess.run(command, check=False, env=once)
        click.echo("waiting for changes; Ctrl-C ends it", err=True)

    watch(selectors, changes_in(selectors), verify)


def _require_own_files(paths: Iterable[Path | None]) -> None:
    """Refuse two reports for one file: the second would take the place of the first."""
    seen: set[Path] = set()
    for path in paths:
        if path is None or (path.exists() and not path.is_file()):  # a device takes them all
            continue
        if real(path) in seen:
            raise click.UsageError(f"two reports go to `{path}`; name a file for each")
        seen.add(real(path))


def output_of(resolved: Resolved, options: Mapping[str, Any]) -> Output:
    """Return what is written where, as settings and options say."""
    style = chosen_style(
        resolved["color"],
        resolved["quiet"],
        resolved["verbose"],
        resolved["ascii"],
        resolved["view"],
    )
    argv = click.get_current_context().obj
    shown = resolved["output-format"]
    _require_own_files([options["output_file"], *(path for _, path in options["reports"])])
    for name in (shown, *(name for name, _ in options["reports"])):
        if message := lacking(name):
            raise click.UsageError(message)
    return Output(
        shown,
        options["output_file"],
        style,
        argv,
        options["reports"],
        resolved["report-full"],
        resolved["show-stats"],
    )
