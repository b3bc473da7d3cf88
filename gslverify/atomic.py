"""Write files so that nobody ever sees half of one, also when two runs write at once."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from gslverify.project import OWN_FOLDER

IGNORE_EVERYTHING = "*\n"


def write_whole(path: Path, contents: bytes, mode: int = 0o644) -> None:
    """Put `contents` in the place of a file, or leave it as it was; raise OSError."""
    descriptor, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(contents)
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def own_folder(folder: Path) -> None:
    """Make a folder; if it lies in one called `.gslverify`, git leaves that one alone.

    Raises OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for parent in (folder, *folder.parents):
        if parent.name == OWN_FOLDER and not (parent / ".gitignore").exists():
            write_whole(parent / ".gitignore", IGNORE_EVERYTHING.encode())


def reason_of(error: OSError) -> str:
    """Return what the system says about a file, without its path."""
    return error.strerror or str(error)
