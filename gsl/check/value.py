"""Checks of attribute values: complete in the target, meant as written, decidable in `where`."""

from __future__ import annotations

from gsl.attr.term import (
    ANYTHING,
    Access,
    Constant,
    Operation,
    Projection,
    Reduce,
    Slice,
    Term,
    children,
)
from gsl.check.finding import Findings, place_of, target_only
from gsl.errors import RuleError
from gsl.operators import Operator
from gsl.operators.declaration import REQUIRED
from gsl.pat import Call, GetItem, Pattern
from gsl.subst import Subst


def target_complete(subst: Subst) -> Findings:
    """GSL115, GSL123: the target determines every attribute that has no default."""
    for pattern in target_only(subst):
        for name, term in pattern.constraints.items():
            if _is_open(term):
                message = f"attribute `{name}` of {pattern!r} is left open in the target"
                yield RuleError("GSL123", message, place_of(pattern), "give it a value")
        for name in _missing(pattern):
            message = f"{pattern!r} in the target needs attribute `{name}`"
            yield RuleError("GSL115", message, place_of(pattern), f"give {name}=...")


def _is_open(term: Term) -> bool:
    """Tell whether a part of `term` is `any`; an absent bound of a slice is not."""
    parts = children(term)
    if isinstance(term, Slice):
        whole, *bounds = parts
        parts = (whole, *(bound for bound in bounds if bound is not ANYTHING))
    return term is ANYTHING or any(map(_is_open, parts))


def _missing(pattern: Pattern) -> list[str]:
    if isinstance(pattern, GetItem):
        return [] if "index" in pattern.constraints else ["index"]
    if isinstance(pattern, Call) and isinstance(pattern.callee, Operator):
        required = [a.name for a in pattern.callee.attributes.values() if a.default is REQUIRED]
        given = pattern.constraints.keys() | _copied(pattern)
        return [name for name in required if name not in given]
    return []


def _copied(pattern: Call) -> frozenset[str]:
    """Return the attributes that come from the call which `attributes_of` names."""
    like = pattern.attributes_of
    return frozenset() if like is None else frozenset(like.attribute_names())


def conditions_open(subst: Subst) -> Findings:
    """GSL142, GSL143: a condition is a comparison that a match can decide."""
    for term in subst.where:
        span = place_of(term) or subst.span
        if isinstance(term, Constant) or term is ANYTHING:
            value = term.value if isinstance(term, Constant) else None
            message = f"the condition is always {value!r}"
            yield RuleError("GSL142", message, span, "remove it, or compare attributes of patterns")
        elif not _may_be_true(term):
            head = getattr(term, "head", type(term).__name__)
            message = f"the condition is the value of `{head}`, not a comparison"
            yield RuleError("GSL143", message, span, "compare it with something")


_LOGICAL = frozenset({"==", "!=", "<", "<=", ">", ">=", "and", "or", "not", "in", "cond"})


def _may_be_true(term: Term) -> bool:
    if isinstance(term, Operation | Reduce):
        return term.head in _LOGICAL
    return isinstance(term, Access | Projection)


def defaults_meant(subst: Subst) -> Findings:
    """GSL140 (warning): the target silently fixes attributes that the source leaves free."""
    for pattern in target_only(subst):
        if not isinstance(pattern, Call) or not isinstance(pattern.callee, Operator):
            continue
        free = _free_in_source(subst, pattern.callee)
        names = [n for n in free if n not in pattern.constraints and not pattern.attributes_of]
        if names:
            listed = ", ".join(f"`{name}`" for name in names)
            message = (
                f"{listed} of {pattern!r} {'take' if len(names) > 1 else 'takes'} the default in "
                f"the target, but the source leaves {'them' if len(names) > 1 else 'it'} free"
            )
            cure = f"copy with pat.same_attr, or pin in the source, such as {names[0]}=..."
            yield RuleError("GSL140", message, place_of(pattern), cure, warning=True)


def _free_in_source(subst: Subst, operator: Operator) -> list[str]:
    calls = [p for p in subst.source_patterns if isinstance(p, Call) and p.callee is operator]
    return [
        name
        for name, attribute in operator.attributes.items()
        if attribute.default is not REQUIRED
        and any(
            p.constraints.get(name, ANYTHING) is ANYTHING and not p.attributes_of for p in calls
        )
    ]
