"""Whether integers wrap on the way through a network, which `nowrap` lets a rule exclude.

The references of the operators run on arrays that compute every sum and product of integers a
second time, on whole numbers without a bound. Operators that convert wrap by design and do not
count; a reference that computes in a wider dtype wraps where it converts what it has.

Source: https://llvm.org/docs/LangRef.html#id209, `nsw` and `nuw` of integer instructions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from gsl.errors import GslError
from gsl.evaluate import value_of
from gsl.expr import Call, Expr
from gsl.graph import reverse_post_order
from gsl.numpy_dtypes import kind_of
from gslverify.structures.kernels import converts

ARITHMETIC: frozenset[Any] = frozenset({
    np.add, np.subtract, np.multiply, np.negative, np.absolute, np.square, np.power,
    np.left_shift, np.floor_divide, np.matmul,
    np.sum, np.prod, np.cumsum, np.cumprod, np.dot, np.einsum, np.tensordot,
})  # fmt: skip
"""Functions of NumPy that give a whole number which its dtype may not hold."""

BOUND_TO_A_DTYPE = ("dtype", "out", "optimize")
"""What the same function on whole numbers is not told."""


@dataclass(slots=True)
class Seen:
    """What was seen of a network: whether some integer `wraps`, which an operator may be for."""

    wraps: bool = False
    is_meant: bool = False


class Watched(NDArrayOperatorsMixin):
    """An array of NumPy with whose integers every calculation is checked."""

    __slots__ = ("array", "seen")

    def __init__(self, array: Any, seen: Seen) -> None:
        self.array = np.asarray(array)
        self.seen = seen

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.array, name)
        return _watching(found, self.seen) if callable(found) else _watched(found, self.seen)

    def __getitem__(self, index: Any) -> Any:
        return _watched(self.array[_plain(index)], self.seen)

    def __len__(self) -> int:
        return len(self.array)

    def astype(self, dtype: Any, **options: Any) -> Any:
        """Convert; integers that are others then have wrapped, unless an operator is for that."""
        made = self.array.astype(dtype, **options)
        if not self.seen.is_meant and all(kind_of(a.dtype) in "iu" for a in (self.array, made)):
            self.seen.wraps |= bool(np.any(made.astype(object) != self.array.astype(object)))
        return _watched(made, self.seen)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return self._called(getattr(ufunc, method), ufunc, inputs, options)

    def __array_function__(
        self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        return self._called(func, func, args, kwargs)

    def _called(
        self, call: Callable[..., Any], func: Any, args: Sequence[Any], options: Mapping[str, Any]
    ) -> Any:
        plain, given = _plain(tuple(args)), {name: _plain(one) for name, one in options.items()}
        made = call(*plain, **given)
        if func in ARITHMETIC and not self.seen.wraps:
            self.seen.wraps = _differs(call, plain, given, made)
        return _watched(made, self.seen)


def wraps(outputs: Sequence[Expr], inputs: Mapping[str, Any]) -> bool:
    """Tell whether some sum or product of integers wraps; False where that cannot be told."""
    seen, values = Seen(), dict[Expr, Any]()
    try:
        with np.errstate(all="ignore"):
            for expr in reverse_post_order(outputs):
                operands = [values[operand] for operand in expr.operands]
                seen.is_meant = isinstance(expr, Call) and converts(expr)
                values[expr] = _watched(value_of(expr, operands, inputs), seen)
    except (GslError, ArithmeticError, IndexError, TypeError, ValueError):
        return False
    return seen.wraps


def _differs(
    call: Callable[..., Any], args: Sequence[Any], options: Mapping[str, Any], made: Any
) -> bool:
    """Tell whether a function gives other integers than on whole numbers without a bound."""
    if kind_of(np.asarray(made).dtype) not in "iu":
        return False
    given = {name: one for name, one in options.items() if name not in BOUND_TO_A_DTYPE}
    try:
        exact = call(*(_unbounded(one) for one in args), **given)
    except (ArithmeticError, TypeError, ValueError):  # a quotient by 0, an option of no use here
        return False
    return bool(np.any(np.asarray(exact, object) != np.asarray(made).astype(object)))


def _unbounded(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return type(value)(_unbounded(one) for one in value)
    if isinstance(value, np.ndarray | np.generic) and kind_of(value.dtype) in "iu":
        return np.asarray(value).astype(object)
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return type(value)(_plain(one) for one in value)
    return value.array if isinstance(value, Watched) else value


def _watched(value: Any, seen: Seen) -> Any:
    if isinstance(value, tuple | list):
        return type(value)(_watched(one, seen) for one in value)
    return Watched(value, seen) if isinstance(value, np.ndarray | np.generic) else value


def _watching(method: Callable[..., Any], seen: Seen) -> Callable[..., Any]:
    def call(*args: Any, **options: Any) -> Any:
        return _watched(method(*_plain(args), **{n: _plain(v) for n, v in options.items()}), seen)

    return call
