"""Which graph is run next, recorded by a process that may not live to tell of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from gslverify.finding import Counterexample

Record = Callable[[Counterexample], None]

_RECORD: ContextVar[Record | None] = ContextVar("record", default=None)


@contextmanager
def recording(record: Record | None) -> Iterator[None]:
    """Have graphs recorded, each before it is run; None, as usual, has none recorded."""
    token = _RECORD.set(record)
    try:
        yield
    finally:
        _RECORD.reset(token)


def record_graph(example: Callable[[], Counterexample]) -> None:
    """Record what is going to be run, if somebody wants to know it."""
    wanted = _RECORD.get()
    if wanted is not None:
        wanted(example())
