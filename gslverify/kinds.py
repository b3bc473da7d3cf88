"""Kinds of values of settings: how each is written on a command line and in TOML.

Readers raise ValueError with a message that completes "max-examples: ...".
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gsl.errors import did_you_mean
from gslverify.durations import duration_text, seconds_of_text, seconds_of_toml

SWITCH_WORDS = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off", ""), False),
}

UNITS_PER_SECOND = 1_000_000
"""Units of the solver's own resource count that stand for a second of --solver-timeout.

A second of wall-clock time would give other answers on other machines, and none that can be
repeated on a busy one. Typical queries use one to three million units in a second.
"""

Read = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Kind:
    """How values of one kind are read from text, read from TOML, and written.

    `is_switch` marks truth values, which are flags without a value; `is_path` texts that mean
    files relative to the settings file they stand in.
    """

    metavar: str
    of_text: Callable[[str], Any]
    of_toml: Read
    to_text: Callable[[Any], str] = str
    is_switch: bool = False
    is_path: bool = False


def whole(low: int) -> Kind:
    """Integers from `low` on."""

    def of_text(text: str) -> int:
        if not re.fullmatch(r"[+-]?\d+", text):
            raise ValueError(f"{text!r} is not a valid integer")
        return in_range(int(text))

    def of_toml(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise ValueError(f"{value!r} is not a valid integer")
        return in_range(value)

    def in_range(value: int) -> int:
        if value < low:
            raise ValueError(f"{value} is not in the range x>={low}")
        return value

    return Kind("N", of_text, of_toml)


def word_or_whole(word: str, low: int = 0) -> Kind:
    """Integers from `low` on, or one word that stands for another choice."""
    number = whole(low)

    def read(value: Any, read_number: Read) -> Any:
        if value == word:
            return word
        try:
            return read_number(value)
        except ValueError:
            raise ValueError(f"`{value}` is neither a number nor `{word}`") from None

    return Kind(f"N|{word}", lambda t: read(t, number.of_text), lambda v: read(v, number.of_toml))


def _switch_of_text(text: str) -> bool:
    if text.lower() not in SWITCH_WORDS:
        raise ValueError(f"{text!r} is neither 1 nor 0")
    return SWITCH_WORDS[text.lower()]


def _switch_of_toml(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{value!r} is neither true nor false")
    return value


def _text_of_toml(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a text")
    return value


def _url(text: str) -> str:
    """Return an address of a site; empty for none."""
    if text and not re.fullmatch(r"https?://\S+", text):
        raise ValueError(f"{text!r} is not an address such as https://example.org/docs")
    return text


def _positive(read: Read) -> Read:
    def checked(value: Any) -> Any:
        seconds = read(value)
        if seconds <= 0:
            raise ValueError(f"{value} is not in the range x>0")
        return seconds

    return checked


def words(choices: Iterable[str], what: str) -> Kind:
    """Lists of words out of `choices`, in the order of these."""
    known = tuple(choices)

    def chosen(names: list[str]) -> tuple[str, ...]:
        if not names:
            raise ValueError(f"no {what} is named; {what}s are {', '.join(known)}")
        for name in names:
            if name not in known:
                hint = did_you_mean(name, known) or f"{what}s are {', '.join(known)}"
                raise ValueError(f"there is no {what} `{name}`; {hint}")
        return tuple(name for name in known if name in names)

    return Kind(
        "LIST", lambda t: chosen(split(t)), lambda v: chosen(list(list_of_texts(v))), ",".join
    )


def some_words(choices: Iterable[str], what: str, none: str) -> Kind:
    """Lists of words out of `choices`, in the order of these, or alone the word for `none`."""
    known = words((*choices, none), what)

    def chosen(read: Read) -> Read:
        def checked(value: Any) -> tuple[str, ...]:
            if not value:
                return ()
            found: tuple[str, ...] = read(value)
            if none in found and len(found) > 1:
                raise ValueError(f"`{none}` stands alone, without {', '.join(found[:-1])}")
            return found

        return checked

    return Kind(known.metavar, chosen(known.of_text), chosen(known.of_toml), known.to_text)


def split(text: str) -> list[str]:
    """Return the parts of a list that is written with commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def list_of_texts(value: Any) -> tuple[str, ...]:
    """Return a TOML list of texts; a single text counts as one."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"{value!r} is not a list of texts")
    return tuple(value)


def choice(options: Iterable[str]) -> Kind:
    """One word out of `options`."""
    known = tuple(options)

    def chosen(value: Any) -> str:
        if value not in known:
            listed = ", ".join(map(repr, known))
            hint = did_you_mean(str(value), known)
            raise ValueError(f"{value!r} is not one of {listed}" + (f"; {hint}" if hint else ""))
        return str(value)

    return Kind("|".join(known), chosen, chosen)


def _pairs(separator: str, what: str, read: Read) -> Callable[[str], tuple[Any, ...]]:
    def of_text(text: str) -> tuple[Any, ...]:
        found = []
        for part in split(text):
            key, middle, value = part.rpartition(separator)
            if not key or not middle or not value:
                raise ValueError(f"{part!r} is not {what}")
            found.append((key, read(value)))
        return tuple(found)

    return of_text


def _table_of_toml(what: str, read: Read) -> Read:
    def of_toml(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, Mapping):
            raise ValueError(f"{value!r} is not a table of {what}")
        return tuple((key, read(item)) for key, item in value.items())

    return of_toml


def _shard_of_text(text: Any) -> tuple[int, int]:
    numbers = re.fullmatch(r"(\d+)/(\d+)", text) if isinstance(text, str) else None
    if not numbers or not 1 <= int(numbers[1]) <= int(numbers[2]):
        raise ValueError(f"{text!r} is not a part of a whole; write 2/5 for the second of five")
    return int(numbers[1]), int(numbers[2])


def _codes_of_text(text: str) -> tuple[str, ...]:
    return tuple(text.split("+"))


TEXT = Kind("TEXT", str, _text_of_toml)
URL = Kind("URL", _url, lambda value: _url(_text_of_toml(value)))
PATH = Kind("PATH", str, _text_of_toml, is_path=True)
TEXTS = Kind("LIST", lambda t: tuple(split(t)), list_of_texts, ",".join)
PATHS = Kind("LIST", lambda t: tuple(split(t)), list_of_texts, ",".join, is_path=True)
SWITCH = Kind("", _switch_of_text, _switch_of_toml, lambda v: str(v).lower(), is_switch=True)
BUDGET = Kind("60s|10m", seconds_of_text, seconds_of_toml, lambda v: duration_text(v) if v else "-")
LIMIT = Kind("60s|10m", _positive(seconds_of_text), _positive(seconds_of_toml), duration_text)
SHARD = Kind("I/N", _shard_of_text, _shard_of_text, lambda v: f"{v[0]}/{v[1]}")
TIMEOUTS = Kind(
    "STAGE=60s,...",
    _pairs("=", "a stage and a time, such as numeric=5m", _positive(seconds_of_text)),
    _table_of_toml("times", _positive(seconds_of_toml)),
    lambda pairs: ",".join(f"{stage}={duration_text(time)}" for stage, time in pairs),
)
IGNORES = Kind(
    "PATTERN:CODE,...",
    _pairs(":", "a pattern and codes, such as rules/old.py::*:GSL140+GSL471", _codes_of_text),
    _table_of_toml("codes", list_of_texts),
    lambda pairs: ",".join(f"{pattern}:{'+'.join(codes)}" for pattern, codes in pairs),
)


def _solver_limit() -> Kind:
    def units(seconds: float) -> int:
        return max(1, round(seconds * UNITS_PER_SECOND))

    return Kind(
        LIMIT.metavar,
        lambda text: units(LIMIT.of_text(text)),
        lambda value: units(LIMIT.of_toml(value)),
        lambda value: f"{value / UNITS_PER_SECOND:g}s",
    )


SOLVER_LIMIT = _solver_limit()


def seen_from(here: Path, folder: Path, kind: Kind, value: Any) -> Any:
    """Return a value out of a file in `folder` for use in `here`: relative paths move along."""
    if not kind.is_path or not value or folder == here:
        return value
    if isinstance(value, tuple):
        return tuple(os.path.relpath(folder / path, here) for path in value)
    return os.path.relpath(folder / value, here)
