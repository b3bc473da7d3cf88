"""A child of the zygote that answers one batch after another and keeps what it has compiled.

What a batch does to its memory concerns the batches after it, so what looks wrong in its answers
has to be asked again of a fresh copy of the zygote.
"""

from __future__ import annotations

import faulthandler
import os
import pickle
import select
import signal
import socket
import tempfile
import time
import traceback
from contextlib import suppress
from typing import Any, NoReturn

from gsl.tvm.frames import Ahead, Ending, receive, send, tail


class LastingChild:
    """Starts with the first batch, and again when a batch has ended it.

    Args:
        child: the module that executes batches.
        owner: the connection whose end is the end of everything.
    """

    def __init__(self, child: Any, owner: socket.socket) -> None:
        self._child = child
        self._owner = owner
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (as long as this object)
        self._connection: socket.socket | None = None
        self._pid = 0
        self._ahead = 0
        """Answers that nobody waits for."""

    def anticipate(self, ahead: Ahead) -> None:
        """Have the kernels of a batch compiled, while others do something else."""
        with suppress(OSError):  # a process that has ended is noticed by the next batch
            send(self._connection or self._start(), ahead)
            self._ahead += 1

    def ask(self, data: bytes, timeout: float) -> Ending:
        """Execute a pickled batch for at most `timeout` seconds; raise EOFError without owner."""
        connection = self._connection or self._start()
        self._errors.seek(0)
        self._errors.truncate()
        end = time.monotonic() + timeout
        try:
            while self._ahead and self._has_answered(connection, end):
                receive(connection)
                self._ahead -= 1
            if not self._ahead:
                send(connection, (timeout, data))
                if self._has_answered(connection, end):
                    return Ending(0, receive(connection), tail(self._errors))
        except (EOFError, OSError):
            return Ending(self._end(), b"", tail(self._errors))
        self.close()
        if select.select([self._owner], [], [], 0)[0]:
            raise EOFError
        return Ending(None, b"", tail(self._errors))

    def _has_answered(self, connection: socket.socket, end: float) -> bool:
        """Wait for an answer until a time has come, or nobody wants it any more."""
        patience = max(0.0, end - time.monotonic())
        return connection in select.select([connection, self._owner], [], [], patience)[0]

    def close(self) -> None:
        """End the process, if there is one."""
        if self._connection is not None:
            os.kill(self._pid, signal.SIGKILL)
            self._end()

    def _start(self) -> socket.socket:
        mine, theirs = socket.socketpair()
        self._pid = os.fork()
        if not self._pid:
            mine.close()
            self._owner.close()
            os.dup2(self._errors.fileno(), 1)
            os.dup2(self._errors.fileno(), 2)
            _answer(self._child, theirs)
        theirs.close()
        self._connection = mine
        return mine

    def _end(self) -> int:
        assert self._connection is not None
        self._connection.close()
        self._connection = None
        self._ahead = 0
        _, status = os.waitpid(self._pid, 0)
        return os.waitstatus_to_exitcode(status)


def _answer(child: Any, connection: socket.socket) -> NoReturn:
    """Answer batches until the zygote goes; what is not an exception of a job ends the process."""
    status = 1
    try:
        faulthandler.enable(2, all_threads=False)
        while True:
            request = receive(connection)
            ahead = isinstance(request, Ahead)
            timeout, data = (request.timeout, request.batch) if ahead else request
            faulthandler.dump_traceback_later(0.9 * timeout, file=2)
            signal.alarm(int(2 * timeout) + 10)  # in case there will be no zygote to kill it
            work = child.prepare if ahead else child.execute_by_operator
            send(connection, pickle.dumps(work(pickle.loads(data)), 5))
            faulthandler.cancel_dump_traceback_later()
            signal.alarm(0)
    except EOFError:
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)
