"""GSL480 and GSL492: what is known about a backend, and that there is none."""

from __future__ import annotations

from gslverify.finding import Verdict, code

KNOWN_DEVIATION = code(
    "GSL480",
    "known-backend-deviation",
    "TVM deviates from the NumPy references in a way that is known",
    Verdict.PASS,
    meaning="""On a generated graph TVM computes another value than the references, on the same side
of the rule, and the operator and the values at which they part belong to a deviation of TVM that is
known by name, such as relu of NaN, which is 0. It says nothing about the rule: a warning. The graph
and its inputs are part of the finding.""",
)

BACKEND_MISSING = code(
    "GSL492",
    "backend-missing",
    "TVM cannot be used, so nothing was confirmed on it",
    Verdict.INCONCLUSIVE,
    meaning="""TVM is not installed, is of a version that this program does not know, or does not
start. Source and target agreed on the NumPy references, which is less than a PASS promises. Install
the version that the message names, or state with --no-tvm that the references are enough.""",
)
