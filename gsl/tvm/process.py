"""The parent's handle of a zygote: start it, ask it, stop it."""

from __future__ import annotations

import os
import select
import signal
import socket
import time
import weakref
from collections.abc import Iterable
from contextlib import suppress

from gsl.operators.declaration import REGISTRY, Operator
from gsl.tvm import frames, zygote
from gsl.tvm.errors import BackendError

START = 120.0
"""Seconds that importing TVM may take."""

GRACE = 30.0
"""Seconds, beyond those of a request, after which a silent zygote is given up."""

GOODBYE = 2.0
"""Seconds that a zygote gets to end its child and itself."""


MOST_AHEAD = 2**16
"""Bytes that may be sent to a zygote that does not read yet, as two of these fit in its socket."""

FAILURE = "TVM does not start"


class EndedError(BackendError):
    """A zygote has ended, perhaps because somebody ended it, before it could be asked."""


class ZygoteProcess:
    """A running zygote; it ends with `stop`, with this object, or with this process.

    It imports TVM while its parent does other things, until `wait` is called.
    """

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._operators = dict(REGISTRY)
        self._connection, other = socket.socketpair()
        self.pid = os.fork()
        if not self.pid:
            self._connection.close()
            zygote.serve(other)
        other.close()
        self._finalizer = weakref.finalize(self, _stop, self._connection, self.pid, self._owner)
        self._has_started = False

    def fileno(self) -> int:
        """Return the number of the open file by which it is asked."""
        return self._connection.fileno()

    def wait(self) -> None:
        """Wait until it can be asked; raise BackendError, once stopped, if it cannot import TVM."""
        if self._has_started:
            return
        try:
            frames.send(self._connection, None)
            complaint = self._receive(START)
        except (EOFError, OSError) as error:
            self.stop()
            raise EndedError(f"{FAILURE}: its process was ended while it imported TVM") from error
        except BaseException:
            self.stop()
            raise
        if complaint:
            self.stop()
            raise BackendError(f"{FAILURE}: {complaint}")
        self._has_started = True

    def serves(self, operators: Iterable[Operator]) -> bool:
        """Tell whether it has known `operators` from the start."""
        return all(self._operators.get(operator.name) is operator for operator in operators)

    def has_ended(self) -> bool:
        """Tell whether nobody answers any more, for instance because a fork has ended it."""
        try:
            readable = select.select([self._connection], [], [], 0)[0]
            return bool(readable) and not self._connection.recv(1, socket.MSG_PEEK)
        except (OSError, ValueError):
            return True

    def ask(self, data: bytes, timeout: float, lasting: bool = False) -> frames.Ending:
        """Run a pickled batch for at most `timeout` seconds, in a fresh process or a `lasting` one.

        After any exception the zygote must be stopped: its answer would come too late. Raises
        EOFError or ConnectionError when it has died, TimeoutError when it is silent.
        """
        self._connection.settimeout(GRACE)
        frames.send(self._connection, (timeout, data, lasting))
        ending = self._receive(timeout + GRACE)
        assert isinstance(ending, frames.Ending)
        return ending

    def anticipate(self, data: bytes, timeout: float) -> None:
        """Have the lasting process prepare for a batch; there is no answer."""
        if len(data) <= MOST_AHEAD:
            self._connection.settimeout(GRACE)
            with suppress(OSError):  # a zygote that has ended is noticed by whoever asks it
                frames.send(self._connection, frames.Ahead(data, timeout))

    def stop(self) -> None:
        """End the process and wait for its end; a fork of its owner only ends it."""
        if os.getpid() != self._owner:
            with suppress(OSError):
                self._connection.shutdown(socket.SHUT_RDWR)
        self._finalizer()

    def leave(self) -> None:
        """Use it no more; end it unless it belongs to another process, which may go on to."""
        self._finalizer()

    def _receive(self, timeout: float) -> object:
        self._connection.settimeout(timeout)
        return frames.receive(self._connection)


def _stop(connection: socket.socket, pid: int, owner: int) -> None:
    if os.getpid() != owner:  # a fork of the owner, which must leave the zygote alone
        connection.close()
        return
    # Unlike `close` this also reaches copies of the socket in other forks.
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
    with suppress(ChildProcessError):
        _wait_or_kill(pid)


def _wait_or_kill(pid: int) -> None:
    deadline = time.monotonic() + GOODBYE
    while time.monotonic() < deadline:
        # Without reaping it yet, so that its number still means its process group.
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            break
        time.sleep(0.002)
    # A zygote that was killed from outside may have left a child.
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
