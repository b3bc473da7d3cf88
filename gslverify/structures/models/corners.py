"""Conditions under which a rule may be wrong and is rarely tried, by its terms and by kernels.

Comparisons just about hold, and tensors of numbers have those that their dtype rounds, or are
longer than it counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from contextlib import suppress
from itertools import islice
from math import ceil

from gsl.attr.evaluate import conjunction, equal
from gsl.attr.term import Constant, Operation, Symbol, Term, operation, subterms
from gsl.dtypes import DTYPES
from gsl.errors import GslError
from gsl.expr import Call
from gsl.kernel.affine import simplify
from gsl.kernel.expression import Number
from gsl.types import FLOATING, Bool, TensorType
from gslverify.structures.instance import Instance
from gslverify.structures.kernels import Element, elements_of
from gslverify.structures.targets.arms import Arms, target_of
from gslverify.structures.written_values import leaves

MARGIN = 0.0625
"""How far apart real numbers are that are about equal."""
LENGTHS = (600, 2500, 256)
"""More than int8, float16 and uint8 can count; with the last one, uint8 is back at 0."""
FIRST_LOST = {name: 2 ** DTYPES[name].digits + 1 for name in FLOATING}
"""The least positive whole numbers that the floating dtypes round."""
TIMES, MOST_MULTIPLES = (2, 3, 4), 6
MOST_LISTED = 16
"""So many numbers of a list are tried by themselves."""
PARTS = 4
"""A range of numbers is taken apart into so many."""
FEW = 4
"""Elements along an axis that are enough; ranges from zero on would be too long."""

_COMPARISONS = {"<": -1, ">": 1, "<=": 0, ">=": 0}


def corners_of(instance: Instance) -> list[Term]:
    """Return the corners of an instance, those in which more rules are wrong before the others."""
    written = [claim.term for claim in instance.claims if claim.written]
    calls = [node.expr for node in instance.graph if isinstance(node.expr, Call)]
    return [
        *joint_boundaries(written),
        *(demand for term in written for demand in without_ones(term)),
        *islice(multiples((*written, *_attributes_of_target(instance))), MOST_MULTIPLES),
        *(demand for call in calls for demand in _long(call)),
        *(boundary for term in written for boundary in boundaries(term)),
        *parts_of_ranges(written),
        *(demand for call in calls for demand in _rounded(call)),
    ]


def boundaries(term: Term) -> Iterator[Term]:
    """Yield for every comparison in `term` conditions that hold where it just about holds.

    Real numbers that are equal may not be once they are stored, so they are tried close by, too.
    Of two conditions one of which is enough, each is tried without the other, and of the numbers in
    a list each by itself.
    """
    for part in subterms(term):
        match part:
            case Operation(head="in", operands=(Term() as item, Constant(value=tuple() as listed))):
                numbers = listed[:MOST_LISTED] if all(map(_is_number, listed)) else ()
                yield from _open(equal(item, number) for number in numbers if len(listed) > 1)
            case Operation(head="or", operands=(left, right)):
                yield operation("and", left, operation("not", right))
                yield operation("and", right, operation("not", left))
            case Operation(head=head) if head in _COMPARISONS:
                yield from _limits(part)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def parts_of_ranges(terms: Iterable[Term]) -> Iterator[Term]:
    """Yield that what has to lie between two numbers lies in each of the upper parts of the range.

    A number on which there are other conditions is mostly the first that meets them. Several such
    numbers are in these parts together as well.
    """
    limits: dict[Term, set[float]] = {}
    for part in dict.fromkeys(part for term in terms for part in subterms(term)):
        match part:
            case (
                Operation(head=head, operands=(Term() as item, Constant(value=number)))
                | Operation(head=head, operands=(Constant(value=number), Term() as item))
            ) if head in _COMPARISONS and _is_number(number):
                limits.setdefault(item, set()).add(number)
    within = [one for one in limits.items() if len(one[1]) > 1]
    for share in range(1, PARTS):
        parts = [_part_of(item, numbers, share) for item, numbers in within]
        yield from _open([conjunction(*parts)] if len(parts) > 1 else [])
        yield from _open(parts)


def _part_of(item: Term, numbers: Set[float], share: int) -> Bool:
    """Return that an item is in a part of the range that some numbers span, from 0 on."""
    low, high = min(numbers), max(numbers)
    least, most = (low + (high - low) * end / PARTS for end in (share, share + 1))
    if not _has_reals(item):
        least, most = ceil(least), ceil(most)
    return conjunction(operation(">=", item, least), operation("<=", item, most))


def _limits(comparison: Operation) -> Iterator[Term]:
    left, right = comparison.operands
    step = _COMPARISONS[comparison.head]
    distance = operation("abs", operation("-", left, right))
    if not _has_reals(comparison):
        yield operation("==", left, operation("+", right, step))
    elif step:
        yield operation("<=", distance, MARGIN)
    else:
        yield operation("==", left, right)
        beside = operation("abs", operation("-", distance, MARGIN))
        yield operation("<=", beside, MARGIN / 2)


def _has_reals(term: Term) -> bool:
    return any(isinstance(part, Symbol) and part.sort == "real" for part in subterms(term))


def joint_boundaries(terms: Iterable[Term]) -> Iterator[Term]:
    """Yield that all upper limits are reached at once, and that all lower ones are.

    What a product or sum of several quantities leaves is seen where all of them are large.
    """
    limits: dict[bool, list[Term]] = {True: [], False: []}
    for part in dict.fromkeys(part for term in terms for part in subterms(term)):
        if isinstance(part, Operation) and part.head in _COMPARISONS:
            is_upper = (part.head in ("<", "<=")) != isinstance(part.operands[0], Constant)
            limits[is_upper].append(next(_limits(part)))
    yield from _open(conjunction(*reached) for reached in limits.values() if len(reached) > 1)


def without_ones(term: Term) -> Iterator[Term]:
    """Yield that no number in a condition that multiplies unknown ones is 1.

    What `n * r == 35` allows is 1 times 35 first, on which `repeat` and `tile` are the same.
    """
    if any(isinstance(part, Operation) and _is_product(part) for part in subterms(term)):
        numbers = (part for part in subterms(term) if isinstance(part, Symbol))
        yield from _open([conjunction(*(one >= 2 for one in numbers if one.sort == "int"))])


def multiples(terms: Iterable[Term]) -> Iterator[Term]:
    """Yield that what is divided by an unknown number is twice, three and four times as large.

    Sizes that are drawn by themselves are mostly equal where one divides the other.
    """
    for part in dict.fromkeys(part for term in terms for part in subterms(term)):
        match part:
            case Operation(head="//" | "%", operands=(whole, divisor)) if not isinstance(
                divisor, Constant
            ):
                for times in TIMES:
                    same = equal(whole, operation("*", divisor, times))
                    yield from _open([conjunction(same, operation(">=", divisor, 2))])


def _attributes_of_target(instance: Instance) -> list[Term]:
    """Return the terms that are attributes of what a target makes."""
    with target_of(instance, Arms().decide) as builder:
        calls = [node.expr for node in builder.added if isinstance(node.expr, Call)]
    values = (value for call in calls for value in call.attributes.values())
    return [part for value in values for part in leaves(value) if isinstance(part, Term)]


def _is_product(part: Operation) -> bool:
    return part.head == "*" and not any(isinstance(one, Constant) for one in part.operands)


def _open(demands: Iterable[Bool]) -> Iterator[Term]:
    """Yield the conditions that sizes and attributes decide."""
    return (demand for demand in demands if isinstance(demand, Term))


def _long(call: Call) -> Iterator[Term]:
    """Yield the conditions that a tensor of one axis that is made of nothing is long.

    No input is long then, so that few draws make it so.
    """
    if not call.operands and isinstance(call.type, TensorType) and call.type.ndim == 1:
        yield from _open(equal(call.type.shape[0], length) for length in LENGTHS)


def _rounded(call: Call) -> Iterator[Term]:
    """Yield the conditions that the first of a tensor of numbers is one that its dtype rounds.

    A rule that computes with an attribute has the number itself, the tensor has a neighbour of it.
    """
    for element in _elements(call, at_start=True):
        if isinstance(element.value, Number) and isinstance(element.value.value, Term):
            yield from _open(_loses(element.value.value, element.type))


def _loses(value: Term, result: TensorType) -> Iterator[Bool]:
    is_real = _has_reals(value)
    first = value if is_real else simplify(value, {})
    few = [size <= FEW for size in result.shape]
    for dtype, number in FIRST_LOST.items() if isinstance(first, Term) else ():
        lost = float(number) if is_real else number
        if lost == number:
            yield conjunction(equal(result.dtype, dtype), equal(first, lost), *few)


def _elements(call: Call, at_start: bool = False) -> tuple[Element, ...]:
    with suppress(GslError):
        return elements_of(call, at_start)
    return ()
