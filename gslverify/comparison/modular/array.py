"""The array type; what functions do with it is registered by `ufuncs` and `functions`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gsl.numpy_dtypes import is_floating, keeps, kind_of, promoted
from gslverify.comparison.followed_array import FollowedArray, FunctionRule
from gslverify.comparison.modular.field import Field, OutsideError

UfuncRule = Callable[..., Any]
"""Takes the dtype of the result by the rules of NumPy and the lifted operands."""

UFUNCS: dict[Any, UfuncRule] = {}
FUNCTIONS: dict[Any, FunctionRule] = {}

FINEST = 8
"""Coefficients of exponents are multiples of 2 to the power of -FINEST."""
MOST = 2.0**20
"""The largest sum of coefficients of an exponent."""

Degree = tuple[int, int]
"""Bounds of the degrees of numerator and denominator of the elements as rational functions."""

CONSTANT: Degree = (0, 0)


@dataclass(frozen=True, slots=True)
class Exponent:
    """Elements as linear functions, so that exponentials of them can be multiplied.

    `weight` bounds the sum of the absolute coefficients, which are multiples of 2 ** -grain.
    """

    value: Any
    weight: float
    grain: int


class Modular(FollowedArray):
    """Residues, the dtype that they stand for, and their degree as functions of the inputs.

    `exponent` is None for what is not linear; `known` has the values of constants.
    """

    __slots__ = ("degree", "exponent", "field", "known")
    functions = FUNCTIONS
    refusal = OutsideError

    def __init__(
        self,
        field: Field,
        value: Any,
        dtype: Any,
        degree: Degree,
        exponent: Exponent | None = None,
        known: Any = None,
    ) -> None:
        self.field = field
        self.value = np.asarray(value)
        self.dtype = np.dtype(dtype)
        self.degree = degree
        usable = exponent is not None and exponent.grain <= FINEST and exponent.weight <= MOST
        self.exponent = exponent if usable else None
        self.known = known

    def __getitem__(self, index: Any) -> Modular:
        return self.moved(lambda array: array[index])

    def moved(self, move: Callable[[Any], Any]) -> Modular:
        """Return the elements after a movement of data."""
        exponent = self.exponent
        if exponent is not None:
            exponent = Exponent(move(exponent.value), exponent.weight, exponent.grain)
        known = None if self.known is None else move(self.known)
        return Modular(self.field, move(self.value), self.dtype, self.degree, exponent, known)

    def astype(self, dtype: Any) -> Modular:
        """Convert; what may round, wrap or cut off is a function of its own."""
        wanted = np.dtype(dtype)
        if kind_of(wanted) == "b" and kind_of(self.dtype) != "b":
            nonzero: Modular = np.not_equal(self, 0)  # type: ignore[assignment]
            return nonzero
        if not _keeps(self.dtype, wanted):
            return function(f"as {wanted}", wanted, self)
        return Modular(self.field, self.value, wanted, self.degree, self.exponent, self.known)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options or ufunc not in UFUNCS:
            raise self.refuse_ufunc(ufunc, method, options)
        dtype = promoted(inputs)
        return UFUNCS[ufunc](dtype, *(lifted(operand, self.field, dtype) for operand in inputs))

    def __repr__(self) -> str:
        return f"Modular({self.value!r}, dtype={self.dtype}, degree={self.degree})"


def _keeps(source: np.dtype[Any], wanted: np.dtype[Any]) -> bool:
    """Tell whether a conversion keeps numbers, or wraps them as sums and products allow."""
    if source == wanted or kind_of(source) == "b":
        return True
    if is_floating(source):
        return is_floating(wanted) and keeps(source, wanted)
    return kind_of(wanted) in "iu" and wanted.itemsize <= source.itemsize


def lifted(operand: Any, field: Field, dtype: Any = None) -> Modular:
    """Return anything as residues; Python numbers take on `dtype`, as in NumPy."""
    if isinstance(operand, Modular):
        return operand
    is_number = type(operand) in (int, float)
    array = np.asarray(operand)
    if not is_floating(array.dtype):
        wide = array.astype(np.uint64 if kind_of(array.dtype) == "u" else np.int64)
        value = (wide % field.prime).astype(np.int64)
        inner = (wide % field.order).astype(np.int64)
        exact = array.astype(np.float64)
    else:
        if not np.all(np.isfinite(array)):
            raise OutsideError("a constant is not finite")
        exact = array.astype(np.float64)
        value, inner = field.dyadic(exact, field.prime), field.dyadic(exact, field.order)
    grain = next((g for g in range(FINEST + 1) if not np.any(exact * 2.0**g % 1.0)), FINEST + 1)
    weight = float(np.max(np.abs(exact), initial=0.0))
    kind = dtype if is_number and dtype is not None else array.dtype
    return Modular(field, value, kind, CONSTANT, Exponent(inner, weight, grain), exact)


def function(name: str, dtype: Any, *operands: Modular) -> Modular:
    """Return a function about which nothing is known but that equal arguments give equal values.

    Functions of integers depend on their dtype, too, in which the arguments wrap.
    """
    field = operands[0].field
    arrays = np.broadcast_arrays(*(operand.value for operand in operands))
    named = named_for(name, operands[0].dtype)
    return unknown(field, field.keyed(named, arrays, spread(operands)), dtype)


def named_for(name: str, dtype: np.dtype[Any]) -> str:
    """Return the name of a function of reals, or of one of integers of a dtype."""
    return name if is_floating(dtype) else f"{name} of {dtype}"


def spread(operands: tuple[Modular, ...]) -> int:
    """Return the degree of the difference of two arguments."""
    return max(sum(operand.degree) for operand in operands)


def unknown(field: Field, state: Any, dtype: Any) -> Modular:
    """Return 64 random bits for each element as an unknown."""
    value = (state % np.uint64(field.prime)).astype(np.int64)
    mixed = (state >> np.uint64(16)) % np.uint64(field.order)
    return Modular(field, value, dtype, (1, 0), Exponent(mixed.astype(np.int64), 1.0, 0))
