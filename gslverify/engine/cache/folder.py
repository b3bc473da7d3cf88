"""The files of the cache: one for each result, checked when read, replaced as a whole."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from gslverify.atomic import own_folder, write_whole

MOST_BYTES = 256 << 20
"""Beyond this the results that were not used for the longest time are removed."""

SUFFIX = ".result"


class CacheFolder:
    """Texts by keys below a folder that several runs may use at once.

    An entry that is damaged counts as missing and is written anew.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}{SUFFIX}"

    def read(self, key: str) -> str | None:
        """Return the text of a key, None if there is none that can be trusted."""
        path = self._path(key)
        try:
            digest, _, text = path.read_bytes().partition(b"\n")
        except OSError:
            return None
        if digest.decode(errors="replace") != _digest(key, text):
            return None
        with suppress(OSError):
            os.utime(path)
        return text.decode()

    def write(self, key: str, text: str) -> None:
        """Keep a text; raise OSError."""
        path = self._path(key)
        own_folder(path.parent)
        contents = text.encode()
        write_whole(path, f"{_digest(key, contents)}\n".encode() + contents)

    def sizes(self) -> dict[Path, tuple[float, int]]:
        """Return the time of the last use and the bytes of every entry."""
        return dict(self._entries())

    def _entries(self) -> Iterator[tuple[Path, tuple[float, int]]]:
        for path in self.folder.glob(f"*/*{SUFFIX}"):
            with suppress(OSError):
                status = path.stat()
                yield path, (status.st_mtime, status.st_size)

    def prune(self, most_bytes: int = MOST_BYTES) -> int:
        """Remove what was not used for the longest time until the rest is small; return how many.

        An entry that another run removes meanwhile is no error.
        """
        sizes = self.sizes()
        total, removed = sum(size for _, size in sizes.values()), 0
        for path in sorted(sizes, key=lambda entry: sizes[entry]):
            if total <= most_bytes:
                break
            with suppress(OSError):
                path.unlink()
                removed += 1
            total -= sizes[path][1]
        return removed

    def clear(self) -> int:
        """Remove all entries; return how many."""
        return self.prune(-1)


def _digest(key: str, contents: bytes) -> str:
    return hashlib.sha256(key.encode() + b"\0" + contents).hexdigest()
