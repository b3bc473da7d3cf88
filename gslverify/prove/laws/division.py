"""Laws of integers that are divided and rounded down: quotients, remainders, shifts, comparisons.

Quotients are those of integers of a dtype, so a // b is used only where b is not 0 and the quotient
is no number beyond the dtype (the least one by -1), as operators demand.
"""

from __future__ import annotations

from gsl.kernel.expression import Apply, Expression, Number
from gsl.kernel.meaning import apply
from gslverify.prove.laws.law import A, B, C, D, Law


def _over(left: Expression, right: Expression) -> Apply:
    return _call("//", left, right)


def _call(function: str, *arguments: Expression) -> Apply:
    found = apply(function, *arguments)
    assert isinstance(found, Apply)
    return found


MOST_SHIFTED = 62
"""Bits by which a shift is a division by a power of two that all solvers and NumPy can have."""

QUOTIENTS = (
    Law("by itself", _over(A, A), Number(1)),
    Law("by one", _over(A, Number(1)), A),
    Law("less than the divisor", _over(A, B), Number(0), (apply(">=", A, 0), apply("<", A, B))),
    Law("of a quotient", _over(_over(A, C), D), _over(A, C * D), (apply(">", D, 0),), (C * D,)),
    Law("of opposites", _over(-A, -B), _over(A, B), (), (-A, -B)),
    Law("and one time more", _over(A + B, B), _over(A, B) + 1, (), (A + B,)),
)
"""What a // b is."""

SHIFTS = tuple(
    Law(f"shifted by {bits}", _call(">>", A, Number(bits)), _over(A, Number(2**bits)))
    for bits in range(MOST_SHIFTED + 1)
)
"""Copies of the sign come in, so a >> n rounds down, too."""

COMPARISONS = (
    Law(
        "a quotient below",
        _call("<", _over(A, D), C),
        apply("<", A, C * D),
        (apply(">", D, 0),),
        (C * D,),
    ),
    Law(
        "above a quotient that is rounded up",
        _call("<", A, -_over(-C, D)),
        apply("<", A * D, C),
        (apply(">", D, 0),),
        (A * D, -C),
    ),
)
"""Quotients that are compared."""

DIVISION = (*QUOTIENTS, *SHIFTS, *COMPARISONS)
