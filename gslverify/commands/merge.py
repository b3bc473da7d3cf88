"""`gslverify merge`: the reports of all shards of a run as one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gslverify.commands.parameters import (
    BASELINE_OR_NONE,
    GATE,
    acted,
    output_file,
    with_options,
)


@click.command()
@click.argument(
    "reports",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path),
    metavar="REPORT.json ...",
)
@click.option(
    "-o",
    "output",
    type=click.Path(path_type=Path),
    callback=output_file,
    metavar="FILE",
    help="Write the report there.",
)
@with_options((*GATE, *BASELINE_OR_NONE))
@acted
def merge(**options: Any) -> None:
    """Merge the JSON reports of all shards of a run into that of the whole run.

    Ends with the exit code that the whole run would have had, compared with the baseline if there
    is one. Without `--fail-on` the parts have said which verdicts are failures.
    """
