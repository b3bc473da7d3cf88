"""Certificates that were changed by chance, and proofs of what is false: none is accepted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from random import Random
from typing import Any

import pytest

from gsl.attr.term import Symbol, operation
from gsl.kernel.expression import Apply, Expression, Number, Read, Reduction
from gslverify.certificates.checker import Asked
from gslverify.certificates.checking import Case, Output, Proof, check_structure
from gslverify.certificates.combining import Combining
from gslverify.certificates.draw import RefusedError
from gslverify.certificates.indices import Indices
from gslverify.certificates.inputs import Inputs
from gslverify.certificates.lemmas import clashes
from gslverify.certificates.records import read
from gslverify.semantics.solver import Answer, Solver, new_context
from gslverify.stages.certified import Shown, check_record, statement_of
from gslverify.stages.examination import scenarios_of
from gslverify.stages.scenarios import Scenario
from tests.gslverify.certificates.test_certificates import question, steps_of, written

pytestmark = pytest.mark.smt

NAMES = (
    "transpose_of_matmul",
    "flip_of_shifted",
    "matmul_of_diagonal",
    "slice_of_matmul",
    "take_of_known_row",
    "parallel_two_conv_bias",
)


@lru_cache
def structures(name: str) -> list[tuple[Scenario, str]]:
    """Return the structures of a rule with the records that they have of their own."""
    scenarios = scenarios_of(question(name))
    records = json.loads(written(name))["structures"]
    pairs = zip([*scenarios.feasible, *scenarios.large], records, strict=True)
    return [(one, json.dumps(record)) for one, record in pairs if not isinstance(record, int)]


def proofs_of(record: Any) -> Iterator[Any]:
    """Yield the proofs in the record of a structure, case by case."""
    stack = [proof for target in record for proof in target["outputs"].values()]
    while stack:
        proof = stack.pop()
        yield proof
        stack += [proof[case] for case in ("holds", "fails") if case in proof]


def greater(record: Any, random: Random) -> bool:
    """Say that an index is one more than it is."""
    steps = [step for step in steps_of(record) if step["law"] == "equal"]
    if steps:
        step = random.choice(steps)
        step["about"][1] = ["+", step["about"][1], random.choice([1, -1, 2, 7])]
    return bool(steps)


def opposite(record: Any, random: Random) -> bool:
    """Say that a condition holds where it fails."""
    steps = [step for step in steps_of(record) if step["law"] in ("holds", "fails")]
    if steps:
        step = random.choice(steps)
        step["law"] = "fails" if step["law"] == "holds" else "holds"
    return bool(steps)


def impossible(record: Any, random: Random) -> bool:
    """Say that a case is impossible that is not."""
    proof = random.choice(list(proofs_of(record)))
    is_other = "impossible" not in proof
    if is_other:
        proof.clear()
        proof |= {"impossible": random.choice([[], [0], [0, 1]])}
    return is_other


def other_sum(record: Any, _: Random) -> bool:
    """Have each sum by which an index is another one add up to 0, which is not less than 0."""
    steps = [step for step in steps_of(record) if step["law"] == "equal" and "ways" in step]
    for step in steps:
        step["ways"] = [[[[0]] for _ in ways] for ways in step["ways"]]
    return bool(steps)


def no_facts(record: Any, random: Random) -> bool:
    """Name a fact that there is not."""
    steps = [step for step in steps_of(record) if any(step.get("from", ()))]
    if steps:
        used = random.choice([used for used in random.choice(steps)["from"] if used])
        used[random.randrange(len(used))] = 10_000
    return bool(steps)


FALSE = (greater, opposite, impossible, other_sum, no_facts)


def is_accepted(scenario: Scenario, record: Any) -> bool:
    try:
        return check_record(scenario, record, Shown()) == ""
    except IndexError:
        return False


@pytest.mark.parametrize("edit", FALSE, ids=lambda edit: str(edit.__name__))
def test_records_that_say_what_is_false_are_refused(edit: Callable[[Any, Random], bool]) -> None:
    random, edits = Random(1), 0
    for name in NAMES:
        for scenario, text in structures(name):
            for _ in range(12):
                record = json.loads(text)
                if edit(record, random):
                    edits += 1
                    assert not is_accepted(scenario, record), (name, edit.__name__, record)
    assert edits >= 5


def changed(value: Any, random: Random) -> Any:
    """Return an element that is not the one that it is made of."""
    return random.choice(
        [
            value + Number(1),
            Apply("neg", (value,)) - Number(3),
            value * Number(2) + Number(5),
            value + Read("y", ()),
            Apply("select", (Apply("==", (Read("y", ()), Number(7))), value, value + Number(1))),
        ]
    )


def test_no_proof_is_one_of_another_target() -> None:
    """Whatever else is changed in a certificate, it shows nothing of a target that is wrong."""
    random = Random(2)
    for name in NAMES:
        for scenario, text in structures(name):
            for _ in range(12):
                record = json.loads(text)
                random.choice(FALSE)(record, random)
                statement, asked = statement_of(scenario), Shown().asked(scenario)
                outputs = [
                    [Output(o.name, o.left, changed(o.right, random), o.extents) for o in way]
                    for way in statement.outputs
                ]
                try:
                    found = read(record, asked.claims, outputs)
                    check_structure(statement.ways, found, asked, outputs)
                except (RefusedError, IndexError):
                    continue
                raise AssertionError((name, outputs, record))


def test_no_step_can_be_left_out() -> None:
    """The writer leaves out what a proof can do without, and the checker misses what it cannot."""
    total = 0
    for name in NAMES:
        for scenario, text in structures(name):
            for number, proof in enumerate(proofs_of(json.loads(text))):
                for step, _ in enumerate(proof.get("steps", ())):
                    record = json.loads(text)
                    del list(proofs_of(record))[number]["steps"][step]
                    total += 1
                    assert not is_accepted(scenario, record), (name, step)
    assert total >= 10


N, M, J, K = (Symbol(name, low=0) for name in "nmjk")
TERMS = (N, M, J, N + 1, M - 2, N * M, J * 2, M * (N + 1), N - J, J - J)


def condition(random: Random) -> Any:
    head = random.choice(["<", "<=", "==", ">", ">="])
    return operation(head, random.choice(TERMS), random.choice((*TERMS, 0, 1, 2)))


def follows(goal: Any, facts: list[Any]) -> bool:
    solver = Solver(facts, 10**6, new_context(), ideal=True)
    return solver.refutes(goal).answer is Answer.UNSAT


def test_sums_of_products_show_only_what_follows() -> None:
    """What was found for one condition is tried for others, which z3 decides."""
    random, found, refused = Random(3), 0, 0
    for _ in range(60):
        facts, goal = [condition(random) for _ in range(2)], condition(random)
        ways = Combining().ways(goal, facts)
        if ways is None:
            continue
        found += 1
        assert clashes(ways, goal, facts, Indices(5))
        for other in (condition(random), operation("<", goal.operands[0], goal.operands[0])):
            for known in (facts, facts[::-1]):
                if clashes(ways, other, known, Indices(6)):
                    assert follows(other, known), (other, known)
                else:
                    refused += 1
    assert found >= 5
    assert refused >= 10


def test_a_choice_is_looked_at_on_both_sides() -> None:
    index = operation("cond", operation("==", N, 1), 0, J)
    goal, facts = operation("==", index, J), [operation("<", J, N)]
    ways = Combining().ways(goal, facts)
    assert ways is not None
    assert clashes(ways, goal, facts, Indices(1))
    assert not clashes(ways, goal, [operation("<", J, N + 1)], Indices(1))
    for way in range(len(ways)):
        less = list(ways)
        number, either, holds, _ = less[way]
        less[way] = (number, either, holds, holds)
        assert not clashes(less, goal, facts, Indices(1))


def accepted(left: Expression, right: Expression, is_field: bool = True) -> bool:
    case = Case(
        Output("output 0", left, right, {}),
        Asked([], new_context(), {}),
        frozenset(),
        is_field,
        Inputs({}),
    )
    try:
        case.follow(Proof(), ())
    except RefusedError:
        return False
    return True


def determinant(rows: list[int], columns: list[int]) -> Expression:
    """Return that of sums of products, which is 0 where there are fewer indices than rows."""
    if not rows:
        return Number(1)
    total: Expression = Number(0)
    for place, column in enumerate(columns):
        index = Symbol("k", low=0)
        product = Read(f"f{rows[0]}", (index,)) * Read(f"g{column}", (index,))
        sum_of = Reduction("sum", ((index, N),), product)
        rest = sum_of * determinant(rows[1:], [one for one in columns if one != column])
        total = total + rest if place % 2 == 0 else total - rest
    return total


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_products_of_many_sums_do_not_vanish(size: int) -> None:
    every = list(range(size))
    whole = determinant(every, every)
    assert not accepted(whole, Number(0))
    assert not accepted(Apply("exp", (whole,)), Number(1))
    assert not accepted(Number(1) / (whole + Read("y", ())), Number(1) / Read("y", ()))
    assert accepted(whole, determinant(every, every))


def test_no_number_is_another_one_in_the_field() -> None:
    """The prime of the field is drawn, so that no rule can be written for it."""
    value = Read("x", ())
    for prime in (2**61 - 1, 2**31 - 1, 2**89 - 1):
        assert not accepted(value * Number(3), value * Number(prime + 3), is_field=False)
