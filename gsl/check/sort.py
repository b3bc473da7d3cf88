"""The check that attribute expressions combine values that go together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from gsl.attr.term import (
    ANYTHING,
    Access,
    Constant,
    Operation,
    Projection,
    Reduce,
    Slice,
    Term,
    TupleOf,
    VariadicTuple,
    subterms,
)
from gsl.attr.values import OF_AXES
from gsl.check.finding import Findings, all_patterns, place_of
from gsl.errors import RuleError, did_you_mean
from gsl.operators import REGISTRY, Operator
from gsl.operators.domain import Choice, Domain, DtypeName, Integer, Real
from gsl.operators.domain_axes import Axis
from gsl.pat import Call, Pattern
from gsl.subst import Subst
from gsl.types import ALL_DTYPES

OF_EVERY_MATCH = {
    "dtype": "text",
    "shape": "tuple",
    "ndim": "number",
    "length": "number",
    "index": "number",
    "arm": "number",
}
EQUALITY = frozenset({"==", "!="})
LOGIC = frozenset({"and", "or", "not"})
DECIDING = EQUALITY | LOGIC | {"<", "<=", ">", ">=", "in"}
"""Operations whose value is true or false."""


def sort_of(term: Term) -> str:
    """Return "text", "tuple", "number" or "bool", or the empty string when it is not known."""
    match term:
        case Access(pattern=pattern, name=name):
            return OF_EVERY_MATCH.get(name) or _sort_of_attribute(pattern, name)
        case Constant(value=value):
            return _sort_of_value(value)
        case TupleOf() | VariadicTuple() | Slice():
            return "tuple"
        case Projection(tuple=Access(name="shape")):
            return "number"
        case Operation(head=head, operands=operands):
            return _sort_of_operation(head, operands)
        case Reduce(head=head):
            return "bool" if head in LOGIC else "number"
        case _:
            return ""


def _sort_of_value(value: object) -> str:
    match value:
        case bool():
            return "bool"
        case int() | float():
            return "number"
        case str():
            return "text"
        case tuple():
            return "tuple"
        case _:
            return ""


def _sort_of_attribute(pattern: Pattern, name: str) -> str:
    match _domain_of(pattern, name):
        case Choice(options=options):
            sorts = {_sort_of_value(option) for option in options}
            return sorts.pop() if len(sorts) == 1 else ""
        case DtypeName():
            return "text"
        case Integer() | Real() | Axis():
            return "number"
        case _:
            return ""


def _sort_of_operation(head: str, operands: tuple[Term, ...]) -> str:
    if head in DECIDING:
        return "bool"
    if head in OF_AXES:
        return "tuple"
    if head == "cond" or any(sort_of(operand) == "tuple" for operand in operands):
        return ""
    return "number"


def values_go_together(subst: Subst) -> Findings:
    """GSL144: no arithmetic on text, no `None` in a comparison, no comparison that is decided."""
    written = [term for pattern in all_patterns(subst) for term in pattern.terms()]
    seen: set[Term] = set()
    for term in (*written, *subst.where):
        for part in subterms(term):
            if isinstance(part, Operation) and part not in seen:
                seen.add(part)
                for message, cure in _wrong(part):
                    yield RuleError("GSL144", message, place_of(part) or subst.span, cure)
                    break


def _wrong(operation: Operation) -> Iterator[tuple[str, str]]:
    head, operands = operation.head, operation.operands
    sorts = [sort_of(operand) for operand in operands]
    if any(_has_anything(operand) for operand in operands):
        yield f"None has no value for `{head}`", "compare single elements, such as x.shape[0] == 2"
    if head in EQUALITY | {"in", "cond", *LOGIC}:
        if head in EQUALITY and _never_equal(sorts):
            message = f"`{head}` compares a {sorts[0]} and a {sorts[1]}, which are never equal"
            yield message, "compare values of one kind"
        if head in EQUALITY | {"in"}:
            yield from _unknown_names(operands)
    elif "text" in sorts:
        yield f"`{head}` has no meaning for text such as a dtype", "compare text by == or attr.In"


def _never_equal(sorts: list[str]) -> bool:
    return all(sorts) and sorts[0] != sorts[1] and set(sorts) != {"bool", "number"}


def _unknown_names(operands: tuple[Term, ...]) -> Iterator[tuple[str, str]]:
    """Yield names that are compared with a dtype or an attribute that is never called so."""
    for access in operands:
        what, known = _names_of(access)
        for value in _values(operands) if known else ():
            if value not in known and (what == "dtype" or value not in _options()):
                hint = did_you_mean(value, known) if isinstance(value, str) else ""
                yield f"{value!r} is not a {what}", hint or f"known are {', '.join(known)}"


def _names_of(access: Term) -> tuple[str, Sequence[str]]:
    """Return what an access gives if it is one of a few names, and these names."""
    if isinstance(access, Access) and access.name == "dtype":
        return "dtype", ALL_DTYPES
    domain = _domain_of(access.pattern, access.name) if isinstance(access, Access) else None
    if isinstance(domain, DtypeName):
        return "dtype", ALL_DTYPES
    if isinstance(domain, Choice) and all(isinstance(one, str) for one in domain.options):
        return f"value of `{access.name}`", domain.options  # type: ignore[attr-defined]
    return "", ()


@cache
def _options() -> frozenset[object]:
    """Return the values of all choices: functions that write rules may list those of several."""
    attributes = (one for each in REGISTRY.values() for one in each.attributes.values())
    chosen = (one.domain.options for one in attributes if isinstance(one.domain, Choice))
    return frozenset(option for options in chosen for option in options)


def _domain_of(pattern: Pattern, name: str) -> Domain | None:
    owner = pattern.original()
    if not isinstance(owner, Call) or not isinstance(owner.callee, Operator):
        return None
    attribute = owner.callee.attributes.get(name)
    return None if attribute is None else attribute.domain


def _values(operands: tuple[Term, ...]) -> Iterator[Any]:
    """Yield the values that are written, those of a tuple one by one, as `in` has them."""
    for operand in operands:
        if isinstance(operand, TupleOf):
            yield from _values(operand.fields)
        elif isinstance(operand, Constant):
            yield from operand.value if isinstance(operand.value, tuple) else (operand.value,)


def _has_anything(term: Term) -> bool:
    if isinstance(term, TupleOf):
        return any(map(_has_anything, term.fields))
    return term is ANYTHING
