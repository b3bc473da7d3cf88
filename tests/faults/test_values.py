"""Damaged counterexamples are refused with a reason; nothing is read that is not what it says."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gslverify.repro.form import Stored, UnreadableError, contents_of, read
from tests.gslverify.repro.cases import swapped_case

STORED = Stored("rules.py::example", "sha256:1", "GSL401", "differs", swapped_case(), {})

Change = Callable[[dict[str, Any]], object]


def written(folder: Path, limit: int = 4096) -> Path:
    text, archive, _ = contents_of(STORED, "case", limit)
    path = folder / "case.json"
    path.write_bytes(text)
    if archive:
        path.with_suffix(".npz").write_bytes(archive)
    return path


def test_what_is_whole_is_read(tmp_path: Path) -> None:
    assert read(written(tmp_path)).rule_id == STORED.rule_id
    assert read(written(tmp_path, limit=0)).rule_id == STORED.rule_id


@pytest.mark.parametrize("share", [n / 20 for n in range(20)])
def test_cut_off(share: float, tmp_path: Path) -> None:
    path = written(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])

    with pytest.raises(UnreadableError):
        read(path)


@pytest.mark.parametrize(
    "name", ["rule", "code", "hash", "arrays", "records", "source", "inputs", "context", "format"]
)
@pytest.mark.parametrize(
    "value", [None, -1, "x", [], {}, [[[]]], 1e308], ids=lambda value: repr(value)
)
def test_another_value(name: str, value: Any, tmp_path: Path) -> None:
    path = written(tmp_path)
    header = json.loads(path.read_bytes())
    header[name] = value
    path.write_text(json.dumps(header), "utf-8")

    with pytest.raises(UnreadableError):
        read(path)


CHANGES: dict[str, Change] = {
    "negative size": lambda header: header["arrays"][0].update(shape=[-1]),
    "huge size": lambda header: header["arrays"][0].update(shape=[1 << 40]),
    "text as size": lambda header: header["arrays"][0].update(shape=["a"]),
    "unknown dtype": lambda header: header["arrays"][0].update(dtype="object"),
    "another dtype": lambda header: header["arrays"][0].update(dtype="int64"),
    "path outside": lambda header: header.update(archive="../../elsewhere.npz"),
    "absolute path": lambda header: header.update(archive="/etc/passwd"),
    "no archive there": lambda header: header.update(archive="gone.npz"),
    "another version": lambda header: header.update(version=99),
    "endless nesting": lambda header: header.update(shown=[[["x"] * 3] * 3] * 3),
}


@pytest.mark.parametrize("change", CHANGES)
def test_archive_that_is_not_what_the_file_says(change: str, tmp_path: Path) -> None:
    path = written(tmp_path, limit=0)
    header = json.loads(path.read_bytes())
    CHANGES[change](header)
    path.write_text(json.dumps(header), "utf-8")

    with pytest.raises(UnreadableError):
        read(path)


def test_archive_that_unpacks_to_more_than_it_says(tmp_path: Path) -> None:
    path = written(tmp_path, limit=0)
    header = json.loads(path.read_bytes())
    with zipfile.ZipFile(path.with_suffix(".npz"), "w", zipfile.ZIP_DEFLATED) as archive:
        for number, _ in enumerate(header["arrays"]):
            with archive.open(f"array{number}.npy", "w") as member:
                np.lib.format.write_array(member, np.zeros(1 << 24, "float64"))

    with pytest.raises(UnreadableError, match="bytes, not the"):
        read(path)


@pytest.mark.parametrize("content", [b"", b"PK", b"\x93NUMPY", b"\0" * 100, b"PK\5\6" + b"\0" * 18])
def test_archive_that_is_none(content: bytes, tmp_path: Path) -> None:
    path = written(tmp_path, limit=0)
    path.with_suffix(".npz").write_bytes(content)

    with pytest.raises(UnreadableError):
        read(path)
