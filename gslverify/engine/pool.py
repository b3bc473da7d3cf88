"""Worker processes that may die: only the rule that killed one is lost.

Each worker holds one rule at a time and leads a process group of its own, so that ending it ends
whatever it has started, too. What it sends is read as data, whatever a rule file has done to it.
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
from multiprocessing.connection import wait
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from gsl.rule_files.guard import exit_text
from gsl.rule_files.messages import MessageError, read
from gslverify.codes.internal import WORKER_LOST
from gslverify.engine.budget import rule_is_over
from gslverify.engine.examination import skipped
from gslverify.engine.messages import END, HostEnded, Request
from gslverify.engine.worker import serve
from gslverify.events import Found, Notify, Progress, StageStarted
from gslverify.finding import Counterexample, Finding, StageResult
from gslverify.settings import Settings
from gslverify.stages import Wave

POLL_SECONDS = 0.5
GRACE_SECONDS = 5.0
START_SECONDS = 60.0
"""Time for a worker to start and to import a rule file, on top of the time for a stage."""

ENDED = "ended"
GARBLED = "sent what is not data"
SPENT = "used up the time for the rule"


@dataclass(frozen=True, slots=True)
class Task:
    """A rule, by the file that holds it, and the stages it has to go through in `seconds`.

    The `plan` is what earlier stages have worked out about it, `recalled` what an earlier run has
    found out, which counts where it still holds. Of a task that `is_watched` every graph is known
    before it is run.
    """

    number: int
    rule_id: str
    path: Path
    wave: Wave
    seconds: float = inf
    plan: tuple[Any, ...] = ()
    recalled: tuple[StageResult, ...] = ()
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

    They work in `folder`, or where this process does. They are forks of this process, which must
    not have imported rule files, unless `start` names another way of `multiprocessing`.
    """

    def __init__(
        self,
        size: int,
        settings: Settings,
        notify: Notify,
        folder: str = "",
        deadline: float = inf,
        start: str = "fork",
    ) -> None:
        self.folder = folder
        self.start = start
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

    def given_up(self) -> StageResult | None:
        """End the processes at work; return what one of them had found out, if anything."""
        for worker in self._busy():
            self._keep_findings(worker)
            self._remove(worker)
        found = [outcome[-1] for outcome in self.unfinished.values()]
        self.unfinished.clear()
        return found[0] if found else None

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
                ended = worker.lost == ENDED or worker.host_ended is not None
                if ended and not task.is_watched and worker.found is None:
                    waiting.put_back(replace(task, is_watched=True))
                    worker.task = None
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
            free = _Worker(self.settings, self.folder, self.start, self._open())
            self._workers.append(free)
        return free

    def _open(self) -> tuple[int, ...]:
        """Return the files that a fork has to leave alone."""
        if self.start != "fork":
            return ()
        return tuple(worker.connection.fileno() for worker in self._workers)

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

    def __init__(
        self, settings: Settings, folder: str, start: str, others: tuple[int, ...]
    ) -> None:
        context: Any = multiprocessing.get_context(start)
        self.connection, theirs = context.Pipe()
        shown = not settings.jobs
        if start == "fork":
            others = (*others, self.connection.fileno())
        arguments = (theirs, settings, folder, shown, others)
        self.process = context.Process(target=serve, args=arguments)
        # Ctrl-C must not strike in the worker before it has left the group of the terminal.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self.process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        theirs.close()
        self.settings = settings
        self.timeout = settings.stage_timeout
        self.grace = 0.0 if settings.jobs else GRACE_SECONDS
        self.deadline = self.end_of_rule = inf
        self.task: Task | None = None
        self.results: list[StageResult] = []
        self.found: StageResult | None = None
        self.running = ""
        self.last: Counterexample | None = None
        self.lost = ""
        self.host_ended: int | None = None

    def begin(self, task: Task) -> None:
        """Hand a task to the process, which may have died meanwhile; `receive` will notice."""
        self.task, self.results, self.running = task, [], next(iter(task.wave))
        self.last = self.found = self.host_ended = None
        self.deadline = time.monotonic() + self.timeout + START_SECONDS
        self.end_of_rule = inf
        request = Request(
            task.rule_id,
            task.path,
            dict(task.wave),
            task.plan,
            task.recalled,
            task.is_watched,
            task.seconds,
            not self.settings.jobs,
        )
        with suppress(OSError):
            self.connection.send(request)

    def receive(self, notify: Notify) -> bool:
        """Take what the process has sent; tell whether its task is over, well or not."""
        try:
            while self.connection.poll():
                message = self.connection.recv_bytes()
                if message == END:
                    return True
                self._note(read(message), notify)
        except (EOFError, OSError):
            self.lost = ENDED
        except MessageError:
            self.lost = GARBLED
        # A grandchild may hold the pipe open after its parent has died, so ask the process, too.
        if not self.lost and not self.process.is_alive() and not self.connection.poll():
            self.lost = ENDED
        if not self.lost:
            self._watch(time.monotonic())
        return bool(self.lost)

    def _watch(self, now: float) -> None:
        if now > self.end_of_rule + self.grace:
            self.lost = SPENT
        elif now > self.deadline + self.grace:
            self.lost = f"did not come back within {self.timeout:g} seconds"

    def _note(self, message: object, notify: Notify) -> None:
        assert self.task is not None
        match message:
            case StageResult(stage=stage) if stage in self.task.wave:
                self.results.append(message)
                self.found = None
            case Found(rule_id=self.task.rule_id, result=result) if result.stage in self.task.wave:
                self.found = result
                notify(message)
            case Counterexample():
                self.last = message
            case HostEnded(exit_code=exit_code):
                self.host_ended = exit_code
            case StageStarted(rule_id=self.task.rule_id, stage=stage):
                now = time.monotonic()
                self.running, self.last = stage, None
                self.timeout = self.settings.timeout_of(stage)
                self.deadline = now + self.timeout
                self.end_of_rule = min(self.end_of_rule, now + self.task.seconds)
                notify(message)
            case Progress(rule_id=self.task.rule_id):
                notify(message)
            case _:
                self.lost = GARBLED

    def finish(self) -> Outcome:
        """Return the results of the task; of a lost worker's, what it had sent and why no more."""
        assert self.task is not None
        if self.found is not None:
            self.results.append(self.found)
            return self._finished()
        done = {result.stage for result in self.results}
        rest = [name for name in self.task.wave if name not in done]
        if self.lost == SPENT:
            self.results.extend(rule_is_over(dict.fromkeys(rest, ""), self.settings))
        elif rest:
            if self.running in done:
                self.running = rest[0]
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
        code = self.process.exitcode if self.host_ended is None else self.host_ended
        how = (self.lost or ENDED) if code is None else f"{ENDED} with {exit_text(code)}"
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
