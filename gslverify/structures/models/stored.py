"""Numbers of constants as their dtypes hold them, near those that a solver thinks of.

To a solver a float constant is any number in the range of its dtype. A graph has a number with as
many digits as the dtype has; what a condition demands may hold of one and not of the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from gsl.attr.term import Symbol
from gsl.errors import GslError
from gsl.expr import Const
from gsl.operators.ranges import rounded
from gsl.types import FLOATING
from gslverify.structures.instance import Instance
from gslverify.structures.models.concrete import value_in

Model = dict[Symbol, Any]


class StoredNumbers:
    """The reals that are elements of the constants of an instance, with their dtypes."""

    def __init__(self, instance: Instance) -> None:
        self._dtypes: dict[Symbol, Any] = {}
        for node in instance.graph:
            if isinstance(node.expr, Const):
                dtype = node.expr.tensor_type.dtype
                reals = (one for one in _symbols(node.expr.value) if one.sort == "real")
                self._dtypes.update((one, dtype) for one in reals)

    def near(self, model: Model) -> Iterator[Model]:
        """Yield a model with all numbers rounded, then with each as its neighbours are."""
        held = {one: _held(model[one], self._dtype(one, model)) for one in self._in(model)}
        known = {one: value for one, value in held.items() if value is not None}
        whole = {**model, **known} if known else model
        yield whole
        for one, value in known.items():
            for beside in _neighbours(value, self._dtype(one, model)):
                yield {**whole, one: beside}

    def _in(self, model: Mapping[Symbol, Any]) -> list[Symbol]:
        return [one for one in self._dtypes if one in model]

    def _dtype(self, symbol: Symbol, model: Model) -> Any:
        try:
            return value_in(self._dtypes[symbol], model)
        except GslError:
            return None


def _symbols(value: Any) -> Iterator[Symbol]:
    if isinstance(value, Symbol):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _symbols(item)


def _held(value: Any, dtype: Any) -> float | None:
    """Return a number as a float type holds it, None where it does not."""
    return rounded(value, dtype) if dtype in FLOATING else None


def _neighbours(value: float, dtype: str) -> Iterator[float]:
    number = np.array(value).astype(dtype)
    for towards in (np.inf, -np.inf):
        with np.errstate(all="ignore"):
            beside = float(np.nextafter(number, np.array(towards).astype(dtype)))
        if np.isfinite(beside):
            yield beside
