"""Arrays with errors to test `gslverify.comparison.bounded`, and exact values beside them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gslverify.comparison.bounded import PRECISIONS, Bounded

MACHINES = sorted(PRECISIONS)

quick = settings(max_examples=25, deadline=None, database=None, derandomize=True)

numbers = st.floats(-100.0, 100.0, width=16).map(float)
"""Multiples of 2 to the power of -24, so that adding an error does not round."""

errors = st.sampled_from([0.0, 2.0**-30, 2.0**-20, 0.125])


def arrays(values: st.SearchStrategy[float] = numbers, shape: Any = 4) -> Any:
    return hnp.arrays(np.float64, shape, elements=values)


@st.composite
def inexact(draw: st.DrawFn, values: st.SearchStrategy[float] = numbers) -> tuple[Bounded, Any]:
    """Draw an array with errors, and exact values that lie anywhere within them."""
    value, error = draw(arrays(values)), draw(arrays(errors))
    shares = draw(arrays(st.sampled_from([-1.0, -0.5, 0.0, 1.0])))
    return Bounded(value, error), value + error * shares


def covers(bounded: Bounded, exact: Any) -> bool:
    """Tell whether exact values, given as fractions, lie within the bounds."""
    places = zip(bounded.value.flat, bounded.error.flat, np.ravel(exact), strict=True)
    return all(
        math.isinf(error) or abs(Fraction(value) - Fraction(truth)) <= Fraction(error)
        for value, error, truth in places
    )


def fractions(array: Any) -> Any:
    """Return an array of exact fractions."""
    return np.array([Fraction(float(value)) for value in np.ravel(array)], object).reshape(
        np.shape(array)
    )
