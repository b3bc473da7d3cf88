"""The file of known results: sorted, a line for each rule, and strict about what it holds."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import pytest

from gslverify.gate.baseline import Baseline, BaselineError, read
from gslverify.gate.entry import entry_of_report
from tests.gslverify.gate.reports import failing, passing, report, rule

KNOWN = Baseline(
    "ci",
    7,
    rules={
        "b.py::ü": failing(reason="issue 12", expires=date(2027, 3, 1)),
        "a.py::a": passing(examples=50),
    },
)


def test_a_file_survives(folder: Path) -> None:
    path = folder / "b.json"
    KNOWN.write(path)

    assert read(path) == KNOWN


def test_every_rule_has_a_line_and_nothing_changes_by_itself(folder: Path) -> None:
    lines = KNOWN.text().splitlines()

    assert lines[0].endswith('"profile": "ci", "seed": 7, "rules": {')
    assert lines[1] == (
        '"a.py::a":{"verdict":"pass","ir":"sha256:1",'
        '"assurance":{"shape":"proved","values":"exact"},"examples":50},'
    )
    assert lines[2] == (
        '"b.py::ü":{"verdict":"fail","codes":["GSL401"],"ir":"sha256:1",'
        '"reason":"issue 12","expires":"2027-03-01"}'
    )
    assert KNOWN.text() == Baseline("ci", 7, rules=dict(reversed(KNOWN.rules.items()))).text()
    path = folder / "empty.json"
    Baseline().write(path)
    assert read(path).rules == {}


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ('"fail"', '"fai"', 3, "`b.py::ü`: verdict: 'fai' is not 'error' or 'fail' or"),
        ('"fail"', '["fail"]', 3, "`b.py::ü`: verdict: ['fail'] is not a text"),
        ("2027-03-01", "soon", 3, "expires: 'soon' is not a day such as 2027-03-01"),
        ('"proved"', '"sworn"', 2, "assurance.shape: 'sworn' is not 'tested' or"),
        ('["GSL401"]', '"GSL401"', 3, "codes: 'GSL401' is not a list"),
        ('"examples":50', '"examples":"x"', 2, "examples: 'x' is not a number"),
        ('"reason"', '"reasons"', 3, "there is no `reasons`"),
        ('"b.py::ü"', '"a.py::a"', 3, "`a.py::a` stands there twice, as after a merge"),
        ('{"verdict":"pass"', '["verdict","pass"', 2, "Expecting"),
        ("\n", "\n<<<<<<< HEAD\n", 2, "Expecting property name"),
        ('"format": 1', '"format": 2', 1, "it is not a baseline: format: 2 is not 1"),
        ('"seed": 7', '"seed": "x"', 1, "it is not a baseline: seed: 'x' is not a number"),
        ('"rules": {', '"rule": {', 1, "it is not a baseline"),
    ],
)
def test_a_damaged_file_is_named_with_its_line(
    old: str, new: str, line: int, message: str, folder: Path
) -> None:
    path = folder / "b.json"
    text = KNOWN.text()
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")

    with pytest.raises(BaselineError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert message in str(caught.value)
    assert "mend the line" in str(caught.value)


@pytest.mark.parametrize("contents", [b"\xff\xfe", b"[]", b"", b"[" * 100_000])
def test_other_contents_are_refused(contents: bytes, folder: Path) -> None:
    path = folder / "b.json"
    path.write_bytes(contents)

    with pytest.raises(BaselineError, match=r"b\.json"):
        read(path)


def test_a_missing_file_comes_with_the_command_to_write_it(folder: Path) -> None:
    with pytest.raises(BaselineError, match="write it: gslverify baseline write --baseline no"):
        read(Path("no.json"))


def test_a_folder_that_takes_no_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)

    with pytest.raises(BaselineError, match="cannot be written: No space left on device"):
        KNOWN.write(folder / "b.json")
    assert list(folder.iterdir()) == []


def test_only_runs_of_a_kind_are_compared() -> None:
    path = Path("b.json")
    KNOWN.require_fit(path, "ci", "0.9.3")

    with pytest.raises(BaselineError, match="of profile `ci`, this run of `dev`; run with"):
        KNOWN.require_fit(path, "dev")
    with pytest.raises(BaselineError, match=r"was written by gslverify 0\.1\.0, this is 1\.0"):
        KNOWN.require_fit(path, "ci", "1.0")


def test_an_entry_is_made_of_a_report() -> None:
    (told, unread) = report(rule("a", "fail", "GSL401", "GSL301", run=12), rule("b", ir=None)).rules

    entry = entry_of_report(told)

    assert (entry.verdict, entry.codes, entry.examples) == ("fail", ("GSL301", "GSL401"), 12)
    assert entry_of_report(unread).rule_hash == ""
