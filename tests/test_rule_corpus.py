"""What every rule of the corpus says about itself."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from gsl.subst import Rule
from gslverify.finding import CODES
from tests.gslverify.prove.proving import corpus as rules_of

CORPUS = Path(__file__).parents[1] / "rule_corpus"
EXACTNESS = {
    "bit-exact",
    "same-terms",
    "exact-real-and-int",
    "exact-real",
    "exact-real-on-domain",
    "exact-int-only",
    "approximate",
}
KINDS = {
    "algebraic-distrib",
    "algebraic-reassoc",
    "canonicalise",
    "combine-parallel",
    "const-fold",
    "cse",
    "data-movement",
    "dtype-cast",
    "fusion",
    "identity-elim",
    "layout",
    "lowering",
    "padding",
    "predicate",
    "quantization",
    "shape-op",
    "strength-reduction",
}
"""What rules are for. No operator works across devices, so that there are none on collectives."""


@cache
def corpus() -> dict[str, Rule]:
    found = [*rules_of("sound"), *rules_of("broken")]
    rules = {rule.name: rule for rule in found}
    assert len(rules) == len(found), "a name is given twice"
    return rules


def lacking(rule: Rule) -> list[str]:
    """Return what a rule of the corpus should say and does not."""
    said = {
        "equation": "=>" in rule.equation,
        "reason": bool(rule.reason),
        "origin": bool(rule.origin),
        "tags": bool(rule.tags),
        "kind": bool(rule.tags & KINDS),
        "exactness": bool(rule.expect) or len(rule.tags & EXACTNESS) == 1,
        "code": not rule.expect or rule.expect in CODES,
        "twin": not rule.twin or bool(corpus()[rule.twin].expect) is not bool(rule.expect),
    }
    return [name for name, is_said in said.items() if not is_said]


def test_rules_say_what_they_are_and_where_they_come_from() -> None:
    found = {name: lacking(rule) for name, rule in corpus().items() if lacking(rule)}

    assert found == {}


@pytest.mark.parametrize("kind", sorted(EXACTNESS))
def test_every_class_of_exactness_occurs(kind: str) -> None:
    assert any(kind in rule.tags for rule in corpus().values())


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_of_rule_occurs_among_those_that_hold(kind: str) -> None:
    assert any(kind in rule.tags for rule in corpus().values() if not rule.expect)


def test_there_are_as_many_rules_as_promised() -> None:
    broken = [rule for rule in corpus().values() if rule.expect]

    assert len(corpus()) - len(broken) >= 300
    assert len(broken) >= 120


def test_every_rule_that_restates_a_defect_is_there() -> None:
    page = (CORPUS.parent / "docs" / "explanation" / "defects.md").read_text(encoding="utf-8")
    named = re.findall(r"\| `(\w+\.py)::(\w+)` \|", page)
    files = {
        path.name: path.read_text(encoding="utf-8") for path in (CORPUS / "broken").glob("*.py")
    }

    assert len(named) == page.split("## Beyond")[0].count("\n| ") - 1
    assert [name for file, name in named if f"def {name}(" not in files[file]] == []


def test_every_defect_has_a_repaired_twin() -> None:
    page = (CORPUS.parent / "docs" / "explanation" / "defects.md").read_text(encoding="utf-8")
    rules = {rule.name: rule for rule in corpus().values()}
    restated = [rules[name] for name in re.findall(r"\| `\w+\.py::(\w+)` \|", page)]

    assert [rule.name for rule in restated if not rule.twin] == []
