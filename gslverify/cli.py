"""The command line: `gslverify [check] PATH|PATH::RULE ...`, `list`, `show`, `explain`."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from functools import reduce
from pathlib import Path
from typing import Any

import click

from gsl.errors import did_you_mean
from gslverify import __version__
from gslverify.codes.corpus import SELECTION as SELECTION_CODES
from gslverify.corpus import Collected, Unusable, collect, relative, writable
from gslverify.events import INTERRUPTED
from gslverify.exits import Exit
from gslverify.finding import Finding
from gslverify.pages import (
    UnknownCodeError,
    code_list,
    code_page,
    operator_list,
    rule_list,
    show_rule,
)
from gslverify.report.style import DEFAULT_WIDTH, NARROWEST, Style
from gslverify.selection import SelectionError
from gslverify.session import Output, run_check
from gslverify.settings import STAGES, Settings, automatic_jobs, enough_examples
from gslverify.stage import Question
from gslverify.stages.static import write_down

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
PATHS = "PATH|PATH::RULE ..."
DEFAULTS = Settings()

Command = Callable[..., Any]


class DefaultsToCheck(click.Group):
    """A group that takes anything that is not a command for the arguments of `check`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `check` in front where no command is named."""
        own = {name for parameter in self.get_params(ctx) for name in parameter.opts}
        if args and args[0] not in self.commands and args[0] not in own:
            meant = did_you_mean(args[0], self.commands)
            if meant and args[0].isidentifier() and not Path(args[0]).exists():
                raise click.UsageError(f"there is no command `{args[0]}`; {meant}", ctx)
            args = ["check", *args]
        ctx.obj = tuple(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; Ctrl-C ends it with the exit code that shells expect."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo(INTERRUPTED, err=True)
            ctx.exit(Exit.INTERRUPTED)


@click.group(cls=DefaultsToCheck, context_settings=CONTEXT)
@click.version_option(__version__, message="gslverify %(version)s")
def main() -> None:
    """Verify rewrite rules of deep-learning compilers.

    `gslverify PATH` is short for `gslverify check PATH`.
    """


def _stages(context: click.Context, parameter: click.Parameter, text: str) -> tuple[str, ...]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise click.BadParameter(f"no stage is named; stages are {', '.join(STAGES)}")
    for name in names:
        if name not in STAGES:
            hint = did_you_mean(name, STAGES) or f"stages are {', '.join(STAGES)}"
            raise click.BadParameter(f"there is no stage `{name}`; {hint}")
    return tuple(name for name in STAGES if name in names)


def _jobs(context: click.Context, parameter: click.Parameter, text: str) -> int:
    if text == "auto":
        return automatic_jobs()
    if text.isdecimal():
        return int(text)
    raise click.BadParameter(f"`{text}` is neither a number nor `auto`")


def _paths(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...] | str
) -> tuple[str, ...] | str:
    for text in (given,) if isinstance(given, str) else given:
        path, separator, name = text.partition("::")
        if not path:
            raise click.BadParameter(f"`{text}` names no file; write FILE, FOLDER or FILE::RULE")
        if separator and not name:
            raise click.BadParameter(f"`{text}` names no rule; write {path} or {path}::RULE")
    return given


def _output(context: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    if path is not None and path.is_dir():
        raise click.BadParameter(f"`{path}` is a folder; name a file")
    if path is not None and not path.absolute().parent.is_dir():
        raise click.BadParameter(f"there is no folder `{path.parent}`")
    return path


SELECTION = (
    click.argument("paths", nargs=-1, required=True, callback=_paths, metavar=PATHS),
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
        callback=_stages,
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
        callback=_jobs,
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
        callback=_output,
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


def _with(options: tuple[Command, ...]) -> Command:
    return lambda command: reduce(lambda inner, option: option(inner), reversed(options), command)


@main.command()
@_with((*SELECTION, *EFFORT, *OUTPUT))
def check(paths: tuple[str, ...], expression: str, **options: Any) -> None:
    """Verify rules and report what was found.

    Exit codes: 0 nothing found, 1 findings, 2 wrong usage, 3 the verifier itself failed, 5 nothing
    was verified, 130 interrupted.
    """
    style = _style(options["color"], options["quiet"], options["verbose"], options["ascii_only"])
    output = Output(
        options["output_format"], options["output_file"], style, click.get_current_context().obj
    )
    try:
        code = run_check(paths, _settings(options), output, expression)
    except SelectionError as error:
        raise click.UsageError(str(error)) from error
    sys.exit(code)


def _settings(options: dict[str, Any]) -> Settings:
    most, least = options["max_examples"], options["min_examples"]
    if least is not None and least > most:
        raise click.UsageError(
            f"--min-examples {least} can never be reached with -n {most}; raise -n or lower it"
        )
    return Settings(
        stages=options["stages"],
        max_examples=most,
        min_examples=enough_examples(most) if least is None else least,
        seed=options["seed"],
        use_tvm=not options["no_tvm"],
        keep_going=options["keep_going"],
        max_failures=1 if options["stop_at_first"] else options["max_failures"],
        jobs=options["jobs"],
        load_timeout=options["load_timeout"],
    )


def _style(color: str, quiet: bool, verbose: bool, ascii_only: bool) -> Style:
    terminal = sys.stdout.isatty()
    columns = shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns if terminal else DEFAULT_WIDTH
    return Style(
        width=max(columns, NARROWEST),
        colour=color == "always" or (color == "auto" and _wants_colour(terminal)),
        ascii_only=ascii_only or not _writes_unicode(),
        verbosity=int(verbose) - int(quiet),
    )


def _writes_unicode() -> bool:
    return "utf" in (sys.stdout.encoding or "").lower()


def _wants_colour(terminal: bool) -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return terminal or bool(os.environ.get("FORCE_COLOR"))


@main.command("list")
@click.argument("paths", nargs=-1, callback=_paths, metavar=PATHS)
@click.option("--operators", is_flag=True, help="The declared operators instead of rules.")
def list_command(paths: tuple[str, ...], operators: bool) -> None:
    """List rules with their equations, tags and expectations."""
    if operators:
        _print(operator_list())
        return
    if not paths:
        raise click.UsageError("name a file or folder, or ask for --operators")
    _print(rule_list(_collected(paths)))


@main.command()
@click.argument("rule_id", callback=_paths, metavar="PATH::RULE")
@click.option("--tree", "form", flag_value="tree", help="As two trees.")
@click.option("--mermaid", "form", flag_value="mermaid", help="As a Mermaid flowchart.")
@click.option("--dot", "form", flag_value="dot", help="As a Graphviz digraph.")
def show(rule_id: str, form: str | None) -> None:
    """Show the source and the target of a rule."""
    for item in writable(_collected((rule_id,)), DEFAULTS.load_timeout):
        if isinstance(item, Unusable):
            raise _failure(item.finding)
        written = write_down(Question(item.rule_id, item.rule, DEFAULTS))
        if isinstance(written, Finding):
            raise _failure(written)
        _print(show_rule(item, written, form or "text"))


@main.command()
@click.argument("code", required=False)
@click.option("--list", "list_all", is_flag=True, help="All codes with their titles.")
def explain(code: str | None, list_all: bool) -> None:
    """Explain a code: what it means, a rule with it and one without."""
    if list_all:
        _print(code_list())
        return
    if code is None:
        raise click.UsageError("name a code such as GSL401, or ask for --list")
    try:
        _print(code_page(code))
    except UnknownCodeError as error:
        raise click.UsageError(str(error)) from error


def _collected(paths: tuple[str, ...]) -> list[Collected]:
    with redirect_stdout(sys.stderr):
        collected = collect(paths)
    for item in collected:
        if isinstance(item, Unusable) and item.finding.code in SELECTION_CODES:
            raise _failure(item.finding)
    return collected


def _failure(finding: Finding) -> click.UsageError:
    span = finding.span
    place = f"{relative(Path(span.file))}:{span.line}:{span.column}: " if span else ""
    return click.UsageError(f"{place}{finding.code} {finding.message}; {finding.cure}")


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)
