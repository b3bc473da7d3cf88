"""Trials on numbers of which much is lost: near the least one of a dtype, and beside large ones.

Inputs that are drawn have few digits, so that most sums and products of them are exact. What is
then called bit-exact may not be so for numbers that underflow: `(x / 4) * 4` drops two digits of
the least numbers, and `sqrt(x * x)` is 0 where the square is too small. Nor may it be for numbers
that a sum absorbs: `x + 1 < y + 1` is false where x and y are small, and `x < x + 1` where x is
large.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gsl.expr import Call, Expr, Var
from gsl.graph import reverse_post_order
from gsl.numpy_dtypes import finfo, is_floating
from gsl.operators.declaration import tensors
from gslverify.trials.trial import Outcome as Trial

LARGEST_FACTOR = 8
"""Inputs are a power of two times an integer below this one, of which every other is odd."""

DRAWS_FOR_DECISIONS = 8
"""Draws of each kind where something else than floats is made of them."""


@dataclass(frozen=True, slots=True)
class Range:
    """The powers of two of the least number of a dtype, of the least with all digits, of half the
    distance of 1 and the next number, and the largest of which all factors are finite."""

    least: int
    normal: int
    half_unit: int
    largest: int

    @classmethod
    def of(cls, dtype: np.dtype[Any]) -> Range:
        """Return the range of a dtype; float64 is taken for float32, as where it is compared."""
        info = finfo("float32" if dtype == np.float64 else dtype.name)
        numbers = (info.smallest_subnormal, info.tiny, info.eps, info.max)
        least, normal, unit, most = (int(math.log2(float(one))) for one in numbers)
        return cls(least, normal, unit - 1, most - int(math.log2(LARGEST_FACTOR)))


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
    lambda generator, of: min(of.largest, int(generator.choice([1, 5, 12])) - of.half_unit),
    lambda generator, of: int(generator.choice([1, 2, 3, 7])),
)
"""The same of numbers that disappear beside those of rules, of some that do beside others, of
numbers beside which those of rules disappear, and of some where functions have reached a limit."""


def losing_digits(trial: Trial, number: int, exponents: Sequence[Exponent]) -> Iterator[Trial]:
    """Yield a trial with other floats in place of its own, signs and zeros kept.

    The sides are not run; `number` seeds what is drawn. Where floats decide something, which the
    loss of a digit seldom changes, more of them are drawn.
    """
    draws = DRAWS_FOR_DECISIONS if _decides(trial) else 1
    for place, exponent in enumerate([*exponents] * draws):
        generator = np.random.default_rng((number, place))
        variables = trial.network.variables
        inputs = {v.name: _drawn(v, trial.inputs, generator, exponent) for v in variables}
        yield replace(trial, inputs=inputs, exact=False, values=((), ()))


def _decides(trial: Trial) -> bool:
    """Tell whether a side makes integers or truth values of floats."""
    exprs = reverse_post_order((*trial.network.outputs, *trial.target))
    return any(
        not _is_float(expr) and any(map(_is_float, expr.operands))
        for expr in exprs
        if isinstance(expr, Call)
    )


def _is_float(expr: Expr) -> bool:
    return all(is_floating(np.dtype(one.dtype)) for one in tensors((expr.type,)))


def _drawn(
    variable: Var, usual: Mapping[str, Any], generator: np.random.Generator, exponent: Exponent
) -> Any:
    array = np.asarray(usual[variable.name])
    if not is_floating(array.dtype):
        return array
    factors = _factors(generator, array.shape)
    scaled = np.ldexp(
        factors * np.sign(array.astype(np.float64)), exponent(generator, Range.of(array.dtype))
    )
    return scaled.astype(array.dtype)


def _factors(generator: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """Return any factors, or two neighbours in turn, which rounding may make one number."""
    if generator.integers(2):
        return generator.integers(1, LARGEST_FACTOR, shape)
    least = generator.integers(1, LARGEST_FACTOR - 1)
    return generator.integers(least, least + 2, shape)
