"""The array type; what functions do with it is registered by `ufuncs` and `functions`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import cache
from math import ceil, log10
from typing import Any

import numpy as np

from gsl.errors import GslError
from gsl.numpy_dtypes import converted, finfo, is_floating, keeps, kind_of, promoted
from gslverify.comparison.bounded.precision import current_precision
from gslverify.comparison.followed_array import FollowedArray, FunctionRule

UfuncRule = Callable[..., Any]
"""Takes the ufunc, the dtype of the result by the rules of NumPy, and the lifted operands."""

UFUNCS: dict[Any, UfuncRule] = {}
FUNCTIONS: dict[Any, FunctionRule] = {}


Origin = tuple[Any, Any]
"""What tells a function of one operand, and its operand."""


class AmbiguousError(GslError):
    """A decision, such as a comparison, lies within the error bound: nothing can be concluded."""


class RoundedConversionError(AmbiguousError):
    """What an integer is made of lies within the error bound of a border between two integers."""


class UnfollowedError(TypeError):
    """A function of NumPy is used that does not say what becomes of error bounds."""


class Bounded(FollowedArray):
    """Values in float64 with a bound on the error of each, and the dtype they stand for.

    `origin` is a function and the exact values that it was computed from, element by element:
    where these are equal so are the results, on every machine, whatever their errors. Results that
    are exact have none, nor have those of several tensors.

    `stored` are the numbers that a rule gives as the dtype holds them, as long as nothing is
    computed with them. Among tensors of one dtype a number means itself, but what is decided is
    decided of the ones that are held, and a wider dtype, or an integer, that they are converted to
    gets these.

    Where a result may overflow, its error is infinite, but its absolute value is the `least` that
    is known of it, or more.
    """

    __slots__ = ("_is_exact", "error", "least", "origin", "stored")
    functions = FUNCTIONS
    refusal = UnfollowedError

    def __init__(
        self,
        value: Any,
        error: Any = None,
        dtype: Any = None,
        origin: Origin | None = None,
        stored: Any = None,
        least: Any = None,
    ) -> None:
        self.origin = origin
        self.least = least
        self.stored = None if stored is None else np.asarray(stored, np.float64)
        array = np.asarray(value)
        self.dtype = np.dtype(array.dtype if dtype is None else dtype)
        self.value = array.astype(np.float64, copy=False)
        self.error = np.zeros(array.shape) if error is None else np.asarray(error, np.float64)
        self._is_exact = True if error is None else None

    @property
    def is_exact(self) -> bool:
        """Whether no element has an error."""
        if self._is_exact is None:
            self._is_exact = not self.error.any()
        return self._is_exact

    def __getitem__(self, index: Any) -> Bounded:
        origin = self.moved_origin(lambda operand: operand[index])
        stored = None if self.stored is None else self.stored[index]
        return Bounded(self.value[index], self.error[index], self.dtype, origin, stored)

    @property
    def held(self) -> Any:
        """The values as the dtype holds them, None where they have been computed and rounded."""
        return self.value if self.stored is None and self.is_exact else self.stored

    @property
    def decided(self) -> Bounded:
        """What comparisons are about: exact numbers where the dtype holds what was not computed."""
        held = None if self.stored is None else self.held
        return self if held is None else Bounded(held, dtype=self.dtype)

    def moved_origin(self, move: Callable[[Any], Any]) -> Origin | None:
        """Return the origin of elements that are moved alike."""
        return None if self.origin is None else (self.origin[0], move(self.origin[1]))

    def is_twin_of(self, other: Bounded) -> Any:
        """Tell which elements are the same function of the same number as those of `other`."""
        if self.origin is None or other.origin is None or self.origin[0] != other.origin[0]:
            return False
        return self.origin[1] == other.origin[1]

    def astype(self, dtype: Any) -> Any:
        """Convert: to a float by rounding, to an integer or bool where errors leave no choice."""
        wanted = np.dtype(dtype)
        widens = wanted != self.dtype and keeps(self.dtype, wanted)
        if self.stored is not None and (widens or not is_floating(wanted)):
            held = Bounded(self.stored, dtype=self.dtype)
            return held.astype(wanted) if not is_floating(wanted) else held._given(wanted)
        if is_floating(wanted):
            return self._rounded(wanted)
        if not np.all((self.error == 0) | self._decided(wanted)):
            raise RoundedConversionError("a conversion depends on rounding")
        return self.value.astype(wanted)

    def _given(self, wanted: np.dtype[Any]) -> Bounded:
        """Return numbers of a rule in a wider dtype; what is computed with them may be rounded."""
        precision = current_precision()
        error = precision.unit * np.abs(self.value) + precision.smallest
        return Bounded(self.value, error, wanted, stored=self.value)

    def _decided(self, wanted: np.dtype[Any]) -> Any:
        if kind_of(wanted) == "b":
            return np.abs(self.value) > self.error
        return np.trunc(self.value - self.error) == np.trunc(self.value + self.error)

    def _rounded(self, wanted: np.dtype[Any]) -> Bounded:
        if keeps(self.dtype, wanted):
            return Bounded(self.value, self.error, wanted, stored=self.stored)
        value = converted(self.value, wanted.name)
        farthest = converted(np.abs(self.value) + self.error, wanted.name)
        spacing = np.spacing(np.abs(value)) + np.spacing(farthest)
        error = np.where(self.error == 0, 0.0, self.error + spacing.astype(np.float64))
        # An overflow is not certain: what computes in a wider type on the way does not have it.
        error = np.where(np.isinf(value) & np.isfinite(self.value), np.inf, error)
        stored = None if self.stored is None else converted(self.stored, wanted.name)
        return Bounded(value, np.where(np.isnan(error), np.inf, error), wanted, stored=stored)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options or ufunc not in UFUNCS:
            raise self.refuse_ufunc(ufunc, method, options)
        dtype = result_dtype(inputs)
        operands = [lift(operand, dtype) for operand in inputs]
        result = UFUNCS[ufunc](ufunc, dtype, *operands)
        if isinstance(result, Bounded) and ufunc is not np.matmul and not result.is_exact:
            result.origin = _origin(ufunc, operands)
        return result

    def __repr__(self) -> str:
        return f"Bounded({self.value!r}, error={self.error!r}, dtype={self.dtype})"


def _origin(function: Any, operands: Sequence[Bounded]) -> Origin | None:
    """Return the origin of a function of the elements of one array, all others being numbers."""
    arrays = [operand for operand in operands if operand.ndim]
    if len(arrays) > 1:
        return None
    numbers = [None if o.ndim else (o.value.item(), o.error.item()) for o in operands]
    if not arrays:
        return (function, *numbers), np.float64(0.0)
    inner = (None, arrays[0].value) if arrays[0].is_exact else arrays[0].origin
    return None if inner is None else ((function, *numbers, inner[0]), inner[1])


def lift(operand: Any, dtype: Any) -> Bounded:
    """Give what is exact an error bound of zero; Python numbers take on `dtype`, as in NumPy.

    Those of attributes are read like constants: formats of models hold both in single precision.
    """
    if isinstance(operand, Bounded):
        return operand
    if type(operand) is float:
        return written(operand, dtype)
    return Bounded(np.asarray(operand, dtype if type(operand) is int else None))


def number(value: float, dtype: Any) -> Bounded:
    """Return a Python float as an array of rank 0, with an error unless it has few digits."""
    with np.errstate(all="ignore"):
        is_held = value == float(np.float32(value)) == float(np.dtype(dtype).type(value))
    if is_held or not np.isfinite(value):
        return Bounded(np.asarray(value, dtype))
    precision = current_precision()
    with np.errstate(all="ignore"):
        held = np.dtype(dtype).type(value)
    return Bounded(value, precision.unit * abs(value) + precision.smallest, dtype, stored=held)


def written(value: float, dtype: Any) -> Bounded:
    """Return a number that a rule writes, as `number` does where its digits say which one it is.

    One with the many digits that a narrower dtype shows, such as 0.16666667, or with all those of
    a number that the dtype holds, stands for every number that is rounded to the same one.
    """
    known, wanted = number(value, dtype), np.dtype(dtype)
    if wanted == np.float64 or not np.isfinite(value) or not _is_rounded(value, wanted):
        return known
    held = wanted.type(value)
    gap = float(np.spacing(np.abs(held))) / 2 + abs(float(held) - value)
    return Bounded(known.value, np.maximum(known.error, gap), wanted, stored=held)


@cache
def _is_rounded(value: float, dtype: np.dtype[Any]) -> bool:
    """Tell whether a number is written with the digits of one that was rounded to a dtype."""
    digits = len(Decimal(repr(value)).normalize().as_tuple().digits)
    bits, held = finfo(dtype).nmant + 1, dtype.type(value)
    if float(held) == value:
        return bool(digits > ceil(1 + bits * log10(2)))
    return digits > int((bits - 1) * log10(2)) and bool(float(str(held)) == value)


def result_dtype(operands: Any) -> np.dtype[Any]:
    """Return the dtype that NumPy promotes `operands` to; Python numbers do not widen."""
    return promoted(operands)
