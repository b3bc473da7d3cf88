"""Exceptions of others as text: nothing they do gets in the way, nothing reaches the terminal."""

from __future__ import annotations

import pytest

from gsl.errors import described, printable


class MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("plain"), "ValueError: plain"),
        (KeyError("name"), "KeyError: 'name'"),
        (ValueError("\x1b[31mred\x00"), r"ValueError: \x1b[31mred\x00"),
        (KeyboardInterrupt(), "KeyboardInterrupt: "),
        (MuteError(), "MuteError: its text cannot be had (RuntimeError)"),
    ],
    ids=["text", "key", "control characters", "no text", "text that raises"],
)
def test_every_exception_can_be_described(error: BaseException, text: str) -> None:
    assert described(error) == text


def test_a_message_without_measure_is_cut() -> None:
    text = described(ValueError("word " * 400_000))

    assert text.endswith("word ... and 1,998,000 more characters")
    assert len(text) < 2_100


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("two\nlines", "two\nlines"),
        ("größer ⇒ 2", "größer ⇒ 2"),
        ("\r\x07\x9b", r"\r\x07\x9b"),
        ("\u202e\udce4", r"\u202e\udce4"),
    ],
    ids=["lines", "letters", "control characters", "direction and half a pair"],
)
def test_only_what_is_printed_is_left(text: str, shown: str) -> None:
    assert printable(text) == shown
