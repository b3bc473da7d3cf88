"""`gslverify repro`: from a run to a file, and from the file to a verdict, a program, a pin."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gslverify.again import still_fails
from gslverify.cli import main
from gslverify.corpus.collect import collect
from gslverify.engine.loop import verify
from gslverify.events import RunDone, RunStarted
from gslverify.failures import FailureFiles
from gslverify.finding import Counterexample, Finding, Verdict
from gslverify.repro.store import save
from gslverify.settings import Settings
from gslverify.stages import WAVES
from tests.gslverify.repro.cases import (
    ELSEWHERE,
    MENDED,
    OTHERWISE,
    WRONG,
    stored,
    swapped_case,
    write_rule,
)


def call(*args: str) -> Result:
    return CliRunner().invoke(main, ["repro", *args])


def check(folder: Path, text: str = WRONG, stages: tuple[str, ...] = ("static",)) -> RunDone:
    path = write_rule(folder, text)
    events = list(verify(collect([path.name]), Settings(stages=stages, use_tvm=False), WAVES))
    assert isinstance(events[0], RunStarted)
    assert isinstance(events[-1], RunDone)
    return events[-1]


@pytest.mark.smt
def test_a_failing_run_leaves_a_file_that_reproduces_it(folder: Path) -> None:
    write_rule(folder)
    arguments = ["check", "rules.py", "--no-tvm", "-j", "0", "-n", "6"]

    done = CliRunner().invoke(main, arguments)

    (path,) = (folder / ".gslverify" / "failures").glob("swapped-GSL401-*.json")
    assert f"gslverify repro .gslverify/failures/{path.name}" in done.output
    assert (folder / ".gslverify" / ".gitignore").read_text("utf-8") == "*\n"
    again = call("swapped")
    assert again.exit_code == 1
    assert "REPRODUCED rules.py::swapped: GSL401" in again.output


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        (WRONG, 1, "REPRODUCED rules.py::swapped: GSL401"),
        (MENDED, 0, "MENDED rules.py::swapped: source and target agree"),
        (ELSEWHERE, 0, "MENDED rules.py::swapped: the rule leaves it alone"),
        (OTHERWISE, 1, "FAILS OTHERWISE rules.py::swapped: GSL403"),
    ],
)
def test_the_rule_as_it_is_now_decides(text: str, code: int, words: str, folder: Path) -> None:
    path = save(stored(), folder)
    write_rule(folder, text)

    done = call(str(path))

    assert (done.exit_code, words in done.output) == (code, True), done.output
    assert "inputs        x float32[2] = [0 1]" in done.output
    assert bool(still_fails(path)) == bool(code)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "its rule cannot be asked: there are no rules in `rules.py`"),
        (WRONG.replace("def swapped", "def other"), "there is no rule `swapped`"),
        (WRONG.replace("op.Subtract(y, x)", "op.Subtract(y)"), "its rule is not written down"),
        (WRONG.replace("x, y = ", "import os; os._exit(3); x, y = "), "its rule cannot be asked"),
    ],
)
def test_a_rule_that_cannot_be_asked_is_a_usage_error(text: str, words: str, folder: Path) -> None:
    path = save(stored(), folder)
    write_rule(folder, text)

    done = call(str(path))

    assert done.exit_code == 2
    assert words in done.output


def test_a_rule_file_outside_of_the_project_is_not_imported_unasked(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    write_rule(elsewhere, f"open({str(elsewhere / 'imported')!r}, 'w').close()\n{WRONG}")
    rule = f"{elsewhere / 'rules.py'}::swapped"
    path = save(replace(stored(), rule_id=rule), folder)

    refused = call(str(path))

    assert refused.exit_code == 2
    assert "is outside of the project and was not imported" in refused.output
    assert not (elsewhere / "imported").exists()
    assert call(str(path), "--emit", "relax").exit_code in (0, 2)
    assert not (elsewhere / "imported").exists()
    assert call(str(path), "--trust").exit_code == 1
    assert (elsewhere / "imported").exists()


def test_a_corrupt_file_is_a_usage_error_with_a_cure(folder: Path) -> None:
    (folder / "a.json").write_text("{", "utf-8")

    done = call("a.json")

    assert done.exit_code == 2
    assert "a.json: is not a counterexample, or damaged" in done.output
    assert "verify the rule again to get a new one" in done.output
    assert "Traceback" not in done.output


def test_a_test_is_emitted_that_fails_until_the_rule_is_mended(folder: Path) -> None:
    path = save(stored(), folder)
    text = call(str(path.relative_to(folder)), "--emit", "pytest").output
    names: dict[str, object] = {}
    exec(text, names)
    (test,) = (value for name, value in names.items() if name.startswith("test_swapped_GSL401"))
    assert callable(test)

    write_rule(folder)
    with pytest.raises(AssertionError):
        test()
    write_rule(folder, MENDED)
    test()


@pytest.mark.tvm
def test_programs_are_emitted(folder: Path) -> None:
    path = str(save(stored(), folder))

    assert "import tvm" in call(path, "--emit", "py").output
    assert "def target(" in call(path, "--emit", "relax").output


def test_a_pinned_counterexample_is_tried_first(folder: Path) -> None:
    write_rule(folder)
    call(str(save(stored(), folder)), "--pin")

    (result,) = check(folder).results

    assert [(s.stage, str(s.verdict)) for s in result.stages if not s.skipped] == [
        ("static", "PASS"),
        ("pinned", "FAIL"),
    ]
    (finding,) = result.findings
    assert finding.code.id == "GSL401"
    assert finding.stored.startswith("__counterexamples__/swapped/swapped-GSL401")
    assert finding.counterexample is not None


def test_a_pinned_counterexample_of_a_mended_rule_is_silent(folder: Path) -> None:
    write_rule(folder)
    call(str(save(stored(), folder)), "--pin")

    (result,) = check(folder, MENDED).results

    assert result.verdict is Verdict.PASS
    assert result.stages[1].counts == {"replayed": 1}


def test_rules_beside_a_pinned_one_go_on(folder: Path) -> None:
    both = WRONG + MENDED.partition("rule\n")[2].replace("swapped", "mended")
    write_rule(folder, both)
    call(str(save(stored(), folder)), "--pin")

    done = check(folder, both, ("static", "satisfiable"))

    stages = {r.rule_id[10:]: [s.stage for s in r.stages if not s.skipped] for r in done.results}
    assert stages == {"swapped": ["static", "pinned"], "mended": ["static", "satisfiable"]}


def test_a_pinned_file_that_is_damaged_is_an_error(folder: Path) -> None:
    write_rule(folder)
    call(str(save(stored(), folder)), "--pin")
    (path,) = folder.rglob("__counterexamples__/swapped/*.json")
    path.write_text("{}", "utf-8")

    (result,) = check(folder, MENDED).results

    assert result.verdict is Verdict.ERROR
    assert [finding.code.id for finding in result.findings] == ["GSL630"]


def test_a_pin_of_another_file_does_not_count(folder: Path) -> None:
    write_rule(folder)
    call(str(save(stored(), folder)), "--pin")
    (path,) = folder.rglob("__counterexamples__/swapped/*.json")
    path.write_text(path.read_text("utf-8").replace("rules.py::", "others.py::"), "utf-8")

    (result,) = check(folder, WRONG).results

    assert [finding.code.id for finding in result.findings] == ["GSL630"]


def finding_with_case() -> Finding:
    from gslverify.codes.numeric import OUTPUTS_DIFFER

    example = Counterexample({"c.groups": 2}, ("return x",), ("return y",), case=swapped_case())
    return Finding(OUTPUTS_DIFFER, "differs", counterexample=example)


def test_a_folder_that_takes_nothing_costs_a_message(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "file").write_text("", "utf-8")
    files = FailureFiles(folder / "file")
    finding = finding_with_case()

    assert files.keep("rules.py::swapped", "", finding) == finding
    assert files.keep("rules.py::swapped", "", finding) == finding

    told = capsys.readouterr().err
    assert told.count("counterexamples cannot be kept") == 1


def test_a_full_disk_costs_a_message(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    files = FailureFiles(folder / ".gslverify" / "failures")

    assert files.keep("rules.py::swapped", "", finding_with_case()).stored == ""
    assert "No space left on device" in capsys.readouterr().err
    assert list(folder.rglob("*.part")) == []


def test_what_is_stored_already_stays_where_it_is(folder: Path) -> None:
    files = FailureFiles(folder / ".gslverify" / "failures")
    once = files.keep("rules.py::swapped", "sha256:1", finding_with_case())

    assert once.stored
    assert files.keep("rules.py::swapped", "sha256:1", once) is once


def test_what_is_emitted_and_asked_works_in_every_folder_of_a_project(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "pyproject.toml").write_text("[tool.gslverify]\n")
    path = save(stored(), folder)
    write_rule(folder, WRONG)
    (folder / "tests").mkdir()
    monkeypatch.chdir(folder / "tests")

    test = call(path.name, "--emit", "pytest").output

    assert f"still_fails({path.name!r})" in test
    assert still_fails(path.name)
    assert "REPRODUCED" in call(path.name).output


def test_an_emitted_test_finds_its_counterexample_when_it_is_pinned(folder: Path) -> None:
    failures = folder / ".gslverify" / "failures"
    failures.mkdir(parents=True)
    path = save(stored(), failures)
    write_rule(folder)
    call(str(path), "--pin")

    assert not path.exists()
    assert still_fails(".gslverify/failures/" + path.name).startswith("GSL401")
