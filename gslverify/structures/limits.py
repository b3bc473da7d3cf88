"""How long an axis may be, and how many there may be.

What is proved is proved for all sizes that there can be.
"""

from __future__ import annotations

from gsl.attr.term import Access, Constant, subterms
from gsl.operators import Operator
from gsl.operators.domain import Element, Integer
from gsl.pat import Call, Const, Pattern
from gsl.subst import Subst

LARGEST_SIZE = 2**57
"""More elements than a machine of 64 bits has addresses for."""

MOST_AXES = 64
"""No array of NumPy has more."""

FITS = "a tensor fits into a machine"


def largest_size(subst: Subst) -> int | None:
    """Return the largest size if it matters: where a target makes elements of what it matched.

    What it makes them of may be a size that is called otherwise, such as the depth of a OneHot.
    """
    return LARGEST_SIZE if any(map(_computes_elements, subst.target_patterns)) else None


def _makes_elements(operator: Operator, name: str) -> bool:
    """Tell whether an attribute is declared to be an element, or is any number made a tensor of."""
    attribute = operator.attributes.get(name)
    if attribute is None:
        return False
    is_counted = not operator.operands and attribute.domain == Integer()
    return is_counted or isinstance(attribute.domain, Element)


def _computes_elements(pattern: Pattern) -> bool:
    if isinstance(pattern, Const):
        return not isinstance(pattern.constraints.get("value"), Constant)
    if not isinstance(pattern, Call) or not isinstance(pattern.callee, Operator):
        return False
    constraints = pattern.constraints.items()
    given = [term for name, term in constraints if _makes_elements(pattern.callee, name)]
    parts = (part for term in given for part in subterms(term))
    return any(isinstance(part, Access) for part in parts)
