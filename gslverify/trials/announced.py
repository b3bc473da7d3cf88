"""Graphs announced before they are run, by a process that may not live to tell of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from gslverify.finding import Counterexample

Announce = Callable[[Counterexample], None]

_ANNOUNCE: ContextVar[Announce | None] = ContextVar("announce", default=None)


@contextmanager
def announcing(announce: Announce | None) -> Iterator[None]:
    """Have graphs announced, each before it is run; None, as usual, has none announced."""
    token = _ANNOUNCE.set(announce)
    try:
        yield
    finally:
        _ANNOUNCE.reset(token)


def announce(example: Callable[[], Counterexample]) -> None:
    """Announce what is going to be run, if somebody wants to know it."""
    wanted = _ANNOUNCE.get()
    if wanted is not None:
        wanted(example())
