"""A process that has imported TVM and forks a fresh copy of itself for every batch.

The barrier has three processes. The parent never imports TVM. The zygote, forked from it, imports
TVM once, then waits for requests; it never runs one itself, so it stays healthy. Each request is
executed by a copy of the zygote, which takes milliseconds to make instead of a second, and which
may die or be killed without harm; `gsl.tvm.lasting` has one that stays for the next request.
Forking, rather than starting a new interpreter, lets the copies know the operators that rules and
tests declare in modules that cannot be imported by name.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import pickle
import resource
import select
import signal
import socket
import sys
import tempfile
import traceback
from typing import IO, Any, NoReturn

from gsl.collector import collect_seldom
from gsl.errors import GslError
from gsl.tvm.frames import Ahead, Ending, receive, send, tail
from gsl.tvm.lasting import LastingChild


def serve(connection: socket.socket) -> NoReturn:
    """Be the zygote: answer requests until the other side goes; never return to the caller."""
    try:
        _detach(connection.fileno())
        try:
            child = _import_child()
        except Exception as error:
            text = str(error) if isinstance(error, GslError) else traceback.format_exc()
            while receive(connection) is not None:
                pass
            send(connection, text)
            os._exit(1)
        _answer(connection, child, LastingChild(child, connection))
    except BaseException:
        # The usual end: the parent has closed the connection, or has died.
        os._exit(0)


def _answer(connection: socket.socket, child: Any, lasting: LastingChild) -> NoReturn:
    try:
        while True:
            request = receive(connection)
            if request is None:  # somebody asks whether TVM has been imported
                send(connection, "")
                continue
            if isinstance(request, Ahead):
                lasting.anticipate(request)
                continue
            timeout, data, lasts = request
            if lasts:
                send(connection, lasting.ask(data, timeout))
            else:
                send(connection, _supervise(connection, child, data, timeout))
    finally:
        lasting.close()


def _import_child() -> Any:
    # TVM imports torch where it is installed, which takes as long as TVM and is of no use here.
    sys.modules.setdefault("torch", None)  # type: ignore[arg-type]
    # Here and not above: this module is also imported by the parent, which must not load TVM.
    from gsl.tvm import child

    child.warm_up()
    collect_seldom()
    return child


def _detach(kept: int) -> None:
    """Cut what the process shares with its parent: terminal, signals, every file but `kept`."""
    os.setpgid(0, 0)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    faulthandler.cancel_dump_traceback_later()
    faulthandler.disable()
    # Objects of the parent must not be finalised here: they may own files.
    gc.freeze()
    null = os.open(os.devnull, os.O_RDWR)
    # A pipe of the parent to another program stays open as long as a copy of it is held here, and
    # that program would wait for its end. Numbers are not given away: objects still refer to them.
    for descriptor in {0, 1, 2, *_open_files()} - {kept, null}:
        os.dup2(null, descriptor)
    sys.stdout = sys.stderr = open(2, "w", buffering=1, closefd=False)  # noqa: SIM115
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def _open_files() -> list[int]:
    found = [int(name) for name in os.listdir("/dev/fd")]
    return [number for number in found if _is_open(number)]


def _is_open(descriptor: int) -> bool:
    """Tell whether it is: the listing itself had a file open that no longer is."""
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _supervise(connection: socket.socket, child: Any, data: bytes, timeout: float) -> Ending:
    with tempfile.TemporaryFile() as answer, tempfile.TemporaryFile() as errors:
        alive, held = os.pipe()
        pid = os.fork()
        if not pid:
            os.close(alive)
            connection.close()
            _be_child(child, data, answer, errors, timeout)
        os.close(held)
        status = _wait(connection, pid, alive, timeout)
        return Ending(status, _content(answer), tail(errors))


def _be_child(
    child: Any, data: bytes, answer: IO[bytes], errors: IO[bytes], timeout: float
) -> NoReturn:
    status = 1
    try:
        os.dup2(errors.fileno(), 1)
        os.dup2(errors.fileno(), 2)
        faulthandler.enable(2, all_threads=False)
        faulthandler.dump_traceback_later(0.9 * timeout, file=2)
        signal.alarm(int(2 * timeout) + 10)  # in case there will be no zygote to kill it
        pickle.dump(child.execute(pickle.loads(data)), answer, protocol=5)
        answer.flush()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _wait(connection: socket.socket, pid: int, alive: int, timeout: float) -> int | None:
    """Wait until a process lets go of its end of pipe `alive`; kill it when that takes too long."""
    watched: list[Any] = [alive, connection]
    ready, _, _ = select.select(watched, [], [], timeout)
    os.close(alive)
    if alive not in ready:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    if connection in ready:
        raise EOFError
    return os.waitstatus_to_exitcode(status) if ready else None


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()
