"""A pipe from a process that may do anything with it: reading takes no longer than is allowed."""

from __future__ import annotations

import os
import struct
from multiprocessing.connection import wait

from gsl.rule_files.messages import MessageError

LENGTH = struct.Struct("!Q")

MOST_BYTES = 2**28
"""Of a message; what a file of a thousand rules sends is a hundredth of it."""

PIECE = 2**16


class Outbox:
    """Where messages are written, one after the other."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def send(self, message: bytes) -> None:
        """Write a message; raise OSError when nobody reads any more."""
        rest = memoryview(LENGTH.pack(len(message)) + message)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]

    def fileno(self) -> int:
        """Return the number of the open file."""
        return self._descriptor

    def close(self) -> None:
        """Let go of the pipe."""
        os.close(self._descriptor)


class Inbox:
    """Where they are read, those that are complete."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._held = bytearray()

    def fileno(self) -> int:
        """Return the number of the open file, for `multiprocessing.connection.wait`."""
        return self._descriptor

    def take(self, patience: float = 0.0) -> bytes | None:
        """Return the next message; None where it is not complete, after some seconds at most.

        Raises EOFError when the other side has gone, and MessageError for a message that is too
        long to be one.
        """
        message = self._complete()
        while message is None and wait([self._descriptor], patience):
            piece = os.read(self._descriptor, PIECE)
            if not piece:
                raise EOFError
            self._held += piece
            message, patience = self._complete(), 0.0
        return message

    def _complete(self) -> bytes | None:
        if len(self._held) < LENGTH.size:
            return None
        (length,) = LENGTH.unpack_from(self._held)
        if length > MOST_BYTES:
            raise MessageError(f"a message of {length:,} bytes")
        end = LENGTH.size + length
        if len(self._held) < end:
            return None
        message = bytes(self._held[LENGTH.size : end])
        del self._held[:end]
        return message

    def close(self) -> None:
        """Let go of the pipe."""
        os.close(self._descriptor)


def pipe() -> tuple[Inbox, Outbox]:
    """Return both ends of a new pipe."""
    reading, writing = os.pipe()
    return Inbox(reading), Outbox(writing)
