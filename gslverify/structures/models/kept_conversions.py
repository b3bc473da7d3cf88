"""Functions of Python that make plain numbers of whatever they are given, replaced for a while.

`int(size)`, `float(size)` and `len(data)` return numbers that do not know what they were made of.
So the code of users that is followed finds functions of the same names that ask their argument.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from types import CellType, CodeType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any

import numpy as np

OF_OTHERS = sys.stdlib_module_names | {"numpy", "ml_dtypes", "gsl", "gslverify"}
"""Modules whose functions are left as they are."""


class Followed:
    """Something that says itself what functions of Python make of it."""

    __slots__ = ()

    def converted(self, function: Callable[..., Any]) -> Any:
        """Return what a function makes of this."""
        return function(self)


class _Type(type):
    """A class in whose place another one is asked about instances, subclasses and equality."""

    original: type

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.original)

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(other, cls.original)

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is cls.original

    def __hash__(cls) -> int:
        return hash(cls.original)


class _Int(int, metaclass=_Type):
    """In the place of `int`; NumPy takes it for its dtype, too."""

    original = int
    dtype = np.dtype(int)

    def __new__(cls, *args: Any, **options: Any) -> Any:
        return _converted(int, *args, **options)


class _Float(float, metaclass=_Type):
    """In the place of `float`."""

    original = float
    dtype = np.dtype(float)

    def __new__(cls, *args: Any, **options: Any) -> Any:
        return _converted(float, *args, **options)


def _len(thing: Any) -> Any:
    return _converted(len, thing)


def _round(*args: Any, **options: Any) -> Any:
    return _converted(round, *args, **options)


def _converted(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    if len(args) == 1 and not options and isinstance(args[0], Followed):
        return args[0].converted(function)
    return function(*args, **options)


REPLACED: Mapping[str, Any] = MappingProxyType(
    {"int": _Int, "float": _Float, "len": _len, "round": _round}
)


@contextmanager
def conversions_kept(reference: Callable[..., Any]) -> Iterator[None]:
    """Have the code of a reference, and of functions behind it, ask what it converts."""
    spaces = {id(one.__globals__): one.__globals__ for one in functions_of(reference)}.values()
    added = [(space, name) for space in spaces for name in REPLACED if name not in space]
    for space, name in added:
        space[name] = REPLACED[name]
    try:
        yield
    finally:
        for space, name in added:
            space.pop(name, None)


def functions_of(reference: Callable[..., Any]) -> list[FunctionType]:
    """Return the functions of a user that a reference may call, as far as names tell."""
    found: list[FunctionType] = []
    seen: set[int] = set()
    waiting: list[Any] = [reference]
    while waiting:
        thing = waiting.pop(0)
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        waiting += _behind(thing)
        if isinstance(thing, FunctionType) and _is_own(thing.__module__):
            found.append(thing)
    return found


def _behind(thing: Any) -> Iterator[Any]:
    match thing:
        case FunctionType() if _is_own(thing.__module__):
            yield from _looked_up(thing.__globals__, {*_names(thing.__code__)})
            yield from thing.__closure__ or ()
        case CellType():
            with suppress(ValueError):  # what a closure has no value of yet
                yield thing.cell_contents
        case partial():
            yield thing.func
        case MethodType():
            yield thing.__func__
        case _ if callable(thing) and not isinstance(thing, type) and _is_own(_module_of(thing)):
            yield type(thing).__call__


def _names(code: CodeType) -> Iterator[str]:
    """Yield the names that a code looks up, and those of functions written in it."""
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


def _looked_up(space: Mapping[str, Any], names: set[str]) -> Iterator[Any]:
    """Yield what names stand for in a module, and in modules that it names."""
    known = [space[name] for name in names & space.keys()]
    yield from known
    for module in known:
        if isinstance(module, ModuleType) and _is_own(module.__name__):
            yield from (vars(module)[name] for name in names & vars(module).keys())


def _module_of(thing: Any) -> str | None:
    return type(thing).__module__


def _is_own(module: str | None) -> bool:
    return module is not None and module.partition(".")[0] not in OF_OTHERS
