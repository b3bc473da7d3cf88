"""What was read of a library by earlier runs, as long as nothing that it depends on has changed."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from gslverify.adapters.foreign import Options
from gslverify.adapters.remembered import Entry, digest_of
from gslverify.engine.cache.folder import CacheFolder
from gslverify.engine.cache.key import installed_tools, package_digest
from gslverify.settings import Settings

DISTRIBUTIONS = (
    *("apache-tvm", "numpy", "onnx", "onnx-ir", "onnxoptimizer", "onnxruntime", "onnxscript"),
    *("onnxsim", "onnxslim", "torch"),
)
"""Packages on whose versions it depends what rules and passes do."""

LEFT_OUT = ("only_list", "known_passes", "known_rules")
"""Options that decide what is looked at, not what is found."""


class KeptReadings:
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
        """Keep entries, those about what was not done to its end left out; raise OSError."""
        undone = ("failure", "left")
        kept = [one for one in entries if not any(one.get("pass", {}).get(w) for w in undone)]
        self._folder.write(self._key, json.dumps(kept))
        self._folder.prune()


def readings_of(
    settings: Settings, library: str, targets: Sequence[str], options: Options
) -> KeptReadings | None:
    """Return what keeps the readings of targets, if they may be kept.

    What a command does is not known by files and versions.
    """
    if not settings.cache or any("{in}" in target for target in targets):
        return None
    return KeptReadings(CacheFolder(Path(settings.cache_folder)), library, targets, options)


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
