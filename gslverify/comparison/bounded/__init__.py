"""Arrays that carry a bound on their rounding error (running error analysis).

The NumPy references of the operators run on them unchanged. A value is kept in float64; `error`
bounds its distance from what exact real arithmetic would give and from what the machine computes.
Sums and products of integers below the exact limit add no error at all, so on integer inputs a
polynomial rule compares exactly. An infinite error means that nothing is known about the element;
a value that is not finite without an error, such as 0 / 0, is certain not to be.

Source: N. J. Higham, Accuracy and Stability of Numerical Algorithms, section 3.3.
"""

from __future__ import annotations

from gslverify.comparison.bounded import functions, ufuncs
from gslverify.comparison.bounded.array import (
    AmbiguousError,
    Bounded,
    RoundedConversionError,
    UnfollowedError,
    number,
    written,
)
from gslverify.comparison.bounded.precision import PRECISIONS, Precision, rounding_like

__all__ = [
    "PRECISIONS",
    "AmbiguousError",
    "Bounded",
    "Precision",
    "RoundedConversionError",
    "UnfollowedError",
    "functions",
    "number",
    "rounding_like",
    "ufuncs",
    "written",
]
