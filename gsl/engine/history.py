"""Which rewrite made which possible, to name the rules that feed each other without end."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from gsl.graph import Node
from gsl.subst import Subst

LONGEST = 400
"""So many of the last rewrites are looked at for a period."""

Noted = tuple[Subst, Iterable[Node], Iterable[Node]]
"""A rule that was applied, what it matched and what it made."""


def explanation(rewrites: Sequence[Noted]) -> str:
    """Say which rules repeat in the rewrites so far, each by the name of what it makes possible."""
    period = period_of(_chain(rewrites))
    if period:
        names = [rule.name for rule in (*period, period[0])]
        return f"the rules feed each other: {' -> '.join(names)}"
    names = [rule.name for rule in dict.fromkeys(rule for rule, _, _ in rewrites[-LONGEST:])]
    return f"the last rules were {', '.join(names)}"


def _chain(rewrites: Sequence[Noted]) -> list[Subst]:
    """Return the rules that led to the last rewrite, the first one first.

    A rewrite is caused by the one that made the first of its matched nodes that was made.
    """
    makers = {node: number for number, (_, _, made) in enumerate(rewrites) for node in made}
    chain: deque[Subst] = deque()
    number = len(rewrites) - 1 if rewrites else None
    while number is not None and len(chain) < LONGEST:
        rule, matched, _ = rewrites[number]
        chain.appendleft(rule)
        number = next((makers[node] for node in matched if node in makers), None)
    return list(chain)


def period_of(rules: Sequence[Subst]) -> Sequence[Subst]:
    """Return the shortest sequence of rules that comes twice at the end; nothing if none does."""
    for length in range(1, len(rules) // 2 + 1):
        if rules[-length:] == rules[-2 * length : -length]:
            return rules[-length:]
    return ()
