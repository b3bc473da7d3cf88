"""Which rewrite made which possible, to name the rules that feed each other without end."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

from gsl.graph import Node
from gsl.subst import Subst

LONGEST = 400
"""So many of the last rewrites are looked at for a period."""

Cause = tuple[Subst, Any]
"""A rule that was applied, and the cause of what it matched, or None."""


class History:
    """The rewrites of one application, in order and by cause; `length` is their number."""

    def __init__(self) -> None:
        self.length = 0
        self._causes: dict[Node, Cause] = {}
        self._last: Cause | None = None
        self._recent: deque[Subst] = deque(maxlen=LONGEST)

    def note(self, rule: Subst, matched: Iterable[Node], added: Iterable[Node]) -> None:
        """Note a rewrite; it is caused by the one that made the first matched node that was."""
        self.length += 1
        self._recent.append(rule)
        causes = self._causes
        cause = None
        for node in matched:
            if node in causes:
                cause = causes[node]
                break
        self._last = (rule, cause)
        for node in added:
            causes[node] = self._last

    def explanation(self) -> str:
        """Say which rules repeat, each by the name of what it makes possible next."""
        for rules in (self._chain(), list(self._recent)):
            period = period_of(rules)
            if period:
                names = [rule.name for rule in (*period, period[0])]
                return f"the rules feed each other: {' -> '.join(names)}"
        names = [rule.name for rule in dict.fromkeys(self._recent)]
        return f"the last rules were {', '.join(names)}"

    def _chain(self) -> list[Subst]:
        """Return the rules that led to the last rewrite, the first one first."""
        chain: deque[Subst] = deque()
        cause = self._last
        while cause is not None and len(chain) < LONGEST:
            chain.appendleft(cause[0])
            cause = cause[1]
        return list(chain)


def period_of(rules: Sequence[Subst]) -> Sequence[Subst]:
    """Return the shortest sequence of rules that comes twice at the end; nothing if none does."""
    for length in range(1, len(rules) // 2 + 1):
        if rules[-length:] == rules[-2 * length : -length]:
            return rules[-length:]
    return ()
