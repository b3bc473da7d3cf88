"""How long an axis may be: what is proved is proved for all sizes that there can be."""

from __future__ import annotations

from gsl.attr.term import Constant
from gsl.pat import Const
from gsl.subst import Subst

LARGEST_SIZE = 2**57
"""More elements than a machine of 64 bits has addresses for."""


def largest_size(subst: Subst) -> int | None:
    """Return the largest size if it matters: where a target makes constants of what it matched."""
    constants = (one for one in subst.target_patterns if isinstance(one, Const))
    computed = any(not isinstance(one.constraints.get("value"), Constant) for one in constants)
    return LARGEST_SIZE if computed else None
