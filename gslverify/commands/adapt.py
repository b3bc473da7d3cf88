"""`gslverify adapt`: verify the rules and passes of another library, from their own source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gslverify.adapters import LIBRARIES
from gslverify.commands.parameters import (
    BASELINE_OR_NONE,
    EFFORT,
    GATE,
    OUTPUT,
    STORAGE,
    acted,
    with_options,
)


@click.command()
@click.argument("framework", metavar="LIBRARY", type=click.Choice(sorted(LIBRARIES)))
@click.argument("targets", nargs=-1, metavar="[MODULE[:FUNCTION]]...")
@click.option("--list", "only_list", is_flag=True, help="Say what can be read, verify nothing.")
@click.option(
    "--write",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Where the rules are written as rules of gsl. Default: a file below .gslverify/adapted.",
)
@click.option(
    "--read-timeout",
    type=click.FloatRange(0, min_open=True),
    default=900.0,
    show_default=True,
    metavar="SECONDS",
    help="Time for reading the library and trying its passes.",
)
@click.option(
    "--graphs",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="How many graphs each pass is tried on, and an optimiser as a whole with each kind.",
)
@click.option(
    "--sources",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="A file with sources to try passes on. Default: those that are shipped for them.",
)
@click.option("--level", default="", help="How much an optimiser does, by its own name for it.")
@with_options((*EFFORT, *GATE, *BASELINE_OR_NONE, *STORAGE, *OUTPUT))
@acted
def adapt(**options: Any) -> None:
    """Verify the rules and passes of another library, from their own source.

    The library is imported in a child process, which runs each rule at several sizes; what comes
    of it is written as rules of gsl and verified like these. A rule that cannot be written so is
    listed with its reason. Passes are tried on graphs that exercise them; what is found comes as
    a script that needs the library only. Without a MODULE, those are verified that the table
    [tool.gslverify.adapt] of the settings file lists for the library.

    \b
    gslverify adapt relax tvm.relax.transform:AdjustMatmulOrder
    gslverify adapt torch torch._inductor.fx_passes.fuse_attention
    gslverify adapt torch my_project.patterns:register --write rules.py
    """
