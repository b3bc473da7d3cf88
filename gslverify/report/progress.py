"""What is going on right now, on standard error: a live line, or a heartbeat without a terminal."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol, TextIO

from gslverify.events import (
    Event,
    Live,
    Progress,
    RuleDone,
    RulesJoined,
    RunStarted,
    StageDone,
    StagesEnded,
    StageStarted,
)
from gslverify.finding import FAILURES

if TYPE_CHECKING:
    from rich.status import Status

HEARTBEAT_SECONDS = 30.0

LEAST_DONE, LEAST_SECONDS = 0.05, 5.0
"""Share of the stages, and seconds, after which the rest of the time is estimated.

A rule that runs for so many seconds is shown with its time.
"""


class Ticker(Protocol):
    """Follows a run; `pause` clears what it shows, before anything else is written."""

    def consume(self, event: Event) -> None:
        """Take one event."""

    def live(self, live: Live) -> None:
        """Take one live event."""

    def pause(self) -> None:
        """Remove what is shown."""

    def resume(self) -> None:
        """Show again what was removed."""

    def close(self) -> None:
        """Show nothing any more."""


class Tally:
    """Counts what a progress line says: rules and stages that are finished, and failures.

    Results are told in the order of the source. Counted is what is finished, so that a slow rule
    does not look like a run that stands still; it is named as long as it runs.
    """

    def __init__(self) -> None:
        self.rules = 0
        self.stages = 0
        self.over: set[str] = set()
        self.done: dict[str, set[str]] = {}
        self.running: dict[str, tuple[float, str]] = {}
        self.verdicts: Counter[str] = Counter()
        self.budget = 0.0
        self.started = time.monotonic()

    def consume(self, event: Event) -> None:
        """Take one event."""
        match event:
            case RunStarted(rule_ids=rule_ids, stages=stages, settings=settings):
                self.budget = settings.budget
                self.rules = len(rule_ids)
                self.stages = len(stages)
            case RulesJoined(rule_ids=rule_ids):
                self.rules += len(rule_ids)
            case StageDone(rule_id=rule_id, result=result):
                self._note(rule_id, (result.stage,))
            case RuleDone(result=result):
                self._end(result.rule_id)
                if result.verdict in FAILURES:
                    self.verdicts[result.verdict.lower()] += 1
            case _:
                pass

    def live(self, live: Live) -> None:
        """Take one live event."""
        match live:
            case StageStarted(rule_id=rule_id, stage=stage):
                self._runs(rule_id, f"{stage} {rule_id}")
            case Progress(rule_id=rule_id, stage=stage, text=text):
                self._runs(rule_id, f"{stage} {rule_id} {text}")
            case StagesEnded(rule_id=rule_id, stages=stages, over=over):
                self.running.pop(rule_id, None)
                self._note(rule_id, stages)
                if over:
                    self._end(rule_id)

    def _note(self, rule_id: str, stages: Iterable[str]) -> None:
        if rule_id not in self.over:
            self.done.setdefault(rule_id, set()).update(stages)

    def _runs(self, rule_id: str, text: str) -> None:
        since, _ = self.running.get(rule_id, (time.monotonic(), ""))
        self.running[rule_id] = since, text

    def _end(self, rule_id: str) -> None:
        # A refuted rule does not run its other stages, but has finished them all the same.
        self.running.pop(rule_id, None)
        self.done.pop(rule_id, None)
        self.over.add(rule_id)

    def line(self) -> str:
        """Return "[23/41] 64% numeric rules/conv.py::merge 31/50 graphs 9s | 2 fail | 12s"."""
        now = time.monotonic()
        counts = sorted(self.verdicts.items())
        failures = "".join(f" | {count} {name}" for name, count in counts)
        seconds = now - self.started
        budget = f" | budget {min(seconds / self.budget, 1):.0%}" if self.budget else ""
        time_text = f"{seconds:.0f}s{self._left(seconds)}"
        head = f"[{len(self.over)}/{self.rules}] {self._share():.0%}"
        return f"{head}{self._now(now)}{failures}{budget} | {time_text}"

    def _now(self, now: float) -> str:
        """Name the rule that runs for the longest time, and count the others."""
        running = list(self.running.values())
        if not running:
            return ""
        since, text = running[0]
        seconds = f" {now - since:.0f}s" if now - since >= LEAST_SECONDS else ""
        others = f" and {len(running) - 1} more" if len(running) > 1 else ""
        return f" {text}{seconds}{others}"

    def _share(self) -> float:
        """Return which share of all stages of all rules is finished."""
        finished = len(self.over) * self.stages + sum(map(len, list(self.done.values())))
        return min(1.0, finished / (self.rules * self.stages)) if self.rules * self.stages else 0.0

    def _left(self, seconds: float) -> str:
        """Return how long it may still take, once enough is done to say so."""
        share = self._share()
        if not LEAST_DONE < share < 1 or seconds < LEAST_SECONDS:
            return ""
        left = seconds / share * (1 - share)
        return f", eta {left:.0f}s" if left < 100 else f", eta {left / 60:.0f}m"


class _Shown:
    """The line of a tally as it is whenever the terminal is drawn."""

    def __init__(self, tally: Tally, width: int) -> None:
        self.tally = tally
        self.width = width

    def __rich__(self) -> str:
        return self.tally.line()[: self.width]


class LiveLine:
    """A line that is redrawn in place on a terminal, whether or not anything happens."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console

        self.tally = Tally()
        self.console = Console(file=stream, highlight=False, markup=False)
        self.status: Status | None = None
        self.is_paused = False

    def consume(self, event: Event) -> None:
        """Take one event."""
        self.tally.consume(event)

    def live(self, live: Live) -> None:
        """Take one live event."""
        self.tally.live(live)
        self._show()

    def _show(self) -> None:
        self.is_paused = False
        if self.status is None:
            shown = _Shown(self.tally, self.console.width - 4)
            self.status = self.console.status(shown, spinner="line")
            self.status.start()

    def pause(self) -> None:
        """Clear the line."""
        if self.status is not None:
            self.status.stop()
            self.status = None
            self.is_paused = True

    def resume(self) -> None:
        """Show the line again if it was cleared."""
        if self.is_paused:
            self._show()

    def close(self) -> None:
        """Clear the line for good."""
        self.pause()
        self.is_paused = False


class Heartbeat:
    """A line every 30 seconds, so that a silent run is not taken for a dead one."""

    def __init__(self, stream: TextIO, interval: float = HEARTBEAT_SECONDS) -> None:
        self.tally = Tally()
        self.stream = stream
        self.interval = interval
        self._over = threading.Event()
        self._is_ticking = False

    def consume(self, event: Event) -> None:
        """Take one event; the first one starts the clock."""
        self.tally.consume(event)
        if not self._is_ticking:
            self._is_ticking = True
            threading.Thread(target=self._beat, daemon=True).start()

    def live(self, live: Live) -> None:
        """Take one live event."""
        self.tally.live(live)

    def _beat(self) -> None:
        while not self._over.wait(self.interval):
            print(self.tally.line(), file=self.stream, flush=True)

    def pause(self) -> None:
        """Nothing is shown in place."""

    def resume(self) -> None:
        """Nothing was removed."""

    def close(self) -> None:
        """Stop the clock."""
        self._over.set()
