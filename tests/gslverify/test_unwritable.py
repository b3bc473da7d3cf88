"""Disks and files that cannot be written: a clear message, an exit code, nothing else lost."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from gslverify.cli import main
from tests.gslverify.rule_files import HEAD, rule_text, write_rules


@pytest.mark.parametrize("output_format", ["full", "json", "jsonl", "sarif"])
def test_full_disk_is_told_and_has_an_exit_code(output_format: str, folder: Path) -> None:
    write_rules(folder, ["one"])
    command = ["check", "rules.py", "--stages", "static", "-j", "0"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "gslverify", *command, "--output-format", output_format],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert done.returncode == 3
    assert done.stderr == "the output cannot be written: No space left on device\n"


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["check", "--help"]])
@pytest.mark.parametrize(("full", "code"), [(True, 3), (False, 141)])
def test_help_that_cannot_be_written_has_an_exit_code(
    arguments: list[str], full: bool, code: int
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as unread, open("/dev/full", "w") as device:
        done = subprocess.run(
            [sys.executable, "-m", "gslverify", *arguments],
            stdout=device if full else unread,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert done.returncode == code
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", [["list"], ["check", "--stages", "static", "-j", "0"]])
def test_output_that_nobody_reads_is_no_finding(command: list[str], folder: Path) -> None:
    write_rules(folder, ["one"])
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as unread:
        done = subprocess.run(
            [sys.executable, "-m", "gslverify", *command, "rules.py"],
            stdout=unread,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert (done.returncode, done.stderr) == (141, "")


def test_report_file_without_permission_is_a_mistake(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_rules(folder, ["one"])
    monkeypatch.setattr("os.access", lambda path, mode: False)

    for option in (["-o", "r.json"], ["--report", "json=r.json"]):
        result = CliRunner().invoke(main, ["check", "rules.py", *option])
        assert result.exit_code == 2
        assert "`r.json` cannot be written; check its permissions" in result.stderr


def without_room(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command where no file may grow beyond nothing."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    command = [sys.executable, "-m", "gslverify", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limit)


@pytest.mark.smt
def test_disk_without_room_costs_no_verdict(folder: Path) -> None:
    wrong = "Subst(op.Relu(op.Relu(x)), op.Abs(x))"
    (folder / "rules.py").write_text(HEAD + rule_text("wrong", result=wrong))
    options = ["--no-tvm", "-n", "10", "-j", "0"]
    reports = ["--report", "json=r.json", "--report", "html=r.html"]
    done = without_room("check", "rules.py", *options, *reports)

    assert done.returncode == 1
    assert "FAIL rules.py::wrong" in done.stdout
    assert done.stdout.splitlines()[-1] == "reports: none    exit 1"
    assert "counterexamples cannot be kept: File too large; the report has all" in done.stderr
    assert "results cannot be kept: File too large" in done.stderr
    assert "the report json could not be written to r.json" in done.stderr
    assert "Traceback" not in done.stderr
    assert not {"r.json", "r.html"} & {path.name for path in folder.iterdir()}


def test_reports_that_fail_alone_are_an_error_of_their_own(folder: Path) -> None:
    write_rules(folder, ["one"])
    command = ["check", "rules.py", "--stages", "static", "-j", "0", "--no-cache"]
    done = without_room(*command, "--report", "json=r.json")

    assert done.returncode == 3
    assert "1 rule: 1 pass, 0 fail" in done.stdout


def test_project_is_begun_as_a_whole_or_not_at_all(folder: Path) -> None:
    settings = folder / "pyproject.toml"
    settings.write_text("[project]\nname = 'mine'\n")
    settings.chmod(0o640)
    done = without_room("init", "--write")

    assert done.returncode == 2
    assert done.stdout == ""
    assert "pyproject.toml cannot be written: File too large" in " ".join(done.stderr.split())
    assert settings.read_text() == "[project]\nname = 'mine'\n"
    assert [path.name for path in folder.iterdir()] == ["pyproject.toml"]
    assert CliRunner().invoke(main, ["init", "--write"]).exit_code == 0
    assert settings.read_text().startswith("[project]\nname = 'mine'\n\n[tool.gslverify]\n")
    assert settings.stat().st_mode & 0o777 == 0o640


def test_mutants_are_printed_where_their_file_cannot_be(folder: Path) -> None:
    write_rules(folder, ["one"])
    (folder / "old.txt").write_text("older")
    options = ["--operators", "M01", "--stages", "static", "-j", "0", "--no-tvm"]
    done = without_room("mutate", "rules.py", *options, "-o", "old.txt")

    assert done.returncode == 3
    assert "old.txt cannot be written: File too large; the report follows" in done.stderr
    assert "mutant" in done.stdout
    assert (folder / "old.txt").read_text() == "older"


def test_results_that_cannot_be_removed_are_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = folder / ".gslverify" / "cache" / "ab" / "abcd.result"
    entry.parent.mkdir(parents=True)
    entry.touch()

    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refuse)
    result = CliRunner().invoke(main, ["cache", "clear"])

    assert result.exit_code == 2
    assert "1 result in .gslverify/cache cannot be removed" in " ".join(result.stderr.split())


def test_our_own_mistakes_are_not_taken_for_findings(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: object, **options: object) -> None:
        raise ZeroDivisionError("ours")

    monkeypatch.setattr("gslverify.actions.checking.run_check", broken)
    result = CliRunner().invoke(main, ["check", "rules.py"])

    assert result.exit_code == 3
    assert result.stderr.startswith("gslverify itself failed: ZeroDivisionError: ours\n")
    assert "Traceback" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "rules.py", "-o", "rules.py"], "`rules.py` would be lost"),
        (["check", "rules.py", "--report", "json=rules.py"], "`rules.py` would be lost"),
        (["show", "rules.py", "--svg", "rules.py"], "`rules.py` would be lost"),
        (["baseline", "write", "rules.py", "--baseline", "rules.py"], "`rules.py` would be lost"),
        (["check", "rules.py", "-o", "a", "--report", "json=./a"], "two reports go to `a`"),
        (["check", "rules.py", "--report", "json=a", "--report", "sarif=a"], "two reports go to"),
    ],
)
def test_no_report_takes_the_place_of_something_else(
    arguments: list[str], words: str, folder: Path
) -> None:
    before = write_rules(folder, ["one"]).read_text("utf-8")

    done = CliRunner().invoke(main, arguments)

    assert (done.exit_code, words in done.output) == (2, True)
    assert (folder / "rules.py").read_text("utf-8") == before


def test_a_device_takes_several_reports(folder: Path) -> None:
    write_rules(folder, ["one"])
    reports = ["--report", "json=/dev/null", "--report", "sarif=/dev/null"]

    done = CliRunner().invoke(main, ["check", "rules.py", "--stages", "static", "-j0", *reports])

    assert done.exit_code == 0


@pytest.mark.parametrize("closed", [(1,), (2,), (1, 2), (0, 1, 2)])
def test_closed_streams_do_not_change_how_a_run_ends(closed: tuple[int, ...], folder: Path) -> None:
    write_rules(folder, ["one"])

    def close() -> None:
        for number in closed:
            os.close(number)

    command = [sys.executable, "-m", "gslverify", "rules.py", "--stages", "static", "-j", "0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=close)

    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert ("1 pass" in done.stdout) == (1 not in closed)
