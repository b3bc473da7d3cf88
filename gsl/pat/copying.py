"""Attributes of one call that another one shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gsl.errors import RuleError
from gsl.operators import Operator
from gsl.pat.pattern import Call, Pattern
from gsl.span import here, resolve


def same_attr(pattern: Pattern, names: Sequence[str] | None = None) -> dict[str, Any]:
    """Return keyword attributes that equal those of another call.

    With `names` only these; by default all attributes of its operator. When the operator is only
    known by a trait, the result demands that all attributes are equal, whatever they are.
    """
    if isinstance(names, str):
        message = f"pat.same_attr takes a list of names, not the text {names!r}"
        raise RuleError("GSL116", message, resolve(here()), f"write [{names!r}]")
    if names is not None:
        return {name: getattr(pattern, name) for name in names}
    owner = pattern.original()
    if not isinstance(owner, Call):
        message = f"{owner!r} has no attributes to copy"
        raise RuleError("GSL116", message, resolve(here()), "give the call of an operator")
    if isinstance(owner.callee, Operator):
        return {name: getattr(pattern, name) for name in owner.callee.attributes}
    return {"attributes_of": owner}
