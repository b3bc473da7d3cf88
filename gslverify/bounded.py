"""Arrays that carry a bound on their rounding error (running error analysis).

The NumPy references of the operators run on them unchanged. A value is kept in float64; `error`
bounds its distance from what exact real arithmetic would give. Sums and products of integers
below the exact limit add no error at all, so on integer inputs a polynomial rule compares exactly.

Source: N. J. Higham, Accuracy and Stability of Numerical Algorithms, section 3.3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from gsl.errors import GslError


@dataclass(frozen=True, slots=True)
class Precision:
    """How a machine rounds.

    Unit roundoff, largest exact integer, error of a function in units of roundoff, largest number
    and smallest positive one.
    """

    unit: float
    exact: float
    function_units: float
    largest: float
    smallest: float


PRECISIONS: Mapping[str, Precision] = {
    "float64": Precision(2.0**-53, 2.0**53, 8.0, 2.0**1023, 2.0**-1074),
    "float32": Precision(2.0**-24, 2.0**24, 32.0, 2.0**127, 2.0**-149),
    "float16": Precision(2.0**-11, 2.0**11, 64.0, 2.0**15, 2.0**-24),
}

_PRECISION: ContextVar[Precision] = ContextVar("precision", default=PRECISIONS["float64"])


@contextmanager
def rounding_like(dtype: str) -> Any:
    """Bound the errors of a machine that computes in `dtype`, while values stay in float64."""
    token = _PRECISION.set(PRECISIONS[dtype])
    try:
        yield
    finally:
        _PRECISION.reset(token)


class AmbiguousError(GslError):
    """A decision, such as a comparison, lies within the error bound: nothing can be concluded."""


class Bounded(NDArrayOperatorsMixin):
    """Values in float64 with a bound on the error of each, and the dtype they stand for."""

    __slots__ = ("dtype", "error", "value")

    def __init__(self, value: Any, error: Any = None, dtype: Any = None) -> None:
        array = np.asarray(value)
        self.dtype = np.dtype(array.dtype if dtype is None else dtype)
        self.value = array.astype(np.float64)
        self.error = np.zeros(array.shape) if error is None else np.asarray(error, np.float64)

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes."""
        return self.value.shape

    @property
    def ndim(self) -> int:
        """The rank."""
        return self.value.ndim

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.value.size

    @property
    def is_exact(self) -> bool:
        """Whether no element has an error."""
        return not self.error.any()

    def __getitem__(self, index: Any) -> Bounded:
        return Bounded(self.value[index], self.error[index], self.dtype)

    def __len__(self) -> int:
        return len(self.value)

    def astype(self, dtype: Any) -> Any:
        """Convert: to an integer or bool exactly, to a narrower float by rounding the values."""
        wanted = np.dtype(dtype)
        if wanted.kind != "f":
            if not self.is_exact:
                self._require_same(lambda array: array.astype(wanted))
            return self.value.astype(wanted)
        if wanted.itemsize >= self.dtype.itemsize:
            return Bounded(self.value, self.error, wanted)
        rounded = self.value.astype(wanted).astype(np.float64)
        spacing = np.abs(np.spacing(rounded.astype(wanted)).astype(np.float64))
        error = np.where(self.error > 0, self.error + spacing, 0.0)
        return Bounded(rounded, error, wanted)

    def _require_same(self, decide: Callable[[Any], Any]) -> None:
        low, high = decide(self.value - self.error), decide(self.value + self.error)
        if not np.array_equal(low, high):
            raise AmbiguousError("a conversion depends on rounding")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options:
            return NotImplemented
        operands = _lift_together(inputs)
        rule = _UFUNCS.get(ufunc, None)
        if rule is not None:
            return rule(ufunc, *operands)
        if ufunc in _DECISIONS:
            return _decide(ufunc, *operands)
        return _function(ufunc, *operands)

    def __array_function__(
        self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        rule = _FUNCTIONS.get(func)
        if rule is None:
            return NotImplemented
        return rule(func, args, kwargs)

    def __repr__(self) -> str:
        return f"Bounded({self.value!r}, error={self.error!r}, dtype={self.dtype})"


def _lift(operand: Any) -> Bounded:
    return operand if isinstance(operand, Bounded) else Bounded(operand)


def _lift_together(operands: Sequence[Any]) -> list[Bounded]:
    """Lift operands; as in NumPy, Python numbers are rounded to the dtype of those beside them."""
    dtype = _result_dtype([operand for operand in operands if isinstance(operand, Bounded)])
    return [
        Bounded(np.asarray(operand, dtype)) if type(operand) in (int, float) else _lift(operand)
        for operand in operands
    ]


def _result_dtype(operands: Sequence[Bounded]) -> np.dtype[Any]:
    """Return the widest floating dtype; Python scalars and integers do not widen."""
    floats = [operand.dtype for operand in operands if operand.dtype.kind == "f"]
    sized = [o.dtype for o in operands if o.dtype.kind == "f" and o.ndim > 0]
    return np.result_type(*(sized or floats or [np.dtype(np.float64)]))


def multilinear(
    compute: Callable[..., Any],
    magnitude: Callable[..., Any],
    operands: Sequence[Bounded],
    terms: int,
) -> Bounded:
    """Bound a sum of `terms` products; `magnitude` computes the same on absolute values."""
    precision = _PRECISION.get()
    value = compute(*(operand.value for operand in operands))
    absolute = magnitude(*(np.abs(operand.value) for operand in operands))
    exact = _all_integral(operands) and bool(np.all(absolute < precision.exact))
    if exact and all(operand.is_exact for operand in operands):
        return Bounded(value, np.zeros(np.shape(value)), _result_dtype(operands))
    widest = magnitude(*(np.abs(operand.value) + operand.error for operand in operands))
    propagated = np.where(widest > absolute, widest - absolute, 0.0)
    safety = 2.0 * (terms + 2)
    rounding = safety * (precision.unit * widest + precision.smallest)
    return Bounded(value, _unbounded_beyond(widest, propagated + rounding), _result_dtype(operands))


def _unbounded_beyond(magnitude: Any, error: Any) -> Any:
    """Return the error, infinite where the machine overflows or nothing is known."""
    legal = (magnitude <= _PRECISION.get().largest) & ~np.isnan(error)
    return np.where(legal, error, np.inf)


def _all_integral(operands: Sequence[Bounded]) -> bool:
    return all(bool(np.all(np.floor(operand.value) == operand.value)) for operand in operands)


def _sum_rule(ufunc: Any, left: Bounded, right: Bounded) -> Bounded:
    return multilinear(ufunc, np.add, [left, right], 2)


def _product_rule(ufunc: Any, left: Bounded, right: Bounded) -> Bounded:
    return multilinear(np.multiply, np.multiply, [left, right], 1)


def _square_rule(ufunc: Any, operand: Bounded) -> Bounded:
    return multilinear(np.multiply, np.multiply, [operand, operand], 1)


def _keep_error(ufunc: Any, operand: Bounded) -> Bounded:
    return Bounded(ufunc(operand.value), operand.error, operand.dtype)


def _extremum(ufunc: Any, left: Bounded, right: Bounded) -> Bounded:
    error = np.maximum(*np.broadcast_arrays(left.error, right.error))
    return Bounded(ufunc(left.value, right.value), error, _result_dtype([left, right]))


def _lipschitz(ufunc: Any, operand: Bounded) -> Bounded:
    precision = _PRECISION.get()
    value = ufunc(operand.value)
    error = operand.error + precision.function_units * precision.unit * (1.0 + np.abs(value))
    return Bounded(value, error, operand.dtype)


def _step(ufunc: Any, operand: Bounded) -> Bounded:
    """Floor, ceil, round, sign: exact unless the bound crosses a jump."""
    value = ufunc(operand.value)
    low, high = ufunc(operand.value - operand.error), ufunc(operand.value + operand.error)
    return Bounded(value, np.maximum(np.abs(high - value), np.abs(value - low)), operand.dtype)


def _function(ufunc: Any, *operands: Bounded) -> Bounded:
    """Bound a function that is monotone in each operand within the error of that operand."""
    precision = _PRECISION.get()
    value = _float(ufunc(*(operand.value for operand in operands)))
    spread = np.zeros(np.shape(value))
    if not all(operand.is_exact for operand in operands):
        for signs in np.ndindex(*(2,) * len(operands)):
            corner = [o.value + (1 - 2 * s) * o.error for o, s in zip(operands, signs, strict=True)]
            spread = np.maximum(spread, np.abs(_float(ufunc(*corner)) - value))
    rounding = precision.unit * np.abs(value) + precision.smallest
    error = _unbounded_beyond(np.abs(value), 2.0 * spread + precision.function_units * rounding)
    return Bounded(value, error, _result_dtype(operands))


def _float(value: Any) -> Any:
    return np.asarray(value).astype(np.float64)


def _quotient(ufunc: Any, left: Bounded, right: Bounded) -> Bounded:
    result = _function(np.divide, left, right)
    near_zero = np.abs(right.value) <= right.error
    uncertain = near_zero & (right.error > 0)
    error = np.where(uncertain, np.inf, result.error)
    return Bounded(result.value, error, result.dtype)


def _decide(ufunc: Any, *operands: Bounded) -> Any:
    if not all(operand.is_exact for operand in operands):
        gap = np.abs(operands[0].value - operands[-1].value)
        if bool(np.any(gap <= operands[0].error + operands[-1].error)):
            raise AmbiguousError("a comparison depends on rounding")
    return ufunc(*(operand.value for operand in operands))


def _matmul_rule(ufunc: Any, left: Bounded, right: Bounded) -> Bounded:
    return multilinear(np.matmul, np.matmul, [left, right], left.shape[-1])


_DECISIONS = frozenset(
    {np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal}
)

_UFUNCS: Mapping[Any, Callable[..., Bounded]] = {
    np.add: _sum_rule,
    np.subtract: _sum_rule,
    np.multiply: _product_rule,
    np.square: _square_rule,
    np.negative: _keep_error,
    np.positive: _keep_error,
    np.absolute: _keep_error,
    np.maximum: _extremum,
    np.minimum: _extremum,
    np.divide: _quotient,
    np.sin: _lipschitz,
    np.cos: _lipschitz,
    np.tanh: _lipschitz,
    np.floor: _step,
    np.ceil: _step,
    np.rint: _step,
    np.round: _step,
    np.trunc: _step,
    np.sign: _step,
    np.matmul: _matmul_rule,
}

Rule = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]


def _move(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Data movement: values and errors go the same way."""
    whole = args[0]
    parts = [_lift(part) for part in whole] if isinstance(whole, list | tuple) else [_lift(whole)]
    dtype = _result_dtype(parts)
    values: Any = [part.value for part in parts]
    errors: Any = [part.error for part in parts]
    if not isinstance(whole, list | tuple):
        values, errors = values[0], errors[0]
    moved = func(values, *args[1:], **kwargs)
    moved_errors = func(errors, *args[1:], **_without_fill(kwargs))
    if isinstance(moved, list | tuple):
        return [Bounded(v, e, dtype) for v, e in zip(moved, moved_errors, strict=True)]
    return Bounded(moved, moved_errors, dtype)


def _without_fill(kwargs: dict[str, Any]) -> dict[str, Any]:
    return {**kwargs, "constant_values": 0.0} if "constant_values" in kwargs else kwargs


def _reduced_terms(operand: Bounded, result: Any) -> int:
    return max(1, operand.size // max(1, np.size(result)))


def _linear_reduction(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    operand = _lift(args[0])
    options = {name: value for name, value in kwargs.items() if name != "dtype"}

    def compute(array: Any) -> Any:
        return func(array, *args[1:], **options)

    terms = operand.size if func is np.cumsum else _reduced_terms(operand, compute(operand.value))
    return multilinear(compute, compute, [operand], terms)


def _mean(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    options = {name: value for name, value in kwargs.items() if name != "dtype"}
    operand = _lift(args[0])
    total = _linear_reduction(np.sum, args, options)
    terms = Bounded(_reduced_terms(operand, total.value), dtype=total.dtype)
    return total / terms


def _product(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    operand = _lift(args[0])
    options = {name: value for name, value in kwargs.items() if name != "dtype"}

    def compute(array: Any) -> Any:
        return func(array, *args[1:], **options)

    return multilinear(compute, compute, [operand], operand.size)


def _extreme_reduction(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    operand = _lift(args[0])
    value = func(operand.value, *args[1:], **kwargs)
    options = {name: part for name, part in kwargs.items() if name != "initial"}
    return Bounded(value, np.max(operand.error, *args[1:], **options), operand.dtype)


def _arg_extreme(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    operand = _lift(args[0])
    if not operand.is_exact:
        raise AmbiguousError("the place of an extremum depends on rounding")
    return func(operand.value, *args[1:], **kwargs)


def _einsum(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    equation, *arrays = args
    operands = [_lift(array) for array in arrays]

    def compute(*values: Any) -> Any:
        return np.einsum(equation, *values)

    terms = _contracted_size(equation, operands)
    return multilinear(compute, compute, operands, terms)


def _contracted_size(equation: str, operands: Sequence[Bounded]) -> int:
    inputs, output = equation.replace(" ", "").split("->")
    sizes: dict[str, int] = {}
    for letters, operand in zip(inputs.split(","), operands, strict=True):
        sizes.update(zip(letters, operand.shape, strict=True))
    contracted = [size for letter, size in sizes.items() if letter not in output]
    return int(np.prod(contracted, dtype=np.int64)) if contracted else 1


def _where(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    condition, then, otherwise = args[0], _lift(args[1]), _lift(args[2])
    value = np.where(condition, then.value, otherwise.value)
    error = np.where(condition, then.error, otherwise.error)
    return Bounded(value, error, _result_dtype([then, otherwise]))


def _filled(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    operand = _lift(args[0])
    options = {"dtype": operand.dtype, **kwargs}
    filled = func(operand.value, *args[1:], **options)
    return Bounded(filled) if filled.dtype.kind == "f" else filled


_FUNCTIONS: dict[Any, Rule] = {
    np.sum: _linear_reduction,
    np.cumsum: _linear_reduction,
    np.mean: _mean,
    np.prod: _product,
    np.max: _extreme_reduction,
    np.min: _extreme_reduction,
    np.argmax: _arg_extreme,
    np.argmin: _arg_extreme,
    np.einsum: _einsum,
    np.where: _where,
    np.zeros_like: _filled,
    np.ones_like: _filled,
    np.full_like: _filled,
}
_FUNCTIONS.update(
    dict.fromkeys(
        (
            np.reshape,
            np.transpose,
            np.concatenate,
            np.stack,
            np.pad,
            np.take,
            np.take_along_axis,
            np.broadcast_to,
            np.expand_dims,
            np.squeeze,
            np.flip,
            np.repeat,
            np.tile,
            np.split,
            np.tril,
            np.triu,
            np.lib.stride_tricks.sliding_window_view,
        ),
        _move,
    )
)
