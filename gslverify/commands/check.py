"""`gslverify check`: verify rules and report what was found."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from gslverify.commands.parameters import (
    BASELINE_OR_NONE,
    EFFORT,
    GATE,
    OUTPUT,
    SELECTION,
    STORAGE,
    resolved_settings,
    with_options,
)
from gslverify.commands.writing import write
from gslverify.configuration.resolve import settings_lines
from gslverify.configuration.table import FLAG_VARIABLES

MUTANT = click.option(
    "--mutant",
    default="",
    envvar=FLAG_VARIABLES["--mutant"],
    metavar="NUMBER",
    help="Verify a mutant of each rule instead, such as M01.2 of `gslverify mutate`.",
)


@click.command()
@with_options((*SELECTION, MUTANT, *EFFORT, *GATE, *BASELINE_OR_NONE, *STORAGE, *OUTPUT))
def check(paths: tuple[str, ...], expression: str, **options: Any) -> None:
    """Verify rules and report what was found.

    Every setting is a flag, a variable GSLVERIFY_... of the environment, or a key of
    [tool.gslverify] in pyproject.toml; `--show-settings` tells which one counts.

    Exit codes: 0 nothing found, 1 findings, 2 wrong usage, 3 the verifier itself failed, 5 nothing
    was verified, 129, 130 and 143 ended by SIGHUP, Ctrl-C and SIGTERM, 141 the output was not read
    to its end.
    """
    resolved = resolved_settings(options)
    if options["show_settings"]:
        write(settings_lines(resolved))
        return
    # What verifies takes longer to load than all else here: --help and mistakes are told at once.
    import_module("gslverify.actions.checking").verify(resolved, paths, expression, options)
