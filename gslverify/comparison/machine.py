"""Integers that a target makes of rounded numbers, where no bound tells which they are.

The source has them exactly, so whatever the machine makes of the target has to be the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gsl.errors import GslError
from gsl.evaluate import trace
from gsl.expr import Expr
from gsl.numpy_dtypes import is_floating, kind_of
from gslverify.comparison.compare import Comparison, compare


def integers_made_wrong(
    source: Sequence[Any], target: Sequence[Expr], inputs: Mapping[str, Any]
) -> tuple[Comparison, ...]:
    """Return how integers of a target differ from those of the source, on the references.

    `source` are the outputs of the source, as `evaluate_bounded` gives them. Nothing is returned
    where something is not finite on the way: what is made of that has no value at all.
    """
    try:
        values = trace(target, inputs)
    except (GslError, IndexError):
        return ()
    if not all(_is_finite(value) for value in values.values()):
        return ()
    pairs = enumerate(zip(source, target, strict=True))
    found = [
        one
        for number, (old, expr) in pairs
        if _is_integer(old) and _is_integer(values[expr])
        for one in compare(f"output {number}", old, values[expr])
    ]
    return tuple(found) if any(one.difference is not None for one in found) else ()


def _is_finite(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return all(map(_is_finite, value))
    array = np.asarray(value)
    return not is_floating(array.dtype) or bool(np.isfinite(array).all())


def _is_integer(value: Any) -> bool:
    return isinstance(value, np.ndarray | np.generic) and kind_of(value.dtype) in "iu"
