"""What a rule file does to its process costs this file a finding, and its neighbour nothing."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from gslverify.corpus.collect import collect
from gslverify.corpus.declaration import Collected, CollectedRule, Unusable
from gslverify.engine.writing import write_down
from tests.faults.catalogue import HARMLESS, IMPORT, LOSING, PATCHED, PATCHES, RULE, Fault
from tests.gslverify.rule_files import HEAD, rule_text, write_rules

SECONDS = 2.0

NOTHING_WORKS = ("patches_isinstance", "patches_len", "patches_finding")
"""Patches with which the process cannot even say what has happened."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gsl.rule_files.guard.GRACE_SECONDS", 0.5)
    write_rules(tmp_path, ["neighbour"], "z_neighbour.py")
    return tmp_path


def collected() -> list[Collected]:
    """Return what is found, after it was seen that the neighbour is as it should be."""
    *found, neighbour = collect(["."], SECONDS, write=write_down)
    assert is_right(neighbour)
    return found


def is_right(item: Collected) -> bool:
    """Tell whether a rule was collected, written down, and nothing is said about it."""
    written = item.written if isinstance(item, CollectedRule) else None
    return written is not None and bool(written.result.rule_hash) and not written.result.findings


def at_import(fault: str) -> str:
    return f"{HEAD}\n{fault}\n{rule_text('victim')}"


def in_a_rule(fault: str) -> str:
    body = textwrap.indent(fault, "    ")
    return f"{HEAD}{rule_text('before')}\n@rule\ndef victim():\n{body}\n{rule_text('after')}"


@pytest.mark.parametrize("name", LOSING)
def test_file_that_harms_its_process_is_named(name: str, folder: Path) -> None:
    fault = LOSING[name]
    (folder / "fault.py").write_text(at_import(fault.text), "utf-8")

    (item,) = collected()

    assert isinstance(item, Unusable)
    assert (item.rule_id, item.finding.code.id) == ("fault.py", IMPORT)
    assert fault.says in item.finding.message


@pytest.mark.parametrize("name", LOSING)
def test_rule_that_harms_its_process_is_named_and_the_others_are_kept(
    name: str, folder: Path
) -> None:
    fault = LOSING[name]
    (folder / "fault.py").write_text(in_a_rule(fault.text), "utf-8")

    before, victim, after = collected()

    assert is_right(before)
    assert is_right(after)
    assert RULE in codes_of(victim)
    assert fault.says in message_of(victim)


def codes_of(item: Collected) -> list[str]:
    if isinstance(item, Unusable):
        return [item.finding.code.id]
    return [finding.code.id for finding in item.written.result.findings] if item.written else []


def message_of(item: Collected) -> str:
    if isinstance(item, Unusable):
        return item.finding.message
    return item.written.result.findings[0].message if item.written else ""


@pytest.mark.parametrize("name", PATCHED)
def test_file_that_patches_is_named(name: str, folder: Path) -> None:
    fault: Fault = PATCHED[name]
    (folder / "fault.py").write_text(at_import(fault.text), "utf-8")

    items = collected()

    assert not any(map(is_right, items))
    if name in NOTHING_WORKS:
        assert codes_of(items[0]) == [IMPORT]
    else:
        assert codes_of(items[0]) == [PATCHES]
        assert fault.says in message_of(items[0])


@pytest.mark.parametrize("name", PATCHED)
def test_rule_that_patches_is_named(name: str, folder: Path) -> None:
    fault = PATCHED[name]
    text = in_a_rule(
        fault.text + "\nx = pat.Wildcard()\nreturn Subst(op.Relu(op.Relu(x)), op.Relu(x))"
    )
    (folder / "fault.py").write_text(text, "utf-8")

    before, victim, _ = collected()

    assert is_right(before)
    assert not is_right(victim)


@pytest.mark.parametrize("name", HARMLESS)
def test_what_harms_nobody_costs_nothing(
    name: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "fault.py").write_text(at_import(HARMLESS[name]), "utf-8")

    (item,) = collected()

    assert is_right(item)
    assert "forged" not in capfd.readouterr().out
