from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gslverify.cli import main
from gslverify.configuration.file import read_file


def init(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["init", *arguments])


def files_in(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_nothing_is_written_unless_asked_for(folder: Path) -> None:
    result = init()

    assert result.exit_code == 0
    assert files_in(folder) == []
    assert "would write rules/activation.py" in result.stdout
    assert "    rules = [" in result.stdout


@pytest.mark.parametrize(
    ("ci", "job"),
    [("github", [".github/workflows/rules.yml"]), ("gitlab", [".gitlab-ci.yml"]), ("none", [])],
)
def test_files_are_written(ci: str, job: list[str], folder: Path) -> None:
    result = init("--write", "--ci", ci)

    assert files_in(folder) == [*job, "pyproject.toml", "rules/activation.py"]
    assert result.stdout.splitlines()[-1] == "next: gslverify check rules"


def test_what_is_written_verifies(folder: Path) -> None:
    init("--write")

    command = ["check", "--stages", "static,shape", "-j", "0", "--output-format", "json"]
    result = CliRunner().invoke(main, [*command, "--profile", "nightly"])

    report = json.loads(result.stdout)
    assert report["summary"] == {"pass": 1}
    assert report["run"]["max_examples"] == 1000


def test_settings_are_added_to_a_file_without_them(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[project]\nname = 'mine'\n", "utf-8")

    init("--write")

    tables = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))
    assert tables["project"] == {"name": "mine"}
    assert read_file(folder / "pyproject.toml", folder).values["rules"].value == ("rules",)


def test_what_is_there_stays(folder: Path) -> None:
    init("--write")
    (folder / "rules/activation.py").write_text("mine", "utf-8")
    before = (folder / "pyproject.toml").read_text("utf-8")

    result = init("--write")

    assert result.stdout.count("keep ") == 3
    assert (folder / "rules/activation.py").read_text("utf-8") == "mine"
    assert (folder / "pyproject.toml").read_text("utf-8") == before


def test_folder_in_the_way_is_told(folder: Path) -> None:
    (folder / "rules").write_text("a file", "utf-8")

    result = init("--write")

    assert result.exit_code == 2
    assert "choose a folder that can be written to" in " ".join(result.stderr.split())
