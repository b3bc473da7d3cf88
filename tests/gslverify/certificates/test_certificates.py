"""What the checker of certificates accepts, and that it refuses whatever was edited or left out."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import pytest

from gsl.kernel.expression import Apply, Number, Read
from gslverify.certificates import laws
from gslverify.certificates.laws import Shown
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.certified import certificate_of, check, derivation
from tests.gslverify.prove.proving import corpus

pytestmark = pytest.mark.smt

ACCEPTED = (
    "split_concat",
    "transpose_of_matmul",
    "slice_of_matmul",
    "flip_of_shifted",
    "matmul_of_diagonal",
    "sum_of_sum",
    "where_false_or_true",
    "logarithm_of_power",
    "take_of_known_row",
    "minimum_with_highest",
    "parallel_two_conv_bias",
)
"""Rules whose proofs use, beside fields and sums, every kind of step."""


@lru_cache
def question(name: str) -> Question:
    rule = next(rule for rule in corpus("sound") if rule.name == name)
    return Question(name, rule, Settings(max_variants=4))


@lru_cache
def written(name: str) -> str:
    found = certificate_of(question(name))
    assert found.refused == ""
    return found.as_json()


@pytest.mark.parametrize("name", ACCEPTED)
def test_a_certificate_that_was_written_is_accepted(name: str) -> None:
    assert check(question(name), json.loads(written(name))) == ""


def steps_of(record: Any) -> Iterator[Any]:
    """Yield the steps of a certificate, those inside of others as well."""
    if isinstance(record, dict):
        if "law" in record:
            yield record
        for inner in record.values():
            yield from steps_of(inner)
    elif isinstance(record, list):
        for inner in record:
            yield from steps_of(inner)


def edited(name: str, edit: Any) -> Iterator[tuple[Any, str]]:
    """Yield steps of a certificate, each as it was edited, and what the checker says then."""
    for number, _ in enumerate(steps_of(json.loads(written(name)))):
        wrong = json.loads(written(name))
        step = list(steps_of(wrong))[number]
        if edit(step) is not False:
            yield step, check(question(name), wrong)


def other_value(step: Any) -> Any:
    """Say something else about what a step is about."""
    if step["law"] != "equal":
        return False
    step["about"][1] = ["+", step["about"][1], 1]
    return None


def other_decision(step: Any) -> Any:
    """Say that a condition fails where it holds."""
    if step["law"] not in ("holds", "fails"):
        return False
    step["law"] = "fails" if step["law"] == "holds" else "holds"
    return None


def without_facts(step: Any) -> Any:
    """Say that a step follows from nothing, where facts are named that it needs."""
    if step["law"] != "equal" or not any(step.get("from", ())):
        return False
    step["from"] = [[] for _ in step["from"]]
    return None


def unknown_law(step: Any) -> None:
    """Name a law that there is not."""
    step["law"] = "a law that nobody knows"


@pytest.mark.parametrize("name", ["split_concat", "parallel_two_conv_bias", "matmul_of_diagonal"])
@pytest.mark.parametrize("edit", [other_value, other_decision, without_facts, unknown_law])
def test_an_edited_step_is_refused(name: str, edit: Any) -> None:
    for step, refusal in edited(name, edit):
        assert refusal != "", step


def test_some_steps_are_of_every_kind_that_is_edited() -> None:
    kinds = {step["law"] for step in steps_of(json.loads(written("parallel_two_conv_bias")))}
    assert {"equal", "holds", "fails"} <= kinds


def test_a_bijection_that_is_none_is_refused() -> None:
    wrong = json.loads(written("matmul_of_diagonal"))
    step = next(step for step in steps_of(wrong) if step["law"] == "substitution")
    step["about"][-1] = {"several": [0 for _ in step["about"][-1]["several"]]}
    assert check(question("matmul_of_diagonal"), wrong) != ""


def test_what_is_left_out_is_missed() -> None:
    wrong = json.loads(written("matmul_of_diagonal"))
    for structure in wrong["structures"]:
        for target in structure:
            for proof in target["outputs"].values():
                proof["steps"] = []
    refusal = check(question("matmul_of_diagonal"), wrong)
    assert "the steps do not lead to one value" in refusal


def test_a_case_that_is_left_out_is_missed() -> None:
    wrong = json.loads(written("split_concat"))
    (target,) = wrong["structures"][0]
    for name, proof in target["outputs"].items():
        target["outputs"][name] = {
            "condition": ["==", 1, 1],
            "holds": {"impossible": []},
            "fails": proof,
        }
    assert "a case is possible that is left out" in check(question("split_concat"), wrong)


@pytest.mark.parametrize("record", [{}, {"certificate": 6}, {"certificate": 6, "structures": [{}]}])
def test_what_is_no_certificate_is_refused(record: Any) -> None:
    assert check(question("split_concat"), record) != ""


def test_a_certificate_of_another_rule_is_refused() -> None:
    assert check(question("sum_of_sum"), json.loads(written("matmul_of_diagonal"))) != ""


def test_integers_are_not_taken_for_real_numbers() -> None:
    wrong = copy.deepcopy(json.loads(written("sum_of_sum")))
    for structure in wrong["structures"]:
        for target in structure if isinstance(structure, list) else ():
            assert target["real numbers"] is None
            target["real numbers"] = list(range(3))
    assert "to be floats" in check(question("sum_of_sum"), wrong)


@pytest.mark.parametrize("facts", [{}, {"from": [[0, 1]]}])
def test_a_law_with_a_false_condition_is_refused(
    monkeypatch: pytest.MonkeyPatch, facts: dict[str, Any]
) -> None:
    """A law may say anything where its condition holds, which here it never does."""
    right = json.loads(written("matmul_of_diagonal"))
    read = Read("x", ())
    planted = Shown(read, Apply("+", (read, Number(1))), (((), False),))
    monkeypatch.setitem(laws.LAWS, "planted", lambda *_: planted)
    for structure in right["structures"]:
        for target in structure:
            for proof in target["outputs"].values():
                proof["steps"].append({"law": "planted", "about": [], **facts})
    assert "`planted` asks for what is not shown" in check(question("matmul_of_diagonal"), right)


def test_a_derivation_tells_the_steps() -> None:
    lines = derivation("slice_of_matmul", question("slice_of_matmul").rule)
    assert "are accepted" in lines[0]
    assert any("fails: " in line and "; from 1 facts" in line for line in lines)
    assert any("source and target have one value" in line for line in lines)
