"""The process of one rule file: import it, then examine its rules, for as long as it is asked."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

from gsl.collector import collect_seldom
from gsl.rule_files.memory import bound_memory
from gsl.rule_files.messages import written
from gslverify.corpus.declaration import LoadedRule
from gslverify.corpus.guarded import patches_finding
from gslverify.corpus.loading import load
from gslverify.corpus.patches import Contents, patched
from gslverify.engine.cache.holding import holds
from gslverify.engine.examination import Examination, crashed, examine
from gslverify.engine.in_time import results_in_time
from gslverify.engine.messages import END, Message, Request
from gslverify.events import Notify, StageStarted
from gslverify.finding import StageResult
from gslverify.mutation.collect import find_item
from gslverify.settings import Settings
from gslverify.trials.crash_record import recording


def serve(
    connection: Connection, path: Path, settings: Settings, before: tuple[Contents, ...]
) -> None:
    """Import a file and answer requests about its rules until the pipe is closed.

    `before` is what the code that judges rules was like before the file was imported.
    """
    process_id = os.getpid()
    bound_memory()
    items = load(path)
    signal.setitimer(signal.ITIMER_REAL, 0)
    collect_seldom()

    def send(message: Message) -> None:
        if os.getpid() != process_id:
            os._exit(0)  # the file has forked, and this is the copy
        connection.send_bytes(_message(message))

    while True:
        request: Request = connection.recv()
        item = find_item(items, request.rule_id)
        if isinstance(item, LoadedRule):
            with recording(send if request.is_watched else None):
                for result in _results(item, request, settings, send):
                    names = patched(before)
                    send(_patched(result, path, names) if names else result)
        else:
            first = next(iter(request.wave))
            send(StageStarted(request.rule_id, first))
            send(crashed(first, LookupError(f"{path} changed while it was verified")))
        connection.send_bytes(END)


def _results(
    item: LoadedRule, request: Request, settings: Settings, send: Notify
) -> Iterator[StageResult]:
    if request.recalled and holds(item.rule, request.recalled):
        yield from request.recalled
    elif request.ends_in_time:
        examination = Examination(item, settings, send, request.plan)
        yield from results_in_time(examination, request.wave, request.seconds)
    else:
        yield from examine(item, request.wave, settings, send, request.plan)


def _patched(result: StageResult, path: Path, names: list[str]) -> StageResult:
    finding = patches_finding(path, names)
    return StageResult(result.stage, finding.code.verdict, (finding,), seconds=result.seconds)


def _message(message: Message) -> bytes:
    try:
        return written(message)
    except Exception as error:
        if not isinstance(message, StageResult):
            raise
        return written(crashed(message.stage, error))
