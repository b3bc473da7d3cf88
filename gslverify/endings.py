"""How a run may end, in words and in numbers; imports nothing, since every command needs it."""

from __future__ import annotations

from enum import IntEnum

INTERRUPTED = "interrupted"
"""Why a run stopped that the user stopped."""


class Exit(IntEnum):
    """What the exit code of `gslverify check` says; NO_RULES only where nothing was verified.

    UNREAD means that nobody read to the end, as in `gslverify list | head -1`. HUNG_UP and
    TERMINATED are those of SIGHUP and SIGTERM; what is known by then is reported.
    """

    CLEAN = 0
    FINDINGS = 1
    USAGE = 2
    INTERNAL = 3
    NO_RULES = 5
    HUNG_UP = 129
    INTERRUPTED = 130
    UNREAD = 141
    TERMINATED = 143
