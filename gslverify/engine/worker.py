"""The child's side of a worker process: have one rule after the other examined until the pipe ends.

A worker runs no code of rule files. Every file is imported by a process of its own, a fork of the
worker, which has what examining needs in memory. Of its open files it keeps a pipe of its own and
the way to TVM, so that there is nothing else to write to; see `gslverify.engine.host`.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing import parent_process
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path

from gsl.rule_files.descriptors import keep_only, let_go
from gsl.rule_files.memory import MOST_MORE, memory_held
from gsl.rule_files.messages import written
from gslverify.corpus.patches import contents
from gslverify.engine import host
from gslverify.engine.messages import END, HostEnded, Request
from gslverify.settings import Settings
from gslverify.stages import files_in_use, prepare

MOST_KEPT = MOST_MORE // 2
"""Of memory; a process that holds so much more than this one after a rule is replaced."""

POLL_SECONDS = 0.5
CLOSING_SECONDS = 2.0


def serve(
    connection: Connection,
    settings: Settings,
    folder: str = "",
    shown: bool = False,
    others: Sequence[int] = (),
) -> None:
    """Answer requests until the pipe is closed or None is sent; the target of the process.

    `folder` is where to work, if that is another folder than that of the parent. What rule files
    print goes nowhere, or to standard error if it is to be `shown`. `others` are open files that
    belong to the parent alone.
    """
    os.setsid()
    let_go(others)
    if folder and os.path.isdir(folder):
        os.chdir(folder)
    _redirect(shown)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    hosts = _Hosts(settings)
    with suppress(EOFError):
        while (request := connection.recv()) is not None:
            hosts.answer(connection, request)
    hosts.end()
    os._exit(0)


def _redirect(shown: bool) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2 if shown else null, 1)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 (to the end)
    sys.stderr = sys.stdout if not shown else sys.stderr


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.killpg(0, signal.SIGKILL)


class _Hosts:
    """The process of the file that is being worked on; there is one at a time."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.path: Path | None = None
        self.process_id = 0
        self.connection: Connection | None = None

    def answer(self, connection: Connection, request: Request) -> None:
        """Have a request answered, and pass on what is said word for word."""
        has_started = prepare(request.wave, self.settings)
        if self.connection is None or self.path != request.path or has_started:
            self.end()
            self._start(request.path)
        assert self.connection is not None
        try:
            self.connection.send(request)
            while (message := self.connection.recv_bytes()) != END:
                connection.send_bytes(message)
            if memory_held(self.process_id) > memory_held(os.getpid()) + MOST_KEPT:
                self.end()
        except (EOFError, OSError):
            connection.send_bytes(written(HostEnded(self._reaped())))
        connection.send_bytes(END)

    def _start(self, path: Path) -> None:
        self.path = path
        self.connection, theirs = Pipe()
        before = contents()
        self.process_id = os.fork()
        if not self.process_id:
            try:
                keep_only(theirs.fileno(), *files_in_use())
                host.serve(theirs, path, self.settings, before)
            finally:
                os._exit(1)
        theirs.close()

    def _reaped(self) -> int:
        """End the process, which has let go of its pipe; return its exit code."""
        assert self.connection is not None
        self.connection.close()
        self.connection = None
        with suppress(ProcessLookupError):
            _wait_a_moment(self.process_id)
            os.kill(self.process_id, signal.SIGKILL)
        _, status = os.waitpid(self.process_id, 0)
        return os.waitstatus_to_exitcode(status)

    def end(self) -> None:
        """End the process, if there is one."""
        if self.connection is not None:
            self.connection.close()
            self.connection = None
            with suppress(ProcessLookupError):
                os.kill(self.process_id, signal.SIGKILL)
            os.waitpid(self.process_id, 0)


def _wait_a_moment(process_id: int) -> None:
    """Wait until a process has ended, but not for ever: it may only have closed its files."""
    descriptor = os.pidfd_open(process_id)
    try:
        wait([descriptor], CLOSING_SECONDS)
    finally:
        os.close(descriptor)
