from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
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


@pytest.mark.parametrize(
    ("event", "known", "wanted"),
    [
        ("push", False, "check --profile ci --report"),
        ("schedule", False, "check --profile nightly --report"),
        ("push", True, "check --profile ci --baseline rules-baseline.json --report"),
    ],
)
def test_jobs_of_gitlab_know_the_night_and_what_is_known(
    event: str, known: bool, wanted: str, folder: Path
) -> None:
    init("--write", "--ci", "gitlab")
    job = yaml.safe_load((folder / ".gitlab-ci.yml").read_text("utf-8"))["rules"]
    if known:
        (folder / "rules-baseline.json").touch()

    shell = ["set -e", 'gslverify() { echo "$@"; }', *job["script"][1:]]
    printed = subprocess.check_output(
        ["sh", "-c", "\n".join(shell)], text=True, cwd=folder, env={"CI_PIPELINE_SOURCE": event}
    )

    assert printed.startswith(wanted)
    assert job["cache"] == {"key": "gslverify", "paths": [".gslverify/cache"], "when": "always"}


def test_jobs_of_github_keep_what_was_found_out_when_they_fail(folder: Path) -> None:
    init("--write", "--ci", "github")
    text = (folder / ".github" / "workflows" / "rules.yml").read_text("utf-8")
    steps = yaml.safe_load(text)["jobs"]["verify"]["steps"]
    (save,) = (step for step in steps if "cache/save" in step.get("uses", ""))

    assert save["if"] == "always()"
    assert save["with"]["path"] == ".gslverify/cache"


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


def came_from(monkeypatch: pytest.MonkeyPatch, origin: dict[str, Any] | None) -> None:
    text = None if origin is None else json.dumps(origin)
    installed = SimpleNamespace(read_text=lambda name: text)
    monkeypatch.setattr("gslverify.commands.starter.distribution", lambda name: installed)


@pytest.mark.parametrize(
    ("origin", "ci", "is_said"),
    [
        ({"url": "file:///home/me", "dir_info": {}}, "github", True),
        ({"url": "file:///home/me", "dir_info": {}}, "none", False),
        ({"url": "https://a.org/g.whl"}, "github", False),
        (None, "gitlab", False),
    ],
)
def test_a_folder_that_no_job_can_reach_is_named(
    origin: dict[str, Any] | None,
    ci: str,
    is_said: bool,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    came_from(monkeypatch, origin)

    said = "where pip finds gslverify: here it came from /home/me"
    assert (said in init("--write", "--ci", ci).stdout) is is_said
    assert said not in init("--ci", ci).stdout


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        (None, "gslverify[tvm]==1.2"),
        ({"url": "file:///home/me", "dir_info": {"editable": True}}, "gslverify[tvm]==1.2"),
        ({"url": "https://a.org/g.whl"}, "gslverify[tvm] @ https://a.org/g.whl"),
        (
            {"url": "https://a.org/g", "vcs_info": {"vcs": "git", "commit_id": "f00"}},
            "gslverify[tvm] @ git+https://a.org/g@f00",
        ),
    ],
)
def test_jobs_install_what_is_installed_here(
    origin: dict[str, Any] | None,
    expected: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    came_from(monkeypatch, origin)
    monkeypatch.setattr("gslverify.commands.starter.version", lambda name: "1.2")

    init("--write", "--ci", "github")

    job = (folder / ".github/workflows/rules.yml").read_text("utf-8")
    assert f'pip install "{expected}"' in job
    assert "REQUIREMENT" not in job
    assert "rules-baseline.json" in job
    assert "schedule" in job
    assert "upload-sarif" in job


def test_a_package_inside_the_project_is_installed_from_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = folder.resolve() / "vendor/gsl verify-1.2-py3-none-any.whl"
    came_from(monkeypatch, {"url": wheel.as_uri(), "archive_info": {}})

    said = init("--write").stdout

    job = (folder / ".github/workflows/rules.yml").read_text("utf-8")
    assert 'pip install "./vendor/gsl verify-1.2-py3-none-any.whl[tvm]"' in job
    assert "where pip finds gslverify" not in said


@pytest.mark.parametrize("is_pushed", [True, False])
def test_a_working_copy_is_installed_from_where_it_was_cloned(
    is_pushed: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = folder.parent / f"{folder.name} copy"
    (copy / "python").mkdir(parents=True)

    def git(*arguments: str) -> str:
        settings = ["-c", "user.name=me", "-c", "user.email=me@a.org"]
        command = ["git", "-C", str(copy), *settings, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "first")
    git("remote", "add", "origin", "https://me:secret@a.org/g.git")
    commit = git("rev-parse", "HEAD")
    if is_pushed:
        git("update-ref", "refs/remotes/origin/main", commit)
    came_from(monkeypatch, {"url": (copy / "python").as_uri(), "dir_info": {"editable": True}})

    said = init("--write").stdout

    job = (folder / ".github/workflows/rules.yml").read_text("utf-8")
    expected = f'"gslverify[tvm] @ git+https://a.org/g.git@{commit}#subdirectory=python"'
    assert (expected in job) is is_pushed
    assert ("where pip finds gslverify" in said) is not is_pushed
    assert "secret" not in job
