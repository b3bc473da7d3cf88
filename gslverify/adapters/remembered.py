"""What a reading of a library depends on, and what earlier runs have left of one."""

from __future__ import annotations

import hashlib
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

Entry = Mapping[str, Any]
"""What a child writes: `names`, `pass`, `rule` or `files`; `whole` says that this is all."""


class Readings(Protocol):
    """Keeps what was read of some targets of a library."""

    def recall(self) -> list[Entry]:
        """Return the entries of earlier runs, as far as they still hold."""

    def keep(self, entries: Iterable[Entry]) -> None:
        """Keep entries; raise OSError."""


def digest_of(path: Path) -> str:
    """Return a hash of a file, nothing where it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def own_files() -> dict[str, str]:
    """Return the files of all modules that are loaded and of no installed package, with hashes."""
    found = {}
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if file and not any(Path(file).is_relative_to(folder) for folder in _installed()):
            found[str(Path(file).resolve())] = digest_of(Path(file))
    return found


@lru_cache(maxsize=1)
def _installed() -> tuple[Path, ...]:
    """Return the folders of installed packages, of Python, and of this package."""
    paths = sysconfig.get_paths()
    folders = [paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    return (*map(Path, folders), Path(__file__).parents[1], Path(__file__).parents[2] / "gsl")
