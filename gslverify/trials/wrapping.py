"""Which elements of a network depend on integers that wrap, which `nowrap` lets a rule exclude.

The references of the operators run on arrays that compute every sum and product of integers a
second time, on whole numbers without a bound, and that note for every element whether it is, or is
computed from, one that is another number then. Of a choice only what is chosen counts. Operators
that convert wrap by design and do not count; a reference that computes in a wider dtype wraps where
it converts what it has.

Source: https://llvm.org/docs/LangRef.html#id209, `nsw` and `nuw` of integer instructions, and
https://llvm.org/docs/LangRef.html#poisonvalues, what depends on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from gsl.errors import GslError
from gsl.evaluate import value_of
from gsl.expr import Call, Expr
from gsl.graph import reverse_post_order
from gsl.numpy_dtypes import kind_of
from gslverify.comparison.calmer import flat
from gslverify.comparison.movement import MOVEMENTS
from gslverify.structures.kernels import converts

ARITHMETIC: frozenset[Any] = frozenset({
    np.add, np.subtract, np.multiply, np.negative, np.absolute, np.square, np.power,
    np.left_shift, np.floor_divide, np.matmul,
    np.sum, np.prod, np.cumsum, np.cumprod, np.dot, np.einsum, np.tensordot,
})  # fmt: skip
"""Functions of NumPy that give a whole number which its dtype may not hold."""

BOUND_TO_A_DTYPE = ("dtype", "out", "optimize")
"""What the same function on whole numbers is not told."""


REDUCTIONS = (np.sum, np.prod, np.max, np.min, np.mean, np.any, np.all)
"""Functions of elements along axes, of which each result depends on those of its own."""


@dataclass(slots=True)
class Seen:
    """What was seen of a call: whether some integer `wraps`, which its operator may be for."""

    wraps: bool = False
    is_meant: bool = False


class Watched(NDArrayOperatorsMixin):
    """An array of NumPy with whose integers every calculation is checked.

    `wrapped` tells of every element whether it depends on one that wraps.
    """

    __slots__ = ("array", "seen", "wrapped")

    def __init__(self, array: Any, wrapped: Any, seen: Seen) -> None:
        self.array = np.asarray(array)
        self.wrapped = np.broadcast_to(wrapped, self.array.shape)
        self.seen = seen

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.array, name)
        if callable(found):
            return self._watching(found)
        return _watched(found, self.wrapped.any(), self.seen)

    def _watching(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            given = {name: _plain(one) for name, one in options.items()}
            made = method(*_plain(args), **given)
            depends = any(one.wrapped.any() for one in _arrays((self, args, options)))
            return _watched(made, depends, self.seen)

        return call

    def __getitem__(self, index: Any) -> Any:
        place = _plain(index)
        depends = any(one.wrapped.any() for one in _arrays(index))
        return _watched(self.array[place], self.wrapped[place] | depends, self.seen)

    def __len__(self) -> int:
        return len(self.array)

    def astype(self, dtype: Any, **options: Any) -> Any:
        """Convert; integers that are others then have wrapped, unless an operator is for that."""
        made, wrapped = self.array.astype(dtype, **options), self.wrapped
        if not self.seen.is_meant and all(kind_of(a.dtype) in "iu" for a in (self.array, made)):
            own = np.asarray(made.astype(object) != self.array.astype(object))
            self.seen.wraps |= bool(own.any())
            wrapped = wrapped | own
        return Watched(made, wrapped, self.seen)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        is_plain = method == "__call__" and ufunc.signature is None and not options
        below = _stretched if is_plain else _any_of
        return self._called(getattr(ufunc, method), ufunc, inputs, options, below)

    def __array_function__(
        self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        return self._called(func, func, args, kwargs, _BELOW.get(func, _any_of))

    def _called(
        self,
        call: Callable[..., Any],
        func: Any,
        args: Sequence[Any],
        options: Mapping[str, Any],
        below: Below,
    ) -> Any:
        plain, given = _plain(tuple(args)), {name: _plain(one) for name, one in options.items()}
        made = call(*plain, **given)
        wrapped = below(func, args, options)
        if func in ARITHMETIC:
            own = _differs(call, plain, given, made)
            self.seen.wraps |= bool(np.any(own))
            wrapped = wrapped | own
        return _watched(made, wrapped, self.seen)


Below = Callable[[Any, Sequence[Any], Mapping[str, Any]], Any]
"""Tells which elements of a result depend on operands that wrap, given a function and arguments."""


def _any_of(func: Any, args: Sequence[Any], options: Mapping[str, Any]) -> Any:
    return np.bool_(any(one.wrapped.any() for one in _arrays((args, options))))


def _stretched(func: Any, args: Sequence[Any], options: Mapping[str, Any]) -> Any:
    return reduce(np.logical_or, (one.wrapped for one in _arrays(args)))


def _moved(func: Any, args: Sequence[Any], options: Mapping[str, Any]) -> Any:
    places = any(one.wrapped.any() for one in _arrays((args[1:], options)))
    first = _masks(args[0])
    return np.logical_or(func(first, *_plain(tuple(args[1:])), **_plain(dict(options))), places)


def _masks(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_masks(one) for one in value]
    return value.wrapped if isinstance(value, Watched) else np.zeros(np.shape(value), bool)


def _chosen(func: Any, args: Sequence[Any], options: Mapping[str, Any]) -> Any:
    match args:
        case (condition, then, otherwise):
            chosen = np.where(_plain(condition), _masks(then), _masks(otherwise))
            return np.logical_or(_masks(condition), chosen)
        case _:
            return _any_of(func, args, options)


def _reduced(func: Any, args: Sequence[Any], options: Mapping[str, Any]) -> Any:
    if len(args) != 1 or options.keys() - {"axis", "keepdims", "dtype"}:
        return _any_of(func, args, options)
    axes = {name: one for name, one in options.items() if name != "dtype"}
    return np.any(_masks(args[0]), **axes)


_BELOW: Mapping[Any, Below] = {
    **dict.fromkeys(MOVEMENTS, _moved),
    **dict.fromkeys(REDUCTIONS, _reduced),
    np.where: _chosen,
}


def wraps(outputs: Sequence[Expr], inputs: Mapping[str, Any]) -> bool:
    """Tell whether some output depends on integers that wrap; False where that cannot be told."""
    return any(one.any() for one in flat(wrapped(outputs, inputs)))


def wrapped(outputs: Sequence[Expr], inputs: Mapping[str, Any]) -> list[Any]:
    """Return for every output which elements depend on integers that wrap, of fields in tuples.

    Nothing is said to depend on them where that cannot be told.
    """
    values: dict[Expr, Any] = {}
    try:
        with np.errstate(all="ignore"):
            for expr in reverse_post_order(outputs):
                operands = [values[operand] for operand in expr.operands]
                seen = Seen(is_meant=isinstance(expr, Call) and converts(expr))
                own = [_of_call(operand, seen) for operand in operands]
                found = value_of(expr, own, inputs)
                depends = seen.wraps or any(one.wrapped.any() for one in _arrays(operands))
                values[expr] = _watched(found, depends, seen)
    except (GslError, ArithmeticError, IndexError, TypeError, ValueError):
        return [np.False_] * len(outputs)
    return [_wrapped_of(values[output]) for output in outputs]


def _of_call(value: Any, seen: Seen) -> Any:
    if isinstance(value, tuple | list):
        return type(value)(_of_call(one, seen) for one in value)
    return Watched(value.array, value.wrapped, seen) if isinstance(value, Watched) else value


def _wrapped_of(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return tuple(map(_wrapped_of, value))
    return value.wrapped if isinstance(value, Watched) else np.False_


def _arrays(value: Any) -> Iterator[Watched]:
    """Yield the watched arrays in an argument."""
    if isinstance(value, Mapping):
        value = tuple(value.values())
    if isinstance(value, tuple | list):
        for one in value:
            yield from _arrays(one)
    elif isinstance(value, Watched):
        yield value


def _differs(
    call: Callable[..., Any], args: Sequence[Any], options: Mapping[str, Any], made: Any
) -> Any:
    """Return where a function gives other integers than on whole numbers without a bound."""
    if kind_of(np.asarray(made).dtype) not in "iu":
        return np.False_
    given = {name: one for name, one in options.items() if name not in BOUND_TO_A_DTYPE}
    try:
        exact = call(*(_unbounded(one) for one in args), **given)
    except (ArithmeticError, TypeError, ValueError):  # a quotient by 0, an option of no use here
        return np.False_
    return np.asarray(np.asarray(exact, object) != np.asarray(made).astype(object), bool)


def _unbounded(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return type(value)(_unbounded(one) for one in value)
    if isinstance(value, np.ndarray | np.generic) and kind_of(value.dtype) in "iu":
        return np.asarray(value).astype(object)
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(_plain(one) for one in value)
    return value.array if isinstance(value, Watched) else value


def _watched(value: Any, wrapped: Any, seen: Seen) -> Any:
    """Return arrays as watched ones; what they are made of is known for one array alone."""
    if isinstance(value, tuple | list):
        return type(value)(_watched(one, bool(np.any(wrapped)), seen) for one in value)
    if isinstance(value, Watched):
        return value
    if not isinstance(value, np.ndarray | np.generic):
        return value
    fits = np.ndim(wrapped) == 0 or np.shape(wrapped) == np.shape(value)
    return Watched(value, wrapped if fits else bool(np.any(wrapped)), seen)
