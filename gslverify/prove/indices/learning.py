"""What claims say about forms: which terms are equal, and how small symbols can be."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import Any

from gsl.attr.evaluate import negation
from gsl.attr.term import Constant, Operation, Symbol, Term
from gsl.attr.values import NUMBER, sort_of
from gslverify.prove.effort import Effort
from gslverify.prove.indices.conditions import opposite
from gslverify.prove.indices.cone import conjuncts
from gslverify.prove.indices.forms import Forms
from gslverify.structures.arithmetic.polynomials import (
    ONE,
    ZERO,
    Monomial,
    Poly,
    add,
    constant_of,
    frozen,
    multiply,
)

MOST_CASES = 32


def forms_of(claims: Iterable[Any], effort: Effort | None = None) -> Forms:
    """Return forms that know claims, which always hold."""
    forms = Forms(effort)
    parts = [part for part in conjuncts(claims) if isinstance(part, Operation)]
    for part in parts:
        if part.head in ("<", "<=", ">", ">=", "!=", "not"):
            _bound(part, forms)
        elif part.head == "in":
            _restrict(part, forms)
    equations = [part.operands for part in parts if part.head == "=="]
    for left, right in equations:
        _equate(left, right, forms)
    for left, right in equations:
        _learn_multiple(left, right, forms)
    return forms


def _restrict(membership: Operation, forms: Forms) -> None:
    match membership.operands:
        case (Symbol() as name, Constant(value=options)):
            forms.names.restrict(name, options)


def cases_of(claims: Sequence[Any], assumed: tuple[Term, ...] = ()) -> list[tuple[Term, ...]]:
    """Return assumptions of which one set holds, so that no claim leaves a choice of equations.

    There is one empty set if claims leave none, or too many.
    """
    found: list[tuple[Term, ...]] = []
    stack = [assumed]
    while stack:
        if len(found) + len(stack) > MOST_CASES:
            return [()]
        taken = stack.pop()
        choice = _choice(claims, taken)
        if choice is None:
            found.append(taken)
        elif len(choice) == 1:
            stack.append((*taken, choice[0]))
        elif choice:
            stack += [(*taken, choice[0]), (*taken, negation(choice[0]))]
    return found


def _choice(claims: Sequence[Any], taken: tuple[Term, ...]) -> list[Term] | None:
    """Return the equations of a claim of which one holds, those that are known not to left out.

    None when each claim has one that holds.
    """
    forms = forms_of([*claims, *taken])
    assumed = {forms.condition(one) for one in taken}
    for claim in conjuncts(claims):
        parts = _disjuncts(claim)
        if len(parts) > 1 and all(_is_equation(part) for part in parts):
            known = [_decided(forms.condition(part), assumed) for part in parts]
            if True not in known:
                return [p for p, form in zip(parts, known, strict=True) if form is not False]
    return None


def _decided(form: Hashable, assumed: Collection[Hashable]) -> Hashable:
    return (form in assumed) or (form if opposite(form) not in assumed else False)


def _disjuncts(condition: Any) -> list[Any]:
    match condition:
        case Operation(head="or", operands=parts):
            return [one for part in parts for one in _disjuncts(part)]
        case _:
            return [condition]


def _is_equation(condition: Any) -> bool:
    return isinstance(condition, Operation) and condition.head == "=="


def _bound(condition: Operation, forms: Forms) -> None:
    """Learn from symbol >= number, and from symbol != number if it cannot be less."""
    match forms.condition(condition):
        case ("ge", frozenset() as poly, True):
            sides, is_least = [poly], True
        case ("ne", frozenset() as poly) if all(isinstance(n, int) for _, n in poly):
            sides, is_least = [poly, add(ZERO, poly, -1)], False
        case _:
            return
    for side in sides:
        number = dict(side).get((), 0)
        atom = forms.atom_of(add(side, frozenset([((), number)]), -1))
        if atom is not None and is_least:
            forms.restrict(atom, -number)
        elif atom is not None and forms.ranges.is_count(atom, -number):
            forms.restrict(atom, 1 - number)


def _equate(left: Term, right: Term, forms: Forms) -> None:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Symbol) and one.sort == "text":
            forms.names.define(one, other)
            return
    if not all(_is_integral(side, forms) for side in (left, right)):
        _equate_reals(left, right, forms)
        return
    _learn_factors(add(forms.poly(left), forms.poly(right), -1), forms)
    difference = add(forms.poly(left), forms.poly(right), -1)
    for mono, number in sorted(difference, key=lambda pair: -max(pair[0], default=-1)):
        if len(mono) == 1 and number in (1, -1) and _is_free(mono[0], difference, forms):
            forms.define(mono[0], _without(mono, number, difference))
            return


def _is_integral(side: Any, forms: Forms) -> bool:
    """Tell whether a side of an equation is an integer, be it written as 2.0."""
    return forms.is_integer(side) or (
        isinstance(side, Constant) and isinstance(constant_of(forms.poly(side)), int)
    )


def _equate_reals(left: Term, right: Term, forms: Forms) -> None:
    """Learn from an equation of real numbers, such as that an attribute is 0, 2 or another one."""
    if sort_of(left) != NUMBER or sort_of(right) != NUMBER:
        return
    difference = add(forms.poly(left), forms.poly(right), -1)
    for mono, number in sorted(difference, key=lambda pair: -max(pair[0], default=-1)):
        if len(mono) == 1 and number in (1, -1) and _is_free(mono[0], difference, forms, "real"):
            forms.define(mono[0], _without(mono, number, difference))
            return


def _learn_multiple(left: Term, right: Term, forms: Forms) -> None:
    """Learn from a size that is divided without rest: it is the divisor times a new symbol."""
    match left:
        case Operation(head="%", operands=(Symbol() as whole, divisor)):
            size, unit = forms.poly(whole), forms.poly(divisor)
        case _:
            return
    if forms.poly(right) != ZERO or not forms.ranges.is_positive(unit) or unit == ONE:
        return
    atom, divisor_atom = forms.atom_of(size), forms.atom_of(unit)
    if size == ONE and divisor_atom is not None:
        forms.define(divisor_atom, ONE)
    if atom is None or not forms.ranges.is_count(atom, 1):
        return
    inside = forms.symbols_behind(number for mono, _ in unit for number in mono)
    if forms.atoms[atom] not in inside:
        forms.define(atom, multiply(unit, forms.poly(forms.new_symbol(whole // divisor))))


def _learn_factors(difference: Poly, forms: Forms) -> None:
    """Learn from a product of counts: if it is 1, so are they, and if it is more, so none is 0."""
    for mono, number in sorted(difference, key=lambda pair: pair[0]):
        if len(mono) < 2 or number not in (1, -1) or not all(map(forms.ranges.is_count, mono)):
            continue
        product = _without(mono, number, difference)
        for atom in sorted(set(mono)):
            if product == ONE:
                forms.define(atom, ONE)
            elif forms.ranges.is_positive(product):
                forms.restrict(atom, 1)


def _without(mono: Monomial, number: int, difference: Poly) -> Poly:
    """Return what a monomial is where a difference is 0."""
    return frozen({m: -number * n for m, n in difference if m != mono})


def _is_free(atom: int, poly: Poly, forms: Forms, sort: str = "int") -> bool:
    """Tell whether an atom is a symbol of a sort that occurs once, on its own."""
    symbol = forms.atoms[atom]
    if not isinstance(symbol, Symbol) or symbol.sort != sort:
        return False
    others = {number for mono, _ in poly if mono != (atom,) for number in mono}
    return symbol not in forms.symbols_behind(others)
