"""The field of one trial: residues, their inverses and powers, and functions with a key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gsl.errors import GslError

PRIMES = (
    *(2147483579, 2147483123, 2147482763, 2147481563),
    *(2147481143, 2147480927, 2147480327, 2147479823),
)
"""The largest primes p below 2^31 of which (p - 1) / 2 is prime, too.

The nonzero squares modulo p then are a group of prime order, as large as the exponents of
exponentials need. Those of 2^31 - 1 fall apart into groups of at most 331 elements. Several primes
take turns, since a coefficient that one of them divides disappears: a float, being a multiple of a
power of two by less than 2^53, has at most one of them as a factor.
"""


class OutsideError(GslError):
    """A network computes something that residues cannot follow."""


class VanishingError(GslError):
    """A divisor happens to be 0: this choice of inputs tells nothing."""


class Field:
    """Residues modulo `prime`; exponents are residues modulo `order`.

    `applications` counts the elements that functions with a key were applied to, and `argument` is
    the largest degree among them: two different arguments could be mistaken for one.
    """

    def __init__(self, prime: int, generator: np.random.Generator) -> None:
        self.prime = prime
        self.order = prime // 2
        self.generator = generator
        self.applications = 0
        self.argument = 0
        self.keys: dict[str, np.uint64] = {}
        base = int(generator.integers(2, prime - 1))
        self.powers = [base * base % prime]
        while len(self.powers) < prime.bit_length():
            self.powers.append(self.powers[-1] ** 2 % prime)

    def inverse(self, value: Any) -> Any:
        """Return 1 over every element; raises VanishingError when one of them is 0."""
        if not np.all(value):
            raise VanishingError("a divisor is 0 modulo the prime")
        result, square, exponent = np.ones_like(value), value, self.prime - 2
        while exponent:
            if exponent & 1:
                result = result * square % self.prime
            square = square * square % self.prime
            exponent >>= 1
        return result

    def power(self, exponent: Any) -> Any:
        """Return the random base of exponentials to the power of residues modulo `order`."""
        result = np.ones_like(exponent)
        for bit, factor in enumerate(self.powers):
            result = np.where((exponent >> bit) & 1, result * factor % self.prime, result)
        return result

    def keyed(self, name: str, arguments: Sequence[Any], degree: int) -> Any:
        """Return a random number of 64 bits for every place, the same for the same arguments."""
        if name not in self.keys:
            self.keys[name] = self.generator.integers(0, 2**64, dtype=np.uint64)
        state = self.keys[name]
        with np.errstate(over="ignore"):
            for argument in arguments:
                state = scrambled(state ^ scrambled(argument.astype(np.uint64)))
        self.applications += int(np.size(state))
        self.argument = max(self.argument, degree)
        return state

    def dyadic(self, value: Any, modulus: int) -> Any:
        """Return finite floats as residues, every one exactly the fraction that it is."""
        fraction, exponent = np.frexp(value)
        whole = np.ldexp(fraction, 53).astype(np.int64) % modulus
        scale = {int(e): pow(2, int(e) - 53, modulus) for e in np.unique(exponent)}
        factors = np.array([scale[int(e)] for e in np.ravel(exponent)], np.int64)
        return whole * np.reshape(factors, np.shape(exponent)) % modulus


def scrambled(number: Any) -> Any:
    """Return a permutation of the numbers of 64 bits. Source: the finaliser of SplitMix64."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))
