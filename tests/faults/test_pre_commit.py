"""The hook of the guide, run by pre-commit itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documents import ROOT, blocks
from tests.gslverify.rule_files import HEAD, rule_text

pytest.importorskip("pre_commit", reason="pre-commit is not installed")
pytestmark = pytest.mark.slow

GUIDE = ROOT / "docs" / "how-to" / "pre-commit.md"


def run(*command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    names = {"PATH": path, "PRE_COMMIT_HOME": str(folder.parent / "hooks"), "HOME": str(folder)}
    names |= {
        f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    return subprocess.run(
        command, cwd=folder, env=names, capture_output=True, text=True, check=False
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "rules").mkdir(parents=True)
    (config,) = blocks(GUIDE.read_text("utf-8"), "yaml")
    (folder / config.file).write_text(config.text, "utf-8")
    (folder / "rules" / "good.py").write_text(HEAD + rule_text("good"), "utf-8")
    (folder / "rules" / "helper.py").write_text("LIMIT = 3\n", "utf-8")
    assert run("git", "init", "-q", folder=folder).returncode == 0
    return folder


def hook(folder: Path, *files: str) -> tuple[int, str]:
    run("git", "add", "-A", folder=folder)
    done = run(sys.executable, "-m", "pre_commit", "run", "--files", *files, folder=folder)
    return done.returncode, done.stdout + done.stderr


def test_files_without_rules_are_passed_over(project: Path) -> None:
    both = hook(project, "rules/good.py", "rules/helper.py")
    alone = hook(project, "rules/helper.py")

    assert (both[0], "Passed" in both[1]) == (0, True), both[1]
    assert (alone[0], "Passed" in alone[1]) == (0, True), alone[1]


def test_a_refuted_rule_stops_the_commit(project: Path) -> None:
    wrong = rule_text("wrong", result="Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[x.ndim < 0])")
    (project / "rules" / "wrong.py").write_text(HEAD + wrong, "utf-8")

    code, printed = hook(project, "rules/wrong.py", "rules/helper.py")

    assert code == 1
    assert "GSL201" in printed
