from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from gslverify.events import Event, Progress, RuleDone, RunStarted, StageDone, StageStarted
from gslverify.finding import RuleResult, StageResult, Verdict
from gslverify.report.progress import Heartbeat, LiveLine, Tally
from gslverify.report.style import Style
from gslverify.session import Output, run_check
from gslverify.settings import Settings
from tests.gslverify.fake_stages import WAVES
from tests.gslverify.rule_files import write_rules

RULE = "rules.py::merge"


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


def refuted() -> list[Event]:
    """The events of one rule of two that is refuted in the first of three stages."""
    failed = StageResult("static", Verdict.FAIL)
    skipped = [StageResult(s, Verdict.INCONCLUSIVE, skipped="refuted") for s in ("shape", "last")]
    return [
        RunStarted((RULE, "rules.py::other"), ("static", "shape", "last"), Settings()),
        StageDone(RULE, failed),
        RuleDone(RuleResult(RULE, None, (failed, *skipped))),
    ]


def test_tally_counts_stages_and_failures() -> None:
    tally = Tally()
    for event in refuted():
        tally.consume(event)
    tally.live(Progress("rules.py::other", "shape", "variant 3"))

    assert tally.line() == "[3/6] shape rules.py::other variant 3 | 1 fail | 0s"


def test_tally_says_how_much_of_the_budget_is_gone_and_how_much_is_left() -> None:
    tally = Tally()
    first, *others = refuted()
    assert isinstance(first, RunStarted)
    tally.consume(RunStarted(first.rule_ids, first.stages, Settings(budget=400.0)))
    for event in others:
        tally.consume(event)
    tally.started -= 100

    assert tally.line() == "[3/6]  | 1 fail | budget 25% | 100s, eta 2m"
    tally.started += 40
    assert tally.line() == "[3/6]  | 1 fail | budget 15% | 60s, eta 60s"


def test_heartbeat_is_silent_between_beats() -> None:
    stream = io.StringIO()
    heartbeat = Heartbeat(stream, interval=3600)
    for event in refuted():
        heartbeat.consume(event)
    heartbeat.live(StageStarted(RULE, "static"))
    heartbeat.pause()

    assert stream.getvalue() == ""


def test_heartbeat_says_what_is_going_on() -> None:
    stream = io.StringIO()
    heartbeat = Heartbeat(stream, interval=0)
    heartbeat.live(StageStarted(RULE, "numeric"))

    assert stream.getvalue() == "[0/0] numeric rules.py::merge | 0s\n"
    assert "\x1b" not in stream.getvalue()


def test_live_line_shows_the_rule_and_vanishes() -> None:
    terminal = Terminal()
    live = LiveLine(terminal)
    for event in refuted():
        live.consume(event)
    live.live(StageStarted("rules.py::[odd]", "shape"))
    live.pause()
    live.pause()

    assert "shape rules.py::[odd]" in terminal.getvalue()
    assert live.status is None


@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_progress_goes_to_standard_error_only(
    stream: type[io.StringIO],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_rules(folder, ["one", "wrong"])
    stderr = stream()
    monkeypatch.setattr(sys, "stderr", stderr)

    run_check(["rules.py"], Settings(), Output(style=Style()), waves=WAVES)

    printed = capsys.readouterr().out
    assert "PASS          one" in printed
    assert "\x1b" not in printed
    assert ("half way" in stderr.getvalue()) is stderr.isatty()
