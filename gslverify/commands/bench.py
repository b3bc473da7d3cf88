"""`gslverify bench`: how long verifying takes, and where the time goes."""

from __future__ import annotations

from typing import Any

import click

from gslverify.commands.parameters import (
    EFFORT,
    SELECTION,
    SettingType,
    acted,
    option,
    with_options,
)
from gslverify.configuration.table import TABLE
from gslverify.kinds import LIMIT

OPTIONS = (
    option(TABLE["cache"]),
    click.option("--json", "as_json", is_flag=True, help="Print an object for programs."),
    click.option(
        "--fail-over",
        type=SettingType(LIMIT),
        metavar="60s|10m",
        help="Exit with 1 if the run takes longer. Default: no time is too long.",
    ),
)


@click.command()
@with_options((*SELECTION, *EFFORT, *OPTIONS))
@acted
def bench(**options: Any) -> None:
    """Verify rules and tell where the time went; no verdict is printed.

    Shows times by stage and rule, rules a second, and what came from the cache; `--no-cache`
    measures the work itself.

    Exit codes: 0 done, whatever was found; 1 it took longer than --fail-over; 2 wrong usage, 5
    there is no rule, 130 interrupted.
    """
