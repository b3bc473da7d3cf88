"""Files of counterexamples: their names, where they lie, and how one is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from gslverify.repro.form import UnreadableError, read
from gslverify.repro.store import find, pin, pinned_files, save
from tests.gslverify.repro.cases import stored, swapped_case


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*.json"))


def test_the_name_has_rule_code_and_hash(folder: Path) -> None:
    path = save(stored(), folder)

    rule, code, digest = path.stem.split("-")
    assert (rule, code, len(digest)) == ("swapped", "GSL401", 8)


def test_a_hostile_name_stays_in_the_folder(folder: Path) -> None:
    path = save(stored(rule="../<script>"), folder)

    assert path.parent == folder
    assert path.name.startswith(".._script_") or path.name.startswith(".._")
    assert "<" not in path.name
    assert find("rules.py::../<script>", folder) == path


def test_the_same_case_is_one_file(folder: Path) -> None:
    first = save(stored(), folder)
    before = first.read_bytes()

    assert save(stored(), folder) == first
    assert first.read_bytes() == before
    assert save(stored(swapped_case(3)), folder) != first
    assert len(names(folder)) == 2


def test_another_file_of_that_name_is_not_overwritten(folder: Path) -> None:
    first = save(stored(), folder)
    first.write_text("mine", "utf-8")

    second = save(stored(), folder)

    assert first.read_text("utf-8") == "mine"
    assert second != first
    assert read(second).code_id == "GSL401"


@pytest.mark.parametrize("size", [2, 5000])
def test_a_pinned_file_moves_beside_its_rule(size: int, folder: Path) -> None:
    path = save(stored(swapped_case(size)), folder)
    rules = folder / "rules" / "a.py"
    rules.parent.mkdir()

    moved = pin(path, rules, "swapped")

    assert moved == folder / "rules" / "__counterexamples__" / "swapped" / path.name
    assert read(moved).case.inputs["x"].size == size
    assert sorted(f.suffix for f in folder.iterdir() if f.is_file()) == []
    assert pinned_files(rules, "swapped") == [moved]
    assert pinned_files(rules, "other") == []
    assert pin(moved, rules, "swapped") == moved
    assert moved.exists()


@pytest.mark.parametrize("given", ["path", "stem", "hash", "rule", "name"])
def test_a_file_is_found_by_what_one_knows(given: str, folder: Path) -> None:
    kept = folder / ".gslverify" / "failures"
    kept.mkdir(parents=True)
    path = save(stored(), kept).relative_to(folder)
    save(stored(rule="other"), kept)
    ways = {
        "path": str(path),
        "stem": path.stem,
        "hash": path.stem.rpartition("-")[2],
        "rule": "rules.py::swapped",
        "name": "swapped",
    }

    assert find(ways[given], Path(".gslverify/failures")) == path


def test_what_is_unknown_or_ambiguous_is_said(folder: Path) -> None:
    kept = folder / ".gslverify" / "failures"
    kept.mkdir(parents=True)
    save(stored(), kept)
    save(stored(swapped_case(3)), kept)

    with pytest.raises(UnreadableError, match="means several counterexamples; name one of"):
        find("swapped", kept)
    with pytest.raises(UnreadableError, match="there is no such counterexample"):
        find("nothing", kept)
