"""Rules that failed in the last run are worked on first; reports do not show it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gslverify.engine.cache.last_failed import LastFailed
from gslverify.exits import Exit
from gslverify.finding import RuleResult, StageResult, Verdict
from gslverify.session import Output, run_check
from gslverify.settings import Settings
from tests.gslverify.fake_stages import DIARY, WAVES
from tests.gslverify.rule_files import write_rules


def result(name: str, verdict: Verdict) -> RuleResult:
    return RuleResult(name, None, (StageResult("numeric", verdict),))


def test_what_failed_is_noted_and_what_was_not_asked_stays(tmp_path: Path) -> None:
    failed = LastFailed(tmp_path / "cache")
    failed.note([result("a", Verdict.PASS)])
    assert not failed.path.exists()
    failed.note([result("a", Verdict.FAIL), result("b", Verdict.PASS), result("c", Verdict.ERROR)])
    assert failed.read() == {"a", "c"}
    failed.note([result("c", Verdict.PASS), result("d", Verdict.VACUOUS)])
    assert failed.read() == {"a", "d"}
    failed.note([result("a", Verdict.PASS), result("d", Verdict.PASS)])
    assert failed.read() == frozenset()


@pytest.mark.parametrize("contents", [b"", b"{", b"\xff\xfe", b'{"a": 1}', b"[1, 2]", b"[" * 9999])
def test_a_damaged_file_is_as_good_as_none(tmp_path: Path, contents: bytes) -> None:
    failed = LastFailed(tmp_path)
    failed.path.write_bytes(contents)
    assert failed.read() == frozenset()
    failed.note([result("a", Verdict.FAIL)])
    assert failed.read() == {"a"}


def test_a_folder_that_takes_no_file_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file in the place of a folder", "utf-8")
    failed = LastFailed(tmp_path / "cache")
    failed.note([result("a", Verdict.FAIL)])
    assert failed.read() == frozenset()


def worked_on(folder: Path, settings: Settings, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return which rules the last stage examined, in order; check that the report has its own."""
    diary = folder / "diary"
    diary.unlink(missing_ok=True)
    assert run_check(["rules.py"], settings, Output(format="json"), waves=WAVES) is Exit.FINDINGS
    report = json.loads(capsys.readouterr().out)
    names = [rule["id"].partition("::")[2] for rule in report["rules"]]
    assert names == ["one", "wrong", "two", "wrong_too"]
    lines = diary.read_text("utf-8").splitlines()
    return [line.split()[1] for line in lines if line.startswith("expensive")]


def test_rules_that_failed_are_worked_on_first(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(DIARY, str(folder / "diary"))
    write_rules(folder, ["one", "wrong", "two", "wrong_too"])
    settings = Settings(cache=True, jobs=0)

    assert worked_on(folder, settings, capsys) == ["one", "wrong", "two", "wrong_too"]
    assert worked_on(folder, settings, capsys) == ["wrong", "wrong_too", "one", "two"]
    forgetful = Settings(cache=False, jobs=0)
    assert worked_on(folder, forgetful, capsys) == ["one", "wrong", "two", "wrong_too"]
