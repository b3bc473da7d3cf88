"""Worker processes that may die: only the rule that killed one is lost.

Each worker holds one rule at a time and leads a process group of its own, so that ending it ends
whatever it has started, too. Workers are spawned and import the rule files anew.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from math import inf
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from gsl.rule_files.guard import exit_text
from gslverify.codes.internal import WORKER_LOST
from gslverify.engine.budget import rule_is_over
from gslverify.engine.examination import skipped
from gslverify.engine.worker import Message, serve
from gslverify.events import Found, Notify, StageStarted
from gslverify.finding import Counterexample, Finding, StageResult
from gslverify.settings import Settings
from gslverify.stages import Wave

POLL_SECONDS = 0.5
GRACE_SECONDS = 5.0
START_SECONDS = 60.0
"""Time for a worker to start and to import a rule file, on top of the time for a stage."""

ENDED = "ended"
SPENT = "used up the time for the rule"


@dataclass(frozen=True, slots=True)
class Task:
    """A rule, by the file that holds it, and the stages it has to go through in `seconds`.

    The `plan` is what earlier stages have worked out about it. Of a task that `is_watched` every
    graph is known before it is run.
    """

    number: int
    rule_id: str
    path: Path
    wave: Wave
    seconds: float = inf
    plan: tuple[Any, ...] = ()
    is_watched: bool = False


Outcome = tuple[StageResult, ...]


class Workers(Protocol):
    """Whatever runs tasks somewhere else, until a `deadline` on the clock of time.monotonic."""

    deadline: float
    unfinished: dict[int, Outcome]
    """What was found about tasks that were ended with the workers, by their numbers."""

    def __enter__(self) -> Workers: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[int, Outcome]]:
        """Yield number and stage results of each task, in the order of completion."""


class Pool:
    """Up to `size` worker processes; a context manager that leaves none behind.

    They work in `folder`, or where this process does.
    """

    def __init__(
        self,
        size: int,
        settings: Settings,
        notify: Notify,
        folder: str = "",
        deadline: float = inf,
    ) -> None:
        self.folder = folder
        self.size = size
        self.settings = settings
        self.notify = notify
        self.deadline = deadline
        self.unfinished: dict[int, Outcome] = {}
        self._workers: list[_Worker] = []

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in self._workers:
            self._keep_findings(worker)
            worker.end(gently=kind is None and worker.task is None)
        self._workers.clear()

    def _keep_findings(self, worker: _Worker) -> None:
        """Note what a process has found about a task that it will not finish."""
        task = worker.task
        if task is not None:
            over = worker.receive(self.notify)
            if over and not worker.lost:
                self.unfinished[task.number] = worker.finish()
            elif worker.found is not None:
                self.unfinished[task.number] = (*worker.results, worker.found)

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[int, Outcome]]:
        """Yield number and stage results of each task, in the order of completion.

        Tasks are taken when there is a process for them. A task whose worker died is tried once
        more, in a fresh process that is watched. At the deadline of the pool nothing more is
        yielded, and workers that are still at work are ended.
        """
        waiting = _Waiting(tasks)
        while self._busy() or not waiting.is_empty():
            if time.monotonic() >= self.deadline:
                for worker in self._busy():
                    self._keep_findings(worker)
                    self._remove(worker)
                yield from self.unfinished.items()
                return
            self._hand_out(waiting)
            for worker in self._busy():
                over = worker.receive(self.notify)
                if not over or worker.task is None:
                    continue
                task = worker.task
                if worker.lost == ENDED and not task.is_watched and worker.found is None:
                    waiting.put_back(replace(task, is_watched=True))
                else:
                    yield task.number, worker.finish()
                if worker.lost:
                    self._remove(worker)

    def _hand_out(self, waiting: _Waiting) -> None:
        while (worker := self._free_worker()) is not None and not waiting.is_empty():
            worker.begin(waiting.take())
        patience = min(POLL_SECONDS, max(0.0, self.deadline - time.monotonic()))
        wait([worker.connection for worker in self._busy()], timeout=patience)

    def _busy(self) -> list[_Worker]:
        return [worker for worker in self._workers if worker.task is not None]

    def _free_worker(self) -> _Worker | None:
        free = next((worker for worker in self._workers if worker.task is None), None)
        if free is None and len(self._workers) < self.size:
            free = _Worker(self.settings, self.folder)
            self._workers.append(free)
        return free

    def _remove(self, worker: _Worker) -> None:
        worker.end(gently=False)
        self._workers.remove(worker)


class _Waiting:
    """Tasks of which each is asked for when it can begin, those that failed last."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._coming = iter(tasks)
        self._known: deque[Task] = deque()

    def is_empty(self) -> bool:
        """Tell whether there is no task left; asks for the next one."""
        if not self._known:
            self._known.extend(islice(self._coming, 1))
        return not self._known

    def take(self) -> Task:
        """Return the next task."""
        return self._known.popleft()

    def put_back(self, task: Task) -> None:
        """Try a task again after those that are known."""
        self._known.append(task)


class _Worker:
    """The parent's side of one worker process."""

    def __init__(self, settings: Settings, folder: str) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs, settings, folder))
        # Ctrl-C must not strike in the worker before it has left the group of the terminal. The
        # first process that is spawned starts the tracker, which would unblock the signal.
        resource_tracker.ensure_running()
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self.process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        theirs.close()
        self.settings = settings
        self.timeout = settings.stage_timeout
        self.deadline = self.end_of_rule = inf
        self.task: Task | None = None
        self.results: list[StageResult] = []
        self.found: StageResult | None = None
        self.running = ""
        self.last: Counterexample | None = None
        self.lost = ""

    def begin(self, task: Task) -> None:
        """Hand a task to the process, which may have died meanwhile; `receive` will notice."""
        self.task, self.results, self.running = task, [], next(iter(task.wave))
        self.last = self.found = None
        self.deadline = time.monotonic() + self.timeout + START_SECONDS
        self.end_of_rule = inf
        with suppress(OSError):
            wave = dict(task.wave)
            self.connection.send((task.rule_id, task.path, wave, task.plan, task.is_watched))

    def receive(self, notify: Notify) -> bool:
        """Take what the process has sent; tell whether its task is over, well or not."""
        try:
            while self.connection.poll():
                message: Message = self.connection.recv()
                if message is None:
                    return True
                self._note(message, notify)
        except (EOFError, OSError):
            self.lost = ENDED
        # A grandchild may hold the pipe open after its parent has died, so ask the process, too.
        if not self.lost and not self.process.is_alive() and not self.connection.poll():
            self.lost = ENDED
        if not self.lost:
            self._watch(time.monotonic())
        return bool(self.lost)

    def _watch(self, now: float) -> None:
        if now > self.end_of_rule:
            self.lost = SPENT
        elif now > self.deadline:
            self.lost = f"did not come back within {self.timeout:g} seconds"

    def _note(self, message: Message, notify: Notify) -> None:
        if isinstance(message, StageResult):
            self.results.append(message)
            self.found = None
            return
        if isinstance(message, Counterexample):
            self.last = message
            return
        assert message is not None
        if isinstance(message, Found):
            self.found = message.result
        if isinstance(message, StageStarted):
            assert self.task is not None
            now = time.monotonic()
            self.running, self.last = message.stage, None
            self.timeout = self.settings.timeout_of(message.stage)
            self.deadline = now + self.timeout
            self.end_of_rule = min(self.end_of_rule, now + self.task.seconds)
        notify(message)

    def finish(self) -> Outcome:
        """Return the results of the task; of a lost worker's, what it had sent and why no more."""
        assert self.task is not None
        if self.lost and self.found is not None:
            self.results.append(self.found)
            return self._finished()
        if self.lost:
            done = {result.stage for result in self.results}
            rest = [name for name in self.task.wave if name not in done]
        if self.lost == SPENT:
            self.results.extend(rule_is_over(dict.fromkeys(rest, ""), self.settings))
        elif self.lost:
            self.results.append(self._lost_result())
            rest = [name for name in rest if name != self.running]
            self.results.extend(skipped(name, "the worker process was lost") for name in rest)
        return self._finished()

    def _finished(self) -> Outcome:
        self.task = None
        return tuple(self.results)

    def _lost_result(self) -> StageResult:
        # The pipe may break some time before the process has an exit code.
        self.process.join(GRACE_SECONDS if self.lost == ENDED else 0)
        code = self.process.exitcode
        how = self.lost if code is None else f"{ENDED} with {exit_text(code)}"
        message = f"the worker process {how} in stage {self.running}"
        cure = "verify the rule alone with -j 0 to see what happens"
        finding = Finding(
            WORKER_LOST, message, None, cure, counterexample=self.last, subject=self.running
        )
        return StageResult(self.running, WORKER_LOST.verdict, (finding,))

    def end(self, *, gently: bool) -> None:
        """End the process and all that it has started."""
        if gently:
            with suppress(OSError):
                self.connection.send(None)
            self.process.join(GRACE_SECONDS)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid or 0, signal.SIGKILL)
        self.process.kill()
        self.process.join()
        self.connection.close()
