"""When Python need not look for garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the collector of cycles while much is made and little of it is a cycle of garbage."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


YOUNG = 20_000
"""So many new objects are waited for; Python itself waits for 700."""


def collect_seldom() -> None:
    """Have the collector pass over all objects there are by now, and look for new ones seldom.

    For processes that work on one thing after the other: what they load stays, and most of what
    they make goes without the collector.
    """
    gc.freeze()
    gc.set_threshold(YOUNG)
