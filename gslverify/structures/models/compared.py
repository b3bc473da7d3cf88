"""Conditions on sizes and attributes that the references of users ask about, found by running them.

A reference gets sizes and attributes that know which terms of the structure they are, and compute
with them. What is compared with what is then a condition on the structure, such as a sum of two
sizes that is 47, however the code came to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import reduce
from operator import mul
from typing import Any

import numpy as np

from gsl import pat
from gsl.attr.evaluate import conjunction, equal
from gsl.attr.term import Symbol, Term
from gsl.errors import GslError
from gsl.expr import Call
from gsl.operators import Operator
from gsl.types import TensorType, Type
from gslverify.structures.instance import Instance
from gslverify.structures.models.concrete import value_in
from gslverify.structures.models.kept_conversions import Followed, conversions_kept
from gslverify.structures.targets.arms import Arms, target_of

MOST_COMPARED = 12
MOST_ELEMENTS = 4096


@dataclass(slots=True)
class _Path:
    """What was compared on a run; where `all_equal`, comparisons say that both sides are."""

    all_equal: bool = False
    equations: list[Term] = field(default_factory=list)


_PATH: ContextVar[_Path] = ContextVar("_PATH")


def as_compared(instance: Instance, model: Mapping[Symbol, Any] | None) -> list[Term]:
    """Return that both sides are equal that a reference of a user compares, alone and together."""
    patterns = (*instance.subst.source_patterns, *instance.subst.target_patterns)
    called = [one.callee for one in patterns if isinstance(one, pat.Call)]
    if model is None or not any(map(_is_declared_by_a_user, called)):
        return []
    found: dict[Term, None] = {}
    with target_of(instance, Arms().decide):
        for call in [node.expr for node in instance.graph if isinstance(node.expr, Call)]:
            if _is_declared_by_a_user(call.operator):
                found |= dict.fromkeys(_asked_by(call, model))
    return list(found)[:MOST_COMPARED]


def _is_declared_by_a_user(callee: Any) -> bool:
    has_reference = isinstance(callee, Operator) and callee.reference is not None
    return has_reference and not callee.is_built_in


def _asked_by(call: Call, model: Mapping[Symbol, Any]) -> Iterator[Term]:
    """Yield what a call asks about, and first that all of it holds that it may ask together."""
    together, alone = (_run(call, model, all_equal) for all_equal in (True, False))
    whole = conjunction(*together)
    if len(together) > 1 and isinstance(whole, Term):
        yield whole
    yield from (*alone, *together)


def _run(call: Call, model: Mapping[Symbol, Any], all_equal: bool) -> list[Term]:
    """Return the equations that a reference asks about; those before it fails, if it does."""
    path = _Path(all_equal)
    token = _PATH.set(path)
    try:
        operands = [_traced(operand.type, model) for operand in call.operands]
        given = {name: _known(value, model) for name, value in call.attributes.items()}
        with np.errstate(all="ignore"):
            assert call.operator.reference is not None
            with conversions_kept(call.operator.reference):
                call.operator.reference(*operands, **given)
    except Exception:  # whatever a user's code does with what is not so
        return path.equations
    finally:
        _PATH.reset(token)
    return path.equations


def _known(value: Any, model: Mapping[Symbol, Any]) -> Any:
    """Return what a term is in a model, as a number that knows the term if it is one."""
    if isinstance(value, tuple):
        return tuple(_known(one, model) for one in value)
    found = value_in(value, model)
    return _number(found, value) if isinstance(value, Term) else found


def _traced(declared: Type, model: Mapping[Symbol, Any]) -> Any:
    """Return an operand of ones whose sizes know their terms."""
    if not isinstance(declared, TensorType):
        return tuple(_traced(field, model) for field in declared.fields)
    sizes = tuple(_known(size, model) for size in declared.shape)
    if np.prod([int(size) for size in sizes], dtype=object) > MOST_ELEMENTS:
        raise GslError("the operands are too large")
    array = np.ones([int(size) for size in sizes], value_in(declared.dtype, model)).view(_Traced)
    array.sizes = sizes
    return array


class _Sizes(tuple[Any, ...]):
    """Sizes that know their terms, which NumPy's sums and products of them keep."""

    __slots__ = ()

    def __getitem__(self, place: Any) -> Any:
        found = super().__getitem__(place)
        return _Sizes(found) if isinstance(place, slice) else found

    def __array_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        if func in _OF_SIZES and len(args) == 1 and args[0] is self and not kwargs and self:
            return _OF_SIZES[func](self)
        plain = [tuple(map(_plain, one)) if isinstance(one, _Sizes) else one for one in args]
        return func(*plain, **kwargs)


_OF_SIZES: dict[Any, Callable[[Any], Any]] = {
    np.prod: lambda sizes: reduce(mul, sizes),
    np.sum: sum,
    np.max: max,
    np.min: min,
}


class _Traced(np.ndarray[Any, Any], Followed):
    """An array of which every size knows its term."""

    sizes: tuple[Any, ...]

    def converted(self, function: Callable[..., Any]) -> Any:
        """Return the first size as the length."""
        return self.sizes[0] if function is len and self.ndim else function(self)

    def __array_finalize__(self, source: Any) -> None:
        before, plain = getattr(source, "sizes", ()), np.ndarray.shape.__get__(self)
        known = {int(size): size for size in before}
        is_same = tuple(map(int, before)) == plain
        self.sizes = before if is_same else tuple(known.get(size, size) for size in plain)

    @property  # type: ignore[misc]
    def shape(self) -> tuple[int, ...]:
        """The sizes."""
        return _Sizes(self.sizes)

    @property
    def size(self) -> int:
        """The number of elements."""
        return reduce(mul, self.sizes, 1)


class _Whole(int, Followed):
    """An integer that knows the term that it is the value of."""

    term: Term

    def converted(self, function: Callable[..., Any]) -> Any:
        """Return the same number; as a float it has the same term."""
        return _number(float(_plain(self)), self.term) if function is float else self


class _Real(float, Followed):
    """A real number that does."""

    term: Term

    def converted(self, function: Callable[..., Any]) -> Any:
        """Return the same number as a float; digits that are cut off are not followed."""
        return self if function is float else function(_plain(self))


def _number(value: Any, term: Any) -> Any:
    kind = {int: _Whole, float: _Real}.get(type(value))
    if kind is None or not isinstance(term, Term):
        return value
    made = kind(value)
    made.term = term
    return made


def _plain(value: Any) -> Any:
    return {_Whole: int, _Real: float}.get(type(value), lambda one: one)(value)


def _term(value: Any) -> Any:
    return value.term if isinstance(value, _Whole | _Real) else value


def _computing(name: str) -> Callable[..., Any]:
    """Return a method that computes with numbers and with their terms."""

    def compute(one: Any, *others: Any) -> Any:
        kind = float if isinstance(one, _Real) else int
        found = getattr(kind, name)(_plain(one), *map(_plain, others))
        if found is NotImplemented:
            return found
        try:
            return _number(found, _of_terms(name, one, *others))
        except Exception:  # what has no term, such as a power with an unknown exponent
            return found

    return compute


def _of_terms(name: str, one: Any, *others: Any) -> Any:
    if name == "__pow__":
        (exponent,) = others
        made: Any = 1
        for _ in range(exponent if type(exponent) is int and exponent < 5 else 0):
            made = _term(one) * made
        return made if type(exponent) is int and exponent < 5 else None
    return getattr(_term(one), name)(*map(_term, others))


def _comparing(name: str) -> Callable[..., Any]:
    """Return a method that notes that two numbers are compared."""

    def compare(one: Any, other: Any) -> Any:
        kind = float if isinstance(one, _Real) else int
        found = getattr(kind, name)(_plain(one), _plain(other))
        path = _PATH.get(None)
        if found is NotImplemented or path is None:
            return found
        equation = equal(_term(one), _term(other))
        if isinstance(equation, Term):
            beside = () if path.all_equal else _BESIDE.get(name, ())
            path.equations += [equation, *(equal(_term(one), _term(other) + n) for n in beside)]
            return name in _OF_EQUALS if path.all_equal else found
        return found

    return compare


_OF_EQUALS = frozenset(("__eq__", "__le__", "__ge__"))
_BESIDE = {"__lt__": (-1,), "__gt__": (1,), "__le__": (1,), "__ge__": (-1,)}
"""How far apart numbers are where such a comparison turns, beside equal ones."""
_COMPARISONS = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")
_ARITHMETIC = (
    *("__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__neg__"),
    *("__floordiv__", "__rfloordiv__", "__mod__", "__rmod__", "__truediv__", "__rtruediv__"),
    *("__pow__", "__abs__"),
)
for _kind, _base in ((_Whole, int), (_Real, float)):
    for _name in _ARITHMETIC:
        setattr(_kind, _name, _computing(_name))
    for _name in _COMPARISONS:
        setattr(_kind, _name, _comparing(_name))
    _kind.__hash__ = _base.__hash__  # type: ignore[method-assign]
