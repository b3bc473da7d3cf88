"""Choices: bounded, remembered, replayed, and made simpler as long as something holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gslverify.networks.choices import Choices, Drawn, Tape, entropy, one_of, simplest


def numbers(choices: Choices) -> list[int]:
    """Choose a length, and so many numbers."""
    return [choices.number(9) for _ in range(choices.number(4))]


def test_random_choices_reach_every_number_up_to_the_most() -> None:
    tape = Tape(random=Random(0))
    assert {tape.number(3) for _ in range(100)} == {0, 1, 2, 3}


def test_choices_without_a_source_are_the_simplest() -> None:
    tape = Tape()
    assert [tape.number(7), one_of(tape, "abc")] == [0, "a"]
    assert tape.taken == [0, 0]


def test_what_was_taken_gives_the_same_again() -> None:
    tape = Tape(random=Random(1))
    first = numbers(tape)
    assert first == numbers(Tape(tape.taken)) != []


def test_given_choices_are_kept_within_what_is_asked_for() -> None:
    assert numbers(Tape((2, 99, 5))) == [9, 5]
    assert numbers(Tape((2, 7))) == [7, 0]


@given(st.data())
def test_hypothesis_makes_the_same_choices(data: st.DataObject) -> None:
    drawn = numbers(Drawn(data.draw))
    assert len(drawn) <= 4
    assert all(0 <= number <= 9 for number in drawn)


def test_hypothesis_draws_entropy_by_its_seed() -> None:
    assert entropy(1) == entropy(1) != entropy(2)
    assert any(entropy(1))


def replay(holds: Callable[[list[int]], bool]) -> Callable[[Sequence[int]], object]:
    def attempt(choices: Sequence[int]) -> tuple[Sequence[int], list[int]] | None:
        tape = Tape(choices)
        made = numbers(tape)
        return (tape.taken, made) if holds(made) else None

    return attempt


@pytest.mark.parametrize(
    ("holds", "least"),
    [
        (lambda made: True, []),
        (lambda made: len(made) >= 2, [0, 0]),
        (lambda made: sum(made) >= 7, [2, 5]),
        (lambda made: len(made) > 1 and made[1] > 3, [0, 4]),
        (lambda made: made == sorted(made) and 5 in made, [0, 5]),
    ],
    ids=["anything", "length", "sum", "one number", "order"],
)
def test_choices_are_made_simpler_one_after_the_other(
    holds: Callable[[list[int]], bool], least: list[int]
) -> None:
    taken = (4, 2, 5, 8, 9)
    assert simplest(taken, [2, 5, 8, 9], replay(holds)) == least  # type: ignore[arg-type]


def test_choices_that_cannot_be_simpler_stay() -> None:
    given_choices = (2, 3, 4)
    only = replay(lambda made: made == [3, 4])
    assert simplest(given_choices, [3, 4], only) == [3, 4]  # type: ignore[arg-type]
