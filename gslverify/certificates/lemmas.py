"""Conditions that follow from facts as sums of products: what is at least 0 adds up to no less.

Facts, and the opposite of what is shown, say of differences that they are 0 or at least 0. A sum of
products of such is at least 0, too; where it is less, they clash. That it is a number less than 0
is seen in a random model, and z3 need not be asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gsl.attr.evaluate import negation
from gsl.attr.term import Operation, Symbol, Term, operation, subterms
from gsl.attr.values import NUMBER, sort_of
from gslverify.certificates.field import plus, signed
from gslverify.certificates.indices import Indices
from gslverify.certificates.subjects import symbols_in
from gslverify.prove.indices.cone import conjuncts

Way = tuple[Any, ...]
"""Products, each of which is a factor with what it is multiplied with: what is known by its number,
or a symbol, for what it is above its limit, by a number below 0. Or the number of a condition,
"either", and the ways where it holds and where it fails."""

FAR = 2**10
"""Below 0 there are few numbers that count as less, so that none is met by chance."""

OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "!=": "=="}


def ways_against(goal: Any) -> list[list[Any]]:
    """Return the ways in which a condition can fail, each as what holds there."""
    against = conjuncts([negation(goal)]) if isinstance(goal, Term) else []
    match against:
        case [Operation(head="not", operands=(Operation(head="==", operands=sides),))]:
            return [[operation(head, *sides)] for head in "<>"]
        case [Operation(head="!=", operands=sides)]:
            return [[operation(head, *sides)] for head in "<>"]
    return [against]


def clashes(ways: Sequence[Way], goal: Any, facts: Sequence[Any], model: Indices) -> bool:
    """Tell whether what holds on each way in which a goal fails adds up to less than 0."""
    against = ways_against(goal)
    known = [[*opposite, *facts] for opposite in against]
    try:
        return all(_adds_up(way, one, one, model) for way, one in zip(ways, known, strict=True))
    except (IndexError, TypeError, ValueError):  # it names what there is not
        return False


def choices_in(known: Sequence[Any]) -> list[Any]:
    """Return the conditions on which it depends what something is."""
    every = (part for one in known if isinstance(one, Term) for part in subterms(one))
    choices = (one for one in every if isinstance(one, Operation) and one.head in ("cond", "or"))
    return [one.operands[0] for one in choices]


def _adds_up(way: Way, known: Sequence[Any], first: Sequence[Any], model: Indices) -> bool:
    match way:
        case (int(number), "either", holds, fails):
            condition = choices_in(first)[number]
            return all(
                _adds_up(one, [*known, *conjuncts([also])], first, model.where_also(also))
                for one, also in ((holds, condition), (fails, negation(condition)))
            )
    total: Any = 0
    for factor, *names in way:
        product: Any = factor
        is_zero = False
        for name in names:
            said = difference(known[name] if name >= 0 else symbols_in(*first)[-1 - name], model)
            if said is None:
                return False
            equation, above, below, apart = said
            value = plus(plus(model.index(above), model.index(below), -1), apart, -1)
            product, is_zero = model.times(product, value), is_zero or equation
        if factor < 0 and not is_zero:
            return False
        total = plus(total, product)
    less = signed(total)
    return less is not None and -FAR < less < 0


def difference(condition: Any, model: Indices) -> tuple[bool, Any, Any, int] | None:
    """Return what a condition says: that above - below - less is at least 0, or is 0.

    The first of what is returned tells which; None is for what says nothing of integers.
    """
    match condition:
        case Symbol(low=int(low), sort="int"):
            return False, condition, low, 0
        case Operation(head="or", operands=(one, other)) if model.condition(one) == 0:
            return difference(other, model)
        case Operation(head="not", operands=(Operation(head=head, operands=sides),)) if (
            head in OPPOSITE
        ):
            return difference(Operation(OPPOSITE[head], sides), model)
        case Operation(head=">" | ">=" as head, operands=(a, b)):
            return difference(Operation("<" if head == ">" else "<=", (b, a)), model)
        case Operation(head="==" | "<" | "<=" as head, operands=(a, b)):
            if all(model.is_integer(one) and sort_of(one) == NUMBER for one in (a, b)):
                return head == "==", b, a, int(head == "<")
    return None
