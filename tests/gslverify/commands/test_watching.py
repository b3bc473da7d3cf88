from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from gslverify.actions.watching import command_without, concerned, places_of, watch
from gslverify.cli import main
from tests.gslverify.rule_files import write_rules


@pytest.fixture
def project(folder: Path) -> Path:
    write_rules(folder, ["one"], "rules/a.py")
    write_rules(folder, ["two"], "rules/b.py")
    write_rules(folder, ["other"], "other/c.py")
    (folder / "pyproject.toml").touch()
    return folder


@pytest.mark.parametrize(
    ("selectors", "changed", "expected"),
    [
        (["rules"], ["rules/a.py"], ["rules/a.py"]),
        (["rules"], ["rules/a.py", "rules/b.py"], ["rules/a.py", "rules/b.py"]),
        (["rules", "other"], ["other/c.py"], ["other/c.py"]),
        (["rules/a.py::one"], ["rules/a.py"], ["rules/a.py::one"]),
        (["rules"], ["other/c.py"], ["rules"]),
        (["rules"], ["rules/a.py", "other/c.py"], ["rules"]),
        (["rules"], ["pyproject.toml"], ["rules"]),
        (["rules"], ["rules/gone.py"], ["rules"]),
        (["rules"], ["rules/notes.txt"], []),
        (["rules"], [], []),
    ],
)
def test_what_changes_decides_what_is_verified(
    selectors: list[str], changed: list[str], expected: list[str], project: Path
) -> None:
    found = concerned(selectors, [project / name for name in changed])

    assert [text.removeprefix(f"{project}/") for text in found] == expected


def test_everything_comes_first(project: Path) -> None:
    verified: list[Sequence[str]] = []

    watch(["rules"], [{project / "notes.txt"}, {project / "other/c.py"}], verified.append)

    assert verified == [["rules"], ["rules"]]


def test_command_is_the_same_for_other_paths() -> None:
    argv = ("check", "rules", "-n", "5", "--watch", "a.py::one")

    assert command_without(argv, ("rules", "a.py::one")) == ["check", "-n", "5"]


def test_folders_of_rules_and_this_one_are_watched(project: Path) -> None:
    assert places_of(["rules", "other/c.py::other"]) == [
        project / "rules",
        project / "other",
        project,
    ]


def test_a_change_is_noticed_and_ctrl_c_ends_it(project: Path) -> None:
    """The variable stands for the flag, and the runs themselves do not watch in turn."""
    command = ["check", "rules", "--stages", "static", "-j", "0", "--no-cache"]
    process = subprocess.Popen(
        [sys.executable, "-m", "gslverify", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        env={**os.environ, "GSLVERIFY_WATCH": "1"},
    )
    assert process.stdout is not None
    lines: list[str] = []
    is_changed = False
    for line in process.stdout:
        lines.append(line)
        if "waiting" in line and not is_changed:
            time.sleep(1)
            write_rules(project, ["three"], "rules/a.py")
            is_changed = True
        elif "waiting" in line:
            process.send_signal(signal.SIGINT)
            break

    assert process.wait(60) == 130
    text = "".join(lines)
    assert text.index("one") < text.index("waiting") < text.index("three")
    assert "two" not in text[text.index("waiting") :]


def test_a_mutant_is_watched(
    project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Its rule is named again, and not the mutant of a mutant."""
    monkeypatch.setattr("gslverify.actions.checking.changes_in", lambda selectors: [])
    options = ("--mutant", "M01", "--watch", "--stages", "static", "-j", "0")

    CliRunner().invoke(main, ["check", "rules/a.py::one", *options])

    printed = capfd.readouterr()
    assert "is not a rule" not in printed.err
    assert "M01" in printed.out
