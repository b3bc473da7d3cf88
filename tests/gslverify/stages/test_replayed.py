"""Choices that led to a failure are kept, and replayed first in the next run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gsl import Subst, op, pat
from gslverify.finding import StageResult, Verdict
from gslverify.inputs.distinguish import Answers
from gslverify.stages import numeric
from gslverify.stages.numeric import NUMERIC
from gslverify.trials.search import REPLAYED
from tests.gslverify.stages.asking import Write, only, question

pytestmark = pytest.mark.smt


@pytest.fixture(autouse=True)
def _nothing_is_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numeric, "distinguish", lambda *given: Answers())


def wrong() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Minimum(x, 1000.0), x, where=[x.dtype == "float32"])


def right() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[x.dtype == "float32"])


def run(write: Write, folder: Path, **settings: Any) -> StageResult:
    asked = question(write, max_examples=40, **settings)
    asked.rule_id, asked.examples = "rules.py::same", str(folder)
    return NUMERIC.run(asked)


def test_what_failed_is_found_on_the_first_draw_of_the_next_run(tmp_path: Path) -> None:
    first, second = run(wrong, tmp_path), run(wrong, tmp_path, seed=7)

    assert first.verdict is second.verdict is Verdict.FAIL
    assert "agreed, seed 0" in only(first).details[0]
    assert first.counts["draws"] > 1
    assert only(second).details == (REPLAYED,)
    assert second.counts["draws"] == 1
    before, now = only(first).counterexample, only(second).counterexample
    assert before is not None
    assert now is not None
    assert now.source == before.source


def test_what_fails_no_longer_is_forgotten(tmp_path: Path) -> None:
    run(wrong, tmp_path)
    assert run(right, tmp_path).verdict is Verdict.PASS
    assert "agreed, seed 0" in only(run(wrong, tmp_path)).details[0]


def test_nothing_is_kept_without_a_folder_and_damaged_files_are_passed_over(tmp_path: Path) -> None:
    run(wrong, tmp_path)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    for path in files:
        path.write_bytes(b"\xff[")
    assert "agreed, seed 0" in only(run(wrong, tmp_path)).details[0]
    asked = question(wrong, max_examples=40)
    assert "agreed, seed 0" in only(NUMERIC.run(asked)).details[0]
