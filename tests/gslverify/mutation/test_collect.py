from __future__ import annotations

from pathlib import Path

import pytest

from gsl.canonical import rule_hash
from gslverify.choice import chosen_rules
from gslverify.corpus.collect import collect
from gslverify.corpus.declaration import CollectedRule, LoadedRule, Unusable
from gslverify.corpus.loading import load
from gslverify.mutation.collect import (
    find_item,
    is_mutant,
    mutants_in,
    rule_id_of,
)
from tests.gslverify.rule_files import write_rules


def test_ids_lead_back_to_the_rule() -> None:
    assert is_mutant("rules.py::one~M01.2")
    assert not is_mutant("old~/rules.py::one")
    assert rule_id_of("a/rules.py::one~M01.2") == "a/rules.py::one"
    assert rule_id_of("a/rules.py::one") == "a/rules.py::one"


def test_selector_may_name_a_mutant(folder: Path) -> None:
    write_rules(folder, ["one", "two"])
    (item,) = chosen_rules(["rules.py::one~M41.1"])

    assert isinstance(item, CollectedRule)
    assert item.rule_id == "rules.py::one~M41.1"
    assert item.rule.name == "one~M41.1"


def test_plain_selectors_are_as_before(folder: Path) -> None:
    write_rules(folder, ["one", "two"])

    found = chosen_rules(["rules.py"])
    assert [item.rule_id for item in found] == [item.rule_id for item in collect(["rules.py"])]


def test_unknown_mutant_is_told_with_a_suggestion(folder: Path) -> None:
    write_rules(folder, ["one"])
    (item,) = chosen_rules(["rules.py::one~M41.7"])

    assert isinstance(item, Unusable)
    assert item.finding.code.id == "GSL106"
    assert "M41.1" in item.finding.cure


def test_mutant_of_an_unknown_rule_is_told(folder: Path) -> None:
    write_rules(folder, ["one"])
    (item,) = chosen_rules(["rules.py::none~M41.1"])

    assert isinstance(item, Unusable)
    assert item.finding.code.id == "GSL106"


def test_worker_finds_rules_and_mutants(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_rules(folder, ["one", "two"])
    loaded = load(Path("rules.py"))
    (_, two) = loaded
    assert isinstance(two, LoadedRule)
    mutants = [found for _, found in mutants_in(two) if found]
    monkeypatch.setattr("gslverify.mutation.collect.mutants_of", None)  # the others are not made

    assert find_item(loaded, "rules.py::two") is two
    for mutant in mutants:
        found = find_item(loaded, mutant.rule_id)
        assert isinstance(found, LoadedRule)
        assert found.rule_id == mutant.rule_id
        assert rule_hash(found.rule()) == rule_hash(mutant.rule())
    assert find_item(loaded, "rules.py::three") is None
    assert find_item(loaded, "rules.py::one~M99.1") is None
