"""What was read of a library by earlier runs, as long as nothing that it depends on has changed."""

from __future__ import annotations

import hashlib
import json
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from gslverify.adapters.foreign import Options
from gslverify.engine.cache.folder import CacheFolder
from gslverify.engine.cache.key import installed_tools, package_digest

DISTRIBUTIONS = (
    *("apache-tvm", "numpy", "onnx", "onnx-ir", "onnxoptimizer", "onnxruntime", "onnxscript"),
    *("onnxsim", "onnxslim", "torch"),
)
"""Packages on whose versions it depends what rules and passes do."""

LEFT_OUT = ("only_list", "known_passes", "known_rules")
"""Options that decide what is looked at, not what is found."""

Entry = Mapping[str, Any]
"""What a child writes: `names`, `pass`, `rule` or `files`; `whole` says that this is all."""


class Readings:
    """Entries about rules and passes of targets, below the folder of the cache.

    They are those of the same release of the library and of gslverify, for the same options; of
    files beside these the contents are compared.
    """

    def __init__(
        self, folder: CacheFolder, library: str, targets: Sequence[str], options: Options
    ) -> None:
        self._folder = folder
        self._key = _key(library, targets, options)

    def recall(self) -> list[Entry]:
        """Return the entries of earlier runs, none where a file has changed since."""
        text = self._folder.read(self._key)
        if text is None:
            return []
        entries: list[Entry] = json.loads(text)
        files = [one["files"] for one in entries if "files" in one]
        is_fresh = all(digest_of(Path(name)) == known for name, known in _joined(files).items())
        return [one for one in entries if "files" not in one] if is_fresh and files else []

    def keep(self, entries: Iterable[Entry]) -> None:
        """Keep entries, those about what could not be done left out; raise OSError."""
        kept = [one for one in entries if not one.get("pass", {}).get("failure")]
        self._folder.write(self._key, json.dumps(kept))
        self._folder.prune()


def may_be_kept(targets: Sequence[str]) -> bool:
    """Tell whether what targets do is known by files and versions; that of a command is not."""
    return not any("{in}" in target for target in targets)


def _key(library: str, targets: Sequence[str], options: Options) -> str:
    given = asdict(options)
    given = {name: one for name, one in given.items() if name not in LEFT_OUT}
    if options.sources:
        given["sources"] = digest_of(Path(options.sources))
    parts = {
        "library": library,
        "targets": list(targets),
        "options": given,
        "versions": [*installed_tools(), *_versions(), sys.version],
        "source": package_digest(),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _versions() -> Iterator[tuple[str, str]]:
    for name in DISTRIBUTIONS:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            yield name, "absent"


def _joined(files: Iterable[Mapping[str, str]]) -> dict[str, str]:
    return {name: digest for some in files for name, digest in some.items()}


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
