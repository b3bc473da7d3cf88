"""How long an axis may be, and how many there may be.

What is proved is proved for all sizes that there can be.
"""

from __future__ import annotations

from gsl.attr.term import Access, Constant, subterms
from gsl.operators import Operator
from gsl.pat import Call, Const, Pattern
from gsl.subst import Subst

LARGEST_SIZE = 2**57
"""More elements than a machine of 64 bits has addresses for."""

MOST_AXES = 64
"""No array of NumPy has more."""

FITS = "a tensor fits into a machine"

ELEMENTS = frozenset({"fill_value", "pad_value", "on_value", "off_value", "min", "max"})
ELEMENTS_OF = {"Arange": frozenset({"start", "end"})}
"""Attributes that say what elements are, by name, and those of single operators."""


def largest_size(subst: Subst) -> int | None:
    """Return the largest size if it matters: where a target makes elements of what it matched."""
    return LARGEST_SIZE if any(map(_computes_elements, subst.target_patterns)) else None


def _computes_elements(pattern: Pattern) -> bool:
    if isinstance(pattern, Const):
        return not isinstance(pattern.constraints.get("value"), Constant)
    if not isinstance(pattern, Call) or not isinstance(pattern.callee, Operator):
        return False
    names = ELEMENTS | ELEMENTS_OF.get(pattern.callee.name, frozenset())
    given = [term for name, term in pattern.constraints.items() if name in names]
    parts = (part for term in given for part in subterms(term))
    return any(isinstance(part, Access) and part.name == "shape" for part in parts)
