"""References of operators that are not those of the package: they may do anything."""

from __future__ import annotations

import traceback
from pathlib import Path

from gsl.errors import GslError
from gsl.expr import Call, Expr
from gslverify.comparison.bounded import Bounded, UnfollowedError

TOO_BIG = ("array is too big", "Maximum allowed dimension exceeded")
"""How the messages of NumPy begin about arrays that no machine has room for."""


class ReferenceFailureError(GslError):
    """The reference of an operator fails, or does what is not followed with error bounds."""


def failure_of(expr: Expr, error: Exception) -> ReferenceFailureError | None:
    """Return what to say about an error in a reference; None for those of this package.

    Those, too, may need more memory on their way than there is, such as for a wide padding of which
    a long stride keeps little.
    """
    if not isinstance(expr, Call):
        return None
    if isinstance(error, MemoryError) or str(error).startswith(TOO_BIG):
        return ReferenceFailureError(f"{expr.operator} needs more memory than there is")
    if expr.operator.is_built_in:
        return None
    frames = traceback.extract_tb(error.__traceback__)
    code = getattr(expr.operator.reference, "__code__", None)
    own = [frame for frame in frames if code and frame.filename == code.co_filename]
    place = (own or frames)[-1]
    where = f"({Path(place.filename).name}:{place.lineno})"
    return ReferenceFailureError(f"the reference of {expr.operator} {_deed(error)} {where}")


def _deed(error: Exception) -> str:
    unfollowed = "which is not followed with error bounds"
    if isinstance(error, UnfollowedError):
        return f"uses {error}, {unfollowed}"
    if isinstance(error, AttributeError) and isinstance(error.obj, Bounded):
        return f"uses the attribute `{error.name}` of an array, {unfollowed}"
    return f"raises {type(error).__name__}: {error}"
