"""Mutation operators that make a source match more, or something else."""

from __future__ import annotations

from collections.abc import Callable

from gsl.attr.term import ANYTHING, Access, Constant, Term, subterms
from gsl.operators import Operator
from gsl.operators.declaration import REQUIRED
from gsl.pat import Call, Cond, Const, Pattern, Trait, Variable, Variadic, Wildcard
from gsl.subst import Subst
from gslverify.mutation.draft import Draft
from gslverify.mutation.registry import Change, Changes, mutation, name_of, source_calls
from gslverify.mutation.terms import (
    is_constant,
    is_stricter,
    loosened_fields,
    other_comparisons,
)

LAYING_OUT = ("axes", "axis", "layout", "pool_layout")


def _without(subst: Subst, call: Pattern, name: str) -> Change:
    said = f"drop the constraint on `{name}` of {name_of(subst, call)}"
    return Change(call, said, Draft.of(subst).constrain(call, name, None))


def _dropped(subst: Subst, wanted: Callable[[Call, str, Term], bool]) -> Changes:
    for call in source_calls(subst):
        for name, term in call.constraints.items():
            if term is not ANYTHING and wanted(call, name, term):
                yield _without(subst, call, name)


def _is_default(call: Call, name: str, term: Term) -> bool:
    if not isinstance(call.callee, Operator) or not isinstance(term, Constant):
        return False
    default = call.callee.attributes[name].default
    return default is not REQUIRED and bool(default == term.value)


def _lays_out(name: str) -> bool:
    return name.endswith(LAYING_OUT)


@mutation("M01", "delete a constant attribute constraint", weakens=True)
def without_constant(subst: Subst) -> Changes:
    """Drop constraints to constants that are not defaults."""
    return _dropped(
        subst, lambda c, n, t: is_constant(t) and not _is_default(c, n, t) and not _lays_out(n)
    )


@mutation("M02", "delete one attribute from those that two nodes share", weakens=True)
def without_shared(subst: Subst) -> Changes:
    """Drop constraints that refer to what was matched before."""
    return _dropped(subst, lambda c, n, t: not is_constant(t) and not _lays_out(n))


@mutation("M03", "delete a shape constraint, or one of its dimensions", weakens=True)
def without_shape(subst: Subst) -> Changes:
    """Leave open the shape of an input, or one size of it."""
    for pattern in subst.source_patterns:
        shape = pattern.constraints.get("shape")
        if shape is None or isinstance(pattern, Call):
            continue
        yield _without(subst, pattern, "shape")
        for said, term in loosened_fields(shape):
            draft = Draft.of(subst).constrain(pattern, "shape", term)
            yield Change(pattern, f"shape of {name_of(subst, pattern)}: {said}", draft)


@mutation("M04", "change a comparison, or swap the arms of a choice")
def other_condition(subst: Subst) -> Changes:
    """Change conditions of the rule, and those by which its target chooses."""
    for number, condition in enumerate(subst.where):
        for said, term in other_comparisons(condition):
            where = (*subst.where[:number], term, *subst.where[number + 1 :])
            draft = Draft.of(subst)
            draft.where = where
            elsewhere = not is_stricter(term, condition)
            yield Change(None, f"condition {number + 1}: {said}", draft, elsewhere=elsewhere)
    for pattern in subst.target_patterns:
        if isinstance(pattern, Cond):
            draft = Draft.of(subst)
            draft.operands[pattern] = pattern.operands[::-1]
            yield Change(pattern, "the arms of the choice are swapped", draft)


def _without_conditions(subst: Subst, wanted: Callable[[Term], bool], what: str) -> Changes:
    for number, condition in enumerate(subst.where):
        if wanted(condition):
            draft = Draft.of(subst)
            draft.where = (*subst.where[:number], *subst.where[number + 1 :])
            yield Change(None, f"drop condition {number + 1}, which {what}", draft)


def _mentions(condition: Term, *names: str) -> bool:
    return any(isinstance(part, Access) and part.name in names for part in subterms(condition))


@mutation("M05", "delete a dtype constraint", weakens=True)
def without_dtype(subst: Subst) -> Changes:
    """Leave the dtype of an input open."""
    for pattern in subst.source_patterns:
        if "dtype" in pattern.constraints and not isinstance(pattern, Call):
            yield _without(subst, pattern, "dtype")
    yield from _without_conditions(
        subst, lambda condition: _mentions(condition, "dtype"), "is about a dtype"
    )


@mutation("M06", "widen an operator to all that share a trait", weakens=True)
def wider_operator(subst: Subst) -> Changes:
    """Let any elementwise operator of as many operands stand where one is asked for."""
    for call in source_calls(subst):
        if isinstance(call.callee, Operator) and not call.callee.attributes:
            trait = "unary" if len(call.operands) == 1 else "binary"
            if trait in call.callee.traits:
                draft = Draft.of(subst)
                draft.details[call, "callee"] = Trait(trait)
                yield Change(call, f"{call.callee} becomes any {trait} operator", draft)


@mutation("M07", "use two inputs where one was used twice", weakens=True)
def split_input(subst: Subst) -> Changes:
    """Let another input stand where the source uses one for the second time."""
    for pattern in subst.source_patterns:
        if not isinstance(pattern, Wildcard | Variable):
            continue
        uses = [
            (user, position)
            for user in subst.source_patterns
            for position, operand in enumerate(user.operands)
            if operand is pattern and not isinstance(user, Variadic)
        ]
        for user, position in uses[1:]:
            other = Wildcard() if isinstance(pattern, Wildcard) else Variable()
            other.origin = pattern.origin
            draft = Draft.of(subst)
            before, after = user.operands[:position], user.operands[position + 1 :]
            draft.operands[user] = (*before, other, *after)
            name = name_of(subst, pattern)
            said = f"another input than {name} as operand {position} of {name_of(subst, user)}"
            yield Change(user, said, draft)


@mutation("M08", "let what lies inside be used elsewhere", weakens=True)
def used_elsewhere(subst: Subst) -> Changes:
    """Make a call inside the source an output, which the target keeps as it is."""
    if any(isinstance(pattern, Variadic) for pattern in subst.source_patterns):
        return
    for call in source_calls(subst):
        if call not in subst.outputs:
            draft = Draft.of(subst)
            draft.source, draft.target = (*subst.source, call), (*subst.target, call)
            said = f"{name_of(subst, call)} may be used elsewhere"
            yield Change(call, said, draft, performance=True)


@mutation("M09", "accept any constant for one, and any tensor for a constant", weakens=True)
def wider_constant(subst: Subst) -> Changes:
    """Forget the value of a constant, that it is constant, or that a weight is one."""
    for pattern in subst.source_patterns:
        if isinstance(pattern, Variable) and not pattern.constraints:
            draft = Draft.of(subst)
            draft.instead[pattern] = _same_place(Wildcard(), pattern)
            said = f"{name_of(subst, pattern)} may be any tensor"
            yield Change(pattern, said, draft, performance=True)
        if isinstance(pattern, Const) and "value" in pattern.constraints:
            yield _without(subst, pattern, "value")
            draft = Draft.of(subst)
            draft.instead[pattern] = _same_place(Wildcard(), pattern)
            yield Change(pattern, f"{name_of(subst, pattern)} may be any tensor", draft)


@mutation("M10", "accept fewer fields, or any number", weakens=True)
def other_arity(subst: Subst) -> Changes:
    """Let a variadic pattern match one field, or not look at their number."""
    for pattern in subst.source_patterns:
        if not isinstance(pattern, Variadic):
            continue
        if pattern.minimum > 1:
            draft = Draft.of(subst)
            draft.details[pattern, "minimum"] = 1
            yield Change(pattern, "a single field matches", draft)
        if pattern.size is not ANYTHING:
            draft = Draft.of(subst)
            draft.details[pattern, "size"] = ANYTHING
            yield Change(pattern, "any number of fields matches", draft)


@mutation("M11", "accept any value where a default is asked for", weakens=True)
def without_default(subst: Subst) -> Changes:
    """Drop constraints to defaults."""
    return _dropped(subst, lambda c, n, t: _is_default(c, n, t) and not _lays_out(n))


@mutation("M12", "drop a test of a permutation, an axis or a layout", weakens=True)
def without_layout(subst: Subst) -> Changes:
    """Drop constraints and conditions on axes, permutations and layouts."""
    yield from _dropped(subst, lambda c, n, t: _lays_out(n))
    yield from _without_conditions(subst, _is_about_layout, "is about axes or layouts")


def _is_about_layout(condition: Term) -> bool:
    names = {part.name for part in subterms(condition) if isinstance(part, Access)}
    return any(_lays_out(name) for name in names) and "dtype" not in names


@mutation("M13", "drop a condition that nothing broadcasts", weakens=True)
def without_shapes_equal(subst: Subst) -> Changes:
    """Drop conditions about shapes and ranks."""
    return _without_conditions(subst, _is_about_shapes, "is about shapes")


def _is_about_shapes(condition: Term) -> bool:
    about = _mentions(condition, "shape", "ndim")
    return about and not _mentions(condition, "dtype") and not _is_about_layout(condition)


@mutation("M14", "drop a condition on values or attributes", weakens=True)
def without_domain(subst: Subst) -> Changes:
    """Drop all other conditions."""
    return _without_conditions(
        subst,
        lambda c: not (_is_about_shapes(c) or _is_about_layout(c) or _mentions(c, "dtype")),
        "is about values or attributes",
    )


def _same_place(new: Pattern, old: Pattern) -> Pattern:
    new.origin = old.origin
    return new
