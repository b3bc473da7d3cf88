"""`gslverify baseline`: the file of known results that a run is compared with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gslverify.commands.parameters import (
    BASELINE,
    EFFORT,
    PATHS,
    REPORTS,
    STORAGE,
    acted,
    with_options,
)
from gslverify.commands.parameters import paths as checked_paths

FROM = click.option(
    "--from",
    "report",
    type=click.Path(path_type=Path),
    metavar="REPORT",
    help="Take the results from a JSON report, such as one merged of shards; verify nothing.",
)
RULES = click.argument("paths", nargs=-1, callback=checked_paths, metavar=PATHS)
RUN = (BASELINE, *EFFORT, *STORAGE, *REPORTS)


@click.group()
def baseline() -> None:
    """Known results: write them down, tighten them, accept a failure, show them."""


@baseline.command("write")
@RULES
@FROM
@with_options(RUN)
@acted
def write_command(**options: Any) -> None:
    """Verify all rules and write down what was found, failures included."""


@baseline.command("update")
@RULES
@FROM
@with_options(RUN)
@acted
def update_command(**options: Any) -> None:
    """Verify all rules and ask for what they reach now; new failures are never accepted."""


@baseline.command("accept")
@click.argument("rule", metavar="PATH::RULE", callback=checked_paths)
@click.option("--reason", required=True, metavar="TEXT", help="Why the rule may be as it is.")
@click.option(
    "--expires",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="The last day on which it may.",
)
@FROM
@with_options(RUN)
@acted
def accept_command(**options: Any) -> None:
    """Verify one rule and let the baseline know it as it is, with the reason."""


@baseline.command("show")
@with_options((BASELINE,))
@acted
def show_command(**options: Any) -> None:
    """Show what is known, rules that do not pass first."""
