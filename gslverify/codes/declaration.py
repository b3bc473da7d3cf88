"""GSL125: operators that users declare."""

from __future__ import annotations

from gslverify.finding import Verdict, code

OPERATOR_RAISES = code(
    "GSL125",
    "operator-raises",
    "the declaration of an operator raises an exception",
    Verdict.ERROR,
    meaning="""The shape rule of an operator of yours, its kernel or its lowering raised an
exception of Python. A shape rule is run on sizes that are symbols of the solver, too, so it does
not branch on them: `need(rows > 0, "there are rows")` instead of `if rows > 0`, and
`need(conjunction(*map(equal, data.shape, other.shape)), "sizes agree")` instead of a comparison of
types. Nothing is said about the rule.""",
)
