"""Structures for the alternatives of a condition that no usual structure meets.

Of `(a == b) | ((x.ndim == 5) & (b == 2))` every usual structure meets the first part, and what the
second one allows has never been tried.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import chain, islice

from gsl.attr.conjuncts import conjuncts
from gsl.attr.term import Access, Constant, Operation, Term, operation
from gsl.subst import Subst
from gslverify.structures.instance import RARE, USUAL, Extent
from gslverify.structures.targets.counted import MOST_AXES
from gslverify.structures.targets.deciding import ways_to_be
from gslverify.structures.variants import Search, Variant

MOST_ALTERNATIVES, MOST_OPTIONS = 32, 16
"""Alternatives of all conditions that are looked for, and of one that lists what is allowed."""
MOST_OF_AN_ALTERNATIVE, RUNS_OF_AN_ALTERNATIVE = 8, 800
"""Structures that are taken for each, and builds of the source to find them."""
FURTHER = (
    RARE,
    *(Extent(ranks=(rank, 2, 1, 0)) for rank in range(max(USUAL.ranks) + 1, MOST_AXES + 1)),
)
"""Where to look for what is true of no usual structure."""


def variants_by_alternatives(subst: Subst) -> list[Variant]:
    """Return a few structures for each alternative of conditions that usual ones do not meet."""
    found: list[Variant] = []
    alternatives = chain.from_iterable(map(_alternatives, subst.where))
    for wanted in islice(alternatives, MOST_ALTERNATIVES):
        if not _is_met_by_usual(subst, wanted):
            some = (_meeting(subst, wanted, extent) for extent in FURTHER)
            found += next(filter(None, some), [])
    return list(dict.fromkeys(found))


def _alternatives(condition: Term) -> Iterator[Term]:
    """Yield the ways in which parts of a condition make it true, if there are several."""
    for part in conjuncts(condition):
        ways = ways_to_be(_spelled_out(part), True)
        yield from ways if len(ways) > 1 else ()


def _spelled_out(condition: Term) -> Term:
    """Return a condition with an alternative for each value listed, and for reaching a bound."""
    match condition:
        case Operation(head="and" | "or" as head, operands=operands):
            return _joined(head, map(_spelled_out, operands))
        case Operation(head="<=" | ">=" as head, operands=operands):
            return _joined("or", (operation(one, *operands) for one in (head[0], "==")))
        case Operation(head="in", operands=(Access(name=name) as left, Constant(value=options))):
            if isinstance(options, tuple) and name != "dtype" and 0 < len(options) <= MOST_OPTIONS:
                return _joined("or", (operation("==", left, one) for one in options))
    return condition


def _joined(head: str, terms: Iterable[Term]) -> Term:
    return reduce(lambda one, other: operation(head, one, other), terms)


def _is_met_by_usual(subst: Subst, wanted: Term) -> bool:
    search = Search(subst, wanted=[wanted])
    return next(search.variants(RUNS_OF_AN_ALTERNATIVE), None) is not None


def _meeting(subst: Subst, wanted: Term, extent: Extent) -> list[Variant]:
    """Return some of the structures within an extent that may meet what is wanted."""
    search = Search(subst, extent, wanted=[wanted])
    found = [variant for variant, _ in search.variants(RUNS_OF_AN_ALTERNATIVE)]
    most = MOST_OF_AN_ALTERNATIVE
    return random.Random(0).sample(found, most) if len(found) > most else found
