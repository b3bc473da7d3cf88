"""Dataclasses as JSON: written, described by a JSON Schema, and read, from one definition.

What a field may be, its annotation says: a text, a number from 0, a truth value, a day, literals,
members of an enumeration, a tuple of one kind, a mapping from texts, another dataclass, `Any` for
whatever JSON has, or None. `Annotated[str, Limits(pattern=...)]` adds to a schema.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from datetime import date
from enum import Enum, IntEnum
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

DIALECT = "https://json-schema.org/draft/2020-12/schema"

BY_NAME = "by name"
"""`Annotated[SomeIntEnum, BY_NAME]` is written as a name in small letters, not as a number."""

Schema = dict[str, Any]
Record = TypeVar("Record")


Steps = tuple[str | int, ...]
"""Where something stands in a document: the names of fields and the numbers of items."""


class Limits:
    """What the JSON Schema of an annotated type says besides; patterns and enums are checked."""

    def __init__(self, **schema: Any) -> None:
        self.schema = schema


class DocumentError(ValueError):
    """Something is not a document of its kind; the message says where, by its `steps`, and why."""

    def __init__(self, steps: Steps, why: str) -> None:
        place = "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in steps)
        super().__init__(f"{place.removeprefix('.')}: {why}" if steps else why)
        self.steps, self.why = steps, why


@dataclass(frozen=True, slots=True)
class Kind:
    """How values of one type are described, written, and read from what stands at some place."""

    schema: Schema
    write: Callable[[Any], Any]
    read: Callable[[Any, Steps], Any]


@dataclass(frozen=True, slots=True)
class Part:
    """A field of a record: its name there and in documents, and its default if it has one."""

    attribute: str
    name: str
    kind: Kind
    default: Any = MISSING
    is_derived: bool = False


def named(name: str) -> Mapping[str, str]:
    """Return the metadata of a field that has another name in documents; "" leaves it out."""
    return {"name": name}


def schema_of(record: type) -> Schema:
    """Return the JSON Schema of the documents of a dataclass."""
    return kind_of(record).schema


def written(record: Any) -> dict[str, Any]:
    """Return a dataclass as plain values, without infinity and NaN."""
    document: dict[str, Any] = kind_of(type(record)).write(record)
    return document


def read(record: type[Record], document: Any) -> Record:
    """Return what `written` wrote; raise DocumentError with the place that is wrong.

    Fields that have defaults may be missing: older documents have not all.
    """
    found: Record = kind_of(record).read(document, ())
    return found


def plain(value: Any) -> Any:
    """Return values with texts in place of infinity, NaN and what JSON does not have."""
    match value:
        case dict():
            return {str(key): plain(item) for key, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case bool() | int() | str() | None:
            return value
        case float():
            return value if math.isfinite(value) else repr(value)
        case _:
            return str(value)


_RECORDS: dict[Any, Kind] = {}
"""The kinds of dataclasses that were asked for."""


def kind_of(annotation: Any) -> Kind:
    """Return how values of an annotation are written; raise TypeError for what has no form."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _annotated(*arguments)
    if origin in (Union, UnionType):
        return _union(arguments)
    if origin is Literal:
        return _literal(arguments)
    if origin is tuple:
        return _listing(kind_of(arguments[0]))
    if origin is Mapping:
        return _mapping(kind_of(arguments[1]))
    if annotation in SIMPLE:
        return SIMPLE[annotation]
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        is_number = issubclass(annotation, IntEnum)
        return _enumeration(_by_value(annotation) if is_number else _by_name(annotation))
    if is_dataclass(annotation):
        if annotation not in _RECORDS:
            _RECORDS[annotation] = _record(annotation)
        return _RECORDS[annotation]
    raise TypeError(f"{annotation} has no form in documents")


def _instance(kind: type | tuple[type, ...], what: str, schema: Schema) -> Kind:
    def checked(value: Any, place: Steps) -> Any:
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise DocumentError(place, f"{value!r} is not {what}")
        return value

    return Kind(schema, plain, checked)


def _day(value: Any, place: Steps) -> date:
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise DocumentError(place, f"{value!r} is not a day such as 2027-03-01") from None


SIMPLE: Mapping[Any, Kind] = {
    Any: Kind({}, plain, lambda value, place: value),
    str: _instance(str, "a text", {"type": "string"}),
    bool: _instance(bool, "true or false", {"type": "boolean"}),
    int: _instance(int, "a number", {"type": "integer", "minimum": 0}),
    float: _instance((int, float, str), "a number", {"type": ["number", "string"]}),
    type(None): _instance(type(None), "null", {"type": "null"}),
    date: Kind({"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}, date.isoformat, _day),
}


def _annotated(annotation: Any, more: Any) -> Kind:
    if more == BY_NAME:
        return _enumeration(_by_name(annotation))
    kind = kind_of(annotation)
    pattern, choices = more.schema.get("pattern", ""), more.schema.get("enum")

    def checked(value: Any, place: Steps) -> Any:
        found = kind.read(value, place)
        if pattern and not re.search(pattern, found):
            raise DocumentError(place, f"{value!r} does not fit {pattern}")
        if choices and found not in choices:
            raise DocumentError(place, f"{value!r} is not {' or '.join(map(repr, choices))}")
        return found

    return Kind(kind.schema | more.schema, kind.write, checked)


def _union(annotations: tuple[Any, ...]) -> Kind:
    """Return the kind of what may be None."""
    (kind,) = (kind_of(one) for one in annotations if one is not type(None))
    return Kind(
        {"anyOf": [kind.schema, {"type": "null"}]},
        lambda value: None if value is None else kind.write(value),
        lambda value, place: None if value is None else kind.read(value, place),
    )


def _literal(values: tuple[Any, ...]) -> Kind:
    schema = {"const": values[0]} if len(values) == 1 else {"enum": list(values)}
    return Kind(schema, plain, _chosen({value: value for value in values}))


def _enumeration(members: Mapping[Any, Any]) -> Kind:
    names = {member: name for name, member in members.items()}
    return Kind({"enum": list(members)}, lambda member: names[member], _chosen(members))


def _by_value(enumeration: type[Enum]) -> Mapping[int, Enum]:
    return {member.value: member for member in enumeration}


def _by_name(enumeration: type[Enum]) -> Mapping[str, Enum]:
    return {member.name.lower(): member for member in enumeration}


def _chosen(choices: Mapping[Any, Any]) -> Callable[[Any, Steps], Any]:
    def checked(value: Any, place: Steps) -> Any:
        if type(value) not in (str, int) or value not in choices:
            raise DocumentError(place, f"{value!r} is not {' or '.join(map(repr, choices))}")
        return choices[value]

    return checked


def _listing(kind: Kind) -> Kind:
    def checked(values: Any, place: Steps) -> Any:
        if not isinstance(values, list):
            raise DocumentError(place, f"{values!r} is not a list")
        return tuple(kind.read(value, (*place, n)) for n, value in enumerate(values))

    schema = {"type": "array", "items": kind.schema}
    return Kind(schema, lambda values: [kind.write(value) for value in values], checked)


def _mapping(kind: Kind) -> Kind:
    def checked(values: Any, place: Steps) -> Any:
        if not isinstance(values, dict):
            raise DocumentError(place, f"{values!r} is not an object")
        return {name: kind.read(value, (*place, name)) for name, value in values.items()}

    schema = {"type": "object", "additionalProperties": kind.schema}
    return Kind(schema, lambda v: {str(name): kind.write(one) for name, one in v.items()}, checked)


def _record(record: Any) -> Kind:
    """Return the kind of a dataclass; if it is compact, fields may be missing and none is added."""
    parts = _parts(record)
    is_compact = getattr(record, "is_compact", False)

    def write(value: Any) -> dict[str, Any]:
        found = ((part, getattr(value, part.attribute)) for part in parts)
        kept = ((part, one) for part, one in found if not is_compact or one != part.default)
        return {part.name: part.kind.write(one) for part, one in kept}

    def checked(values: Any, place: Steps) -> Any:
        if not isinstance(values, dict):
            raise DocumentError(place, f"{values!r} is not an object")
        unknown = values.keys() - {part.name for part in parts}
        if is_compact and unknown:
            raise DocumentError(place, f"there is no `{min(unknown)}`")
        missing = [p for p in parts if p.name not in values and p.default is MISSING]
        if missing:
            raise DocumentError(place, f"`{missing[0].name}` is missing")
        given = [part for part in parts if part.name in values and not part.is_derived]
        return record(**{p.attribute: p.kind.read(values[p.name], (*place, p.name)) for p in given})

    required = [p.name for p in parts if not is_compact or p.default is MISSING]
    schema: Schema = {
        "type": "object",
        "required": sorted(required),
        "properties": {part.name: part.kind.schema for part in parts},
    }
    return Kind(schema | ({"additionalProperties": False} if is_compact else {}), write, checked)


def _parts(record: Any) -> tuple[Part, ...]:
    def kind(annotation: Any) -> Kind:
        names = vars(sys.modules[record.__module__])
        return kind_of(eval(annotation, names) if isinstance(annotation, str) else annotation)

    stated = [
        Part(one.name, one.metadata.get("name", one.name), kind(one.type), _default(one))
        for one in fields(record)
        if one.metadata.get("name", one.name)
    ]
    derived = [
        Part(name, name, kind(getattr(record, name).fget.__annotations__["return"]), None, True)
        for name in getattr(record, "derived", ())
    ]
    return (*stated, *derived)


def _default(field: Any) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()
