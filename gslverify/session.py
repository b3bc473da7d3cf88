"""One run of `gslverify check`: collect, verify, report, and say how it ended."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import TextIO

from gslverify.corpus import Collected, CollectedRule, Unusable, writable
from gslverify.engine import verify
from gslverify.events import INTERRUPTED, Event, RuleDone, RunDone
from gslverify.exits import Exit, exit_code
from gslverify.mutation.collect import collect_with_mutants
from gslverify.report import json as json_report
from gslverify.report.progress import Heartbeat, LiveLine, Ticker
from gslverify.report.style import Style
from gslverify.report.text import TextReport
from gslverify.selection import rule_selector
from gslverify.settings import Settings
from gslverify.stages import WAVES, Wave


@dataclass(frozen=True, slots=True)
class Output:
    """What is written where: text on standard output, and a report in `format` to `file`.

    JSON without a file takes standard output for itself, and notes the arguments in `argv`.
    """

    format: str = "text"
    file: Path | None = None
    style: Style = field(default_factory=Style)
    argv: tuple[str, ...] = ()

    @property
    def json_on_stdout(self) -> bool:
        """Whether standard output belongs to the JSON document."""
        return self.format == "json" and self.file is None


def run_check(
    selectors: Sequence[str],
    settings: Settings,
    output: Output,
    expression: str = "",
    waves: Sequence[Wave] = WAVES,
) -> Exit:
    """Verify the rules that `selectors` name and `expression` picks; write the report.

    What rule files print goes to standard error, so that programs can read standard output.
    Raises SelectionError for an expression that cannot be read.
    """
    stdout, copy = sys.stdout, StringIO()
    with redirect_stdout(sys.stderr):
        collected = writable(
            chosen_rules(selectors, expression, settings.load_timeout), settings.load_timeout
        )
        ticker: Ticker = LiveLine(sys.stderr) if sys.stderr.isatty() else Heartbeat(sys.stderr)
        reports = list(_text_reports(output, stdout, copy, ticker))
        events = verify(collected, settings, waves, ticker.live)
        done = _follow(events, ticker, reports)
    code = exit_code(done)
    if output.format == "json":
        document = json_report.document(done, settings, tuple(selectors), code, output.argv)
        copy.write(json_report.dumps(document))
    if output.file is not None:
        output.file.write_text(copy.getvalue(), encoding="utf-8")
    elif output.json_on_stdout:
        stdout.write(copy.getvalue())
    return code


def chosen_rules(
    selectors: Sequence[str], expression: str = "", seconds: float = Settings().load_timeout
) -> list[Collected]:
    """Return what `selectors` name, without the rules that the expression does not mean.

    What cannot be used is always included. Standard error is told when no rule is left. Raises
    SelectionError for an unreadable expression.
    """
    chosen = rule_selector(expression) if expression else lambda rule: True
    collected = collect_with_mutants(selectors, seconds)
    kept = [item for item in collected if isinstance(item, Unusable) or chosen(item.rule)]
    rules, kept_rules = (sum(isinstance(i, CollectedRule) for i in x) for x in (collected, kept))
    if rules and not kept_rules:
        print(f"-k {expression!r} selects none of {rules} rules", file=sys.stderr)
    return kept


def _text_reports(
    output: Output, stdout: TextIO, copy: StringIO, ticker: Ticker
) -> Iterator[TextReport]:
    def show(line: str) -> None:
        ticker.pause()
        print(line, file=stdout, flush=True)

    if not output.json_on_stdout:
        yield TextReport(show, output.style)
    if output.format == "text" and output.file is not None:
        plain = Style(ascii_only=output.style.ascii_only, verbosity=output.style.verbosity)
        yield TextReport(lambda line: print(line, file=copy), plain)


def _follow(
    events: Generator[Event, None, None], ticker: Ticker, reports: Sequence[TextReport]
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
                ticker.pause()
            for consume in consumers:
                consume(event)
    except KeyboardInterrupt:
        # It struck while a report was written; the engine handles those that strike elsewhere.
        events.close()
        done = RunDone(tuple(results), 0.0, INTERRUPTED)
        for report in reports:
            report.consume(done)
    finally:
        ticker.pause()
    return done
