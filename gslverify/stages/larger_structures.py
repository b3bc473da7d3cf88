"""Structures beyond the bound: of some more axes or fields, or with rare forms of attributes."""

from __future__ import annotations

from functools import partial
from itertools import islice

from gsl.attr.term import Access, Operation, Projection, Term, subterms
from gsl.operators import Operator
from gsl.operators.domain_axes import Axes, Axis, Permutation
from gsl.pat import Call, Variadic
from gsl.subst import Subst
from gslverify.structures.instance import (
    FIVE_FIELDS,
    LARGE,
    RARE,
    USUAL,
    Extent,
    Instance,
    of_many_fields,
)
from gslverify.structures.named_orders import extent_of, has_order, named_orders
from gslverify.structures.targets.arms import CHOOSING, condition_of, decisions, has_choices
from gslverify.structures.targets.counted import (
    MOST_AXES,
    MOST_FIELDS,
    Point,
    ranks_of,
    turning_points,
    turning_points_of_conditions,
)
from gslverify.structures.targets.ways import falls_of, in_other_ways, ways_of, with_new_falls
from gslverify.structures.variants import (
    Enumeration,
    Search,
    Variant,
    some_variants,
)

RUNS_PER_LARGE_EXTENT = 64
RUNS_OF_RARE_EXTENT = 2000
MANY_FIELDS, MOST_OF_MANY_FIELDS = 8, 2
MOST_ORDERS, RUNS_OF_ORDERS = 24, 600
MOST_OF_AN_ORDER, MOST_OF_A_POINT, MOST_ALLOWED = 2, 2, 8
"""Structures with an order, within an extent with the counts of a point, and of those together that
conditions allow."""
RUNS_OF_A_RANK, MOST_OF_AXES = 400, 4
"""Structures of each rank that are built, and taken, where the axes of calls decide."""


def larger_variants(subst: Subst) -> list[Variant]:
    """Return some structures with inputs of many axes, or tuples of many fields."""
    variants: list[Variant] = []
    for extent in (FIVE_FIELDS, *LARGE) if _has_lengths(subst) else LARGE:
        orders = extent is LARGE[0] and _permutes(subst)
        most, runs = (MOST_ORDERS, RUNS_OF_ORDERS) if orders else (1, RUNS_PER_LARGE_EXTENT)
        variants += some_variants(subst, extent, _is_large, most, runs)
    for order in named_orders(subst):
        if len(order) <= MOST_AXES:
            fits = partial(has_order, order)
            extent = extent_of(order)
            variants += some_variants(subst, extent, fits, MOST_OF_AN_ORDER, RUNS_PER_LARGE_EXTENT)
    if _has_lengths(subst):
        variants += _with_fields(subst, MANY_FIELDS, MOST_OF_MANY_FIELDS)
    for point in turning_points(subst):
        variants += structures_at(subst, point, 1)
    for point in turning_points_of_conditions(subst):
        # It may allow what is forbidden with fewer fields: another axis, for instance.
        variants += structures_at(subst, point, MOST_ALLOWED)
    return variants


def structures_at(subst: Subst, point: Point, most: int) -> list[Variant]:
    """Return up to `most` structures with the counts of a point; none where it has too many.

    None where the source has a permutation of axes that are counted, either: there are too many.
    """
    fields, ranks = (tuple(dict.fromkeys(few.values())) for few in (point.lengths, point.ranks))
    if point.is_beyond or (ranks and max(ranks) > max(USUAL.ranks) and _permutes(subst)):
        return []
    variants: list[Variant] = []
    # A condition may compare the ranks of two inputs.
    for others in [(), (1, 0)] if ranks else [(2,), (1,), (4,), (3,), (4, 1)]:
        if len(variants) < most:
            extent = Extent(ranks=ranks + others, fields=fields)
            few = min(most, MOST_OF_A_POINT)
            variants += some_variants(subst, extent, point.is_in, few, RUNS_PER_LARGE_EXTENT)
    return variants


def may_have(subst: Subst, point: Point) -> bool:
    """Tell whether a graph may have the counts of a point, as far as a few structures show it."""
    if any(count > MOST_FIELDS for count in point.lengths.values()):
        return True
    ranks = [rank for rank in point.ranks.values() if rank > max(USUAL.ranks)]
    if ranks and _permutes(subst):
        return True
    if point.is_beyond:
        return any(_of_rank(subst, rank, 1) for rank in ranks)
    return bool(structures_at(subst, point, 1))


def rare_variants(subst: Subst, usual: Enumeration) -> list[Variant]:
    """Return structures with rare attributes for which the target decides otherwise."""
    if usual.exhaustive or not has_choices(subst):
        return []
    others = Search(subst, RARE).variants(RUNS_OF_RARE_EXTENT)
    return list(in_other_ways(subst, ways_of(subst, usual.variants), others))


def variants_by_axes(subst: Subst, usual: Enumeration) -> list[Variant]:
    """Return structures of more axes for which those that calls name decide otherwise.

    That a sum is over five axes, or a flip along the last but six, is true of no usual structure.
    """
    extremes = _extremes_of_axes(subst)
    if not (extremes or _asks_for_axes(subst)) or not _of_rank(subst, max(USUAL.ranks) + 1, 1):
        return []
    found: list[Variant] = []
    known = ways_of(subst, usual.variants)
    seen = falls_of(subst, extremes, usual.variants)
    for rank in range(max(USUAL.ranks) + 1, MOST_AXES + 1):
        search = Search(subst, Extent(ranks=(rank, 1, 0)))
        new = list(
            islice(in_other_ways(subst, known, search.variants(RUNS_OF_A_RANK)), MOST_OF_AXES)
        )
        seen |= falls_of(subst, extremes, new)
        if extremes:
            search.has_more_after(RUNS_OF_A_RANK)
            new += islice(with_new_falls(subst, extremes, seen, search.again()), MOST_OF_AXES)
        found += new
    return found


def _extremes_of_axes(subst: Subst) -> frozenset[Operation]:
    """Return the minima, maxima and quotients in a target that depend on axes that calls name.

    Of an axis by a rank it is not asked how often that fits: this only counts from the other end.
    """
    terms = (term for pattern in subst.target_patterns for term in pattern.terms())
    parts = {part for term in terms for part in subterms(term) if isinstance(part, Operation)}
    chosen = {part for part in parts if part.head in CHOOSING - {"cond"}}
    return frozenset(part for part in chosen if _reads_axes(part) and not _counts_round(part))


def _counts_round(part: Operation) -> bool:
    left, right = part.operands
    by_rank = isinstance(right, Access) and right.name == "ndim"
    return part.head in ("//", "%") and by_rank and isinstance(left, Access | Projection)


def _reads_axes(term: Term) -> bool:
    return any(isinstance(part, Access) and _names_axes(part) for part in subterms(term))


def _asks_for_axes(subst: Subst) -> bool:
    """Tell whether a condition of the target reads axes that a call of the source names."""
    return any(_reads_axes(condition_of(one)) for one in decisions(subst))


def _names_axes(access: Access) -> bool:
    call = access.pattern
    if not isinstance(call, Call) or not isinstance(call.callee, Operator):
        return False
    attribute = call.callee.attributes.get(access.name)
    return attribute is not None and isinstance(attribute.domain, Axis | Axes | Permutation)


def _of_rank(subst: Subst, rank: int, most: int) -> list[Variant]:
    fits = partial(_has_rank, rank)
    extent = Extent(ranks=(rank, 1, 0))
    return some_variants(subst, extent, fits, most, RUNS_PER_LARGE_EXTENT)


def may_exceed_the_bound(subst: Subst) -> bool:
    """Tell whether there are structures of more axes or fields than the usual ones have."""
    varies = any(isinstance(pattern, Variadic) for pattern in subst.source_patterns)
    return varies or bool(_of_rank(subst, max(USUAL.ranks) + 1, 1))


def _has_rank(rank: int, instance: Instance) -> bool:
    return rank in ranks_of(instance)


def _permutes(subst: Subst) -> bool:
    """Tell whether the source has a permutation, of which a single one would tell little."""
    callees = [pattern.callee for pattern in subst.source_patterns if isinstance(pattern, Call)]
    operators = [callee for callee in callees if isinstance(callee, Operator)]
    return any(isinstance(a.domain, Permutation) for o in operators for a in o.attributes.values())


def _with_fields(subst: Subst, count: int, most: int) -> list[Variant]:
    """Return up to `most` structures with a tuple of `count` fields."""
    variants: list[Variant] = []
    for extent in of_many_fields(count):
        if len(variants) < most:
            fits = partial(_has_fields, count)
            variants += some_variants(subst, extent, fits, 1, RUNS_PER_LARGE_EXTENT)
    return variants


def _has_fields(count: int, instance: Instance) -> bool:
    return count in instance.bindings.lengths.values()


def _has_lengths(subst: Subst) -> bool:
    return any(isinstance(pattern, Variadic) for pattern in subst.source_patterns)


def _is_large(instance: Instance) -> bool:
    ranks = ranks_of(instance)
    lengths = instance.bindings.lengths.values()
    return max(ranks, default=0) > max(USUAL.ranks) or max(lengths, default=0) > USUAL.most_fields


def larger_than_tried(subst: Subst) -> list[str]:
    """Return what conditions are about that is larger than any structure that was tried."""
    points = turning_points_of_conditions(subst)
    ranks = max((n for one in points for n in one.ranks.values()), default=0)
    lengths = max((n for one in points for n in one.lengths.values()), default=0)
    wanted = (ranks, MOST_AXES, "axes in a tensor"), (lengths, MOST_FIELDS, "fields in a tuple")
    untried = "a condition is about more {}, and more than {} are not tried; allow fewer"
    return [untried.format(what, most) for largest, most, what in wanted if largest > most]
