"""Write files so that nobody ever sees half of one, also when two runs write at once."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from gslverify.project import OWN_FOLDER

IGNORE_EVERYTHING = "*\n"


def write_whole(path: Path, contents: bytes) -> None:
    """Put `contents` in the place of a file, or leave it as it was; raise OSError.

    Links are followed, and the file keeps its permissions. A device or a pipe is written to: a file
    in its place would be the end of it, such as of /dev/null for the whole machine.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(contents)
        return
    target = path.resolve()
    mode = target.stat().st_mode if target.exists() else 0o666 & ~_umask()
    descriptor, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(contents)
        os.chmod(name, mode)
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


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


def why_unreadable(error: Exception) -> str:
    """Return why a file is not read, or not as text."""
    if isinstance(error, UnicodeDecodeError):
        return f"it is not text in UTF-8 (byte {error.start})"
    return reason_of(error) if isinstance(error, OSError) else str(error)
