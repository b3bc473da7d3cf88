"""What the checker of certificates accepts, and that it refuses whatever was edited or left out."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import pytest

from gsl.attr.term import Symbol
from gslverify.certificates.checker import Asked, Checker, Step
from gslverify.certificates.places import RefusedError
from gslverify.certificates.ring import ONE, ZERO, Sum, constant, plus, unit
from gslverify.semantics.solver import new_context
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
)
"""Rules whose proofs use, beside rings, every kind of step."""


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
    """Yield lists of steps."""
    if isinstance(record, dict):
        if record.get("steps"):
            yield record["steps"]
        for inner in record.values():
            yield from steps_of(inner)
    elif isinstance(record, list):
        for inner in record:
            yield from steps_of(inner)


def edits(name: str) -> Iterator[tuple[str, Any]]:
    """Yield certificates of a rule, each of which differs in one thing from the right one."""
    right = json.loads(written(name))
    count = sum(len(steps) for steps in steps_of(right))
    for number in range(min(count, 6)):
        for what in ("law", "place", "becomes", "value", "atom", "left out", "other law"):
            wrong = copy.deepcopy(right)
            steps, place = next(
                (steps, number - start)
                for start, steps in _starts(steps_of(wrong))
                if start <= number < start + len(steps)
            )
            step = steps[place]
            if not step["law"]:
                continue
            match what:
                case "left out":
                    del steps[place]
                case "value" if step["value"]:
                    step["value"][0][0] += 1
                case "atom":
                    step["atom"] += 1
                case "other law":
                    step["law"] = "fails" if step["law"] == "holds" else "holds"
                case "law" | "place" | "becomes":
                    step[what] += " "
                case _:
                    continue
            yield f"{what} of {step}", wrong


def _starts(lists: Iterator[Any]) -> Iterator[tuple[int, Any]]:
    start = 0
    for steps in lists:
        yield start, steps
        start += len(steps)


@pytest.mark.parametrize("name", ["split_concat", "flip_of_shifted", "matmul_of_diagonal"])
def test_an_edited_certificate_is_refused(name: str) -> None:
    found = list(edits(name))
    assert found
    for what, wrong in found:
        if not what.startswith("left out"):
            assert check(question(name), wrong) != "", what
    assert any(check(question(name), wrong) for what, wrong in found if what.startswith("left out"))


def test_the_step_that_is_refused_is_named() -> None:
    wrong = json.loads(written("flip_of_shifted"))
    step = next(step for steps in steps_of(wrong) for step in steps if step["law"])
    step["law"] = "a law that nobody knows"
    refusal = check(question("flip_of_shifted"), wrong)
    assert step["place"] in refusal
    assert "there is no law `a law that nobody knows`" in refusal


def test_a_case_that_is_left_out_is_missed() -> None:
    wrong = json.loads(written("split_concat"))
    proof = wrong["structures"][0]["targets"][0]["outputs"][0]["proof"]
    assert "holds" in proof
    proof["fails"] = {"impossible": []}
    assert "a case is possible that is left out" in check(question("split_concat"), wrong)


@pytest.mark.parametrize("record", [{}, {"certificate": 1}, {"certificate": 1, "structures": [{}]}])
def test_what_is_no_certificate_is_refused(record: Any) -> None:
    assert check(question("split_concat"), record) != ""


def test_a_certificate_of_another_rule_is_refused() -> None:
    assert check(question("sum_of_sum"), json.loads(written("matmul_of_diagonal"))) != ""


def checker(*claims: Any) -> Checker:
    return Checker(Asked(claims, new_context(), {}), (), frozenset(), {})


def test_a_law_is_used_only_where_its_condition_is_shown() -> None:
    n, i = Symbol("n", low=1), Symbol("i", low=0)
    small = checker(i < n)
    quotient = small.computed("//", [small.index(i), small.index(n)])
    (number,) = [atom for mono, _ in quotient for atom, _ in mono]
    assert small.applied(Step(number, "less than the divisor", claims=(0,))) == ZERO
    with pytest.raises(RefusedError, match="asks for what is not shown"):
        small.applied(Step(number, "less than the divisor"))


def test_multiples_of_a_divisor_are_taken_out_and_others_are_not() -> None:
    n, i, k = Symbol("n", low=1), Symbol("i", low=0), Symbol("k")
    free = checker()
    whole = plus(free.index(i), free.times(free.index(k), free.index(n)))
    quotient = free.computed("//", [whole, free.index(n)])
    (number,) = [atom for mono, _ in quotient for atom, _ in mono]
    found = free.applied(Step(number, "whole multiples", free.index(k)))
    assert found == plus(free.index(k), free.computed("//", [free.index(i), free.index(n)]))
    unknown = free.computed("//", [whole, free.index(k)])
    (number,) = [atom for mono, _ in unknown for atom, _ in mono]
    with pytest.raises(RefusedError, match="asks for what is not shown"):
        free.applied(Step(number, "whole multiples", free.index(n)))


def test_a_bound_index_does_not_leave_its_sum() -> None:
    n, k = Symbol("n", low=1), Symbol("k", low=0)
    free = checker()
    size = free.index(n)
    bound = free.bound(k, size)
    outside = free.computed("max", [size, constant(1)])
    (number,) = [atom for mono, _ in outside for atom, _ in mono]
    with pytest.raises(RefusedError, match="where it has no value"):
        free.applied(Step(number, "equal", unit(bound)))


def test_sums_are_sums_of_products_and_counts() -> None:
    n, k = Symbol("n", low=1), Symbol("k", low=0)
    free = checker()
    bound = free.bound(k, free.index(n))
    x, y = (free.made("read", name, [unit(bound)]) for name in "xy")
    whole: Sum = free.bind("sum", [bound], plus(x, y))
    assert whole == plus(free.bind("sum", [bound], x), free.bind("sum", [bound], y))
    assert free.bind("sum", [bound], ONE) == free.index(n)
    place = free.literal("eq", None, plus(unit(bound), constant(2), -1))
    chosen = free.bind("sum", [bound], free.times(place, x))
    inside = free.literal("ge", None, plus(free.index(n), constant(3), -1))
    assert chosen == free.times(inside, free.made("read", "x", [constant(2)]))


def test_integers_that_wrap_are_equal_only_where_all_dtypes_say_so() -> None:
    free = checker()
    x = free.made("read", "x", [])
    assert free.function("==", [plus(x, constant(1)), x]) == ZERO
    assert free.function("==", [plus(x, constant(256)), x]) not in (ZERO, ONE)


def test_a_derivation_tells_the_steps() -> None:
    lines = derivation("flip_of_shifted", question("flip_of_shifted").rule)
    assert "are accepted" in lines[0]
    assert any("shown by z3" in line for line in lines)
