"""Verify rules on a cluster of dask.distributed, the optional extra [distributed].

On every worker of the cluster a process of our own does the work, as on a single machine: it is
fresh for each run, survives nothing it should not, and its death costs one rule. The files of the
rules and both packages have to be where they are here. A rule whose worker is lost is tried once
more; each is reported once, whatever happens.
"""

from __future__ import annotations

import os
import re
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib import import_module
from math import inf
from multiprocessing import process
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any

from gsl.errors import GslError
from gslverify.codes.internal import WORKER_LOST
from gslverify.engine.examination import skipped
from gslverify.engine.pool import Outcome, Pool, Task
from gslverify.events import Live, Notify, StageStarted
from gslverify.finding import Finding, StageResult
from gslverify.settings import Settings

SCHEME = "dask://"
ADDRESS = re.compile(rf"{SCHEME}(\[[^\]\s]+\]|[^\s:/]+):(?P<port>\d+)")
HIGHEST_PORT = 65535
CONNECT_SECONDS = 10.0
POLL_SECONDS = 0.05
TRIES = 2


class ClusterError(GslError):
    """There is no cluster to work with; the message says which, why, and what to do."""


class Cluster:
    """Workers of a cluster, used like a Pool; made before anything is verified.

    Raises ClusterError when the extra is not installed, the scheduler is not reached, or has no
    workers.
    """

    def __init__(self, address: str, settings: Settings, notify: Notify) -> None:
        self.settings = settings
        self.notify = notify
        self.run_id = uuid.uuid4().hex
        self.deadline = inf
        self.client = _connected(address)
        self.size = max(1, len(self.client.nthreads()))

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave the cluster, and end the processes of this run on it."""
        with suppress(Exception):  # the scheduler may be gone, which no longer matters
            self.client.run(end_run, self.run_id)
        with suppress(Exception):
            self.client.close(timeout=CONNECT_SECONDS)

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[int, Outcome]]:
        """Yield number and stage results of each task, in the order of completion.

        At the deadline nothing more is yielded; what still runs is ended when the cluster is left.
        """
        waiting = deque((task, 1) for task in tasks)
        running: dict[Any, tuple[Task, int]] = {}
        while (waiting or running) and time.monotonic() < self.deadline:
            if self.client.status not in ("running", "connecting"):
                for task, _ in (*running.values(), *waiting):
                    yield task.number, lost(task, "the scheduler of the cluster is gone")
                return
            while waiting and len(running) < self.size:
                task, tries = waiting.popleft()
                running[self._begin(task, tries)] = (task, tries)
            over = [future for future in running if future.done()]
            for future in over:
                task, tries = running.pop(future)
                outcome, why = _taken(future)
                if why and tries < TRIES:
                    waiting.append((task, tries + 1))
                else:
                    yield task.number, lost(task, why) if why else outcome
            if not over:
                time.sleep(POLL_SECONDS)

    def _begin(self, task: Task, tries: int) -> Any:
        self.notify(StageStarted(task.rule_id, next(iter(task.wave))))
        # One more try needs a name of its own, or the scheduler would remember how it ended.
        key = f"gslverify-{self.run_id}-{task.number}-{'-'.join(task.wave)}-{tries}"
        absolute = replace(task, path=task.path.resolve(), wave=dict(task.wave))
        request = (self.run_id, absolute, self.settings, os.getcwd())
        return self.client.submit(verify_there, *request, key=key, pure=False)


def _connected(address: str) -> Any:
    found = ADDRESS.fullmatch(address)
    if found is None or int(found["port"]) > HIGHEST_PORT:
        # dask would wait for a scheduler at an address that cannot be one.
        raise ClusterError(f"--executor {address}: write `local` or `{SCHEME}HOST:PORT`")
    try:
        distributed = import_module("distributed")
    except ImportError as error:
        raise ClusterError(
            f"--executor {address} needs the extra: pip install 'gslverify[distributed]'"
        ) from error
    place = f"tcp://{address.removeprefix(SCHEME)}"
    try:
        client = _answered(
            lambda: distributed.Client(place, timeout=CONNECT_SECONDS, set_as_default=False)
        )
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"--executor {address}: the scheduler is not reached: {error}; "
            "start it with `dask scheduler`, or leave --executor away"
        ) from error
    try:
        client.wait_for_workers(1, timeout=CONNECT_SECONDS)
    except (OSError, TimeoutError) as error:
        client.close()
        raise ClusterError(
            f"--executor {address}: the scheduler has no workers; start some with "
            f"`dask worker {place}`"
        ) from error
    return client


def _answered(connect: Callable[[], Any]) -> Any:
    """Return what `connect` does, raise what it raises, or TimeoutError.

    A server that accepts and says nothing is no scheduler, but dask would wait for ever.
    """
    answers: SimpleQueue[tuple[Any, Exception | None]] = SimpleQueue()

    def ask() -> None:
        try:
            answers.put((connect(), None))
        except Exception as error:
            answers.put((None, error))

    threading.Thread(target=ask, daemon=True).start()
    try:
        client, error = answers.get(timeout=1.5 * CONNECT_SECONDS)
    except Empty:
        raise TimeoutError("what is there says nothing") from None
    if error is not None:
        raise error
    return client


def _taken(future: Any) -> tuple[Outcome, str]:
    """Return the results of a task, or why there are none."""
    try:
        outcome: Outcome = future.result(timeout=CONNECT_SECONDS)
        return outcome, ""
    except Exception as error:  # whatever happened over there must not end the run here
        return (), f"{type(error).__name__}: {error}".splitlines()[0][:200]


def lost(task: Task, why: str) -> Outcome:
    """Return the results of a task that came to nothing."""
    first, *others = task.wave
    message = f"the worker of the cluster was lost in stage {first}: {why}"
    finding = Finding(WORKER_LOST, message, None, "verify the rule here with -j 0", subject=first)
    result = StageResult(first, WORKER_LOST.verdict, (finding,))
    return (result, *(skipped(name, "the worker was lost") for name in others))


# What follows runs on the workers of the cluster.

_LOCK = threading.Lock()
_POOLS: dict[str, Pool] = {}


def verify_there(run_id: str, task: Task, settings: Settings, folder: str) -> Outcome:
    """Verify a rule in the process that this worker has for a run, one rule at a time."""
    with _LOCK:
        for other in [known for known in _POOLS if known != run_id]:
            _end(other)
        if run_id not in _POOLS:
            _POOLS[run_id] = Pool(1, settings, _silently, folder, start="spawn")
        with _may_have_children():
            ((_, outcome),) = _POOLS[run_id].run([task])
        return outcome


def end_run(run_id: str) -> None:
    """End the process of a run, also while it is at work."""
    pool = _POOLS.get(run_id)
    if pool is not None:
        pool.deadline = 0.0
    with _LOCK:
        _end(run_id)


def _end(run_id: str) -> None:
    pool = _POOLS.pop(run_id, None)
    if pool is not None:
        pool.__exit__(None, None, None)


def _silently(live: Live) -> None:
    """Tell nobody."""


@contextmanager
def _may_have_children() -> Iterator[None]:
    """Let this process start others although its own parent ends it as a daemon.

    Ours end with their parent by themselves, which is what the prohibition is there for.
    """
    configuration: dict[str, Any] = getattr(process.current_process(), "_config", {})
    before = configuration.get("daemon")
    configuration["daemon"] = False
    try:
        yield
    finally:
        configuration["daemon"] = before
