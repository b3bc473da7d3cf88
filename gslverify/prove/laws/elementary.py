"""Laws of elementary functions of real numbers: their values at 0, and at opposite numbers."""

from __future__ import annotations

from collections.abc import Mapping

from gsl.kernel.expression import Apply, Number
from gsl.kernel.meaning import apply
from gslverify.prove.laws.law import A, Law, Numbers

AT_ZERO: Mapping[str, int] = {
    **dict.fromkeys(("sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "erf"), 0),
    **dict.fromkeys(("cos", "cosh"), 1),
}
"""What functions are of 0."""

ODD = ("sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "erf")
"""Functions with f(-a) = -f(a)."""

EVEN = ("cos", "cosh")
"""Functions with f(-a) = f(a)."""


def _of(function: str, argument: object) -> Apply:
    found = apply(function, argument)
    assert isinstance(found, Apply)
    return found


ELEMENTARY = (
    *(
        Law(f"{name} of 0", _of(name, 0), Number(number), of=Numbers.REALS)
        for name, number in AT_ZERO.items()
    ),
    *(
        Law(f"{name} of the opposite", _of(name, -A), -_of(name, A), of=Numbers.REALS)
        for name in ODD
    ),
    *(
        Law(f"{name} of the opposite", _of(name, -A), _of(name, A), of=Numbers.REALS)
        for name in EVEN
    ),
)
"""All of them; arguments with a minus are written without."""
