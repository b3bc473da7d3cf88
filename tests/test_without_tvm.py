"""TVM is an extra: without it rules are verified on NumPy, and what needs it says so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.gslverify.rule_files import write_rules

ABSENT = 'raise ModuleNotFoundError("No module named \'tvm\'", name="tvm")\n'
CURE = "gslverify[tvm]"


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a module in a folder as if TVM was not installed."""
    (folder / "absent" / "tvm").mkdir(parents=True, exist_ok=True)
    (folder / "absent" / "tvm" / "__init__.py").write_text(ABSENT, "utf-8")
    paths = (str(folder / "absent"), *map(os.path.abspath, sys.path))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("gslverify", "show", "rules.py::one", "--relax"),
        ("gslverify", "why", "rules.py::one", "--graph", "model.json"),
        ("gsl", "apply", "rules.py", "model.json"),
    ],
)
def test_what_needs_it_says_so(arguments: tuple[str, ...], tmp_path: Path) -> None:
    write_rules(tmp_path, ["one"])
    (tmp_path / "model.json").write_text("{}", "utf-8")

    done = run(tmp_path, *arguments)

    assert done.returncode == 2
    assert CURE in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.smt
def test_rules_are_verified_without_it(tmp_path: Path) -> None:
    write_rules(tmp_path, ["one"])
    check = ("gslverify", "check", "rules.py", "-n", "4", "--no-cache")

    asked, alone = run(tmp_path, *check), run(tmp_path, *check, "--no-tvm")

    assert "1 rule: 0 pass, 0 fail, 1 inconclusive" in asked.stdout
    assert f"install {CURE}, or verify with --no-tvm" in asked.stdout
    assert "1 rule: 1 pass, 0 fail" in alone.stdout
    assert (asked.stderr, alone.stderr) == ("", "")
