"""Formulas of z3 made by its C functions, a third of the time that its Python operators take.

Those ask for the sort of every operand several times; these leave that to z3, which raises
`z3.Z3Exception` for sorts that do not go together. What is made is the same. All operands of a
formula are formulas of one context, and numbers are made alike by `as_real` beforehand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import permutations
from typing import Any

import z3

Make = Callable[[Any, Any], Any]


def _array(formulas: Sequence[Any]) -> Any:
    return (z3.Ast * len(formulas))(*[one.ast for one in formulas])


def _number(function: Callable[..., Any]) -> Make:
    def make(left: Any, right: Any) -> Any:
        context = left.ctx
        return z3.ArithRef(function(context.ref(), 2, _array((left, right))), context)

    return make


def implies(left: Any, right: Any) -> Any:
    """Return that a formula holds wherever another one does."""
    context = left.ctx
    return z3.BoolRef(z3.Z3_mk_implies(context.ref(), left.ast, right.ast), context)


def _comparison(function: Callable[..., Any], mirrored: Callable[..., Any]) -> Make:
    def make(left: Any, right: Any) -> Any:
        context = left.ctx
        if _is_swapped(left, right):
            return z3.BoolRef(mirrored(context.ref(), right.ast, left.ast), context)
        return z3.BoolRef(function(context.ref(), left.ast, right.ast), context)

    return make


def _is_swapped(left: Any, right: Any) -> bool:
    """Tell whether Python's operators would ask the right side first: where it is a known number.

    Models of z3 depend on the order.
    """
    return type(left) is z3.ArithRef and type(right) in (z3.IntNumRef, z3.RatNumRef)


plus, minus, times = map(_number, (z3.Z3_mk_add, z3.Z3_mk_sub, z3.Z3_mk_mul))
less, more = (_comparison(*p) for p in permutations((z3.Z3_mk_lt, z3.Z3_mk_gt)))
at_most, at_least = (_comparison(*p) for p in permutations((z3.Z3_mk_le, z3.Z3_mk_ge)))
_equal = _comparison(z3.Z3_mk_eq, z3.Z3_mk_eq)


def over(left: Any, right: Any) -> Any:
    """Return a quotient: that of reals, or of integers with a remainder of at least 0."""
    context = left.ctx
    return z3.ArithRef(z3.Z3_mk_div(context.ref(), left.ast, right.ast), context)


def negative(operand: Any) -> Any:
    """Return a number with the other sign."""
    context = operand.ctx
    return z3.ArithRef(z3.Z3_mk_unary_minus(context.ref(), operand.ast), context)


def equal(left: Any, right: Any) -> Any:
    """Return that two formulas have the same value."""
    return _equal(left, right) if _are_alike(left, right) else left == right


def unequal(left: Any, right: Any) -> Any:
    """Return that two formulas have different values."""
    if not _are_alike(left, right):
        return left != right
    context, sides = left.ctx, (right, left) if _is_swapped(left, right) else (left, right)
    return z3.BoolRef(z3.Z3_mk_distinct(context.ref(), 2, _array(sides)), context)


def conjunction(formulas: Sequence[Any], context: Any) -> Any:
    """Return that all formulas hold."""
    return z3.BoolRef(z3.Z3_mk_and(context.ref(), len(formulas), _array(formulas)), context)


def disjunction(formulas: Sequence[Any], context: Any) -> Any:
    """Return that one of the formulas holds."""
    return z3.BoolRef(z3.Z3_mk_or(context.ref(), len(formulas), _array(formulas)), context)


def negation(operand: Any) -> Any:
    """Return that a formula does not hold."""
    context = operand.ctx
    return z3.BoolRef(z3.Z3_mk_not(context.ref(), operand.ast), context)


def choice(condition: Any, then: Any, otherwise: Any) -> Any:
    """Return one of two formulas by a condition."""
    if not _are_alike(then, otherwise):
        return z3.If(condition, then, otherwise)
    context, made = condition.ctx, z3.BoolRef if isinstance(then, z3.BoolRef) else z3.ArithRef
    return made(z3.Z3_mk_ite(context.ref(), condition.ast, then.ast, otherwise.ast), context)


def _sort(formula: Any) -> Any:
    return z3.Z3_get_sort(formula.ctx.ref(), formula.ast)


def _are_alike(left: Any, right: Any) -> bool:
    """Tell whether two formulas are of one sort; z3 has each sort once."""
    return bool(_sort(left).value == _sort(right).value)


def is_real(formula: Any) -> bool:
    """Tell whether a formula is a real number."""
    if isinstance(formula, z3.BoolRef):
        return False
    kind: int = z3.Z3_get_sort_kind(formula.ctx.ref(), _sort(formula))
    return bool(kind == z3.Z3_REAL_SORT)


def small(value: int, like: Any) -> Any:
    """Return a number of at most 31 bits, of the sort of another formula."""
    context = like.ctx
    return z3.ArithRef(z3.Z3_mk_int(context.ref(), value, _sort(like)), context)


def as_real(formula: Any) -> Any:
    """Return an integer as a real number, and anything else as it is."""
    if isinstance(formula, z3.BoolRef) or is_real(formula):
        return formula
    context = formula.ctx
    return z3.ArithRef(z3.Z3_mk_int2real(context.ref(), formula.ast), context)


def add(solver: Any, formulas: Iterable[Any]) -> None:
    """Have a solver take formulas for true."""
    context = solver.ctx.ref()
    for formula in formulas:
        z3.Z3_solver_assert(context, solver.solver, formula.ast)
