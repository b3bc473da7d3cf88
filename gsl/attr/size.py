"""How large the attribute expressions of a rule may be."""

from __future__ import annotations

from gsl.attr.term import Constant, Term, bottom_up, children

MOST_LEVELS = 150
"""Meanings of terms are given by recursion, for which Python has about a thousand calls."""

MOST_PARTS = 100_000
"""What is shared inside a term counts as often as it is used, as where a term is written out."""

MOST_BITS = 1024
"""Of a whole number, as many as a float reaches; Python writes none of more than 4300 digits."""


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
    bits = max(map(_bits, levels))
    return (
        f"written with a number of {bits} bits, more than {MOST_BITS}" if bits > MOST_BITS else ""
    )


def _bits(term: Term) -> int:
    """Return the bits of the largest whole number that a term itself is or has in its tuple."""
    if not isinstance(term, Constant):
        return 0
    values = term.value if isinstance(term.value, tuple) else (term.value,)
    return max((value.bit_length() for value in values if isinstance(value, int)), default=0)
