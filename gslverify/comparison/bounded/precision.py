"""How the machine rounds whose errors are bounded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


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


PRECISIONS: Mapping[str, Precision] = {
    "float64": Precision(2.0**-53, 2.0**53, (2.0 - 2.0**-52) * 2.0**1023, 2.0**-1074, 8.0),
    "float32": Precision(2.0**-24, 2.0**24, (2.0 - 2.0**-23) * 2.0**127, 2.0**-149, 32.0),
    "float16": Precision(2.0**-11, 2.0**11, (2.0 - 2.0**-10) * 2.0**15, 2.0**-24, 64.0),
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
