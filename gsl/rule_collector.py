"""Whoever collects rules is given every one that is declared meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gsl.subst import Rule

_COLLECTOR: ContextVar[list[Rule] | None] = ContextVar("collector", default=None)


@contextmanager
def collecting() -> Iterator[list[Rule]]:
    """Give the list to which every rule declared meanwhile is added, also under a used name."""
    rules: list[Rule] = []
    token = _COLLECTOR.set(rules)
    try:
        yield rules
    finally:
        _COLLECTOR.reset(token)


def is_collecting() -> bool:
    """Tell whether anybody wants to know of the rules that are declared now."""
    return _COLLECTOR.get() is not None


def added(rule: Rule) -> None:
    """Hand a rule to whoever collects."""
    collector = _COLLECTOR.get()
    if collector is not None:
        collector.append(rule)


def exchanged(rule: Rule, other: Rule) -> None:
    """Put another rule in the place of one that was handed over."""
    collector = _COLLECTOR.get()
    if collector is not None:
        collector[:] = [other if one is rule else one for one in collector]
