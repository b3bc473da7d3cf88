"""Trials on numbers near the least one of their dtype, where products and quotients lose digits.

Inputs that are drawn have few digits, so that most sums and products of them are exact. What is
then called bit-exact may not be so for numbers that underflow: `(x / 4) * 4` drops two digits of
the least numbers, and `sqrt(x * x)` is 0 where the square is too small.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from gsl.expr import Var
from gsl.numpy_dtypes import finfo, is_floating
from gslverify.trials.trial import Outcome as Trial

LARGEST_FACTOR = 8
"""Inputs are a power of two times an integer below this one, of which every other is odd."""

Exponent = Callable[[np.random.Generator, int, int], int]

EXPONENTS: tuple[Exponent, ...] = (
    lambda generator, least, normal: least,
    lambda generator, least, normal: least // 2 - 2,
    lambda generator, least, normal: int(generator.choice([least, normal, least // 2 - 2, -1])),
)
"""Powers of two of one input, from those of the least number and of the least with all digits:
all inputs among the least numbers, all so that their squares are, and each somewhere else."""


def near_least_number(trial: Trial, number: int) -> Iterator[Trial]:
    """Yield a trial with floats near the least number in place of its own, signs and zeros kept.

    The sides are not run; `number` seeds what is drawn.
    """
    for place, exponent in enumerate(EXPONENTS):
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
    info = finfo("float32" if array.dtype == np.float64 else array.dtype.name)
    least, normal = (int(math.log2(float(n))) for n in (info.smallest_subnormal, info.tiny))
    factors = generator.integers(1, LARGEST_FACTOR, array.shape)
    scaled = np.ldexp(
        factors * np.sign(array.astype(np.float64)), exponent(generator, least, normal)
    )
    return scaled.astype(array.dtype)
