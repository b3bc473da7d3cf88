"""`gslverify compare`: two JSON reports by the rules of the gate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gslverify.commands.parameters import GATE, acted, with_options

FILE = click.Path(path_type=Path)


@click.command()
@click.argument("old", type=FILE, metavar="OLD.json")
@click.argument("new", type=FILE, metavar="NEW.json")
@click.option(
    "--output-format",
    "form",
    type=click.Choice(["text", "markdown"]),
    default="text",
    show_default=True,
    help="Lines for a terminal, or a comment for a pull request.",
)
@with_options(GATE)
@acted
def compare(**options: Any) -> None:
    """Say what changed between two reports of `gslverify check --output-format json`.

    The exit codes are those of the gate: 1 for a regression, else 0; 2 for files that are no
    reports, or of two profiles. What has become slower is told and never fails.
    """
