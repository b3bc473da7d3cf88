"""Residues of known numbers, to hold against exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from gslverify.comparison.modular import PRIMES, Field, Modular
from gslverify.comparison.modular.array import Exponent, lifted

PRIME = PRIMES[0]


def field(seed: int = 0) -> Field:
    """Return a field with choices of its own."""
    return Field(PRIME, np.random.default_rng(seed))


def residue(value: Fraction | int) -> int:
    """Return a fraction modulo the prime."""
    exact = Fraction(value)
    return exact.numerator * pow(exact.denominator, -1, PRIME) % PRIME


def residues(values: Any) -> Any:
    """Return an array of fractions modulo the prime."""
    array = np.asarray(values, object)
    return np.array([residue(value) for value in array.flat], np.int64).reshape(array.shape)


def numbers(array: Any, where: Field, dtype: str = "float64") -> Modular:
    """Return whole numbers as if they were inputs, not constants."""
    constant = lifted(np.asarray(array, dtype), where)
    return Modular(where, constant.value, dtype, (1, 0))


def unknowns(shape: Any, where: Field, dtype: str = "float64") -> Modular:
    """Return independent unknowns."""
    value = where.generator.integers(0, where.prime, shape)
    inner = where.generator.integers(0, where.order, shape)
    return Modular(where, value, dtype, (1, 0), Exponent(inner, 1.0, 0))


def same(one: Any, other: Any) -> bool:
    """Tell whether two arrays of residues are equal."""
    return bool(np.array_equal(one.value, other.value))
