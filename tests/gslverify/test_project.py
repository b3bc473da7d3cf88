"""Tests of the project that a folder lies in."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gslverify.cli import main
from gslverify.project import from_here, in_project, named, project_root, selector_in_project
from tests.gslverify.rule_files import write_rules

OURS = "[tool.gslverify]\n"
OTHERS = "[tool.other]\n"


@pytest.mark.parametrize(
    ("files", "root"),
    [
        ({}, "a/b"),
        ({"pyproject.toml": OTHERS}, "."),
        ({"a/pyproject.toml": OTHERS}, "a"),
        ({"pyproject.toml": OURS, "a/pyproject.toml": OTHERS}, "."),
        ({"pyproject.toml": OTHERS, "a/pyproject.toml": OURS}, "a"),
        ({".git/HEAD": ""}, "."),
        ({".git": "gitdir: elsewhere", "a/b/pyproject.toml": OTHERS}, "a/b"),
    ],
    ids=["none", "above", "nearest", "ours first", "ours nearer", "repository", "worktree"],
)
def test_root(files: dict[str, str], root: str, tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    assert project_root(tmp_path / "a" / "b") == (tmp_path / root).resolve()


def test_names_do_not_depend_on_where_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text(OURS)
    (tmp_path / "rules").mkdir()
    file = tmp_path / "rules" / "conv.py"
    file.touch()
    for folder, text in (("", "rules/conv.py"), ("rules", "conv.py")):
        monkeypatch.chdir(tmp_path / folder)
        assert in_project(file) == "rules/conv.py"
        assert from_here(file) == text
        for spelled in ("rules/conv.py", text):
            assert named(spelled).resolve() == file
            assert selector_in_project(f"{spelled}::merge") == "rules/conv.py::merge"


def test_what_lies_elsewhere_keeps_its_path(folder: Path) -> None:
    (folder / "inner").mkdir()
    (folder / "inner" / "pyproject.toml").write_text(OURS)
    outside = folder / "conv.py"
    outside.touch()

    assert in_project(outside) == "conv.py"
    assert project_root(folder / "inner") == folder / "inner"
    assert named("no/such/file.py") == Path("no/such/file.py")


def test_name_that_is_no_text_has_reports(folder: Path) -> None:
    name = os.fsdecode(b"rules-\xff.py")
    write_rules(folder, ["one"], name)
    (folder / os.fsdecode(b"broken-\xfe.py")).write_text("import nowhere\nfrom gsl import rule")
    formats = ("json", "jsonl", "sarif", "junit", "github", "gitlab", "markdown", "html")
    reports = [f"--report={form}={form}.txt" for form in formats]
    command = ["check", ".", "--stages", "static", "-j", "0", *reports]
    result = CliRunner().invoke(main, command)

    assert result.exit_code == 1, result.output
    assert in_project(folder / name) == "rules-\\udcff.py"
    for form in formats:
        assert "nowhere" in (folder / f"{form}.txt").read_text("utf-8")


COMMAND = ["check", "--stages", "static,satisfiable", "-j", "0", "--output-format", "json"]


def report_of(arguments: list[str]) -> dict[str, Any]:
    result = CliRunner().invoke(main, [*COMMAND, *arguments])
    assert result.exit_code == 0, result.output
    report: dict[str, Any] = json.loads(result.stdout)
    return report


@pytest.mark.smt
def test_a_run_is_the_same_in_every_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "pyproject.toml").write_text('[tool.gslverify]\nrules = ["rules"]\n')
    write_rules(folder, ["one", "two"], "rules/relu.py")
    whole = report_of([])
    monkeypatch.chdir(folder / "rules")

    for arguments in ([], ["relu.py"], ["rules/relu.py"]):
        again = report_of(arguments)
        assert again["rules"] == whole["rules"]
        assert all(key.startswith("rules/relu.py::") for key in again["timing"]["rules"])
    assert report_of(["rules/relu.py::two"])["run"]["paths"] == ["rules/relu.py::two"]
    assert not (folder / "rules" / ".gslverify").exists()
    assert (folder / ".gslverify" / "cache").is_dir()


def test_root_is_looked_for_again_when_a_sign_of_it_changes(folder: Path) -> None:
    inner = folder / "inner"
    inner.mkdir()
    found = [project_root(inner)]
    (folder / ".git").mkdir()
    found.append(project_root(inner))
    (inner / "pyproject.toml").write_text(OTHERS)
    found.append(project_root(inner))
    (folder / "pyproject.toml").write_text(OURS)
    found.append(project_root(inner))

    assert found == [inner, folder, inner, folder]
