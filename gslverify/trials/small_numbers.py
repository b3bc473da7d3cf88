"""Trials on numbers of which much is lost: near the least one of a dtype, and beside large ones.

Inputs that are drawn have few digits, so that most sums and products of them are exact. What is
then called bit-exact may not be so for numbers that underflow: `(x / 4) * 4` drops two digits of
the least numbers, and `sqrt(x * x)` is 0 where the square is too small. Nor may it be for numbers
that a sum absorbs: `x + 1 < y + 1` is false where x and y are small.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gsl.expr import Var
from gsl.numpy_dtypes import finfo, is_floating
from gslverify.trials.trial import Outcome as Trial

LARGEST_FACTOR = 8
"""Inputs are a power of two times an integer below this one, of which every other is odd."""


@dataclass(frozen=True, slots=True)
class Range:
    """The powers of two of the least number of a dtype, of the least with all digits, and of half
    the distance of 1 and the next number."""

    least: int
    normal: int
    half_unit: int

    @classmethod
    def of(cls, dtype: np.dtype[Any]) -> Range:
        """Return the range of a dtype; float64 is taken for float32, as where it is compared."""
        info = finfo("float32" if dtype == np.float64 else dtype.name)
        numbers = (info.smallest_subnormal, info.tiny, info.eps)
        least, normal, unit = (int(math.log2(float(one))) for one in numbers)
        return cls(least, normal, unit - 1)


Exponent = Callable[[np.random.Generator, Range], int]

UNDERFLOWING: tuple[Exponent, ...] = (
    lambda generator, of: of.least,
    lambda generator, of: of.least // 2 - 2,
    lambda generator, of: int(generator.choice([of.least, of.normal, of.least // 2 - 2, -1])),
)
"""Powers of two of one input: all inputs among the least numbers, all so that their squares are,
and each somewhere else."""

ABSORBED: tuple[Exponent, ...] = (
    lambda generator, of: of.half_unit - 3,
    lambda generator, of: int(generator.choice([of.half_unit - 3, 0, 2])),
)
"""The same of numbers that disappear beside those of rules, and of some that do beside others."""


def losing_digits(trial: Trial, number: int, exponents: Sequence[Exponent]) -> Iterator[Trial]:
    """Yield a trial with small floats in place of its own, signs and zeros kept.

    The sides are not run; `number` seeds what is drawn.
    """
    for place, exponent in enumerate(exponents):
        generator = np.random.default_rng((number, place))
        variables = trial.network.variables
        inputs = {v.name: _drawn(v, trial.inputs, generator, exponent) for v in variables}
        yield replace(trial, inputs=inputs, exact=False, values=((), ()))


def _drawn(
    variable: Var, usual: Mapping[str, Any], generator: np.random.Generator, exponent: Exponent
) -> Any:
    array = np.asarray(usual[variable.name])
    if not is_floating(array.dtype):
        return array
    factors = generator.integers(1, LARGEST_FACTOR, array.shape)
    scaled = np.ldexp(
        factors * np.sign(array.astype(np.float64)), exponent(generator, Range.of(array.dtype))
    )
    return scaled.astype(array.dtype)
