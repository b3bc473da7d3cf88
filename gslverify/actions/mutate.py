"""`gslverify mutate`: break rules on purpose and see how much is noticed."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click

from gsl.errors import did_you_mean
from gslverify.actions.appearance import chosen_style
from gslverify.actions.reading import failure, require_written
from gslverify.atomic import reason_of
from gslverify.choice import chosen_rules
from gslverify.commands.parameters import (
    resolved_settings,
)
from gslverify.configuration.resolve import Resolved
from gslverify.corpus.declaration import CollectedRule, Unusable
from gslverify.corpus.selection import SelectionError
from gslverify.engine.cluster import ClusterError
from gslverify.events import RunDone
from gslverify.exits import Exit
from gslverify.mutate import A_MOMENT, Campaign, LossError, Means, refuted
from gslverify.mutation.mutants import operators
from gslverify.mutation.score import Judged, Score
from gslverify.report.delivery import write_report
from gslverify.report.mutants import campaign_document, campaign_json, campaign_lines
from gslverify.report.progress import Heartbeat, LiveLine, Ticker
from gslverify.session import memory_of, workers_of
from gslverify.settings import Settings

DEFAULTS = Settings()
FOR_ONE_RULE = 30.0
"""Seconds for the mutants of one rule, which an author waits for."""
WITHOUT_HINTS = "-mutant"
"""Behind the keys of kept results, so that nobody else takes them for results with hints."""


def mutate(paths: tuple[str, ...], expression: str, **options: Any) -> None:
    """Break rules on purpose and see how much is noticed."""
    options["operators"] = _operators(options["operators"])
    resolved = resolved_settings(options)
    settings = resolved.settings
    selectors = paths or settings.rules
    if not selectors:
        raise click.UsageError("name files or folders, or set `rules` in [tool.gslverify]")
    try:
        with redirect_stdout(sys.stderr):
            rules = _sound_rules(selectors, expression, settings)
    except SelectionError as error:
        raise click.UsageError(str(error)) from error
    if not rules:
        click.echo("there is no rule to break: all are expected to fail", err=True)
        sys.exit(Exit.NO_RULES)
    number = options["mutant"].upper()
    if len(rules) == 1 and not options["sample"] and resolved.values["budget"].origin == "default":
        settings = replace(settings, budget=FOR_ONE_RULE)
    named = len(rules)
    if not number and not options["sample"]:
        rules, settings = _that_hold(rules, settings)
    try:
        drawn = Campaign.of(
            rules, options["operators"], options["sample"], settings.seed, number, settings.jobs
        )
    except LossError as error:
        raise click.UsageError(str(error)) from error
    if number and not drawn.size:
        raise click.UsageError(f"no rule has a mutant {number}; `gslverify mutate -v` lists them")
    try:
        over = _carry_out(drawn, settings)
    except ClusterError as error:
        raise click.UsageError(str(error)) from error
    _report(over, drawn, resolved, options)
    low = len(rules) < named or Score.of(over.judged).least < options["fail_under"]
    sys.exit(Exit.INTERRUPTED if over.interrupted else Exit.FINDINGS if low else Exit.CLEAN)


def _operators(text: str) -> tuple[str, ...]:
    names = tuple(name.strip().upper() for name in text.split(",") if name.strip())
    for name in names:
        if name not in operators():
            hint = did_you_mean(name, operators()) or f"they are {', '.join(operators())}"
            message = f"there is no mutation operator `{name}`; {hint}"
            raise click.BadParameter(message, param_hint="--operators")
    return names


def _sound_rules(paths: Sequence[str], expression: str, settings: Settings) -> list[CollectedRule]:
    """Return the rules to break; raise UsageError for what cannot be collected or written down."""
    found: list[CollectedRule] = []
    for item in chosen_rules(paths, expression, settings):
        if isinstance(item, Unusable):
            raise failure(item.finding)
        if item.rule.expect:
            continue
        require_written(item)
        found.append(item)
    return found


def _that_hold(
    rules: Sequence[CollectedRule], settings: Settings
) -> tuple[list[CollectedRule], Settings]:
    """Return the rules that were not refuted, and settings with the time that is left.

    The others are named; if there is nothing else, that is all.
    """
    started = time.monotonic()
    wrong = _told_wrong(rules, settings)
    holding = [item for item in rules if item.rule_id not in wrong]
    if not holding:
        sys.exit(Exit.FINDINGS)
    if settings.budget:
        left = settings.budget - (time.monotonic() - started)
        settings = replace(settings, budget=max(left, A_MOMENT))
    return holding, settings


def _told_wrong(rules: Sequence[CollectedRule], settings: Settings) -> set[str]:
    """Return the ids of rules that do not hold themselves, and say so."""
    wrong = {}
    try:
        with redirect_stdout(sys.stderr), _ticking() as means:
            for result in refuted(rules, settings, means):
                codes = {str(f.code) for f in result.findings if not f.code.is_warning}
                wrong[result.rule_id] = ", ".join(sorted(codes))
    except KeyboardInterrupt:
        sys.exit(Exit.INTERRUPTED)
    for rule_id, found in wrong.items():
        said = f"{rule_id} does not hold itself ({found}), so its mutants tell nothing"
        click.echo(f"{said}; see `gslverify check {shlex.quote(rule_id)}`", err=True)
    return set(wrong)


@contextmanager
def _ticking() -> Iterator[Means]:
    """Yield what a run needs, with a line that shows how far it is."""
    ticker: Ticker = LiveLine(sys.stderr) if sys.stderr.isatty() else Heartbeat(sys.stderr)
    try:
        yield Means(
            notify=ticker.live,
            watch=ticker.consume,
            memory_of=lambda settings: memory_of(settings, WITHOUT_HINTS),
            workers_of=lambda settings: workers_of(settings, ticker),
        )
    finally:
        ticker.close()


@dataclass(slots=True)
class _Over:
    """A campaign that is over, or was interrupted."""

    judged: list[Judged] = field(default_factory=list)
    interrupted: bool = False


def _carry_out(campaign: Campaign, settings: Settings) -> _Over:
    over = _Over(list(campaign.judged))
    with redirect_stdout(sys.stderr), _ticking() as means:
        run = campaign.run(settings, means)
        try:
            while True:
                over.judged.append(next(run))
        except StopIteration as end:
            done: RunDone = end.value
            over.interrupted = done.interrupted
        except KeyboardInterrupt:
            run.close()
            over.interrupted = True
    return over


def _report(over: _Over, campaign: Campaign, resolved: Resolved, options: dict[str, Any]) -> None:
    left_out = campaign.size - len(over.judged)
    if options["output_format"] == "json":
        said = {name: options[name] for name in ("operators", "sample", "fail_under")}
        said |= {"seed": resolved.settings.seed, "max_examples": resolved.settings.max_examples}
        document = campaign_document(over.judged, left_out, said)
        text = campaign_json(document)
    else:
        style = chosen_style(
            resolved["color"], resolved["quiet"], resolved["verbose"], resolved["ascii"]
        )
        if options["mutant"]:  # its fate is what is asked for
            style = replace(style, verbosity=1)
        lines = campaign_lines(over.judged, left_out, style, options["fail_under"])
        text = "\n".join(lines) + "\n"
    if options["output_file"] is None:
        click.echo(text, nl=False)
    else:
        _write(options["output_file"], text)


def _write(path: Path, text: str) -> None:
    try:
        write_report(path, text)
    except OSError as error:
        click.echo(f"{path} cannot be written: {reason_of(error)}; the report follows", err=True)
        click.echo(text, nl=False)
        sys.exit(Exit.INTERNAL)
