"""The child's side of a worker process: examine one rule after the other until the pipe closes."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from contextlib import redirect_stderr
from functools import lru_cache
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from gsl.collector import collect_seldom
from gslverify.corpus.collect import Collected, CollectedRule, load
from gslverify.engine.examination import crashed, examine
from gslverify.events import Live, StageStarted
from gslverify.finding import Counterexample, StageResult
from gslverify.mutation.collect import find_item
from gslverify.settings import Settings
from gslverify.stages import Wave, prepare
from gslverify.trials.announced import announcing

Request = tuple[str, Path, Wave, tuple[Any, ...], bool]
"""Rule id, file, stages, the plan of earlier ones, and whether graphs are wanted before they run.
"""

Message = Live | StageResult | Counterexample | None
"""What a worker sends; None ends a task."""


def serve(connection: Connection, settings: Settings, folder: str = "") -> None:
    """Answer requests until the pipe is closed or None is sent; the target of the process.

    `folder` is where to work, if that is another folder than that of the parent.
    """
    os.setsid()
    if folder and os.path.isdir(folder):
        os.chdir(folder)
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115 (rule files may print; once is enough)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while (request := connection.recv()) is not None:
        _answer(connection, request, settings)
        connection.send(None)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.killpg(0, signal.SIGKILL)


def _answer(connection: Connection, request: Request, settings: Settings) -> None:
    rule_id, path, wave, plan, is_watched = request
    item = find_item(_load(path), rule_id)
    if not isinstance(item, CollectedRule):
        first = next(iter(wave))
        connection.send(StageStarted(rule_id, first))
        connection.send(crashed(first, LookupError(f"{path} changed while it was verified")))
        return
    prepare(wave, settings)
    with announcing(connection.send if is_watched else None):
        for result in examine(item, wave, settings, connection.send, plan):
            connection.send(_picklable(result))


@lru_cache(maxsize=64)
def _load(path: Path) -> tuple[Collected, ...]:
    with redirect_stderr(sys.stdout):
        items = tuple(load(path))
    collect_seldom()
    return items


def _picklable(result: StageResult) -> StageResult:
    try:
        pickle.dumps(result)
    except Exception as error:
        return crashed(result.stage, error)
    return result
