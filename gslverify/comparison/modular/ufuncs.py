"""Functions of the elements at one place, modulo a prime."""

from __future__ import annotations

from typing import Any

import numpy as np

from gsl.operators.elementwise import ERF
from gslverify.comparison.modular.array import (
    FINEST,
    UFUNCS,
    Degree,
    Exponent,
    Modular,
    function,
    lifted,
    named_for,
    spread,
    unknown,
)

BOOL = np.dtype(bool)


def sum_degree(left: Degree, right: Degree) -> Degree:
    """Return the degree of a sum of two fractions."""
    return max(left[0] + right[1], right[0] + left[1]), left[1] + right[1]


def add(dtype: Any, left: Modular, right: Modular) -> Modular:
    """Add residues."""
    field = left.field
    value = (left.value + right.value) % field.prime
    exponent = None
    one, other = left.exponent, right.exponent
    if one is not None and other is not None:
        inner = (one.value + other.value) % field.order
        exponent = Exponent(inner, one.weight + other.weight, max(one.grain, other.grain))
    return Modular(field, value, dtype, sum_degree(left.degree, right.degree), exponent)


def negative(dtype: Any, operand: Modular) -> Modular:
    """Negate residues."""
    field, exponent = operand.field, operand.exponent
    if exponent is not None:
        exponent = Exponent(-exponent.value % field.order, exponent.weight, exponent.grain)
    return Modular(field, -operand.value % field.prime, dtype, operand.degree, exponent)


def subtract(dtype: Any, left: Modular, right: Modular) -> Modular:
    """Subtract residues."""
    return add(dtype, left, negative(dtype, right))


def multiply(dtype: Any, left: Modular, right: Modular) -> Modular:
    """Multiply residues; a multiple of something linear stays linear."""
    field = left.field
    degree = left.degree[0] + right.degree[0], left.degree[1] + right.degree[1]
    one, other = left.exponent, right.exponent
    exponent = None
    has_constant = left.known is not None or right.known is not None
    if has_constant and one is not None and other is not None:
        inner = one.value * other.value % field.order
        exponent = Exponent(inner, one.weight * other.weight, one.grain + other.grain)
    return Modular(field, left.value * right.value % field.prime, dtype, degree, exponent)


def divide(dtype: Any, left: Modular, right: Modular) -> Modular:
    """Multiply by the inverse."""
    field = right.field
    if right.known is not None and np.all(np.abs(np.frexp(right.known)[0]) == 0.5):
        return multiply(dtype, left, lifted(1.0 / right.known, field))
    degree = right.degree[1], right.degree[0]
    return multiply(dtype, left, Modular(field, field.inverse(right.value), dtype, degree))


def square(dtype: Any, operand: Modular) -> Modular:
    """Multiply residues by themselves."""
    return multiply(dtype, operand, operand)


def exponential(dtype: Any, operand: Modular) -> Modular:
    """Return a power of the base where the exponent is linear in unknowns, else a function.

    As a function of the powers of the unknowns to the parts 2 ** -FINEST it is a monomial.
    """
    exponent = operand.exponent
    if exponent is None:
        return function("exp", dtype, operand)
    degree = int(exponent.weight * 2**FINEST) + 1
    return Modular(operand.field, operand.field.power(exponent.value), dtype, (degree, degree))


def hyperbolic_tangent(dtype: Any, operand: Modular) -> Modular:
    """Return (exp(2x) - 1) / (exp(2x) + 1), where exp obeys its law."""
    if operand.exponent is None:
        return function("tanh", dtype, operand)
    one = lifted(1.0, operand.field, dtype)
    power = exponential(dtype, add(dtype, operand, operand))
    return divide(dtype, subtract(dtype, power, one), add(dtype, power, one))


def largest(dtype: Any, left: Modular, right: Modular) -> Modular:
    """Return a function of two arguments in any order, which is one of them if they are equal."""
    arrays = np.stack(np.broadcast_arrays(left.value, right.value))
    same = arrays[0] == arrays[1]
    if same.all() and left.shape == same.shape:
        return left
    result = largest_of(dtype, left, right, arrays)
    if not same.any():
        return result
    value = np.where(same, arrays[0], result.value)
    degree = max(1, left.degree[0]), left.degree[1]
    return Modular(left.field, value, dtype, degree)


def largest_of(dtype: Any, left: Modular, right: Modular, arrays: Any) -> Modular:
    """Return a function of the elements along the first axis of residues, in any order."""
    field = left.field
    named = named_for("max", left.dtype)
    states = field.keyed(named, [arrays], spread((left, right)))
    total = np.sum(states, axis=0, dtype=np.uint64)
    return unknown(field, field.keyed(f"{named} of all", [total], 0), dtype)


def smallest(dtype: Any, left: Modular, right: Modular) -> Modular:
    """Return the negated largest of the negated elements."""
    return negative(dtype, largest(dtype, negative(dtype, left), negative(dtype, right)))


def absolute(dtype: Any, operand: Modular) -> Modular:
    """Return the larger of an element and its negative."""
    return largest(dtype, operand, negative(dtype, operand))


def is_equal(dtype: Any, left: Modular, right: Modular) -> Modular:
    """Return an unknown that does not depend on the order; 1 if the arguments are equal."""
    arrays = np.stack(np.broadcast_arrays(left.value, right.value))
    state = left.field.keyed(named_for("equal", left.dtype), [arrays], spread((left, right)))
    result = unknown(left.field, np.sum(state, axis=0, dtype=np.uint64), BOOL)
    value = np.where(arrays[0] == arrays[1], 1, result.value)
    return Modular(left.field, value, BOOL, (1, 0))


def is_less(dtype: Any, left: Modular, right: Modular) -> Modular:
    """Return an unknown; 0 if the arguments are equal."""
    result = function("less", BOOL, left, right)
    value = np.where(left.value == right.value, 0, result.value)
    return Modular(left.field, value, BOOL, (1, 0))


def opposite(dtype: Any, operand: Modular) -> Modular:
    """Return 1 minus a truth value."""
    return subtract(BOOL, lifted(np.ones((), bool), operand.field), operand)


def both(dtype: Any, left: Modular, right: Modular) -> Modular:
    """Return the product of two truth values, which are their own squares."""
    product = multiply(BOOL, left, right)
    value = np.where(left.value == right.value, left.value, product.value)
    return Modular(left.field, value, BOOL, product.degree)


def either(dtype: Any, left: Modular, right: Modular) -> Modular:
    """Return what is not true only if neither is."""
    return opposite(BOOL, both(BOOL, opposite(BOOL, left), opposite(BOOL, right)))


UFUNCS.update(
    {
        np.add: add,
        np.subtract: subtract,
        np.negative: negative,
        np.multiply: multiply,
        np.divide: divide,
        np.square: square,
        np.exp: exponential,
        np.tanh: hyperbolic_tangent,
        np.maximum: largest,
        np.minimum: smallest,
        np.absolute: absolute,
        np.equal: is_equal,
        np.not_equal: lambda dtype, *operands: opposite(dtype, is_equal(dtype, *operands)),
        np.less: is_less,
        np.greater: lambda dtype, left, right: is_less(dtype, right, left),
        np.less_equal: lambda dtype, left, right: opposite(dtype, is_less(dtype, right, left)),
        np.greater_equal: lambda dtype, *operands: opposite(dtype, is_less(dtype, *operands)),
        np.logical_and: both,
        np.logical_or: either,
        np.logical_not: opposite,
    }
)


def _uninterpreted(name: str) -> Any:
    return lambda dtype, *operands: function(name, dtype, *operands)


for ufunc in (
    *(np.log, np.sqrt, np.sin, np.cos, np.power, np.floor_divide),
    *(np.floor, np.ceil, np.rint, np.trunc, np.sign),
    *(np.tan, np.arcsin, np.arccos, np.arctan, np.sinh, np.cosh, np.arcsinh, np.arccosh),
    *(np.arctanh, np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.left_shift, np.right_shift),
):
    UFUNCS[ufunc] = _uninterpreted(ufunc.__name__)
UFUNCS[ERF] = _uninterpreted("erf")
