"""Put a file in the place of another, complete or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import IO

from gsl.storage.form import AnyPath


@contextmanager
def replacing(path: AnyPath) -> Iterator[IO[bytes]]:
    """Give a file that replaces that at `path` when all goes well and disappears otherwise.

    Links are followed. Raises OSError, also for a device or a pipe, of which a file in its place
    would be the end.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not (target.is_file() or target.is_dir()):
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
    temporary = target.with_name(f".{token_hex(8)}.part")
    try:
        with temporary.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
