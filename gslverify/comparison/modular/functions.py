"""Functions of whole arrays modulo a prime: data movement, reductions, products."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from gsl.numpy_dtypes import promoted
from gslverify.comparison.modular.array import (
    FUNCTIONS,
    UFUNCS,
    Degree,
    Exponent,
    Modular,
    lifted,
    named_for,
    unknown,
)
from gslverify.comparison.modular.field import OutsideError
from gslverify.comparison.modular.ufuncs import (
    add,
    divide,
    largest,
    largest_of,
    multiply,
    negative,
    opposite,
)
from gslverify.comparison.movement import MOVEMENTS

Arguments = tuple[Any, ...]
Options = dict[str, Any]

HALF = 16
"""Bits of the lower part of a residue; sums of products with one part do not overflow."""
MOST_TERMS = 2**16


def _move(func: Any, args: Arguments, kwargs: Options) -> Any:
    whole, *rest = args
    if any(isinstance(part, Modular) for part in rest):
        raise OutsideError("residues are used as indices")
    if isinstance(whole, list | tuple):
        return _joined(func, whole, rest, kwargs)
    return whole.moved(lambda array: func(array, *rest, **kwargs))


def _joined(func: Any, parts: Any, rest: list[Any], kwargs: Options) -> Modular:
    field = next(part.field for part in parts if isinstance(part, Modular))
    lifts = [lifted(part, field) for part in parts]
    dtype = promoted(lifts)
    value = func([part.value for part in lifts], *rest, **kwargs)
    exponent = None
    exponents = [part.exponent for part in lifts if part.exponent is not None]
    if len(exponents) == len(lifts):
        inner = func([one.value for one in exponents], *rest, **kwargs)
        exponent = _widest(inner, *exponents)
    return Modular(field, value, dtype, _highest(*lifts), exponent)


def _widest(inner: Any, *exponents: Exponent) -> Exponent:
    weight = max(one.weight for one in exponents)
    return Exponent(inner, weight, max(one.grain for one in exponents))


def _highest(*parts: Modular) -> Degree:
    return max(part.degree[0] for part in parts), max(part.degree[1] for part in parts)


def _pad(func: Any, args: Arguments, kwargs: Options) -> Modular:
    data, sides, *others = args
    if others or kwargs.keys() - {"constant_values"}:
        raise OutsideError("padding that is not constant is not followed modulo a prime")
    filling = lifted(kwargs.get("constant_values", 0), data.field, data.dtype)
    exponent = None
    if data.exponent is not None and filling.exponent is not None:
        inner = np.pad(data.exponent.value, sides, constant_values=filling.exponent.value)
        exponent = _widest(inner, data.exponent, filling.exponent)
    value = np.pad(data.value, sides, constant_values=filling.value)
    return Modular(data.field, value, data.dtype, data.degree, exponent)


def _sum(func: Any, args: Arguments, kwargs: Options) -> Modular:
    operand, options = args[0], _options(kwargs)
    field = operand.field
    value = func(operand.value, *args[1:], **options) % field.prime
    terms = operand.size if func is np.cumsum else _terms(operand, value)
    exponent = operand.exponent
    if exponent is not None:
        inner = func(exponent.value, *args[1:], **options) % field.order
        exponent = Exponent(inner, exponent.weight * terms, exponent.grain)
    degree = _sum_degree(operand.degree, terms)
    return Modular(field, value, operand.dtype, degree, exponent)


def _sum_degree(degree: Degree, terms: int) -> Degree:
    return degree[0] + max(0, terms - 1) * degree[1], terms * degree[1]


def _options(kwargs: Options) -> Options:
    return {name: value for name, value in kwargs.items() if name != "dtype"}


def _terms(operand: Modular, result: Any) -> int:
    return int(operand.size // max(1, np.size(result)))


def _mean(func: Any, args: Arguments, kwargs: Options) -> Modular:
    total = _sum(np.sum, args, kwargs)
    count = float(_terms(args[0], total.value))
    return divide(total.dtype, total, lifted(count, total.field, total.dtype))


def _lanes(operand: Modular, axis: Any = None, keepdims: bool = False) -> tuple[Any, Any]:
    """Return the reduced elements along a first axis, and how to shape the result."""
    every = range(operand.ndim) if axis is None else np.atleast_1d(axis)
    axes = sorted(int(one) % operand.ndim for one in every)
    kept = [one for one in range(operand.ndim) if one not in axes]
    sizes = [operand.shape[one] for one in kept]
    count = prod(operand.shape[one] for one in axes)
    lanes = np.reshape(np.transpose(operand.value, [*axes, *kept]), (count, *sizes))
    if not keepdims:
        return lanes, sizes
    return lanes, [1 if one in axes else size for one, size in enumerate(operand.shape)]


def _largest(func: Any, args: Arguments, kwargs: Options) -> Modular:
    operand: Modular = args[0]
    options = _options(kwargs)
    lanes, shape = _lanes(operand, *args[1:], **options)
    if len(lanes) == 1:
        return operand.moved(lambda array: np.reshape(array, shape))
    if len(lanes) == 2:
        one, other = (Modular(operand.field, lane, operand.dtype, operand.degree) for lane in lanes)
        result = largest(operand.dtype, one, other)
    else:
        result = largest_of(operand.dtype, operand, operand, lanes)
    return result.moved(lambda array: np.reshape(array, shape))


def _smallest(func: Any, args: Arguments, kwargs: Options) -> Modular:
    turned = _largest(func, (negative(args[0].dtype, args[0]), *args[1:]), kwargs)
    return negative(turned.dtype, turned)


def _product(func: Any, args: Arguments, kwargs: Options) -> Modular:
    operand = args[0]
    lanes, shape = _lanes(operand, *args[1:], **_options(kwargs))
    value = np.ones(lanes.shape[1:], np.int64)
    for lane in lanes:
        value = value * lane % operand.field.prime
    degree = operand.degree[0] * len(lanes), operand.degree[1] * len(lanes)
    return Modular(operand.field, np.reshape(value, shape), operand.dtype, degree)


def _place(func: Any, args: Arguments, kwargs: Options) -> Modular:
    operand = args[0]
    lanes, shape = _lanes(operand, *args[1:], **_options(kwargs))
    named = named_for(func.__name__, operand.dtype)
    state = operand.field.keyed(named, list(lanes), sum(operand.degree))
    return unknown(operand.field, np.reshape(state, shape), np.int64)


def _einsum(func: Any, args: Arguments, kwargs: Options) -> Modular:
    equation, *arrays = args
    field = next(array.field for array in arrays if isinstance(array, Modular))
    if len(arrays) == 1:
        (only,) = arrays
        value = np.einsum(equation, only.value) % field.prime
        degree = _sum_degree(only.degree, max(1, only.size))
        return Modular(field, value, only.dtype, degree)
    if len(arrays) > 2:
        raise OutsideError("a product of more than two tensors is not followed modulo a prime")
    left, right = (lifted(array, field) for array in arrays)
    letters, result = equation.replace(" ", "").split("->")
    names = letters.split(",")
    sizes = dict(zip(names[0], left.shape, strict=True))
    sizes.update(zip(names[1], right.shape, strict=True))
    terms = int(np.prod([size for name, size in sizes.items() if name not in result]))
    return _bilinear(lambda one, other: np.einsum(equation, one, other), left, right, terms)


def matrix_product(dtype: Any, left: Modular, right: Modular) -> Modular:
    """Multiply matrices of residues."""
    return _bilinear(np.matmul, left, right, left.shape[-1])


def _bilinear(compute: Any, left: Modular, right: Modular, terms: int) -> Modular:
    if terms >= MOST_TERMS:
        raise OutsideError("a sum has too many products")
    prime = left.field.prime
    high = compute(left.value >> HALF, right.value) % prime
    low = compute(left.value & (2**HALF - 1), right.value) % prime
    product = left.degree[0] + right.degree[0], left.degree[1] + right.degree[1]
    dtype = promoted((left, right))
    value = ((high << HALF) + low) % prime
    return Modular(left.field, value, dtype, _sum_degree(product, terms))


def _where(func: Any, args: Arguments, kwargs: Options) -> Modular:
    condition, *choices = args
    field = next(part.field for part in args if isinstance(part, Modular))
    dtype = promoted(choices)
    then, otherwise = (lifted(choice, field, dtype) for choice in choices)
    if isinstance(condition, Modular):
        taken = multiply(dtype, condition, then)
        return add(dtype, taken, multiply(dtype, opposite(None, condition), otherwise))
    value = np.where(condition, then.value, otherwise.value)
    exponent = None
    if then.exponent is not None and otherwise.exponent is not None:
        inner = np.where(condition, then.exponent.value, otherwise.exponent.value)
        exponent = _widest(inner, then.exponent, otherwise.exponent)
    return Modular(field, value, dtype, _highest(then, otherwise), exponent)


def _filled(func: Any, args: Arguments, kwargs: Options) -> Modular:
    like = args[0]
    filled = func(like.value, *args[1:], **{"dtype": like.dtype, **kwargs})
    return lifted(filled, like.field)


UFUNCS[np.matmul] = matrix_product
FUNCTIONS.update(
    {
        np.sum: _sum,
        np.cumsum: _sum,
        np.mean: _mean,
        np.prod: _product,
        np.max: _largest,
        np.min: _smallest,
        np.argmax: _place,
        np.argmin: _place,
        np.einsum: _einsum,
        np.where: _where,
        np.pad: _pad,
        np.zeros_like: _filled,
        np.ones_like: _filled,
        np.full_like: _filled,
    }
)
FUNCTIONS.update(dict.fromkeys(MOVEMENTS, _move))
