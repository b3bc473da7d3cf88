"""The files of the cache: whole or missing, small, and safe to share."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gslverify.engine.cache.folder import CacheFolder

KEY, OTHER = "ab" + "0" * 62, "cd" + "0" * 62


def test_what_is_written_is_read(folder: Path) -> None:
    cache = CacheFolder(folder / ".gslverify" / "cache")

    assert cache.read(KEY) is None
    cache.write(KEY, "a\nb")
    cache.write(OTHER, "c")

    assert (cache.read(KEY), cache.read(OTHER)) == ("a\nb", "c")
    assert (folder / ".gslverify" / ".gitignore").read_text("utf-8") == "*\n"


@pytest.mark.parametrize("damage", ["", "short", "flip", "swap"])
def test_what_is_damaged_counts_as_missing(damage: str, folder: Path) -> None:
    cache = CacheFolder(folder)
    cache.write(KEY, "text")
    (path,) = cache.sizes()
    contents = path.read_bytes()
    if damage == "swap":
        cache.write(OTHER, "more")
        contents = next(p for p in cache.sizes() if p != path).read_bytes()
    elif damage == "flip":
        contents = contents[:-1] + b"x"
    else:
        contents = contents[: len(damage)]
    path.write_bytes(contents)

    assert cache.read(KEY) is None
    cache.write(KEY, "again")
    assert cache.read(KEY) == "again"


def test_the_oldest_go_first(folder: Path) -> None:
    cache = CacheFolder(folder)
    keys = [f"{number:02}" + "0" * 62 for number in range(4)]
    for age, key in enumerate(keys):
        cache.write(key, "x" * 100)
        (path,) = [path for path in cache.sizes() if path.stem == key]
        os.utime(path, (1000 + age, 1000 + age))
    assert cache.read(keys[0]) is not None  # it was used just now

    one = next(size for _, size in cache.sizes().values())
    assert cache.prune(2 * one) == 2

    assert [cache.read(key) is not None for key in keys] == [True, False, False, True]
    assert cache.clear() == 2
    assert cache.sizes() == {}


def test_a_folder_that_is_missing_is_empty(folder: Path) -> None:
    assert CacheFolder(folder / "nothing").sizes() == {}
    assert CacheFolder(folder / "nothing").clear() == 0


WRITE = """
import sys
from pathlib import Path
from gslverify.engine.cache.folder import CacheFolder
cache = CacheFolder(Path(sys.argv[1]))
for number in range(200):
    cache.write(f"{number % 5:02}" + "0" * 62, "text" * 500)
    assert cache.read(f"{number % 5:02}" + "0" * 62) in (None, "text" * 500)
    if number % 20 == 0:
        cache.prune(5000)
"""


def test_two_runs_at_once_never_see_half_a_file(folder: Path) -> None:
    runs = [subprocess.Popen([sys.executable, "-c", WRITE, str(folder)]) for _ in range(2)]

    assert [run.wait() for run in runs] == [0, 0]
    assert list(folder.rglob("*.part")) == []
