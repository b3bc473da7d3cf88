"""One run of `gslverify check`: collect, verify, report, and say how it ended."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Protocol, TextIO

from gslverify.choice import Choice
from gslverify.corpus.declaration import Collected
from gslverify.engine.cache import Forgetful, Memory, Remembering
from gslverify.engine.cache.folder import CacheFolder
from gslverify.engine.cache.last_failed import LastFailed
from gslverify.engine.loop import verify
from gslverify.engine.pool import Workers
from gslverify.events import INTERRUPTED, Event, Live, Notify, RuleDone, RunDone, RunStarted
from gslverify.exits import Exit, excused, exit_code
from gslverify.failures import FailureFiles
from gslverify.report.delivery import deliver, deliver_step_summary
from gslverify.report.formats import STREAMED, render
from gslverify.report.jsonl import JsonLines
from gslverify.report.known import Known
from gslverify.report.progress import Heartbeat, LiveLine, Ticker
from gslverify.report.record import Report
from gslverify.report.statistics import statistics_lines
from gslverify.report.style import DEFAULT_WIDTH, Style
from gslverify.report.text import TextReport
from gslverify.settings import Settings
from gslverify.stages import WAVES, Wave
from gslverify.stopping import stopped_by_signals

LIBRARY = "gslverify.library.remarks"
"""Loaded when it is asked for, as it needs the solver."""


class Consumer(Protocol):
    """Whatever follows a run."""

    def consume(self, event: Event) -> None:
        """Take one event."""


@dataclass(frozen=True, slots=True)
class Output:
    """What is written where.

    Without a file, standard output has the report in `format`; with one, `file` has it and
    standard output the text. `reports` are further files with their formats. `argv` are the
    arguments of the command, which some formats note. With `everything`, rules without problems
    are drawn, too; with `statistics`, the text says where the time went. Failures that are `known`
    have one line.
    """

    format: str = "full"
    file: Path | None = None
    style: Style = field(default_factory=Style)
    argv: tuple[str, ...] = ()
    reports: tuple[tuple[str, Path], ...] = ()
    everything: bool = False
    statistics: bool = False
    known: Known | None = None

    @property
    def shown(self) -> str:
        """The format of standard output."""
        return self.format if self.file is None else STREAMED[0]

    @property
    def files(self) -> list[tuple[str, Path]]:
        """All reports that are written to files."""
        own = [] if self.file is None else [(self.format, self.file)]
        return [*own, *self.reports]


Conclude = Callable[[Report], Report]


class Amendment(Protocol):
    """What becomes of the events of a run before anybody sees them."""

    def events(self, events: Generator[Event, None, None]) -> Generator[Event, None, None]:
        """Return the events that are told in place of others, RunDone last."""

    def live(self, live: Live) -> Live:
        """Return a live event as it is shown."""


def as_it_is(report: Report) -> Report:
    """Leave a report as it is."""
    return report


def run_check(
    selectors: Sequence[str],
    settings: Settings,
    output: Output,
    expression: str = "",
    waves: Sequence[Wave] = WAVES,
    conclude: Conclude = as_it_is,
    amendment: Amendment | None = None,
) -> Exit:
    """Verify the rules that `selectors` name and `expression` picks; write the reports.

    `conclude` has the last word about the exit code, and may remark something. With an `amendment`
    other events are told than those of the engine.

    What rule files print goes to standard error, so that programs can read standard output.
    Raises SelectionError for an expression that cannot be read, and ClusterError where there is no
    cluster to work with.
    """
    stdout = sys.stdout
    with stopped_by_signals() as stop:
        consumers = partial(_streams, output, stdout)
        over = carry_out(selectors, settings, expression, waves, consumers, amendment)
    report = Report(
        over.done,
        settings,
        tuple(selectors),
        stop.code(over.code),
        output.argv,
        replace(output.style, width=DEFAULT_WIDTH, colour=False),
        collected=over.collected,
        everything=output.everything,
        expression=expression,
    )
    concluded = conclude(report)
    code = excused(Exit(concluded.exit_code), settings)
    return _deliver(replace(concluded, exit_code=code), output, stdout)


@dataclass(frozen=True, slots=True)
class Over:
    """A run that is over: its end, what was collected, and its exit code."""

    done: RunDone
    collected: tuple[Collected, ...]
    code: Exit


def carry_out(
    selectors: Sequence[str],
    settings: Settings,
    expression: str = "",
    waves: Sequence[Wave] = WAVES,
    consumers: Callable[[Ticker], Iterable[Consumer]] = lambda ticker: (),
    amendment: Amendment | None = None,
) -> Over:
    """Verify rules and report nothing but to `consumers`, which are given what shows progress.

    The `amendment` is that of `run_check`. What is printed meanwhile goes to standard
    error. Raises as `run_check` does.
    """
    with redirect_stdout(sys.stderr):
        with Choice(selectors, expression, settings) as choice:
            try:
                chosen = choice.first()
            except KeyboardInterrupt:
                return _ended_early(settings, consumers)
            if settings.library:
                chosen = _with_remarks(chosen, settings)
            collected = part_of(chosen, *settings.shard)
            ticker = ticker_on(sys.stderr)
            keep = FailureFiles(Path(settings.failures_folder), settings.seed).keep
            memory = memory_of(settings)
            workers = workers_of(settings, ticker)
            failed = LastFailed(Path(settings.cache_folder))
            first = failed.read() if settings.cache else ()
            live = ticker.live if amendment is None else _amended(ticker, amendment)
            late = choice.rest if choice.late else None
            events = verify(collected, settings, waves, live, keep, memory, workers, first, late)
            if amendment is not None:
                events = amendment.events(events)
            done = choice.in_order(_follow(events, ticker, list(consumers(ticker))))
        if settings.cache:
            failed.note(done.results)
        collected = choice.in_source_order(collected)
    # A part may be empty where there are fewer rules than parts, none that has changed, or none.
    may_be_empty = bool(chosen) or bool(settings.changed_since) or settings.allow_no_rules
    code = Exit.CLEAN if may_be_empty and not collected else exit_code(done, settings)
    return Over(done, tuple(collected), code)


def _ended_early(settings: Settings, consumers: Callable[[Ticker], Iterable[Consumer]]) -> Over:
    """Return the end of a run that was ended while files were imported, and tell of it."""
    done = RunDone((), 0.0, INTERRUPTED)
    for consumer in consumers(ticker_on(sys.stderr)):
        consumer.consume(RunStarted((), settings.stages, settings))
        consumer.consume(done)
    return Over(done, (), Exit.INTERRUPTED)


def ticker_on(stream: TextIO) -> Ticker:
    """Return what shows progress: a live line on a terminal, else a line now and then."""
    return LiveLine(stream) if stream.isatty() else Heartbeat(stream)


def _amended(ticker: Ticker, amendment: Amendment) -> Notify:
    return lambda live: ticker.live(amendment.live(live))


def _with_remarks(collected: list[Collected], settings: Settings) -> list[Collected]:
    """Return what was collected with what rules do to each other; loads the solver."""
    remarks: Callable[..., list[Collected]] = import_module(LIBRARY).with_remarks
    return remarks(collected, settings)


def memory_of(settings: Settings, mark: str = "") -> Memory:
    """Return what keeps results where settings allow it; see `Remembering` for the mark."""
    if not settings.cache:
        return Forgetful()
    return Remembering(CacheFolder(Path(settings.cache_folder)), settings, mark)


def workers_of(settings: Settings, ticker: Ticker) -> Workers | None:
    """Return the workers of a cluster, None for processes of this machine."""
    if settings.executor == "local":
        return None
    # Only who asks for a cluster needs what talks to it.
    cluster = import_module("gslverify.engine.cluster")
    workers: Workers = cluster.Cluster(settings.executor, settings, ticker.live)
    return workers


def part_of(items: Sequence[Collected], number: int, count: int) -> list[Collected]:
    """Return one of `count` parts, numbered from 1, in which rules are dealt out in turn."""
    return list(items[number - 1 :: count])


def _deliver(report: Report, output: Output, stdout: TextIO) -> Exit:
    """Write what is not written yet; return the exit code, which tells of files that failed."""
    if output.shown in STREAMED:
        statistics = statistics_lines(report) if output.statistics else ()
        for line in (*report.remarks, *statistics):
            print(report.style.plain(line), file=stdout)
    if output.shown not in (*STREAMED, "jsonl"):
        stdout.write(render(output.shown, report))
    stdout.flush()
    failures, written = _written(report, output.files)
    if output.shown == "github":
        failures += deliver_step_summary(report, os.environ)
    for failure in failures:
        print(failure, file=sys.stderr)
    code = Exit(report.exit_code)
    code = Exit.INTERNAL if failures and code is Exit.CLEAN else code
    if output.files and output.shown in STREAMED:
        names = "  ".join(map(str, written)) or "none"
        print(f"reports: {names}    exit {int(code)}", file=stdout)
    return code


def _written(report: Report, files: Sequence[tuple[str, Path]]) -> tuple[list[str], list[Path]]:
    """Write reports to files; return what went wrong, and the files that are there now."""
    failures: list[str] = []
    written: list[Path] = []
    for name, path in files:
        problems = list(deliver(report, [(name, path)], os.environ))
        failures += problems
        written += [] if problems else [path]
    return failures, written


def _streams(output: Output, stdout: TextIO, ticker: Ticker) -> Iterator[Consumer]:
    """Yield what writes to standard output while the run goes on."""

    def show(line: str) -> None:
        ticker.pause()
        print(line, file=stdout, flush=True)

    if output.shown in STREAMED:
        yield TextReport(show, output.style, output.known)
    elif output.shown == "jsonl":
        yield JsonLines(show)


def _follow(
    events: Generator[Event, None, None], ticker: Ticker, reports: Sequence[Consumer]
) -> RunDone:
    results = []
    consumers: list[Callable[[Event], None]] = [ticker.consume, *(r.consume for r in reports)]
    done = RunDone((), 0.0, INTERRUPTED)
    try:
        for event in events:
            if isinstance(event, RuleDone):
                results.append(event.result)
            if isinstance(event, RunDone):
                done = event
                ticker.close()
            for consume in consumers:
                consume(event)
            ticker.resume()
    except KeyboardInterrupt:
        # It struck while a report was written; the engine handles those that strike elsewhere.
        events.close()
        done = RunDone(tuple(results), 0.0, INTERRUPTED)
        for report in reports:
            report.consume(done)
    finally:
        ticker.close()
    return done
