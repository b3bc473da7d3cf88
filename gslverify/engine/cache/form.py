"""The result of a stage as JSON, and back, without pickled objects."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from gsl.span import Span
from gslverify.case import Case
from gslverify.finding import (
    CODES,
    Assurance,
    Code,
    Counterexample,
    Difference,
    Finding,
    Level,
    Mismatch,
    Reach,
    StageResult,
    Tensor,
    Verdict,
)
from gslverify.repro.form import Stored, contents_of, parse

MOST_BYTES = 1 << 20
"""Of the arrays of a case; with more it is not worth while to keep the result."""

CLASSES: dict[str, Callable[..., Any]] = {
    one.__name__: one
    for one in (StageResult, Finding, Assurance, Counterexample, Difference, Mismatch, Tensor, Span)
}
ENUMERATIONS: dict[str, Callable[[Any], Any]] = {"Verdict": Verdict, "Level": Level, "Reach": Reach}


def to_text(value: Any) -> str:
    """Return a result as text; raise TypeError or GslError for what cannot be kept."""
    return json.dumps(_plain(value), sort_keys=True, allow_nan=False)


def _plain(value: Any) -> Any:
    match value:
        case Enum():
            return {"enum": type(value).__name__, "value": value.value}
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else {"float": repr(value)}
        case np.generic():
            return _plain(value.item())
        case tuple():
            return {"tuple": [_plain(item) for item in value]}
        case list():
            return [_plain(item) for item in value]
        case dict():
            return {"dict": [[_plain(key), _plain(item)] for key, item in value.items()]}
        case Code(id=code_id):
            return {"code": code_id}
        case Case():
            text, archive, _ = contents_of(Stored("", "", "", "", value, {}), limit=MOST_BYTES)
            if archive:
                raise TypeError("a case is too large to be kept")
            return {"case": text.decode()}
        case _ if is_dataclass(value) and type(value).__name__ in CLASSES:
            parts = {f.name: _plain(getattr(value, f.name)) for f in fields(value) if f.init}
            return {"class": type(value).__name__, "parts": parts}
        case _:
            raise TypeError(f"{type(value).__name__} cannot be kept")


def from_text(text: str) -> Any:
    """Return what `to_text` has written; whatever is wrong with it raises some Exception."""
    return _value(json.loads(text))


def _value(written: Any) -> Any:
    match written:
        case list():
            return [_value(item) for item in written]
        case {"enum": name, "value": value}:
            return ENUMERATIONS[name](value)
        case {"float": text}:
            return float(text)
        case {"tuple": items}:
            return tuple(_value(item) for item in items)
        case {"dict": items}:
            return {_value(key): _value(item) for key, item in items}
        case {"code": code_id}:
            return CODES[code_id]
        case {"case": text}:
            return parse(text.encode(), Path("cache")).case
        case {"class": name, "parts": parts}:
            return CLASSES[name](**{key: _value(item) for key, item in parts.items()})
        case dict():
            raise ValueError(f"unknown entry: {sorted(written)}")
        case _:
            return written
