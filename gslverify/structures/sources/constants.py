"""What the constants of a source become: numbers and truth values as symbols, where it is open.

A constant of rank 0 is one symbol of a sort that its dtype has. One with axes whose elements a rule
looks at has a symbol for each, and so a known number of them; any other one is only a tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, Protocol

from gsl.attr.evaluate import (
    conjunction,
    contains,
    equal,
    evaluate,
    is_symbolic,
    negation,
)
from gsl.attr.term import ANYTHING, Symbol, Term, TupleOf, VariadicTuple
from gsl.expr import Const as ConstExpr
from gsl.expr import Expr, attribute_of
from gsl.match.bindings import Key, Scope
from gsl.operators.ranges import is_float_of, of_sort, representable, rounded, stored
from gsl.span import Origin
from gsl.subst import Subst
from gsl.types import ALL_DTYPES, ANY_FLOAT, ANY_INTEGER, BOOLEAN
from gslverify.structures.instance import InfeasibleError
from gslverify.structures.sources.elements import read_by_element, sizes_to_try
from gslverify.structures.sources.partial_constraints import is_open

SORTS = {"int": ANY_INTEGER, "real": ANY_FLOAT, "bool": BOOLEAN}
"""The dtypes whose elements are of a sort."""

KIND, DTYPE = "kind of elements", "dtype"
"""What is decided of constants that are not of a known dtype."""

OPEN_LENGTHS = (2, 1, 3, 4)
"""How many elements are tried where a rule says what each is, but not how many."""


class Building(Protocol):
    """What is asked of whoever builds a source, for one of its patterns."""

    def decide(self, key: Key, what: str, options: Sequence[Any]) -> Any:
        """Return one of some options, on which the structure depends."""

    def claim(self, condition: Any, reason: str, origin: Origin | None) -> None:
        """Note what has to hold; raise InfeasibleError for what does not."""

    def fresh(self, key: Key, name: str) -> Callable[..., Symbol]:
        """Return what makes symbols for an attribute of a pattern."""

    def fresh_dtype(self, key: Key) -> Symbol:
        """Return a dtype that is not known."""

    def shape_of(self, key: Key) -> tuple[Any, ...]:
        """Return the shape that a pattern has, of which the rank is known."""

    def input(self, key: Key, shape: tuple[Any, ...], dtype: Any) -> Expr:
        """Return a tensor of which no element is known."""

    def claim_shape(self, key: Key, shape: tuple[Any, ...]) -> None:
        """Claim that a shape is one that the pattern asks for."""

    def leave_out(self) -> None:
        """Note that there are structures beside those that can be decided on."""

    def scope(self, key: Key) -> Scope:
        """Return the environment in which attributes of a pattern are evaluated."""


class Constants:
    """Makes the constants of one source, as `building` decides."""

    def __init__(self, subst: Subst, building: Building) -> None:
        self._building = building
        self._read = read_by_element(subst)
        self._sizes = sizes_to_try(subst)

    def expr(self, key: Key) -> Expr:
        """Return what a constant pattern becomes."""
        pattern, building = key[0], self._building
        scope = building.scope(key)
        term = pattern.constraints.get("dtype", ANYTHING)
        wanted = None if term is ANYTHING else evaluate(term, scope)
        value = self._written(key, pattern.constraints.get("value", ANYTHING), scope)
        if isinstance(value, tuple):
            shape = self._shape_of(value, key)
            building.claim_shape(key, shape)
            if not is_symbolic(value):
                return self._array(key, value, wanted)
        dtype = building.fresh_dtype(key) if wanted is None else wanted
        if isinstance(value, tuple):
            return self._unknown(key, value, dtype)
        if value is not ANYTHING:
            building.claim_shape(key, ())
            return self._scalar(key, value, dtype)
        shape = building.shape_of(key)
        if shape and pattern not in self._read:
            return building.input(key, shape, dtype)
        elements = self._elements(key, self._known_sizes(key, shape)) if shape else ANYTHING
        return self._unknown(key, elements, dtype)

    def _written(self, key: Key, term: Term, scope: Scope) -> Any:
        """Return the value that a rule writes, with `ANYTHING` in it where it is open."""
        match term:
            case _ if not is_open(term):
                return evaluate(term, scope)
            case TupleOf(fields=fields):
                return tuple(self._written(key, field, scope) for field in fields)
            case VariadicTuple(body=body, symbol=symbol):
                self._building.leave_out()
                count = self._building.decide(key, "number of elements", OPEN_LENGTHS)
                places = (scope.bind(symbol, place) for place in range(count))
                return tuple(self._written(key, body, one) for one in places)
            case _:
                return ANYTHING

    def _known_sizes(self, key: Key, shape: tuple[Any, ...]) -> tuple[int, ...]:
        """Return known sizes for a shape: so many symbols are needed."""
        known = []
        options = self._sizes if len(shape) == 1 else self._sizes[: max(2, 5 - len(shape))]
        for size in shape:
            if isinstance(size, Term):
                self._building.leave_out()
                chosen = self._building.decide(key, "size", options)
                self._building.claim(equal(size, chosen), "the size of a constant", key[0].origin)
                size = chosen
            known.append(size)
        return tuple(known)

    def _elements(self, key: Key, shape: tuple[int, ...]) -> Any:
        """Return nested tuples of what is open."""
        if not shape:
            return ANYTHING
        return tuple(self._elements(key, shape[1:]) for _ in range(shape[0]))

    def _shape_of(self, value: Any, key: Key) -> tuple[int, ...]:
        if not isinstance(value, tuple):
            return ()
        inner = {self._shape_of(item, key) for item in value}
        if len(inner) > 1:
            message = "the rows of a constant have different lengths"
            raise InfeasibleError(message, key[0].origin)
        return (len(value), *next(iter(inner), ()))

    def _unknown(self, key: Key, value: Any, dtype: Any) -> Expr:
        """Return a constant with a symbol for all that is open in its value."""
        building, origin = self._building, key[0].origin
        shape = self._shape_of(value, key)
        options = [s for s, held in SORTS.items() if contains(dtype, held) is not False]
        if not options:
            raise InfeasibleError(f"{dtype!r} is no dtype", origin)
        sort = building.decide(key, KIND, options)
        building.claim(contains(dtype, SORTS[sort]), "the kind of a constant", origin)
        make = building.fresh(key, "value")
        places = product(*map(range, shape))
        symbols = {place: make(_place_text(place), sort=sort) for place in places}
        filled = _filled(value, (), symbols)
        for element in _flattened(filled):
            if sort == "real" and isinstance(element, Symbol):
                reason = "a constant is a number of its dtype"
                building.claim(is_float_of(element, dtype), reason, origin)
            self._hold(key, element, dtype)
        return ConstExpr(filled, dtype)

    def _array(self, key: Key, value: tuple[Any, ...], wanted: Any) -> Expr:
        dtype = self._known_dtype(key, wanted)
        if conjunction(of_sort(value, dtype), representable(value, dtype)) is not True:
            raise InfeasibleError("a constant is a value of its dtype", key[0].origin)
        array = ConstExpr(value, dtype)
        if equal(stored(value, dtype), attribute_of(array, "value")) is not True:
            raise InfeasibleError("a constant is neither infinite nor zero by rounding")
        return array

    def _known_dtype(self, key: Key, wanted: Any) -> Any:
        if isinstance(wanted, str):
            return wanted
        dtype = self._building.decide(key, DTYPE, ALL_DTYPES)
        if wanted is not None:
            same = equal(wanted, dtype)
            self._building.claim(same, "the dtype of a constant", key[0].origin)
        return dtype

    def _scalar(self, key: Key, value: Any, dtype: Any) -> Expr:
        self._hold(key, value, dtype)
        return ConstExpr(value, dtype)

    def _hold(self, key: Key, value: Any, dtype: Any) -> None:
        """Claim that a value may be an element of a dtype."""
        claim, origin = self._building.claim, key[0].origin
        fits = conjunction(of_sort(value, dtype), representable(value, dtype))
        claim(fits, "a constant is a value of its dtype", origin)
        for name in ANY_FLOAT if type(value) in (int, float) else ():
            held = rounded(value, name) is not None
            kept = True if held else negation(equal(dtype, name))
            claim(kept, "a constant is neither infinite nor zero by rounding", origin)


def _place_text(place: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, place))}]" if place else ""


def _filled(value: Any, place: tuple[int, ...], symbols: dict[tuple[int, ...], Symbol]) -> Any:
    if isinstance(value, tuple):
        return tuple(_filled(item, (*place, n), symbols) for n, item in enumerate(value))
    return symbols[place] if value is ANYTHING else value


def _flattened(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [one for item in value for one in _flattened(item)]
    return [value]
