"""Whether a target loses digits that its source keeps, in the dtype that both compute in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gsl.errors import GslError
from gsl.evaluate import evaluate
from gsl.expr import Expr
from gsl.graph import reverse_post_order
from gsl.types import TensorType
from gslverify.comparison.bounded import PRECISIONS, Bounded
from gslverify.comparison.compare import evaluate_bounded

MOST_TIMES = 4.0
"""How much larger than that of the source the error of a target may be."""
FLOOR = 64.0
"""Units of the dtype that are noise, relative to the largest value that the source computes."""
EXAMINED = ("float32", "float16", "bfloat16")
"""Dtypes whose errors float64 can measure."""


@dataclass(frozen=True, slots=True)
class Errors:
    """The largest errors of source and target of one network on the same inputs.

    Both are measured against float64; `floor` is what rounding in another order may cost. The
    `units` are the same errors in units in the last place of the element that is computed.
    """

    dtype: str
    source: float
    target: float
    floor: float
    source_units: float = 0.0
    target_units: float = 0.0

    @property
    def is_weak(self) -> bool:
        """Whether the target loses more than the source explains."""
        return self.target > max(MOST_TIMES * self.source, self.floor)

    def __str__(self) -> str:
        return f"{self.dtype}: source off by {self.source:.2g}, target by {self.target:.2g}"


def examined_dtype(outputs: Sequence[Expr]) -> str:
    """Return the one floating dtype of a network if its errors can be measured, else nothing."""
    types = [expr.type for expr in reverse_post_order(outputs)]
    used = {t.dtype for t in types if isinstance(t, TensorType)} & PRECISIONS.keys()
    (only, *others) = (*used, "")
    return only if only in EXAMINED and len(used) == 1 and others else ""


def errors_of(
    source: Sequence[Expr], target: Sequence[Expr], inputs: Mapping[str, Any]
) -> Errors | None:
    """Measure both sides on inputs, on elements where the source stays finite; None if it cannot.

    Only for networks of one floating dtype: a conversion between two is meant to lose digits.
    """
    dtype = examined_dtype(source)
    if not dtype or examined_dtype(target) != dtype:
        return None
    try:
        exact, values = evaluate_bounded(source, inputs)
        mine, theirs = evaluate(source, inputs), evaluate(target, inputs)
    except (GslError, IndexError):
        return None
    unit = PRECISIONS[dtype].unit
    floor = FLOOR * unit * max(map(_magnitude, values.values()), default=0.0)
    found = [_largest_errors(*three) for three in zip(exact, mine, theirs, strict=True)]
    largest = [max(column) for column in zip(*found, strict=True)]
    return Errors(dtype, largest[0], largest[1], floor, largest[2], largest[3])


def _magnitude(value: Any) -> float:
    if isinstance(value, tuple):
        return max(map(_magnitude, value), default=0.0)
    if not isinstance(value, Bounded):
        return 0.0
    return float(np.max(np.abs(value.value), initial=0.0, where=np.isfinite(value.value)))


def _largest_errors(exact: Any, source: Any, target: Any) -> tuple[float, ...]:
    """Return the largest errors of source and target, and both in units in the last place."""
    if isinstance(exact, tuple):
        parts = [_largest_errors(*three) for three in zip(exact, source, target, strict=True)]
        return tuple(map(max, zip(*parts, strict=True)))
    if not isinstance(exact, Bounded):
        return 0.0, 0.0, 0.0, 0.0
    usable = np.isfinite(exact.value) & np.isfinite(exact.error) & np.isfinite(source)
    with np.errstate(all="ignore"):
        unit = np.spacing(np.abs(exact.value).astype(source.dtype)).astype(np.float64)
        mine = np.abs(source.astype(np.float64) - exact.value)
        theirs = np.abs(target.astype(np.float64) - exact.value)
        theirs = np.where(np.isnan(theirs), np.inf, theirs)
        errors = mine, theirs, mine / unit, theirs / unit
    return tuple(_largest(one, usable) for one in errors)


def _largest(errors: Any, usable: Any) -> float:
    return float(np.max(errors, initial=0.0, where=usable & ~np.isnan(errors)))
