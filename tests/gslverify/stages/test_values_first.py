"""A rule that is wrong about types in one structure and about values in another shows both."""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import Any

import pytest

from gslverify.corpus.collect import collect
from gslverify.corpus.declaration import LoadedRule
from gslverify.corpus.loading import load
from gslverify.engine.deadline import OutOfTimeError
from gslverify.engine.examination import examine
from gslverify.engine.loop import verify
from gslverify.engine.writing import write_down
from gslverify.events import RunDone
from gslverify.settings import Settings
from gslverify.stages import WAVES
from gslverify.trials import refutation

pytestmark = pytest.mark.smt

STAGES = ("static", "satisfiable", "shape", "prove", "numeric")
RULES = '''"""Rules that are wrong about shapes."""
from gsl import Subst, op, pat, rule


@rule
def about_both() -> Subst:
    """(x - y) - z  =>  x - (y - y)"""
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    return Subst((x - y) - z, x - (y - y))


@rule
def about_shapes() -> Subst:
    """x + (y - y)  =>  x, right where y does not broadcast x"""
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x + (y - y), x, where=[x.dtype == "int32", y.dtype == "int32"])


@rule(expect="GSL301")
def on_purpose() -> Subst:
    """(x - y) - z  =>  x - (y - y)"""
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    return Subst((x - y) - z, x - (y - y))
'''


def codes(folder: Path, **settings: Any) -> dict[str, list[str]]:
    path = folder / "rules.py"
    path.write_text(RULES, "utf-8")
    given = {"stages": STAGES, "use_tvm": False, "max_examples": 20, "cache": False, **settings}
    *_, done = verify(collect([str(path)], write=write_down), Settings(**given), WAVES)
    assert isinstance(done, RunDone)
    return {
        result.rule_id.rpartition("::")[2]: [finding.code.id for finding in result.findings]
        for result in done.results
    }


def test_values_lead_where_both_are_wrong(tmp_path: Path) -> None:
    assert codes(tmp_path) == {
        "about_both": ["GSL401", "GSL301"],
        "about_shapes": ["GSL301"],
        "on_purpose": ["GSL301"],
    }


def test_values_are_shown_as_simple_as_they_were_when_time_was_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(*given: Any) -> None:
        raise OutOfTimeError

    monkeypatch.setattr(refutation, "what_matters", endless)
    path = tmp_path / "rules.py"
    path.write_text(RULES, "utf-8")
    wrong, *_ = load(path)
    assert isinstance(wrong, LoadedRule)
    settings = Settings(stages=STAGES, use_tvm=False, max_examples=20)
    _, shape, _ = examine(wrong, WAVES[1], settings, lambda live: None)

    values, shapes = shape.findings
    assert (values.code.id, shapes.code.id) == ("GSL401", "GSL301")
    assert values.counterexample is not None
    assert values.counterexample.notes == ("making it simpler was not finished",)
    assert 1 <= sum(prod(tensor.shape) for tensor in values.counterexample.inputs) <= 3
    assert all(tensor.values is not None for tensor in values.counterexample.inputs)
    assert [one.mismatched for one in values.counterexample.outputs] != []


@pytest.mark.parametrize("settings", [{"hints": False}, {"stages": STAGES[:3]}])
def test_values_are_not_compared_where_nobody_asks(settings: Any, tmp_path: Path) -> None:
    assert codes(tmp_path, **settings)["about_both"] == ["GSL301"]
