"""`gslverify mutate`: break rules on purpose and see how much is noticed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gslverify.commands.parameters import (
    EFFORT_FOR_MUTANTS,
    RULES,
    acted,
    option,
    output_file,
    with_options,
)
from gslverify.configuration.table import TABLE

OF_ALL_COMMANDS = ("quiet", "verbose", "color", "ascii", "cache", "cache-folder")
OPTIONS = (
    click.option(
        "--operators",
        default="",
        metavar="LIST",
        help="Mutation operators to apply, such as M01,M15. Default: all.",
    ),
    click.option(
        "--mutant",
        default="",
        metavar="NUMBER",
        help="Only the mutant of each rule with this number, such as M01.2. Default: all.",
    ),
    click.option(
        "--sample",
        type=click.IntRange(1),
        metavar="N",
        help="Verify N mutants, drawn at random. Default: all.",
    ),
    click.option(
        "--fail-under",
        type=click.FloatRange(0, 100),
        default=0.0,
        metavar="PERCENT",
        help="Exit with 1 if the score is lower.",
    ),
    click.option(
        "--output-format",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help="Format of the report.",
    ),
    click.option(
        "-o",
        "output_file",
        type=click.Path(dir_okay=False, writable=True, path_type=Path),
        callback=output_file,
        metavar="FILE",
        help="Write the report to FILE instead of the terminal.",
    ),
    *(option(TABLE[name]) for name in OF_ALL_COMMANDS),
)


@click.command()
@with_options((*RULES, *OPTIONS, *EFFORT_FOR_MUTANTS))
@acted
def mutate(**options: Any) -> None:
    """Break rules on purpose and see how much is noticed.

    Every rule that should pass is changed in all ways that are known to have gone wrong; each
    change should be refuted. The score is the share of those that are, among the mutants that
    are neither refused by the language nor right. One rule alone gets 30 seconds, unless --budget
    or --sample is given. See docs/explanation/mutation.md.

    Exit codes: 0 done, 1 the score is below --fail-under or a rule does not hold itself, 2 wrong
    usage, 5 there is no rule to break, 130 interrupted.
    """
