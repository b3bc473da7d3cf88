"""Conditions under which a rule may be wrong and is rarely tried, whatever its target chooses."""

from __future__ import annotations

from gsl.attr.term import Symbol, Term, operation
from gslverify.structures.boundaries import boundaries, joint_boundaries
from gslverify.structures.instance import Instance
from gslverify.structures.ranges import long_ranges
from gslverify.structures.roundings import roundings
from gslverify.structures.strides import strided
from gslverify.structures.symbols import instance_symbols, is_whole_constant
from gslverify.structures.wraps import wraps

MOST_WRAPS = 4
"""So many results of arithmetic on constants, the outer ones, are corners: only a few are tried."""

HUGE = 2**30
"""Twice this is more than int32 holds; what a target computes with it may wrap."""


def corners_of(instance: Instance) -> list[Term]:
    """Return the corners of an instance, those in which more rules are wrong before the others."""
    written = [claim.term for claim in instance.claims if claim.written]
    symbols = instance_symbols(instance)
    return [
        *[*wraps(instance)][-MOST_WRAPS:],
        *joint_boundaries(written),
        *long_ranges(instance),
        *[boundary for term in written for boundary in boundaries(term)],
        *roundings(instance),
        *strided(instance),
        *[_is_huge(symbol) for symbol in symbols if is_whole_constant(symbol)],
    ]


def _is_huge(symbol: Symbol) -> Term:
    return operation(">=", operation("abs", symbol), HUGE)
