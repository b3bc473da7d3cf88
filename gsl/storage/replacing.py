"""Put a file in the place of another, complete or not at all."""

from __future__ import annotations

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

    Links are followed. Raises OSError.
    """
    target = Path(os.path.realpath(path))
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
