"""How the machine rounds whose errors are bounded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from gsl.dtypes import DTYPES
from gsl.types import FLOATING


@dataclass(frozen=True, slots=True)
class Precision:
    """The arithmetic of a machine.

    `unit` is its unit roundoff, `exact` bounds the integers that it holds without a gap, `largest`
    and `smallest` are its extreme positive numbers, `function_units` is the error of its
    elementary functions in units.
    """

    unit: float
    exact: float
    largest: float
    smallest: float
    function_units: float


FUNCTION_UNITS = {"float64": 8.0, "float32": 32.0, "float16": 64.0, "bfloat16": 8.0}
"""Errors of elementary functions in units, as measured on TVM."""


def _precision(name: str) -> Precision:
    one = DTYPES[name]
    limits = float(one.largest), float(one.smallest)
    return Precision(one.unit, 2.0**one.digits, *limits, FUNCTION_UNITS[name])


PRECISIONS: Mapping[str, Precision] = {
    name: _precision(name) for name in sorted(FLOATING, key=lambda n: -DTYPES[n].digits)
}

_PRECISION: ContextVar[Precision] = ContextVar("precision", default=PRECISIONS["float64"])


def current_precision() -> Precision:
    """Return the precision that errors are bounded for."""
    return _PRECISION.get()


@contextmanager
def rounding_like(dtype: str) -> Iterator[None]:
    """Bound the errors of a machine that computes in `dtype`, while values stay in float64."""
    token = _PRECISION.set(PRECISIONS[dtype])
    try:
        yield
    finally:
        _PRECISION.reset(token)
