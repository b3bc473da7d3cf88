"""What is nested too deeply for a stage is not known to be right or wrong; a defect is an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from gsl import Subst, op, pat
from gslverify.corpus.declaration import LoadedRule
from gslverify.corpus.loading import load
from gslverify.engine import examination
from gslverify.engine.examination import Examination
from gslverify.finding import StageResult, Verdict
from gslverify.settings import Settings
from gslverify.stages.shape import SHAPE
from tests.gslverify.fake_stages import HERE
from tests.gslverify.stages.asking import ask

NUMERIC = f"{HERE}:EXPENSIVE"


def collected(folder: Path, count: int, name: str = "endless") -> LoadedRule:
    """Return a rule of so many operators."""
    text = f"""from gsl import Subst, op, pat, rule

@rule
def {name}() -> Subst:
    x = pat.Wildcard()
    last = x
    for _ in range({count}):
        last = op.Relu(last)
    return Subst(last, op.Relu(x))
"""
    (folder / "nested.py").write_text(text, encoding="utf-8")
    (item,) = load(folder / "nested.py")
    assert isinstance(item, LoadedRule)
    return item


def result_of(item: LoadedRule) -> StageResult:
    return Examination(item, Settings(), lambda event: None).run("numeric", NUMERIC)


@pytest.mark.parametrize(("count", "expected"), [(120, "GSL903"), (2, "GSL901")])
def test_only_a_nested_rule_excuses_a_stage(folder: Path, count: int, expected: str) -> None:
    result = result_of(collected(folder, count))
    (finding,) = result.findings
    assert finding.code.id == expected
    assert result.verdict is finding.code.verdict is not Verdict.PASS


def test_a_refutation_outlives_the_search_for_hints(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def search(question: object, result: StageResult) -> StageResult:
        raise RecursionError

    monkeypatch.setattr(examination, "wants_hints", lambda result, question: True)
    monkeypatch.setattr(examination, "load_hints", lambda: search)
    assert result_of(collected(folder, 120, "wrong")).verdict is Verdict.FAIL
    assert result_of(collected(folder, 2, "wrong")).verdict is Verdict.FAIL


def padded_often(last: str) -> Subst:
    x = pat.Variable(shape=(None,))
    padded = x
    for _ in range(300):
        padded = op.Pad(padded)
    return Subst(padded, op.Relu(padded) if last == "relu" else op.Flip(padded, axis=0))


@pytest.mark.smt
def test_shapes_of_hundreds_of_operators_are_followed() -> None:
    assert ask(SHAPE, lambda: padded_often("relu"), max_variants=1).verdict is Verdict.FAIL
    assert ask(SHAPE, lambda: padded_often("flip"), max_variants=1).verdict is Verdict.PASS
