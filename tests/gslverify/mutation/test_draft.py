from __future__ import annotations

from pathlib import Path

import pytest

from gsl import Subst, op, pat
from gsl.attr.term import Constant
from gsl.canonical import rule_hash
from gsl.errors import GraphError
from gsl.rule_files.collect import files_of_rules, rules_in
from gsl.subst import Rule
from gsl.text.naming import pattern_names
from gslverify.mutation.draft import Draft, replaced
from tests.gslverify.mutation.rules import ALL, pad_twice, two_dense

CORPUS = Path(__file__).parents[3] / "rule_corpus" / "sound"


@pytest.mark.parametrize("rule", ALL, ids=lambda rule: rule.name)
def test_unchanged_draft_is_the_same_rule_of_other_patterns(rule: Rule) -> None:
    subst = rule()
    copy = Draft.of(subst).build()

    assert rule_hash(copy) == rule_hash(subst)
    assert not {*copy.source_patterns} & {*subst.source_patterns}
    assert copy.span == subst.span
    assert pattern_names(copy).values() == pattern_names(subst).values() or sorted(
        pattern_names(copy).values()
    ) == sorted(pattern_names(subst).values())


@pytest.mark.parametrize("file", files_of_rules(CORPUS), ids=lambda path: path.stem)
def test_every_rule_of_the_corpus_can_be_copied(file: Path) -> None:
    for rule in rules_in(file):
        subst = rule()
        assert rule_hash(Draft.of(subst).build()) == rule_hash(subst), rule.name


def test_constraints_can_be_changed_and_dropped() -> None:
    subst = pad_twice()
    outer = subst.source[0]
    changed = Draft.of(subst).constrain(outer, "pad_value", Constant(1.0)).build()
    dropped = Draft.of(subst).constrain(outer, "pad_value", None).build()

    assert repr(changed.source[0].constraints["pad_value"]) == repr(Constant(1.0))
    assert "pad_value" not in dropped.source[0].constraints
    assert "pad_value" in outer.constraints


def test_one_pattern_can_take_the_place_of_another_everywhere() -> None:
    subst = two_dense()
    x, w1, _, w2 = subst.source_patterns[:4]
    draft = Draft.of(subst)
    draft.instead[w2] = w1
    made = draft.build()

    assert len(made.source_patterns) == len(subst.source_patterns) - 1
    assert made.source[0].operands[0].operands[1] is made.source[0].operands[1].operands[1]
    assert x in subst.source_patterns


def test_pattern_that_would_need_itself_is_refused() -> None:
    x = pat.Wildcard()
    inner = op.Relu(x)
    outer = op.Relu(inner)
    draft = Draft.of(Subst(outer, inner))
    draft.operands[inner] = (outer,)

    with pytest.raises(GraphError, match="needs itself"):
        draft.build()


def test_subterms_are_replaced_wherever_they_are() -> None:
    one, two = Constant(1), Constant(2)
    term = (one + 3) * (one - two)
    new = replaced(term, {one: Constant(5)})

    assert "Constant(value=1)" not in repr(new)
    assert repr(new).count("Constant(value=5)") == 2
    assert repr(term).count("Constant(value=1)") == 2
