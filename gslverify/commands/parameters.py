"""Arguments and options that commands share, and what is wrong with their values."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import click

from gsl.errors import did_you_mean
from gslverify.settings import STAGES, Settings, automatic_jobs

PATHS = "PATH|PATH::RULE ..."
DEFAULTS = Settings()

Command = Callable[..., Any]


def stages(context: click.Context, parameter: click.Parameter, text: str) -> tuple[str, ...]:
    """Read a list of stages."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise click.BadParameter(f"no stage is named; stages are {', '.join(STAGES)}")
    for name in names:
        if name not in STAGES:
            hint = did_you_mean(name, STAGES) or f"stages are {', '.join(STAGES)}"
            raise click.BadParameter(f"there is no stage `{name}`; {hint}")
    return tuple(name for name in STAGES if name in names)


def jobs(context: click.Context, parameter: click.Parameter, text: str) -> int:
    """Read a number of workers."""
    if text == "auto":
        return automatic_jobs()
    if text.isdecimal():
        return int(text)
    raise click.BadParameter(f"`{text}` is neither a number nor `auto`")


def paths(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...] | str
) -> tuple[str, ...] | str:
    """Refuse a selector that names no file, or no rule behind its two colons."""
    for text in (given,) if isinstance(given, str) else given:
        path, separator, name = text.partition("::")
        if not path:
            raise click.BadParameter(f"`{text}` names no file; write FILE, FOLDER or FILE::RULE")
        if separator and not name:
            raise click.BadParameter(f"`{text}` names no rule; write {path} or {path}::RULE")
    return given


def output_file(
    context: click.Context, parameter: click.Parameter, path: Path | None
) -> Path | None:
    """Refuse a file that cannot be written because of where it is."""
    if path is not None and path.is_dir():
        raise click.BadParameter(f"`{path}` is a folder; name a file")
    if path is not None and not path.absolute().parent.is_dir():
        raise click.BadParameter(f"there is no folder `{path.parent}`")
    return path


SELECTION = (
    click.argument("paths", nargs=-1, required=True, callback=paths, metavar=PATHS),
    click.option(
        "-k",
        "expression",
        default="",
        metavar="EXPR",
        help="Only rules whose name or tags fit, such as 'conv and not group'.",
    ),
)

EFFORT = (
    click.option(
        "--stages",
        default=",".join(STAGES),
        callback=stages,
        metavar="LIST",
        help=f"Stages to run, of {', '.join(STAGES)}. The first always runs. Default: all.",
    ),
    click.option(
        "-n",
        "--max-examples",
        type=click.IntRange(1),
        default=DEFAULTS.max_examples,
        show_default=True,
        help="Graphs per rule in the numeric stage, or one for each structure of its source if "
        "these are more. TVM confirms a third of N, at least 25.",
    ),
    click.option(
        "--min-examples",
        type=click.IntRange(0),
        help="Graphs below which the numeric stage is INCONCLUSIVE. Default: a third, at most 20.",
    ),
    click.option(
        "--seed",
        type=click.IntRange(0),
        default=DEFAULTS.seed,
        show_default=True,
        help="Start of all random choices.",
    ),
    click.option("--no-tvm", is_flag=True, help="Run the numeric stage on NumPy only."),
    click.option("--keep-going", is_flag=True, help="Run later stages of refuted rules, too."),
    click.option("-x", "stop_at_first", is_flag=True, help="Stop at the first failure."),
    click.option(
        "--max-failures",
        type=click.IntRange(0),
        default=0,
        metavar="N",
        help="Stop after N failures. Default: never.",
    ),
    click.option(
        "-j",
        "--jobs",
        default="auto",
        callback=jobs,
        metavar="N|auto",
        help="Worker processes; 0 verifies in this one. Default: one per processor.",
    ),
    click.option(
        "--load-timeout",
        type=click.FloatRange(0, min_open=True),
        default=DEFAULTS.load_timeout,
        show_default=True,
        metavar="SECONDS",
        help="Time for importing a rule file, and for writing down one rule.",
    ),
)

OUTPUT = (
    click.option(
        "--output-format",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help="Format of the report; JSON without -o replaces the text.",
    ),
    click.option(
        "-o",
        "output_file",
        type=click.Path(dir_okay=False, writable=True, path_type=Path),
        callback=output_file,
        metavar="FILE",
        help="Write the report to FILE and the usual text to the terminal.",
    ),
    click.option(
        "-q", "--quiet", is_flag=True, help="Only problems, a line each, and the summary."
    ),
    click.option("-v", "--verbose", is_flag=True, help="Times, counts and everything found."),
    click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        show_default=True,
        help="Colour on standard output; auto heeds NO_COLOR and FORCE_COLOR.",
    ),
    click.option("--ascii", "ascii_only", is_flag=True, help="No characters outside ASCII."),
)


def with_options(options: tuple[Command, ...]) -> Command:
    """Return a decorator that gives a command all of `options`, in their order."""
    return lambda command: reduce(lambda inner, option: option(inner), reversed(options), command)
