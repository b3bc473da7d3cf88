"""Mutation operators that give a target wrong attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from gsl.attr.term import Access, Term, as_term, subterms
from gsl.errors import OperatorError
from gsl.operators import Operator
from gsl.operators.declaration import REQUIRED
from gsl.pat import Call
from gsl.subst import Subst
from gslverify.mutation.draft import Draft, replaced
from gslverify.mutation.registry import (
    Change,
    Changes,
    mutation,
    name_of,
    source_calls,
    target_calls,
)
from gslverify.mutation.terms import (
    Variation,
    other_arithmetic,
    other_elements,
    other_sums,
    perturbed_numbers,
    plain_value,
    rearranged,
    shifted_axis,
)

Wanted = Callable[[str], bool]

MOST_VARIATIONS = 6
"""Of one attribute in one way; a padding of four sums has dozens that tell nothing new."""


def _attributes(subst: Subst, wanted: Wanted) -> Iterator[tuple[Call, str, Term]]:
    for call in target_calls(subst):
        for name, term in call.constraints.items():
            if wanted(name):
                yield call, name, term


def _varied(subst: Subst, wanted: Wanted, vary: Callable[[Term], Iterable[Variation]]) -> Changes:
    for call, name, term in _attributes(subst, wanted):
        legal = ((said, new) for said, new in vary(term) if _is_legal(call, name, new))
        for said, new in islice(legal, MOST_VARIATIONS):
            described = f"`{name}` of {name_of(subst, call)}: {said}"
            yield Change(call, described, Draft.of(subst).constrain(call, name, new))


def _is_legal(call: Call, name: str, term: Term) -> bool:
    """Tell whether the operator takes a value that is already known."""
    value = plain_value(term)
    if value is None or not isinstance(call.callee, Operator):
        return True
    try:
        call.callee.attributes[name].domain.normalise(value, ())
    except (ValueError, OperatorError):
        return False
    except Exception:
        return True  # a domain of somebody else's; the stages tell what is wrong with it
    return True


def _has_default(call: Call, name: str) -> bool:
    if not isinstance(call.callee, Operator):
        return False
    return call.callee.attributes[name].default is not REQUIRED


def _is_axis(name: str) -> bool:
    return name in ("axis", "axes", "channel_axis")


def _is_cut(name: str) -> bool:
    return name == "indices_or_sections"


def _is_padding(name: str) -> bool:
    return "pad" in name and name != "count_include_pad"


def _is_plain(name: str) -> bool:
    return not (_is_axis(name) or _is_cut(name) or _is_padding(name) or "dtype" in name)


@mutation("M15", "omit an attribute, so that it takes its default")
def omitted(subst: Subst) -> Changes:
    """Drop an attribute of a call of the target."""
    for call, name, _ in _attributes(subst, lambda name: "dtype" not in name):
        if _has_default(call, name):
            said = f"omit `{name}` of {name_of(subst, call)}"
            yield Change(call, said, Draft.of(subst).constrain(call, name, None))


@mutation("M16", "copy an attribute from another node")
def from_elsewhere(subst: Subst) -> Changes:
    """Take what an attribute of the target refers to from another call of the source."""
    calls = source_calls(subst)
    for call, name, term in _attributes(subst, lambda name: True):
        for part in subterms(term):
            if not isinstance(part, Access) or part.name in ("ndim", "dtype"):
                continue
            for other in calls:
                if other is not part.pattern and part.name in other.attribute_names():
                    new = replaced(term, {part: Access(other, part.name, part.origin)})
                    said = f"`{name}` of {name_of(subst, call)} from {name_of(subst, other)}"
                    yield Change(call, said, Draft.of(subst).constrain(call, name, new))


@mutation("M17", "perturb a number")
def perturbed(subst: Subst) -> Changes:
    """Change a number in an attribute of the target."""
    return _varied(subst, _is_plain, perturbed_numbers)


@mutation("M18", "reorder the components of a tuple")
def reordered(subst: Subst) -> Changes:
    """Reverse, rotate or swap the elements of an attribute of the target."""
    return _varied(subst, lambda n: _is_plain(n) and n != "shape", rearranged)


@mutation("M19", "replace an axis")
def other_axis(subst: Subst) -> Changes:
    """Use the axis before or behind, or the first."""
    return _varied(subst, lambda name: _is_axis(name) and name != "axes", shifted_axis)


@mutation("M20", "replace a permutation, or reorder axes")
def other_permutation(subst: Subst) -> Changes:
    """Reverse, rotate, invert or drop a permutation."""
    yield from _varied(subst, lambda name: name == "axes", _other_permutations)


def _other_permutations(term: Term) -> Iterator[Variation]:
    yield from rearranged(term)
    value = plain_value(term)
    if isinstance(value, tuple) and sorted(value) == list(range(len(value))):
        inverse = tuple(value.index(axis) for axis in range(len(value)))
        yield "inverted", as_term(inverse)
        yield "the identity", as_term(tuple(range(len(value))))


@mutation("M21", "cut at other positions")
def other_cuts(subst: Subst) -> Changes:
    """Cut one off, at sizes instead of their sums, or at the size of another dimension."""
    for vary in (other_sums, other_elements, other_arithmetic, _cuts_moved):
        yield from _varied(subst, _is_cut, vary)


def _cuts_moved(term: Term) -> Iterator[Variation]:
    yield from shifted_axis(term)
    yield from rearranged(term)


@mutation("M22", "calculate an attribute differently")
def other_calculation(subst: Subst) -> Changes:
    """Change an operation inside an attribute of the target, or leave it out."""
    for vary in (other_arithmetic, other_sums, other_elements):
        yield from _varied(subst, _is_plain, vary)


@mutation("M23", "pad otherwise")
def other_padding(subst: Subst) -> Changes:
    """Change sign, order, amount or value of a padding."""
    for vary in (rearranged, perturbed_numbers, other_arithmetic):
        yield from _varied(subst, _is_padding, vary)


@mutation("M24", "exchange two extents of a new shape")
def other_shape(subst: Subst) -> Changes:
    """Reorder the sizes of a shape that the target asks for."""
    return _varied(subst, lambda name: name == "shape", rearranged)


@mutation("M25", "forget or change a dtype")
def other_dtype(subst: Subst) -> Changes:
    """Drop a dtype from a call of the target, or name one."""
    for call, name, _ in _attributes(subst, lambda name: "dtype" in name):
        draft = Draft.of(subst).constrain(call, name, as_term("float32"))
        yield Change(call, f"`{name}` of {name_of(subst, call)} is always float32", draft)
        if _has_default(call, name):
            said = f"omit `{name}` of {name_of(subst, call)}"
            yield Change(call, said, Draft.of(subst).constrain(call, name, None))
