from __future__ import annotations

import io
import sys
import threading
from pathlib import Path

import pytest

from gslverify.events import (
    Event,
    Progress,
    RuleDone,
    RunStarted,
    StageDone,
    StagesEnded,
    StageStarted,
)
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

    assert tally.line() == "[1/2] 50% shape rules.py::other variant 3 | 1 fail | 0s"


def test_what_is_finished_counts_before_it_is_told() -> None:
    tally = Tally()
    rules = tuple(f"rules.py::{name}" for name in ("slow", "quick", "wrong", "last"))
    tally.consume(RunStarted(rules, ("static", "shape"), Settings()))
    for rule in rules[:3]:
        tally.live(StageStarted(rule, "shape"))
    assert tally.line() == "[0/4] 0% shape rules.py::slow and 2 more | 0s"

    tally.live(StagesEnded(rules[1], ("static",), over=False))
    tally.live(StagesEnded(rules[2], ("static",), over=True))
    tally.live(Progress(rules[0], "shape", "variant 7"))
    assert tally.line() == "[1/4] 38% shape rules.py::slow variant 7 | 0s"

    tally.live(StagesEnded(rules[1], ("shape",), over=True))
    tally.consume(StageDone(rules[0], StageResult("static", Verdict.PASS)))
    assert tally.line() == "[2/4] 62% shape rules.py::slow variant 7 | 0s"


def test_a_rule_that_runs_for_long_is_shown_with_its_time() -> None:
    tally = Tally()
    tally.live(StageStarted(RULE, "numeric"))
    tally.running[RULE] = (tally.running[RULE][0] - 42, tally.running[RULE][1])
    tally.live(Progress(RULE, "numeric", "31/50 graphs"))
    assert tally.line() == f"[0/0] 0% numeric {RULE} 31/50 graphs 42s | 0s"


def test_tally_says_how_much_of_the_budget_is_gone_and_how_much_is_left() -> None:
    tally = Tally()
    first, *others = refuted()
    assert isinstance(first, RunStarted)
    tally.consume(RunStarted(first.rule_ids, first.stages, Settings(budget=400.0)))
    for event in others:
        tally.consume(event)
    tally.started -= 100

    assert tally.line() == "[1/2] 50% | 1 fail | budget 25% | 100s, eta 2m"
    tally.started += 40
    assert tally.line() == "[1/2] 50% | 1 fail | budget 15% | 60s, eta 60s"


def test_heartbeat_is_silent_between_beats() -> None:
    stream = io.StringIO()
    heartbeat = Heartbeat(stream, interval=3600)
    for event in refuted():
        heartbeat.consume(event)
    heartbeat.live(StageStarted(RULE, "static"))
    heartbeat.pause()

    heartbeat.close()

    assert stream.getvalue() == ""


class Listener(io.StringIO):
    """A stream that says when something was written."""

    def __init__(self) -> None:
        super().__init__()
        self.heard = threading.Event()

    def flush(self) -> None:
        self.heard.set()


def test_heartbeat_says_what_is_going_on_while_nothing_happens() -> None:
    stream = Listener()
    heartbeat = Heartbeat(stream, interval=0.001)
    heartbeat.live(StageStarted(RULE, "numeric"))
    heartbeat.consume(RunStarted((RULE,), ("numeric",), Settings()))
    heard = stream.heard.wait(60)
    heartbeat.close()

    assert heard
    assert stream.getvalue().startswith("[0/1] 0% numeric rules.py::merge | 0s\n")
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


def test_live_line_comes_back_after_something_was_printed() -> None:
    live = LiveLine(Terminal())
    live.resume()
    assert live.status is None  # nothing was shown yet
    live.live(StageStarted(RULE, "shape"))
    live.pause()
    live.resume()
    assert live.status is not None
    live.close()
    live.resume()
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
    assert ("[2/2] 100%" in stderr.getvalue()) is stderr.isatty()
