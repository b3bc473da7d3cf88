"""How much memory the process of a rule file may hold, and how much it does."""

from __future__ import annotations

import os
import resource
from contextlib import suppress
from pathlib import Path

MOST_MORE = 4 << 30
"""Bytes of data. Rules need a tenth of it; without a bound one of them takes all there is."""


def bound_memory(more: int = MOST_MORE) -> None:
    """Let this process hold so many bytes of data more than it does: then, MemoryError.

    The same goes for processes that it starts. A bound that is lower stays; a system that knows no
    bounds has none. What there is already depends on the machine: libraries have buffers for each
    of its processors.
    """
    limits = resource.getrlimit(resource.RLIMIT_DATA)
    most = memory_held(os.getpid()) + more
    bound = min([most, *(one for one in limits if one != resource.RLIM_INFINITY)])
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (bound, bound))


def memory_held(process_id: int) -> int:
    """Return how many bytes of data a process holds; 0 where the system does not tell."""
    try:
        pages = Path(f"/proc/{process_id}/statm").read_bytes().split()[5]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
