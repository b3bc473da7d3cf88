"""Choices: bounded, remembered and replayed."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from gslverify.networks.choices import Choices, Drawn, Tape, one_of


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
