"""`gslverify mutate`: break rules on purpose and see how much is noticed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from gsl.errors import did_you_mean
from gslverify.commands.appearance import chosen_style
from gslverify.commands.parameters import SELECTION, jobs, output_file, with_options
from gslverify.commands.reading import failure
from gslverify.corpus import CollectedRule, Unusable, writable
from gslverify.events import RunDone
from gslverify.exits import Exit
from gslverify.finding import Finding
from gslverify.mutate import Campaign
from gslverify.mutation.mutants import operators
from gslverify.mutation.score import Judged, Score
from gslverify.report.mutants import campaign_document, campaign_json, campaign_lines
from gslverify.report.progress import Heartbeat, LiveLine, Ticker
from gslverify.selection import SelectionError
from gslverify.session import chosen_rules
from gslverify.settings import Settings, enough_examples
from gslverify.stage import Question
from gslverify.stages.static import write_down

DEFAULTS = Settings()


def _operators(context: click.Context, parameter: click.Parameter, text: str) -> tuple[str, ...]:
    names = tuple(name.strip().upper() for name in text.split(",") if name.strip())
    for name in names:
        if name not in operators():
            hint = did_you_mean(name, operators()) or f"they are {', '.join(operators())}"
            raise click.BadParameter(f"there is no mutation operator `{name}`; {hint}")
    return names


OPTIONS = (
    click.option(
        "--operators",
        default="",
        callback=_operators,
        metavar="LIST",
        help="Mutation operators to apply, such as M01,M15. Default: all.",
    ),
    click.option(
        "--sample",
        type=click.IntRange(1),
        metavar="N",
        help="Verify N mutants, drawn at random. Default: all.",
    ),
    click.option(
        "--seed",
        type=click.IntRange(0),
        default=DEFAULTS.seed,
        show_default=True,
        help="Start of all random choices.",
    ),
    click.option(
        "--fail-under",
        type=click.FloatRange(0, 100),
        default=0.0,
        metavar="PERCENT",
        help="Exit with 1 if the score is lower.",
    ),
    click.option(
        "-n",
        "--max-examples",
        type=click.IntRange(1),
        default=DEFAULTS.max_examples,
        show_default=True,
        help="Graphs per mutant in the numeric stage.",
    ),
    click.option("--no-tvm", is_flag=True, help="Run the numeric stage on NumPy only."),
    click.option(
        "-j",
        "--jobs",
        default="auto",
        callback=jobs,
        metavar="N|auto",
        help="Worker processes; 0 verifies in this one. Default: one per processor.",
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
    click.option("-q", "--quiet", is_flag=True, help="Only survivors and the score."),
    click.option("-v", "--verbose", is_flag=True, help="A table of the rules, too."),
    click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        show_default=True,
        help="Colour on standard output.",
    ),
    click.option("--ascii", "ascii_only", is_flag=True, help="No characters outside ASCII."),
)


@click.command()
@with_options((*SELECTION, *OPTIONS))
def mutate(paths: tuple[str, ...], expression: str, **options: Any) -> None:
    """Break rules on purpose and see how much is noticed.

    Every rule that should pass is changed in all ways that are known to have gone wrong; each
    change should be refuted. The score is the share of those that are, among the mutants that
    are neither refused by the language nor right. See docs/explanation/mutation.md.

    Exit codes: 0 done, 1 the score is below --fail-under, 2 wrong usage, 5 there is no rule to
    break, 130 interrupted.
    """
    try:
        with redirect_stdout(sys.stderr):
            rules = _sound_rules(paths, expression)
    except SelectionError as error:
        raise click.UsageError(str(error)) from error
    if not rules:
        click.echo("there is no rule to break: all are expected to fail", err=True)
        sys.exit(Exit.NO_RULES)
    drawn = Campaign.of(rules, options["operators"], options["sample"], options["seed"])
    over = _carry_out(drawn, options)
    _report(over, drawn, options)
    low = Score.of(over.judged).percent < options["fail_under"]
    sys.exit(Exit.INTERRUPTED if over.interrupted else Exit.FINDINGS if low else Exit.CLEAN)


def _sound_rules(paths: Sequence[str], expression: str) -> list[CollectedRule]:
    """Return the rules to break; raise UsageError for what cannot be collected or written down."""
    seconds = DEFAULTS.load_timeout
    found: list[CollectedRule] = []
    for item in writable(chosen_rules(paths, expression, seconds), seconds):
        if isinstance(item, Unusable):
            raise failure(item.finding)
        if item.rule.expect:
            continue
        written = write_down(Question(item.rule_id, item.rule, DEFAULTS))
        if isinstance(written, Finding):
            raise failure(written)
        found.append(item)
    return found


@dataclass(slots=True)
class _Over:
    """A campaign that is over, or was interrupted."""

    judged: list[Judged] = field(default_factory=list)
    interrupted: bool = False


def _carry_out(campaign: Campaign, options: dict[str, Any]) -> _Over:
    ticker: Ticker = LiveLine(sys.stderr) if sys.stderr.isatty() else Heartbeat(sys.stderr)
    over = _Over(list(campaign.judged))
    run = campaign.run(_settings(options), notify=ticker.live, watch=ticker.consume)
    try:
        with redirect_stdout(sys.stderr):
            while True:
                over.judged.append(next(run))
    except StopIteration as end:
        done: RunDone = end.value
        over.interrupted = done.interrupted
    except KeyboardInterrupt:
        run.close()
        over.interrupted = True
    finally:
        ticker.pause()
    return over


def _settings(options: dict[str, Any]) -> Settings:
    most = options["max_examples"]
    return Settings(
        max_examples=most,
        min_examples=enough_examples(most),
        seed=options["seed"],
        use_tvm=not options["no_tvm"],
        jobs=options["jobs"],
    )


def _report(over: _Over, campaign: Campaign, options: dict[str, Any]) -> None:
    left_out = campaign.size - len(over.judged)
    if options["output_format"] == "json":
        names = ("operators", "sample", "seed", "max_examples", "fail_under")
        document = campaign_document(over.judged, left_out, {name: options[name] for name in names})
        text = campaign_json(document)
    else:
        style = chosen_style(
            options["color"], options["quiet"], options["verbose"], options["ascii_only"]
        )
        text = "\n".join(campaign_lines(over.judged, left_out, style)) + "\n"
    if options["output_file"] is None:
        click.echo(text, nl=False)
    else:
        options["output_file"].write_text(text, encoding="utf-8")
