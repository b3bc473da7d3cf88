"""Two runs at once in one folder, with one cache, one folder of failures and one report."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gslverify.repro.form import read
from tests.gslverify.rule_files import HEAD, rule_text

WRONG = "Subst(op.Relu(op.Relu(x)), op.Abs(x))"


@pytest.mark.smt
def test_two_runs_at_once_lose_nothing(folder: Path) -> None:
    (folder / "rules.py").write_text(HEAD + rule_text("one") + rule_text("two", result=WRONG))
    options = ["--no-tvm", "--no-hints", "-n", "5", "-j", "0", "--report", "json=r.json"]
    command = [sys.executable, "-m", "gslverify", "check", "rules.py", *options]
    runs = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    texts = [run.communicate() for run in runs]

    assert [run.returncode for run in runs] == [1, 1]
    assert [errors for _, errors in texts] == ["", ""]
    assert all("2 rules: 1 pass" in text for text, _ in texts)
    assert json.loads((folder / "r.json").read_text())["summary"] == {"pass": 1, "fail": 1}
    (stored,) = (folder / ".gslverify" / "failures").iterdir()
    assert read(stored).rule_id == "rules.py::two"
    assert not list(folder.rglob("*.part"))
    third = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "1 pass (1 cached), 1 fail" in third.stdout
