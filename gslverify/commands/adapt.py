"""`gslverify adapt`: verify the rules and passes of another library, from their own source."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from gsl.lift import LiftedRule, rule_file
from gslverify.adapters import LIBRARIES
from gslverify.adapters.foreign import Lifted, Options
from gslverify.adapters.reading import Reading, read_rules
from gslverify.atomic import write_whole
from gslverify.commands.adapted_passes import pass_lines, write_scripts
from gslverify.commands.check import output_of
from gslverify.commands.parameters import (
    BASELINE_OR_NONE,
    EFFORT,
    GATE,
    OUTPUT,
    STORAGE,
    resolved_settings,
    with_options,
)
from gslverify.commands.writing import write
from gslverify.configuration.resolve import Resolved
from gslverify.endings import Exit
from gslverify.gate.baseline import BaselineError
from gslverify.gate.conclusion import at_the_gate, known_failures, known_results
from gslverify.session import run_check

FOLDER = Path(".gslverify", "adapted")
"""Where the rules are written down if no file is named."""


@click.command()
@click.argument("framework", metavar="LIBRARY", type=click.Choice(sorted(LIBRARIES)))
@click.argument("targets", nargs=-1, required=True, metavar="MODULE[:FUNCTION]...")
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
    help="How many graphs each pass is tried on.",
)
@click.option(
    "--sources",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="A file with sources to try passes on. Default: those that are shipped for them.",
)
@click.option("--level", default="", help="How much an optimiser does, by its own name for it.")
@with_options((*EFFORT, *GATE, *BASELINE_OR_NONE, *STORAGE, *OUTPUT))
def adapt(
    framework: str,
    targets: tuple[str, ...],
    only_list: bool,
    file: Path | None,
    read_timeout: float,
    graphs: int,
    sources: str | None,
    level: str,
    **options: Any,
) -> None:
    """Verify the rules and passes of another library, from their own source.

    The library is imported in a child process, which runs each rule at several sizes; what comes
    of it is written as rules of gsl and verified like these. A rule that cannot be written so is
    listed with its reason. Passes are tried on graphs that exercise them; what is found comes as
    a script that needs the library only.

    \b
    gslverify adapt relax tvm.relax.transform:AdjustMatmulOrder
    gslverify adapt torch torch._inductor.fx_passes.fuse_attention
    gslverify adapt torch my_project.patterns:register --write rules.py
    """
    resolved = resolved_settings(options)
    click.echo(f"reading {framework}: {', '.join(targets)}", err=True)
    how = Options(graphs, resolved.settings.seed, sources=sources or "", level=level)
    reading = read_rules(framework, targets, read_timeout, how)
    scripts = write_scripts(reading.passes, FOLDER / framework)
    write(pass_lines(reading.passes, scripts))
    found = Exit.FINDINGS if any(one.findings for one in reading.passes) else Exit.CLEAN
    write(_lines(reading, only_list))
    written = [one for one in reading.rules if one.text]
    if not written:
        none = Exit.NO_RULES if not reading.passes else found
        sys.exit(Exit.USAGE if reading.failure else none)
    path = file or FOLDER / framework / f"{_file_name(targets)}.py"
    _write_rules(path, f"Rules of {framework}, read from {', '.join(targets)}.", written)
    if only_list:
        write([f"written to {path}"])
        return
    code = _verified(path, resolved, options)
    sys.exit(code or (Exit.USAGE if reading.failure else found))


def _verified(path: Path, resolved: Resolved, options: dict[str, Any]) -> int:
    """Verify the rules that were written down; return the exit code."""
    settings = resolved.settings
    try:
        known = known_results(settings)
        return run_check(
            (str(path),),
            settings,
            replace(output_of(resolved, options), known=known_failures(known)),
            "",
            conclude=lambda report: at_the_gate(report, known, whole=True),
        )
    except BaselineError as error:
        raise click.UsageError(str(error)) from error


def _write_rules(path: Path, title: str, written: Sequence[Lifted]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = rule_file(title, [LiftedRule(one.name, one.text) for one in written])
    write_whole(path, text.encode())


def _lines(reading: Reading, with_names: bool) -> Iterator[str]:
    """Yield how many rules could be written, and why the others could not."""
    written = [one for one in reading.rules if one.text]
    if reading.rules or not reading.passes:
        yield f"{len(written)} of {len(reading.rules)} rules can be written as rules of gsl"
    if with_names:
        yield from (f"  {one.name}  {one.place}" for one in written)
    reasons: defaultdict[str, list[Lifted]] = defaultdict(list)
    for one in reading.rules:
        if not one.text:
            reasons[one.reason].append(one)
    for reason, rules in sorted(reasons.items(), key=lambda pair: -len(pair[1])):
        yield f"  not {', '.join(one.name for one in rules)}: {reason}"
    if reading.failure:
        yield f"reading ended early: {reading.failure}"


def _file_name(targets: Sequence[str]) -> str:
    return re.sub(r"\W+", "_", "_".join(targets)).strip("_")[:100]
