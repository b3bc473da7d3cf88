"""What the processes of a worker tell each other: frames on sockets, and how a batch ended."""

from __future__ import annotations

import os
import pickle
import socket
import struct
from dataclasses import dataclass
from typing import IO, Any

LENGTH = struct.Struct("!Q")

STDERR_LIMIT = 8192
"""Bytes kept of what a batch writes to its standard error."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """A pickled batch that the lasting process is to compile for; nobody waits for an answer."""

    batch: bytes
    timeout: float


@dataclass(frozen=True, slots=True)
class Ending:
    """How the process of a batch ended: its exit status as in `os.waitstatus_to_exitcode`.

    `status` is None after a timeout; `answer` is what the process left behind.
    """

    status: int | None
    answer: bytes
    stderr: str


def send(connection: socket.socket, value: Any) -> None:
    """Send a picklable value as one frame."""
    data = pickle.dumps(value, protocol=5)
    connection.sendall(LENGTH.pack(len(data)))
    connection.sendall(data)


def receive(connection: socket.socket) -> Any:
    """Return the next value; raise EOFError when the other side has gone."""
    (length,) = LENGTH.unpack(_read(connection, LENGTH.size))
    return pickle.loads(_read(connection, length))


def _read(connection: socket.socket, length: int) -> bytearray:
    data = bytearray(length)
    view = memoryview(data)
    while view:
        count = connection.recv_into(view)
        if not count:
            raise EOFError
        view = view[count:]
    return data


def tail(file: IO[bytes]) -> str:
    """Return the end of what was written to a file."""
    file.seek(max(0, file.seek(0, os.SEEK_END) - STDERR_LIMIT))
    return file.read().decode(errors="replace").strip()
