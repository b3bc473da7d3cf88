"""The page about the corpus: sums over the report of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.reference import beside_documents

pytestmark = pytest.mark.usefixtures("rules")

RULES = """
from gsl import Subst, op, pat, rule

@rule(origin="One: a pass; TensorRight: xla/max, rule 07")
def twice() -> Subst:
    \"\"\"relu(relu(x)) => relu(x)\"\"\"
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x))

@rule(origin="Other, a pass; TensorRight: xla/add, rule 01")
def twice_more() -> Subst:
    \"\"\"abs(abs(x)) => abs(x)\"\"\"
    x = pat.Wildcard()
    return Subst(op.Abs(op.Abs(x)), op.Abs(x))

@rule(origin="TensorRight: xla/sub, rule 01", expect="GSL401", twin="twice")
def gone() -> Subst:
    \"\"\"relu(relu(x)) => x\"\"\"
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), x)
"""
PROVED = {"level": 5, "subject": "prove", "text": "proved, ranks 0-4"}
EXACT = {"level": 3, "subject": "", "text": "exact, 25 graphs"}


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A corpus of one file in the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "first_topic.py").write_text(RULES)


def report(**assured: list[dict[str, Any]]) -> dict[str, Any]:
    ids = {name: f"first_topic.py::{name}" for name in assured}
    return {
        "tool": {"z3": "5", "gsl": "1"},
        "run": {"seed": 0},
        "rules": [{"id": ids[name], "assurance": what} for name, what in assured.items()],
        "timing": {"stages": {ids[name]: {"static": 1.0, "numeric": 2.0} for name in assured}},
    }


def test_rules_are_counted_by_system_and_topic() -> None:
    found = report(twice=[PROVED, EXACT], twice_more=[EXACT], gone=[])

    lines = beside_documents("corpus_page").page(found, None, Path(".")).splitlines()

    assert "With gsl 1, z3 5; seed 0." in lines
    assert "| One | 1 | 1 | 0 | 1 | 1 | 3 | - |" in lines
    assert "| Other | 1 | 0 | 0 | 1 | 0 | 3 | - |" in lines
    assert "| first topic | 2 | 1 | 0 | 2 | 1 | 6 | - |" in lines
    assert lines.count("| all | 2 | 1 | 0 | 2 | 1 | 6 | - |") == 2
    assert not any("Mutation" in line for line in lines)


def test_a_rule_counts_for_every_system_that_has_it() -> None:
    found = report(twice=[PROVED, EXACT], twice_more=[EXACT], gone=[])

    lines = beside_documents("corpus_page").page(found, None, Path(".")).splitlines()

    assert "| TensorRight | 2 | 1 | 0 | 2 | 1 | 6 | - |" in lines


def test_what_is_left_of_a_published_list_is_told_rule_by_rule() -> None:
    found = report(twice=[PROVED, EXACT], twice_more=[EXACT], gone=[])

    lines = beside_documents("corpus_page").page(found, None, Path(".")).splitlines()

    assert (
        "2 of its rules, 1 of them proved here. A rule can state several, and with other" in lines
    )
    start = lines.index("| its rule | rule here | assurance |")
    assert lines[start + 2 :] == [
        "| xla/add, rule 01 | `twice_more` | exact, 25 graphs |",
        "| xla/max, rule 07 | `twice` | proved, ranks 0-4 |",
    ]


def test_declared_flags_are_counted() -> None:
    text = RULES.replace('@rule(origin="One', '@rule(flags={"nsz"}, origin="One')
    Path("first_topic.py").write_text(
        text.replace('@rule(origin="Other', '@rule(flags=(), origin="Oth')
    )
    found = report(twice=[], twice_more=[], gone=[])

    lines = beside_documents("corpus_page").page(found, None, Path(".")).splitlines()

    start = lines.index("## Flags")
    assert lines[-2:] == ["| none | 1 | `twice_more` |", "| nsz | 1 | `twice` |"]
    assert start < len(lines) - 2


def test_the_mutation_score_is_told() -> None:
    mutation = {
        "score": 96.5,
        "left_out": 7,
        "summary": {"killed": 55, "survived": 2, "declined": 0},
        "rules": {"first_topic.py::twice": {"killed": 3, "survived": 1, "stillborn": 2}},
    }
    found = report(twice=[], twice_more=[], gone=[])

    text = beside_documents("corpus_page").page(found, mutation, Path("."))

    assert text.endswith("96.5 %: 55 killed, 2 survived, 7 more not drawn.\n")
    assert "| One | 1 | 0 | 0 | 0 | 1 | 3 | 75 % |" in text
    assert "| Other | 1 | 0 | 0 | 0 | 0 | 3 | - |" in text


def test_a_report_of_other_rules_is_an_error() -> None:
    with pytest.raises(KeyError, match="twice"):
        beside_documents("corpus_page").page(report(gone=[]), None, Path("."))
