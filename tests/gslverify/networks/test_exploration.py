"""Hypothesis makes choices for a search of ours until an example fails, and keeps what failed."""

from __future__ import annotations

import random
from pathlib import Path

from gslverify.networks.choices import Choices, NothingDrawnError
from gslverify.networks.exploration import (
    GENERATE,
    REUSE,
    EnoughError,
    ExampleStatus,
    Kept,
    explore,
)

Pair = tuple[int, int]


def pair(choices: Choices) -> Pair:
    return choices.number(1000), choices.number(1000)


def passing(seen: list[Pair], made: Pair) -> ExampleStatus:
    seen.append(made)
    return ExampleStatus.PASSED


def test_the_simplest_example_comes_first_and_all_others_follow_from_the_start() -> None:
    runs: list[list[Pair]] = [[], [], []]
    for seen, start in zip(runs, (1, 1, 2), strict=True):
        explore(pair, lambda made, seen=seen: passing(seen, made), 30, start)

    assert runs[0] == runs[1] != runs[2]
    assert len(set(runs[0])) == len(runs[0]) == 30
    assert runs[0][0] == (0, 0)


def test_examples_begin_with_what_leads() -> None:
    seen: list[Pair] = []
    explore(pair, lambda made: passing(seen, made), 10, 3, lead=lambda: [len(seen)])

    assert [first for first, _ in seen] == list(range(10))


def test_a_failure_is_made_of_simpler_choices_where_that_is_asked_for() -> None:
    found: list[Pair] = []

    def examine(made: Pair) -> ExampleStatus:
        if made[0] < 100 or made[1] == 0:
            return ExampleStatus.PASSED
        found.append(made)
        return ExampleStatus.FAILED

    explore(pair, examine, 30, 0)
    assert min(found) == (100, 1)
    found.clear()
    explore(pair, examine, 30, 0, phases=GENERATE)
    assert len(set(found)) == 1


def test_examples_that_say_nothing_do_not_count() -> None:
    seen: list[Pair] = []

    def make(choices: Choices) -> Pair:
        if choices.number(1):
            raise NothingDrawnError("odd")
        return pair(choices)

    def examine(made: Pair) -> ExampleStatus:
        return ExampleStatus.INCONCLUSIVE if made[0] % 2 else passing(seen, made)

    explore(make, examine, 20, 0)
    assert len(seen) == 20


def test_whoever_has_enough_ends_everything() -> None:
    seen: list[Pair] = []

    def examine(made: Pair) -> ExampleStatus:
        if len(seen) == 3:
            raise EnoughError
        return passing(seen, made)

    explore(pair, examine, 20, 0)
    assert len(seen) == 3


def test_what_failed_is_examined_first_in_another_search(tmp_path: Path) -> None:
    kept = Kept(str(tmp_path), "rules.py::one", "round")
    seen: list[Pair] = []

    def examine(made: Pair) -> ExampleStatus:
        seen.append(made)
        return ExampleStatus.FAILED if made[0] >= 7 else ExampleStatus.PASSED

    explore(pair, examine, 30, 0, kept=kept)
    seen.clear()
    explore(pair, examine, 1, 9, kept=kept, phases=REUSE)
    assert seen[0] == (7, 0)
    seen.clear()
    other = Kept(str(tmp_path), "rules.py::other", "round")
    explore(pair, examine, 1, 9, kept=other, phases=REUSE)
    assert seen == []


def test_random_numbers_of_others_are_the_same_in_every_search() -> None:
    numbers: list[list[float]] = [[], []]
    before = random.getstate()
    for found in numbers:
        explore(pair, lambda made, found=found: found.append(random.random()), 5, 0)

    assert numbers[0] == numbers[1]
    assert len(set(numbers[0])) > 1
    assert random.getstate() == before
