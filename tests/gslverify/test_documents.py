"""Dataclasses as JSON: what is written follows the schema and is read again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import Enum, IntEnum
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import pytest
from jsonschema import Draft202012Validator, ValidationError

from gslverify.documents import (
    BY_NAME,
    DocumentError,
    Limits,
    kind_of,
    named,
    plain,
    read,
    schema_of,
    written,
)


class Colour(Enum):
    RED = "a red one"
    BLUE = "a blue one"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


@dataclass(frozen=True)
class Part:
    name: str
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True)
class Whole:
    derived: ClassVar[tuple[str, ...]] = ("size",)

    title: Annotated[str, Limits(pattern="^[a-z]+$")]
    colour: Colour
    level: Level
    word: Annotated[Level, BY_NAME]
    kind: Literal["one", "other"]
    parts: tuple[Part, ...]
    by_name: Mapping[str, Part]
    ratio: float
    anything: Any
    when: date | None
    is_there: bool
    renamed: int = field(default=3, metadata=named("number"))
    hidden: int = field(default=7, metadata=named(""))

    @property
    def size(self) -> int:
        """Something that follows from the rest."""
        return len(self.parts)


@dataclass(frozen=True)
class Entry:
    is_compact: ClassVar = True

    word: str
    numbers: tuple[int, ...] = ()
    notes: Mapping[str, int] = field(default_factory=dict)


WHOLE = Whole(
    "title",
    Colour.BLUE,
    Level.HIGH,
    Level.LOW,
    "other",
    (Part("a", (1, 2)), Part("b")),
    {"c": Part("c")},
    0.5,
    [1, "x", None],
    date(2027, 3, 1),
    True,
    4,
)

DOCUMENT = {
    "title": "title",
    "colour": "blue",
    "level": 2,
    "word": "low",
    "kind": "other",
    "parts": [{"name": "a", "numbers": [1, 2]}, {"name": "b", "numbers": []}],
    "by_name": {"c": {"name": "c", "numbers": []}},
    "ratio": 0.5,
    "anything": [1, "x", None],
    "when": "2027-03-01",
    "is_there": True,
    "number": 4,
    "size": 2,
}

VALIDATOR = Draft202012Validator(schema_of(Whole))


def test_a_record_is_written_and_read() -> None:
    assert written(WHOLE) == DOCUMENT
    assert read(Whole, json.loads(json.dumps(DOCUMENT))) == WHOLE
    Draft202012Validator.check_schema(schema_of(Whole))
    VALIDATOR.validate(DOCUMENT)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"title": 3}, "title: 3 is not a text"),
        ({"title": "A"}, r"title: 'A' does not fit ^[a-z]+$"),
        ({"colour": "green"}, "colour: 'green' is not 'red' or 'blue'"),
        ({"level": 3}, "level: 3 is not 1 or 2"),
        ({"word": "LOW"}, "word: 'LOW' is not 'low' or 'high'"),
        ({"kind": ["one"]}, "kind: ['one'] is not 'one' or 'other'"),
        ({"parts": {}}, "parts: {} is not a list"),
        ({"parts": [{"name": "a"}, {"name": 1}]}, "parts[1].name: 1 is not a text"),
        ({"by_name": {"c": {}}}, "by_name.c: `name` is missing"),
        ({"by_name": []}, "by_name: [] is not an object"),
        ({"ratio": None}, "ratio: None is not a number"),
        ({"when": "soon"}, "when: 'soon' is not a day such as 2027-03-01"),
        ({"is_there": 1}, "is_there: 1 is not true or false"),
        ({"number": True}, "number: True is not a number"),
        ({"number": 1.5}, "number: 1.5 is not a number"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(change: dict[str, Any], message: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read(Whole, DOCUMENT | change)

    assert str(caught.value) == message
    with pytest.raises(ValidationError):
        VALIDATOR.validate(DOCUMENT | change)


def test_what_has_a_default_may_be_missing_and_more_may_be_there() -> None:
    older = {name: value for name, value in DOCUMENT.items() if name not in ("number", "size")}

    assert read(Whole, older | {"later": 1}).renamed == 3
    with pytest.raises(ValidationError):
        VALIDATOR.validate(older)
    with pytest.raises(DocumentError, match=r"^`title` is missing$"):
        read(Whole, {})


def test_compact_documents_leave_out_defaults_and_refuse_what_is_unknown() -> None:
    validator = Draft202012Validator(schema_of(Entry))

    assert written(Entry("a")) == {"word": "a"}
    assert read(Entry, {"word": "a", "numbers": [1]}) == Entry("a", (1,))
    validator.validate({"word": "a"})
    with pytest.raises(DocumentError, match=r"^there is no `words`$"):
        read(Entry, {"word": "a", "words": 1})
    with pytest.raises(ValidationError):
        validator.validate({"word": "a", "words": 1})


def test_values_of_other_kinds_become_text() -> None:
    values = {"path": Path("a"), "flag": True, "size": (1, 2.5), 3: float("inf")}

    assert plain(values) == {"path": "a", "flag": True, "size": [1, 2.5], "3": "inf"}


@pytest.mark.parametrize("annotation", [complex, list[int], set])
def test_what_has_no_form_is_refused(annotation: Any) -> None:
    with pytest.raises(TypeError, match="has no form"):
        kind_of(annotation)
