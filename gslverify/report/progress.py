"""What is going on right now, on standard error: a live line, or a heartbeat without a terminal."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Protocol, TextIO

from gslverify.events import Event, Live, Progress, RuleDone, RunStarted, StageDone, StageStarted
from gslverify.finding import FAILURES

if TYPE_CHECKING:
    from rich.status import Status

HEARTBEAT_SECONDS = 30.0

LEAST_DONE, LEAST_SECONDS = 0.05, 5.0
"""Share of the stages, and seconds, after which the rest of the time is estimated."""


class Ticker(Protocol):
    """Follows a run; `pause` clears what it shows, before anything else is written."""

    def consume(self, event: Event) -> None:
        """Take one event."""

    def live(self, live: Live) -> None:
        """Take one live event."""

    def pause(self) -> None:
        """Remove what is shown; the next event shows it again."""


class Tally:
    """Counts what a progress line says: how many stages of how many, and how many failures."""

    def __init__(self) -> None:
        self.total = 0
        self.stages = 0
        self.finished = 0
        self.done: Counter[str] = Counter()
        self.verdicts: Counter[str] = Counter()
        self.now = ""
        self.budget = 0.0
        self.started = time.monotonic()

    def consume(self, event: Event) -> None:
        """Take one event."""
        match event:
            case RunStarted(rule_ids=rule_ids, stages=stages, settings=settings):
                self.budget = settings.budget
                self.total = len(rule_ids) * len(stages)
                self.stages = len(stages)
            case StageDone(rule_id=rule_id):
                self.done[rule_id] += 1
                self.finished += 1
            case RuleDone(result=result):
                # A refuted rule does not run its other stages, but has finished them all the same.
                self.finished += max(0, self.stages - self.done.pop(result.rule_id, 0))
                if result.verdict in FAILURES:
                    self.verdicts[result.verdict.lower()] += 1
            case _:
                pass

    def live(self, live: Live) -> None:
        """Take one live event."""
        match live:
            case StageStarted(rule_id=rule_id, stage=stage):
                self.now = f"{stage} {rule_id}"
            case Progress(rule_id=rule_id, stage=stage, text=text):
                self.now = f"{stage} {rule_id} {text}"

    def line(self) -> str:
        """Return "[23/41] numeric rules/conv.py::merge 31/50 graphs | 2 fail | 12s"."""
        failures = "".join(f" | {count} {name}" for name, count in sorted(self.verdicts.items()))
        seconds = time.monotonic() - self.started
        budget = f" | budget {min(seconds / self.budget, 1):.0%}" if self.budget else ""
        time_text = f"{seconds:.0f}s{self._left(seconds)}"
        return f"[{self.finished}/{self.total}] {self.now}{failures}{budget} | {time_text}"

    def _left(self, seconds: float) -> str:
        """Return how long it may still take, once enough is done to say so."""
        if not LEAST_DONE * self.total < self.finished < self.total or seconds < LEAST_SECONDS:
            return ""
        left = seconds / self.finished * (self.total - self.finished)
        return f", eta {left:.0f}s" if left < 100 else f", eta {left / 60:.0f}m"


class LiveLine:
    """A line that is redrawn in place on a terminal."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console

        self.tally = Tally()
        self.console = Console(file=stream, highlight=False, markup=False)
        self.status: Status | None = None

    def consume(self, event: Event) -> None:
        """Take one event."""
        self.tally.consume(event)

    def live(self, live: Live) -> None:
        """Take one live event and redraw."""
        self.tally.live(live)
        if self.status is None:
            self.status = self.console.status("", spinner="line")
            self.status.start()
        line = self.tally.line()[: self.console.width - 4]
        self.status.update(self.console.render_str(line, markup=False))

    def pause(self) -> None:
        """Clear the line."""
        if self.status is not None:
            self.status.stop()
            self.status = None


class Heartbeat:
    """A line every 30 seconds, so that a silent run is not taken for a dead one."""

    def __init__(self, stream: TextIO, interval: float = HEARTBEAT_SECONDS) -> None:
        self.tally = Tally()
        self.stream = stream
        self.interval = interval
        self.last = time.monotonic()

    def consume(self, event: Event) -> None:
        """Take one event."""
        self.tally.consume(event)
        self._beat()

    def live(self, live: Live) -> None:
        """Take one live event."""
        self.tally.live(live)
        self._beat()

    def _beat(self) -> None:
        now = time.monotonic()
        if now - self.last >= self.interval:
            self.last = now
            print(self.tally.line(), file=self.stream, flush=True)

    def pause(self) -> None:
        """Nothing is shown in place."""
