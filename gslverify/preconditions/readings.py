"""What can be read off a match: attributes, sizes, ranks, dtypes and constants.

A reading has a kind, which says what it may be compared with, and a value in most matches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gsl.attr.evaluate import evaluate
from gsl.attr.term import Access, Term
from gsl.errors import GslError
from gsl.match.bindings import Scope
from gsl.operators import Operator
from gsl.operators.declaration import Attribute
from gsl.pat import INPUTS, Call, Const, Pattern
from gsl.subst import Subst

MOST_AXES = 4
"""So many elements of a tuple are read one by one; of shapes also the last."""

OF_TYPES = ("ndim", "shape", "dtype", "value")


@dataclass(frozen=True, slots=True)
class Reading:
    """Something that has a value in a match.

    Attributes:
        term: what is read.
        kind: what it may be compared with, such as "size" or "axes".
        owner: the pattern that it is about.
        values: what it is in the matches at hand, None where it has no value.
        is_part: whether it is an element of another reading.
    """

    term: Term
    kind: str
    owner: Pattern
    values: tuple[Any, ...]
    is_part: bool = False

    @property
    def known(self) -> list[Any]:
        """The values that it has somewhere."""
        return [value for value in self.values if value is not None]

    def has(self, *kinds: type) -> bool:
        """Tell whether all values are of one of some types."""
        return bool(self.known) and all(type(value) in kinds for value in self.known)

    @property
    def attribute(self) -> Attribute | None:
        """The attribute of an operator that is read."""
        match self:
            case Reading(term=Access(name=name), owner=Call(callee=Operator() as operator)):
                return operator.attributes.get(name)
        return None

    @property
    def is_rank_zero(self) -> bool:
        """Whether it may say that a constant is one number."""
        return self.kind == "ndim" and isinstance(self.owner, Const)


def readings(subst: Subst, scopes: Sequence[Scope]) -> list[Reading]:
    """Return what has a value in some of the matches, always in the same order."""
    found = [reading for pattern in subst.source_patterns for reading in _of(pattern, scopes)]
    return [reading for reading in found if reading.known]


def value_of(term: Term, scope: Scope) -> Any:
    """Return the value of a term in a match, None where it has none."""
    try:
        return evaluate(term, scope)
    except (GslError, ArithmeticError, LookupError, TypeError):
        return None


def values_in(found: Sequence[Reading], scope: Scope) -> Mapping[Term, Any]:
    """Return what readings are in another match."""
    return {reading.term: _plain(value_of(reading.term, scope)) for reading in found}


def _plain(value: Any) -> Any:
    """Leave out what is compared element by element."""
    return None if isinstance(value, np.ndarray) else value


def _of(pattern: Pattern, scopes: Sequence[Scope]) -> Iterator[Reading]:
    for kind, term in _terms(pattern):
        values = tuple(_plain(value_of(term, scope)) for scope in scopes)
        yield Reading(term, kind, pattern, values)
        if kind == "shape":
            yield from _sizes(pattern, term, values)
        else:
            yield from _elements(pattern, kind, term, values)


def _terms(pattern: Pattern) -> Iterator[tuple[str, Term]]:
    """Yield what can be read off a pattern, with its kind."""
    for name in pattern.attribute_names():
        if name in OF_TYPES:
            yield name, Access(pattern, name)
        elif isinstance(pattern, Call):
            yield ("dtype" if name.endswith("dtype") else name), Access(pattern, name)
    if isinstance(pattern, Call) and pattern.operands:
        for name in ("axis", "axes"):
            if name in pattern.attribute_names():
                yield from _places(pattern, name)


def _places(call: Call, name: str) -> Iterator[tuple[str, Term]]:
    """Yield the axis of a call counted from the front, and the size of its operand there."""
    axis, operand = Access(call, name), call.operands[0]
    whole = operand if "ndim" in operand.attribute_names() else call
    for one in (axis, axis[0]) if name == "axis" else (axis[0],):
        yield "place", one % Access(whole, "ndim")
        yield "size at", Access(whole, "shape")[one]


def _sizes(pattern: Pattern, term: Term, values: Sequence[Any]) -> Iterator[Reading]:
    if not isinstance(pattern, INPUTS):
        return
    yield from _elements(pattern, "size", term, values)
    last = tuple(value[-1] if value else None for value in values)
    yield Reading(term[-1], "size", pattern, last, is_part=True)


def _elements(pattern: Pattern, kind: str, term: Term, values: Sequence[Any]) -> Iterator[Reading]:
    """Yield the elements of a tuple, as far as it is short."""
    lengths = [len(value) for value in values if isinstance(value, tuple)]
    for place in range(min(MOST_AXES, max(lengths, default=0))):
        inside = tuple(
            value[place] if isinstance(value, tuple) and place < len(value) else None
            for value in values
        )
        yield Reading(term[place], kind, pattern, inside, is_part=True)
