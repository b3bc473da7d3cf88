"""How large the attribute expressions of a rule may be."""

from __future__ import annotations

from gsl.attr.term import Term, bottom_up, children

MOST_LEVELS = 150
"""Meanings of terms are given by recursion, for which Python has about a thousand calls."""

MOST_PARTS = 100_000
"""What is shared inside a term counts as often as it is used, as where a term is written out."""


def oversize(term: Term) -> str:
    """Return what is too large about a term, such as "3000 levels deep", or the empty string."""
    levels: dict[Term, int] = {}
    parts: dict[Term, int] = {}
    for one in bottom_up(term):
        below = children(one)
        levels[one] = 1 + max((levels[child] for child in below), default=0)
        parts[one] = 1 + sum(parts[child] for child in below)
    if levels[term] > MOST_LEVELS:
        return f"{levels[term]} levels deep, more than {MOST_LEVELS}"
    if parts[term] > MOST_PARTS:
        return f"made of more than {MOST_PARTS} parts when it is written out"
    return ""
