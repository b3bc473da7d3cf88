"""The divisors of a number, of which neither draws nor formulas of bits find two by themselves."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

MOST_DIVISORS = 64
LARGEST_PRIME = 2**16
"""What is left after division by smaller primes is taken for one."""


@lru_cache(maxsize=64)
def divisors(number: int) -> tuple[int, ...]:
    """Return the positive divisors of a number that is not 0.

    Of many they are the least, and the largest that these are multiplied by.
    """
    found = [1]
    for prime, power in _factors(abs(number)):
        found = [one * prime**times for one in found for times in range(power + 1)]
    least = sorted(found)[: MOST_DIVISORS // 2]
    return tuple(dict.fromkeys((*least, *(abs(number) // one for one in reversed(least)))))


def _factors(number: int) -> Iterator[tuple[int, int]]:
    """Yield the primes that a number is a product of, with their powers."""
    prime = 2
    while prime * prime <= number and prime < LARGEST_PRIME:
        power = 0
        while number % prime == 0:
            number, power = number // prime, power + 1
        if power:
            yield prime, power
        prime += 1
    if number > 1:
        yield number, 1
