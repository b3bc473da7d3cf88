"""Fields: primes, inverses, powers and functions with a key."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from gslverify.comparison.modular import PRIMES, Field, VanishingError
from gslverify.comparison.modular.field import scrambled
from tests.gslverify.comparison.modular.residues import field, residue


def is_prime(number: int) -> bool:
    return number > 1 and all(number % low for low in range(2, int(number**0.5) + 1))


@pytest.mark.parametrize("prime", PRIMES)
def test_primes_are_safe(prime: int) -> None:
    assert 2**30 < prime < 2**31
    assert is_prime(prime)
    assert is_prime(prime // 2)


def test_the_larger_mersenne_prime_has_no_large_subgroup() -> None:
    """Why it is not among the primes."""
    factors = [low for low in range(2, 1000) if is_prime(low) and (2**31 - 2) % low == 0]
    assert max(factors) == 331
    assert np.prod(factors) * 3 == 2**31 - 2


def test_inverses() -> None:
    numbers = field().generator.integers(1, PRIMES[0], 50)
    np.testing.assert_array_equal(numbers * field().inverse(numbers) % PRIMES[0], 1)


def test_zero_has_no_inverse() -> None:
    with pytest.raises(VanishingError, match="divisor"):
        field().inverse(np.array([1, 0]))


@pytest.mark.parametrize("prime", PRIMES)
def test_powers_obey_their_law_and_their_order(prime: int) -> None:
    where = Field(prime, np.random.default_rng(3))
    one, other = where.generator.integers(0, where.order, (2, 20))
    product = where.power(one) * where.power(other) % prime
    np.testing.assert_array_equal(product, where.power((one + other) % where.order))
    assert where.power(np.array(0)) == 1
    assert where.power(np.array(1)) != 1
    assert pow(int(where.power(np.array(1))), where.order, prime) == 1


DYADIC = [0.0, 1.0, -1.0, 0.1, -0.75, 1e-5, 1e300, -1e-300, 5e-324, 3.5, 2.0**60 + 2.0**9]


@pytest.mark.parametrize("value", DYADIC)
def test_floats_are_the_fractions_that_they_are(value: float) -> None:
    assert int(field().dyadic(np.array(value), PRIMES[0])) == residue(Fraction(value))


def test_functions_with_a_key_are_functions() -> None:
    where = field()
    arguments = np.array([5, 7, 5])
    first, second, third = where.keyed("f", [arguments], 2)
    assert first == third != second
    assert where.keyed("f", [np.array([7])], 1)[0] == second
    assert where.keyed("g", [np.array([7])], 1)[0] != second
    assert (where.applications, where.argument) == (5, 2)


def test_functions_of_several_arguments_know_their_order() -> None:
    where, one, other = field(), np.array([1]), np.array([2])
    assert where.keyed("f", [one, other], 1) != where.keyed("f", [other, one], 1)


def test_another_field_has_other_functions() -> None:
    argument = [np.array([7])]
    assert field(0).keyed("f", argument, 1) != field(1).keyed("f", argument, 1)


def test_scrambling_loses_nothing() -> None:
    numbers = np.arange(5000, dtype=np.uint64)
    assert len(np.unique(scrambled(numbers))) == 5000
