"""Tests of `--changed-since`, each in a repository of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from gslverify.cli import main
from gslverify.corpus.changes import changed_files, only_changed
from gslverify.corpus.collect import collect
from gslverify.corpus.selection import SelectionError
from tests.gslverify.rule_files import write_rules


def git(folder: Path, *arguments: str) -> None:
    names = ["-c", "user.name=one", "-c", "user.email=one@example.org"]
    command = ["git", "-C", str(folder), *names, *arguments]
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture
def repository(folder: Path) -> Iterator[Path]:
    """A repository with the files a.py, b.py (which imports helper.py) and settings."""
    (folder / ".gitignore").write_text("__pycache__/\n")
    (folder / "pyproject.toml").write_text('[tool.gslverify]\nrules = ["."]\n')
    (folder / "helper.py").write_text("SIZE = 1\n")
    write_rules(folder, ["first", "second"], "a.py")
    path = write_rules(folder, ["third"], "b.py")
    path.write_text("import helper\n" + path.read_text("utf-8"), "utf-8")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "all")
    yield folder
    sys.modules.pop("helper", None)


def chosen(revision: str = "main") -> list[str]:
    return [item.rule_id for item in only_changed(collect(["."]), revision)]


ALL = ["a.py::first", "a.py::second", "b.py::third"]


def pinned(folder: Path) -> None:
    file = folder / "__counterexamples__" / "second" / "second-GSL401-01234567.json"
    file.parent.mkdir(parents=True)
    file.write_text("{}")


def appended(name: str) -> Callable[[Path], None]:
    def act(folder: Path) -> None:
        with (folder / name).open("a") as file:
            file.write("\n# a comment\n")

    return act


def new_file(folder: Path) -> None:
    write_rules(folder, ["fourth"], "c.py")


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        (lambda folder: None, []),
        (appended("a.py"), ALL[:2]),
        (appended("README.md"), []),
        (appended("unused.py"), []),
        (appended("helper.py"), ALL[2:]),
        (appended("pyproject.toml"), ALL),
        (new_file, ["c.py::fourth"]),
        (pinned, ["a.py::second"]),
        (lambda folder: (folder / "a.py").unlink(), []),
    ],
    ids=[
        "nothing",
        "rules",
        "text",
        "no rules",
        "imported",
        "settings",
        "untracked",
        "pinned",
        "removed",
    ],
)
def test_what_a_change_concerns(
    act: Callable[[Path], None], expected: list[str], repository: Path
) -> None:
    act(repository)

    assert chosen() == expected


def test_committed_changes_count_from_where_the_branch_began(repository: Path) -> None:
    git(repository, "checkout", "-q", "-b", "topic")
    appended("b.py")(repository)
    git(repository, "commit", "-q", "-a", "-m", "topic")
    git(repository, "checkout", "-q", "main")
    appended("a.py")(repository)
    git(repository, "commit", "-q", "-a", "-m", "main goes on")
    git(repository, "checkout", "-q", "topic")

    assert chosen() == ["b.py::third"]
    assert changed_files("main", repository) == {repository / "b.py"}


def test_files_that_cannot_be_imported_are_always_told(repository: Path) -> None:
    (repository / "a.py").write_text("from gsl import rule\nimport nowhere\n")
    git(repository, "commit", "-q", "-a", "-m", "broken")

    assert chosen() == ["a.py"]


@pytest.mark.parametrize("revision", ["no/such", "--help", "HEAD:a.py", ""])
def test_revision_that_is_none(revision: str, repository: Path) -> None:
    with pytest.raises(SelectionError, match="has no revision"):
        only_changed([], revision)


def test_folder_outside_of_any_repository(folder: Path) -> None:
    with pytest.raises(SelectionError, match="is in no repository of git"):
        only_changed([], "main")


def test_without_git(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repository))

    with pytest.raises(SelectionError, match="needs git: No such file"):
        only_changed([], "main")


def test_run_over_what_has_changed(repository: Path) -> None:
    def run(revision: str = "main") -> tuple[int, str]:
        command = ["check", "--stages", "static", "-j", "0", "--changed-since", revision]
        result = CliRunner().invoke(main, command)
        return result.exit_code, result.output

    code, text = run()
    assert (code, "--changed-since main selects none of 3 rules" in text) == (0, True)
    appended("b.py")(repository)
    code, text = run()
    assert (code, "third" in text, "first" in text) == (0, True, False)
    code, text = run("nowhere")
    assert (code, "has no revision `nowhere`" in text) == (2, True)


def test_what_was_left_out_is_not_called_removed(repository: Path) -> None:
    command = ["--no-tvm", "-n", "1"]
    baseline = ["--baseline", "known.json", "-j", "0"]
    assert CliRunner().invoke(main, ["baseline", "write", *command, *baseline]).exit_code == 0
    appended("a.py")(repository)
    changed = ["--changed-since", "main", "--strict-baseline"]
    result = CliRunner().invoke(main, ["check", *command, *baseline, *changed])
    update = CliRunner().invoke(
        main, ["baseline", "update", *baseline], env={"GSLVERIFY_CHANGED_SINCE": "main"}
    )

    assert result.exit_code == 0, result.output
    assert "2 unchanged" in result.output
    assert "--changed-since left rules out" in update.output
