"""Open files of a process and of its forks, of which code of rule files must not reach any."""

from __future__ import annotations

import os
from collections.abc import Iterable

STANDARD = frozenset({0, 1, 2})
"""Input, output and output of errors."""


def let_go(descriptors: Iterable[int]) -> None:
    """Let go of files of others; their numbers, which objects still refer to, stay taken."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in descriptors:
        os.dup2(null, number)
    os.close(null)


def keep_only(*descriptors: int) -> None:
    """Let go of all open files but these and the standard ones, for instance after a fork."""
    found = {int(name) for name in os.listdir("/dev/fd")}
    let_go(found - STANDARD - set(descriptors))
