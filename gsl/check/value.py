"""Checks of attribute values: complete in the target, meant as written, decidable in `where`."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan

from gsl.attr.term import (
    ANYTHING,
    Access,
    Constant,
    Slice,
    Symbol,
    Term,
    TupleOf,
    children,
)
from gsl.check.finding import Findings, place_of, target_only
from gsl.check.sort import sort_of
from gsl.errors import RuleError
from gsl.operators import Operator
from gsl.operators.declaration import REQUIRED
from gsl.operators.domain import Domain
from gsl.operators.domain_axes import Axes, Permutation
from gsl.operators.domain_shape import NewShape
from gsl.pat import Call, Const, GetItem, Pattern
from gsl.span import keyword_span
from gsl.subst import Subst

DEFAULTS: Mapping[type[Domain], str] = {
    Axes: ", for all axes of x `{}=attr.Variadic(lambda i: i, length=x.ndim)`",
    Permutation: ", to reverse x `{}=attr.Variadic(lambda i: x.ndim - 1 - i, length=x.ndim)`",
}
"""How what is meant where None is the default of an attribute is written as a value."""


def target_complete(subst: Subst) -> Findings:
    """GSL115, GSL123: the target determines every attribute that has no default."""
    for pattern in target_only(subst):
        for name, term in pattern.constraints.items():
            if _is_open(term):
                message = f"attribute `{name}` of {pattern!r} is left open in the target"
                yield RuleError("GSL123", message, place_of(pattern), _closing(pattern, name))
        for name in _missing(pattern):
            message = f"{pattern!r} in the target needs attribute `{name}`"
            yield RuleError("GSL115", message, place_of(pattern), f"give {name}=...")


def _closing(pattern: Pattern, name: str) -> str:
    """Return what to do about an open attribute; its default may be the None that was meant."""
    callee = pattern.callee if isinstance(pattern, Call) else None
    default = callee.attributes[name].default if isinstance(callee, Operator) else REQUIRED
    if pattern.constraints[name] is ANYTHING and default is None:
        return f"leave `{name}` out, whose default is None, or give it a value"
    return "give it a value"


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
            what = term.name if isinstance(term, Access) else type(term).__name__
            message = f"the condition is the value of `{getattr(term, 'head', what)}`"
            message += ", not a comparison"
            yield RuleError("GSL143", message, span, "compare it with something")


def _may_be_true(term: Term) -> bool:
    return isinstance(term, Symbol) or sort_of(term) in ("bool", "")


def constants_equal_themselves(subst: Subst) -> Findings:
    """GSL113: no constant of the source is NaN, which equals nothing."""
    for pattern in subst.source_patterns:
        value = pattern.constraints.get("value") if isinstance(pattern, Const) else None
        if isinstance(value, Constant) and isinstance(value.value, float) and isnan(value.value):
            message = "nan equals nothing, so no constant matches it"
            yield RuleError("GSL113", message, place_of(pattern), "match any by pat.Const()")


def sizes_are_those_of_a_match(subst: Subst) -> Findings:
    """GSL113: no size in the source is -1, in whose place a call has the size that fits."""
    for pattern in subst.source_patterns:
        if not isinstance(pattern, Call) or not isinstance(pattern.callee, Operator):
            continue
        for name, attribute in pattern.callee.attributes.items():
            term = pattern.constraints.get(name, ANYTHING)
            if isinstance(attribute.domain, NewShape) and _has_hole(term):
                message = f"-1 in `{name}` of {pattern!r} stands for the size that fits, "
                message += "which a matched call has in its place"
                yield RuleError("GSL113", message, place_of(pattern), "write None instead of -1")


def _has_hole(term: Term) -> bool:
    if isinstance(term, Constant):
        return isinstance(term.value, tuple) and -1 in term.value
    fields = term.fields if isinstance(term, TupleOf) else ()
    return any(isinstance(field, Constant) and field.value == -1 for field in fields)


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


def none_meant(subst: Subst) -> Findings:
    """GSL147 (warning): an attribute in the source is `None`, which is any value and no default."""
    for pattern in subst.source_patterns:
        if isinstance(pattern, Call) and isinstance(pattern.callee, Operator):
            for name, term in pattern.constraints.items():
                if term is ANYTHING:
                    message = f"`{name}=None` of {pattern!r} matches any `{name}`, as without it"
                    declared = pattern.callee.attributes[name]
                    default = declared.default
                    cure = f"leave `{name}` out if any is meant, else give a value"
                    if default is not REQUIRED and default is not None:
                        cure += f", such as {name}={default!r}"
                    elif default is None:
                        cure += DEFAULTS.get(type(declared.domain), "").format(name)
                    span = keyword_span(place_of(pattern), name)
                    yield RuleError("GSL147", message, span, cure, warning=True)


def _free_in_source(subst: Subst, operator: Operator) -> list[str]:
    calls = [p for p in subst.source_patterns if isinstance(p, Call) and p.callee is operator]
    return [
        name
        for name, attribute in operator.attributes.items()
        if attribute.default is not REQUIRED
        and not attribute.domain.follows
        and any(
            p.constraints.get(name, ANYTHING) is ANYTHING and not p.attributes_of for p in calls
        )
    ]
