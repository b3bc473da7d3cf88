"""Equal input gives equal bytes, but for times: whatever the workers, the order, the hashes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.gslverify.rule_files import HEAD, rule_text, write_rule, write_rules

WRONG = "Subst(op.Relu(op.Relu(x)), op.Abs(x))"


def report_of(*paths: str, jobs: str = "0", hash_seed: str = "1", extra: str = "") -> Any:
    """Return the report of a run in a process of its own, without what a run may change."""
    options = ["--no-tvm", "-n", "6", "--no-cache", "-j", jobs, "--output-format", "json"]
    script = f"{extra}\nimport sys\nfrom gslverify.cli import main\nmain(sys.argv[1:])\n"
    done = subprocess.run(
        [sys.executable, "-c", script, "check", *paths, *options],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=False,
    )
    report = json.loads(done.stdout)
    del report["timing"]
    return report


@pytest.mark.smt
def test_reports_are_equal_byte_for_byte(folder: Path) -> None:
    wrong = rule_text("wrong", result=WRONG)
    (folder / "a.py").write_text(HEAD + rule_text("sound") + wrong, "utf-8")
    write_rules(folder, ["other", "another"], "b.py")

    plain = report_of("a.py", "b.py")
    again = report_of("a.py", "b.py", jobs="2", hash_seed="2", extra="import colorsys, fractions")

    assert [rule["verdict"] for rule in plain["rules"]] == ["pass", "fail", "pass", "pass"]
    assert json.dumps(plain) == json.dumps(again)


@pytest.mark.smt
def test_neighbours_and_their_order_do_not_matter(folder: Path) -> None:
    (folder / "a.py").write_text(HEAD + rule_text("wrong", result=WRONG), "utf-8")
    write_rules(folder, ["other"], "b.py")

    both, alone = report_of("b.py", "a.py", jobs="3"), report_of("a.py")

    assert [rule["id"] for rule in both["rules"]] == ["b.py::other", "a.py::wrong"]
    assert json.dumps(both["rules"][1]) == json.dumps(alone["rules"][0])


FUNCTIONS = """
x, y = pat.Wildcard(dtype="float32"), pat.Wildcard(dtype="float32")
one, other = op.Tanh(x), op.Exp(y)
near = op.LogicalAnd(op.Greater(one, 0.3), op.Less(one, 0.3001))
far = op.LogicalAnd(op.Greater(other, 5.6), op.Less(other, 5.601))
product = one * other
return Subst(product, op.Where(op.LogicalAnd(near, far), product * 2.0, product))
"""


@pytest.mark.smt
def test_comparisons_of_functions_are_turned_in_one_order(folder: Path) -> None:
    write_rule(folder, FUNCTIONS, "a.py")
    reports = {json.dumps(report_of("a.py", hash_seed=str(seed))) for seed in range(1, 6)}
    assert len(reports) == 1
