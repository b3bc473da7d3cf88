"""What attribute values are, and what equality, order and arithmetic mean for them.

There are truth values, integers, reals, texts and tuples of these. This module is the one place
that says what operations on them give: `gsl.attr.evaluate` walks over terms with it, and the code
of `gsl.attr.writer` and the formulas of a solver have to agree with it.

- Values of different sorts are never equal. Integers and reals are of one sort, the numbers, and
  compare exactly: ``2 == 2.0`` holds and ``True == 1`` does not. NaN equals nothing.
- Numbers have an order and an arithmetic, which truth values and texts do not have: there an
  operation has no value. Tuples can be joined by ``+``.
- Integers are of any size. Reals are those of float64, and so is their arithmetic.
- ``and``, ``or``, ``not`` and the condition of ``cond`` take truth values and nothing else.

What is not known yet is a term; an operation on one gives a term again.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from functools import partial, reduce
from math import ceil, floor, sqrt

from gsl.attr.axes import axes_left, inverse
from gsl.attr.term import Constant, Operation, Symbol, Term, Value, operation
from gsl.errors import EvaluationError, UndecidedError

Table = Mapping[str, Callable[..., Value]]

PLAIN = frozenset({int, str, bool})
"""Types of which two values are equal if Python says so, and always if they are one object."""

PLAIN_NUMBERS = frozenset({int, float})
"""Types of what is certainly a known number."""

ORDER = frozenset({"<", "<=", ">", ">="})
LOGIC = frozenset({"and", "or", "not"})
TRUTH = ORDER | LOGIC | {"==", "!=", "in"}
"""Operations that give a truth value."""

OF_AXES = frozenset({"axes_left", "inverse"})
"""Operations that give a tuple of axes."""

NUMBER, BOOL, TEXT, TUPLE, UNKNOWN = "number", "bool", "text", "tuple", ""
_SORTS = {bool: BOOL, int: NUMBER, float: NUMBER, str: TEXT, tuple: TUPLE}
_DESCRIBED = {NUMBER: "a number", BOOL: "a truth value", TEXT: "a text", TUPLE: "a tuple"}
_SYMBOLS = {"int": NUMBER, "real": NUMBER, "bool": BOOL, "text": TEXT}
_RESULTS = {**dict.fromkeys(OF_AXES, TUPLE), **dict.fromkeys(TRUTH, BOOL)}


def is_symbolic(value: Value) -> bool:
    """Tell whether `value` still contains a term."""
    if isinstance(value, tuple):
        return any(map(is_symbolic, value))
    return isinstance(value, Term)


def sort_of(value: Value) -> str:
    """Return "number", "bool", "text" or "tuple", or the empty string where it is not known."""
    kind = type(value)
    if kind is Operation:
        head = value.head
        return _sort_of_choice(value) if head == "cond" else _RESULTS.get(head, NUMBER)
    if kind is Symbol:
        return _SYMBOLS.get(value.sort, UNKNOWN)
    return _SORTS.get(type(value.value) if kind is Constant else kind, UNKNOWN)


def _sort_of_choice(choice: Operation) -> str:
    """Return the sort of all alternatives of a choice, if they have the same one; it is kept."""
    known: str | None = getattr(choice, "_sort", None)
    if known is not None:
        return known
    found: set[str] = set()
    stack, seen = list(choice.operands[1:]), {choice}
    while stack and len(found) < 2:
        one = stack.pop()
        if not isinstance(one, Operation) or one.head != "cond":
            found.add(sort_of(one))
        elif hasattr(one, "_sort"):
            found.add(one._sort)
        elif one not in seen:
            seen.add(one)
            stack.extend(one.operands[1:])
    sort = found.pop() if len(found) == 1 else UNKNOWN
    object.__setattr__(choice, "_sort", sort)
    return sort


def equal(left: Value, right: Value) -> Value:
    """Compare values structurally; the result is a term when it depends on one."""
    kind, other = type(left), type(right)
    if kind is other and kind in PLAIN:
        return bool(left == right)
    if left is right and (isinstance(left, Term) or (kind is tuple and _is_plain(left))):
        return True
    if isinstance(left, tuple) and isinstance(right, tuple):
        if len(left) != len(right):
            return False
        return conjunction(*map(equal, left, right))
    first, second = sort_of(left), sort_of(right)
    if first != second and first and second:
        return False
    if isinstance(left, Term) or isinstance(right, Term):
        return operation("==", left, right)
    return (kind is other or first == NUMBER) and bool(left == right)


def certainly_equal(left: Value, right: Value) -> bool:
    """Tell whether values are equal whatever the unknowns are; no term is made to say so."""
    if isinstance(left, Term) or isinstance(right, Term):
        return left is right
    return equal(left, right) is True


def _is_plain(whole: tuple[Value, ...]) -> bool:
    return all(type(item) in PLAIN or isinstance(item, Term) for item in whole)


def unequal(left: Value, right: Value) -> Value:
    """Tell whether values differ."""
    return negation(equal(left, right))


def conjunction(*conditions: Value) -> Value:
    """Return the logical and; decided parts disappear."""
    open_parts = []
    decided = True
    for condition in conditions:
        if condition is True:
            continue
        if condition is False:
            decided = False
        else:
            _demand_truth("and", condition)
            open_parts.append(condition)
    if not decided:
        return False
    return reduce(partial(operation, "and"), open_parts) if open_parts else True


def disjunction(*conditions: Value) -> Value:
    """Return the logical or; decided parts disappear."""
    open_parts = []
    decided = False
    for condition in conditions:
        if condition is False:
            continue
        if condition is True:
            decided = True
        else:
            _demand_truth("or", condition)
            open_parts.append(condition)
    if decided:
        return True
    return reduce(partial(operation, "or"), open_parts) if open_parts else False


def negation(condition: Value) -> Value:
    """Return the logical not."""
    if condition is True or condition is False:
        return not condition
    _demand_truth("not", condition)
    return operation("not", condition)


def _demand_truth(head: str, value: Value) -> None:
    """Raise EvaluationError for what is no truth value; a term may still become one."""
    sort = sort_of(value)
    if sort != BOOL and not (sort == UNKNOWN and isinstance(value, Term)):
        raise EvaluationError(f"`{head}` takes truth values, not {_described(value)}")


def _described(value: Value) -> str:
    return _DESCRIBED.get(sort_of(value), repr(value))


def choose(condition: Value, then: Value, otherwise: Value) -> Value:
    """Return `then` or `otherwise`; an undecided choice between tuples is made per element."""
    if condition is True or condition is False:
        return then if condition else otherwise
    _demand_truth("cond", condition)
    if isinstance(then, tuple) and isinstance(otherwise, tuple) and len(then) == len(otherwise):
        return tuple(choose(condition, a, b) for a, b in zip(then, otherwise, strict=True))
    if isinstance(then, tuple) or isinstance(otherwise, tuple):
        raise UndecidedError("the length of a tuple depends on an unknown condition")
    return then if then is otherwise else operation("cond", condition, then, otherwise)


def contains(item: Value, options: Value) -> Value:
    """Tell whether `item` equals one of `options`."""
    if not isinstance(options, tuple):
        raise EvaluationError("the right side of attr.In is not a tuple")
    if isinstance(item, Term) and not is_symbolic(options):
        return operation("in", item, options)
    if type(item) is str:  # a dtype, as nearly always: another one is told apart at once
        options = tuple(one for one in options if type(one) is not str or one == item)
    undecided = []
    for option in options:
        same = equal(item, option)
        if same is True:
            return True
        undecided.append(same)
    return disjunction(*undecided)


def demand_numbers(head: str, *values: Value) -> None:
    """Raise EvaluationError unless all values are numbers, or terms that may still become some."""
    for value in values:
        sort = sort_of(value)
        if sort != NUMBER and not (sort == UNKNOWN and isinstance(value, Term)):
            raise EvaluationError(f"`{head}` is not defined here: {_described(value)} is no number")


def arithmetic(head: str, compute: Callable[..., Value], *values: Value) -> Value:
    """Return what `compute` gives for numbers; raise EvaluationError where it gives nothing."""
    if not PLAIN_NUMBERS.issuperset(map(type, values)):
        demand_numbers(head, *values)
        if any(isinstance(value, Term) for value in values):
            return operation(head, *values)
    try:
        return compute(*values)
    except ZeroDivisionError as error:
        raise EvaluationError("division by zero") from error
    except (TypeError, ValueError, OverflowError) as error:
        raise EvaluationError(f"`{head}` is not defined here: {error}") from error


def add(left: Value, right: Value) -> Value:
    """Return the sum of two numbers, or two tuples as one."""
    if type(left) is int and type(right) is int:
        return left + right
    if isinstance(left, tuple) and isinstance(right, tuple):
        return left + right
    return arithmetic("+", operator.add, left, right)


def multiply(left: Value, right: Value) -> Value:
    """Return the product of two numbers."""
    if type(left) is int and type(right) is int:
        return left * right
    return arithmetic("*", operator.mul, left, right)


def minimum(left: Value, right: Value) -> Value:
    """Return the smaller value."""
    if left is right and isinstance(left, Term):
        return left
    return arithmetic("min", min, left, right)


def maximum(left: Value, right: Value) -> Value:
    """Return the larger value."""
    if left is right and isinstance(left, Term):
        return left
    return arithmetic("max", max, left, right)


def ceil_divide(left: Value, right: Value) -> Value:
    """Divide two integers and round towards plus infinity."""
    return -((-left) // right)


def length(whole: Value) -> Value:
    """Return the number of elements of a tuple."""
    if not isinstance(whole, tuple):
        raise EvaluationError("only a tuple has a length")
    return len(whole)


_COMPUTED: Table = {
    "-": operator.sub,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "neg": operator.neg,
    "abs": abs,
    "floor": floor,
    "ceil": ceil,
    "sqrt": sqrt,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

PYTHON: Table = {
    **{head: partial(arithmetic, head, compute) for head, compute in _COMPUTED.items()},
    "+": add,
    "*": multiply,
    "min": minimum,
    "max": maximum,
    "==": equal,
    "!=": unequal,
    "and": conjunction,
    "or": disjunction,
    "not": negation,
    "in": contains,
    "cond": choose,
    "length": length,
    "axes_left": axes_left,
    "inverse": inverse,
}
"""What every operation of a term gives, by its head."""


def project(whole: Value, index: Value) -> Value:
    """Return element `index` of a tuple, counted from the end if it is negative."""
    if not isinstance(whole, tuple):
        raise EvaluationError(f"only a tuple can be indexed, not {whole!r}")
    if not _is_integer(index) or not -len(whole) <= index < len(whole):
        raise EvaluationError(f"index {index} is out of range for a tuple of length {len(whole)}")
    return whole[index]


def cut(whole: Value, *bounds: Value) -> Value:
    """Return the part of a tuple between bounds as of a Python slice; None is an absent one."""
    if not isinstance(whole, tuple):
        raise EvaluationError("only a tuple can be sliced")
    if not all(bound is None or _is_integer(bound) for bound in bounds):
        raise EvaluationError("bad slice: its bounds are integers")
    try:
        return whole[slice(*bounds)]
    except ValueError as error:
        raise EvaluationError(f"bad slice: {error}") from error


LENGTH_UNKNOWN = "the length of a tuple depends on an unknown size"


def field_count(count: Value) -> int:
    """Return the length of a tuple; raise EvaluationError or UndecidedError when it is none."""
    if isinstance(count, Term):
        raise UndecidedError(LENGTH_UNKNOWN)
    if not _is_integer(count) or count < 0:
        raise EvaluationError(f"a tuple cannot have length {count!r}")
    return int(count)


def _is_integer(value: Value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


UNITS: Mapping[str, Value] = {"+": 0, "*": 1, "and": True, "or": False}


def combine(head: str, values: Iterator[Value] | tuple[Value, ...]) -> Value:
    """Combine values by an operation; nothing gives the unit of the operation, if it has one.

    One value alone has to be of the sort that the operation takes, too.
    """
    values = tuple(values)
    if not values:
        if head in UNITS:
            return UNITS[head]
        raise EvaluationError(f"`{head}` of nothing has no value")
    if head in LOGIC:
        return PYTHON[head](*values)
    if len(values) == 1 and not (head == "+" and isinstance(values[0], tuple)):
        demand_numbers(head, values[0])
    return reduce(PYTHON[head], values)
