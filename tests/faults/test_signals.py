"""Signals that end a run: what is known is reported, and the exit code says which it was."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.gslverify.rule_files import HEAD, rule_text

pytestmark = pytest.mark.slow

SLOW = """
@rule
def slow():
    import time
    if open("count", "a").write("x") and len(open("count").read()) > 1:
        open("here", "w").close()
        time.sleep(60)
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x))
"""


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)]
)
def test_reports_are_written(number: int, code: int, tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text(HEAD + rule_text("first") + SLOW, "utf-8")
    command = [
        sys.executable,
        "-m",
        "gslverify",
        "rules.py",
        "--no-cache",
        "--report",
        "json=r.json",
    ]
    stages = ["--stages", "static,satisfiable", "-j", "1"]
    process = subprocess.Popen(
        [*command, *stages], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / "here").exists() and time.monotonic() < deadline:
        time.sleep(0.1)

    process.send_signal(number)
    out, _ = process.communicate(timeout=60)

    assert process.returncode == code, out.decode()
    report = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert report["run"]["stop_reason"] == "interrupted"
    assert [rule["id"] for rule in report["rules"]] == ["rules.py::first"]
