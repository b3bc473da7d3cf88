"""What is written can be read again, and whatever is not what was written is refused."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gsl.text.listing import listing
from gslverify.case import Case
from gslverify.repro.form import INLINE_BYTES, UnreadableError, contents_of, read
from gslverify.repro.store import save
from tests.gslverify.repro.cases import constant_case, stored, swapped_case


def texts(case: Case) -> list[str]:
    exprs = case.exprs()
    return listing([exprs[position] for position in (*case.source, *case.target)])


@pytest.mark.parametrize("case", [swapped_case(), constant_case(), swapped_case(5000, "int8")])
def test_a_case_survives(case: Case, folder: Path) -> None:
    given = stored(case)

    found = read(save(given, folder))

    assert texts(found.case) == texts(case)
    assert found.case.matched == case.matched
    assert (found.case.context, found.case.escaping) == (case.context, case.escaping)
    for name, array in case.inputs.items():
        np.testing.assert_array_equal(found.case.inputs[name], array)
        assert found.case.inputs[name].dtype == array.dtype
    assert (found.rule_id, found.code_id, found.message) == (
        given.rule_id,
        given.code_id,
        given.message,
    )
    assert (found.seed, dict(found.tool)) == (3, dict(given.tool))


def test_a_constant_keeps_the_number_that_was_asked_for(folder: Path) -> None:
    found = read(save(stored(constant_case()), folder)).case.exprs()

    assert 0.1 in [getattr(expr, "asked", None) for expr in found]


def test_many_elements_go_into_an_archive(folder: Path) -> None:
    small = save(stored(swapped_case(INLINE_BYTES // 8)), folder)
    large = save(stored(swapped_case(INLINE_BYTES // 8 + 1)), folder)

    assert not small.with_suffix(".npz").exists()
    assert large.with_suffix(".npz").exists()
    assert len(large.read_text("utf-8")) < INLINE_BYTES


def test_the_hash_is_that_of_the_case(folder: Path) -> None:
    first = contents_of(stored())[2]

    assert contents_of(stored())[2] == first
    assert contents_of(stored(swapped_case(3)))[2] != first
    assert contents_of(stored(code_id="GSL402"))[2] != first


def changed(path: Path, **entries: Any) -> None:
    header = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(header | entries), "utf-8")


def test_a_number_that_somebody_changed_is_noticed(folder: Path) -> None:
    path = save(stored(), folder)
    path.write_text(path.read_text("utf-8").replace("1.0", "2.0"), "utf-8")

    with pytest.raises(UnreadableError, match="do not fit its hash"):
        read(path)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"format": "another"}, "not a counterexample"),
        ({"version": 99}, "has version 99, not 1; replay it with the release"),
        ({"records": [["const", []]]}, "damaged"),
        ({"source": [77]}, "damaged"),
        (
            {"arrays": [{"name": "input x", "dtype": "object", "shape": [1], "values": [1]}]},
            "dtype",
        ),
        ({"hash": "0" * 64}, "do not fit"),
        ({"hash": "0"}, "damaged: DocumentError: hash: '0' does not fit"),
        ({"archive": "missing.npz"}, "damaged"),
    ],
)
def test_what_is_wrong_is_said(entries: dict[str, Any], message: str, folder: Path) -> None:
    path = save(stored(), folder)
    changed(path, **entries)

    with pytest.raises(UnreadableError, match=message) as caught:
        read(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"format": 1}', "[" * 100_000])
def test_text_of_other_kinds_is_refused(text: str, folder: Path) -> None:
    path = folder / "a.json"
    path.write_text(text, "utf-8")

    with pytest.raises(UnreadableError, match="is not a counterexample"):
        read(path)


def test_a_file_that_is_not_there_is_named(folder: Path) -> None:
    with pytest.raises(UnreadableError, match=r"a\.json: cannot be read"):
        read(folder / "a.json")


def test_an_archive_with_pickled_objects_is_refused(folder: Path) -> None:
    path = save(stored(swapped_case(5000)), folder)
    odd = np.array([print], dtype=object)
    np.savez(path.with_suffix(".npz"), array0=odd, array1=odd)

    with pytest.raises(UnreadableError, match="damaged"):
        read(path)


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_an_archive_without_an_end_is_refused(kind: str, folder: Path) -> None:
    path = save(stored(swapped_case(5000)), folder)
    archive = path.with_suffix(".npz")
    archive.unlink()
    if kind == "pipe":
        os.mkfifo(archive)
    else:
        archive.symlink_to("/dev/zero")

    with pytest.raises(UnreadableError, match="is no file"):
        read(path)


@pytest.mark.parametrize("size", [2, 5000])
def test_nans_of_any_sign_and_payload_are_kept_as_nan(size: int, folder: Path) -> None:
    case = swapped_case(size)
    odd = np.array([0xFFC00001, 0x7FC00000], np.uint32).view(np.float32)
    case = replace(case, inputs={**case.inputs, "x": np.resize(odd, size)})

    found = read(save(stored(case), folder))

    assert np.isnan(found.case.inputs["x"]).all()
    assert found.case.inputs["x"].dtype == np.float32
