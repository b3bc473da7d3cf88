"""Numbers in the code of references: an operator of a user may do something else there.

A kernel says where a function turns. A reference is any code of Python, which only shows its
numbers: those written in it, those of names that it looks up, and those of functions that it calls.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType
from typing import Any

MOST_NUMBERS = 32
OF_OTHERS = sys.stdlib_module_names | {"numpy", "gsl", "gslverify"}
"""Modules whose functions compute what their names say, whatever numbers they have."""


@lru_cache(maxsize=256)
def numbers_of(reference: Callable[..., Any]) -> tuple[float, ...]:
    """Return the numbers that a function and the functions behind it mention, the nearest first."""
    found: dict[float, None] = {}
    seen: set[int] = set()
    waiting: list[Any] = [reference]
    while waiting and len(found) < MOST_NUMBERS:
        thing = waiting.pop(0)
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if type(thing) in (int, float):
            found[thing] = None
        else:
            waiting += _parts(thing)
    return tuple(found)


def _parts(thing: Any) -> Iterator[Any]:
    match thing:
        case FunctionType() if _is_own(thing.__module__):
            yield thing.__code__
            yield from _looked_up(thing, {*_names(thing.__code__)})
            with suppress(ValueError):  # what a closure has no value of yet
                yield from (cell.cell_contents for cell in thing.__closure__ or ())
        case CodeType():
            yield from thing.co_consts
        case tuple() | frozenset():
            yield from thing


def _names(code: CodeType) -> Iterator[str]:
    """Yield the names that a code looks up, and those of functions written in it."""
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


def _looked_up(function: FunctionType, names: Collection[str]) -> Iterator[Any]:
    """Yield what names stand for in the module of a function, and in modules that it names."""
    known = [value for name, value in function.__globals__.items() if name in names]
    yield from known
    for module in known:
        if isinstance(module, ModuleType) and _is_own(module.__name__):
            yield from (value for name, value in vars(module).items() if name in names)


def _is_own(module: str | None) -> bool:
    return module is not None and module.partition(".")[0] not in OF_OTHERS
