"""What a rule file has changed of the code that judges it: functions and classes put elsewhere.

A rule that is judged by patched code can seem to be anything. Modules are compared by identity
with what they were before the file was imported, as are classes of our own.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

JUDGES = frozenset(
    ["builtins", "functools", "gsl", "gslverify", "itertools", "math", "ml_dtypes", "numpy"]
)
"""Packages whose functions decide what is found out."""

MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Contents:
    """What a module or a class held that decides, and where it holds it now."""

    place: str
    held: Mapping[str, Any]
    now: Mapping[str, Any]


_KNOWN: dict[int, tuple[Contents, ...]] = {}
"""The contents by the number of modules; looking at all of them takes a while."""


def contents() -> tuple[Contents, ...]:
    """Return what modules hold that decide about rules; for a process without rule files."""
    number = len(sys.modules)
    if number not in _KNOWN or patched(_KNOWN[number]):
        _KNOWN.clear()
        _KNOWN[number] = tuple(_contents())
    return _KNOWN[number]


def _contents() -> Iterator[Contents]:
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] not in JUDGES or not isinstance(module, ModuleType):
            continue
        yield _held(name, vars(module))
        if name.startswith("gsl"):
            for key, value in list(vars(module).items()):
                if issubclass(type(value), type) and value.__module__ == name:
                    yield _held(f"{name}.{key}", vars(value))


def _held(place: str, now: Mapping[str, Any]) -> Contents:
    decides = {k: v for k, v in now.items() if _decides(v) and not k.startswith("__")}
    return Contents(place, decides, now)


def _decides(value: object) -> bool:
    # Not isinstance, which asks the value for its class: there are some that notice it.
    return callable(value) or issubclass(type(value), property | classmethod | staticmethod)


def patched(before: tuple[Contents, ...]) -> list[str]:
    """Return the names of what is no longer what it was, such as `numpy.maximum`, sorted."""
    return sorted(
        f"{one.place}.{name}"
        for one in before
        for name, value in one.held.items()
        if one.now.get(name) is not value
    )


def patches_text(names: list[str]) -> str:
    """Return the first of the names of what is patched, for a sentence."""
    shown = ", ".join(f"`{name}`" for name in names[:MOST_NAMED])
    more = len(names) - MOST_NAMED
    return f"{shown} and {more} more" if more > 0 else shown
