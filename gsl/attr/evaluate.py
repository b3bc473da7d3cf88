"""The value of a term: one walk, one table per meaning.

`PYTHON` computes with Python values; when an operand is still a term the result is a term again,
so the same walk also evaluates symbolically.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from math import ceil, floor, sqrt
from typing import Protocol

from gsl.attr.term import (
    Access,
    Anything,
    Constant,
    Operation,
    Projection,
    Reduce,
    Slice,
    Symbol,
    Term,
    TupleOf,
    Value,
    VariadicTuple,
    operation,
)
from gsl.errors import EvaluationError, UndecidedError

Table = Mapping[str, Callable[..., Value]]


class Environment(Protocol):
    """What the leaves of a term stand for: the environment of the thesis with its match."""

    def access(self, term: Access) -> Value:
        """Return the value of an attribute of a matched pattern."""

    def symbol(self, symbol: Symbol) -> Value:
        """Return the value bound to `symbol`; raise EvaluationError when it is unbound."""

    def bind(self, symbol: Symbol, value: Value) -> Environment:
        """Return this environment extended by `symbol` = `value`."""


def is_symbolic(value: Value) -> bool:
    """Tell whether `value` still contains a term."""
    if isinstance(value, tuple):
        return any(map(is_symbolic, value))
    return isinstance(value, Term)


PLAIN = frozenset({int, str, bool, float})
"""Types of which two values are equal if Python says so."""


def equal(left: Value, right: Value) -> Value:
    """Compare values structurally; the result is a term when it depends on one."""
    if left is right:
        return True
    if type(left) is type(right) and type(left) in PLAIN:
        return bool(left == right)
    if isinstance(left, tuple) and isinstance(right, tuple):
        if len(left) != len(right):
            return False
        return conjunction(*map(equal, left, right))
    if isinstance(left, tuple) or isinstance(right, tuple):
        return False
    if (_is_text(left) and _is_number(right)) or (_is_number(left) and _is_text(right)):
        return False
    if isinstance(left, Term) or isinstance(right, Term):
        return operation("==", left, right)
    return (type(left) is type(right) and left == right) or _same_number(left, right)


def _same_number(left: Value, right: Value) -> bool:
    return _is_number(left) and _is_number(right) and bool(left == right)


def _is_text(value: Value) -> bool:
    return isinstance(value, str) or (isinstance(value, Symbol) and value.sort == "text")


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def conjunction(*conditions: Value) -> Value:
    """Return the logical and; decided parts disappear."""
    open_parts = []
    for condition in conditions:
        if condition is False:
            return False
        if condition is not True:
            open_parts.append(condition)
    return reduce(lambda a, b: operation("and", a, b), open_parts) if open_parts else True


def disjunction(*conditions: Value) -> Value:
    """Return the logical or; decided parts disappear."""
    open_parts = []
    for condition in conditions:
        if condition is True:
            return True
        if condition is not False:
            open_parts.append(condition)
    return reduce(lambda a, b: operation("or", a, b), open_parts) if open_parts else False


def negation(condition: Value) -> Value:
    """Return the logical not."""
    return operation("not", condition) if isinstance(condition, Term) else not condition


def choose(condition: Value, then: Value, otherwise: Value) -> Value:
    """Return `then` or `otherwise`; an undecided choice between tuples is made per element."""
    if not isinstance(condition, Term):
        return then if condition else otherwise
    if isinstance(then, tuple) and isinstance(otherwise, tuple) and len(then) == len(otherwise):
        return tuple(choose(condition, a, b) for a, b in zip(then, otherwise, strict=True))
    if isinstance(then, tuple) or isinstance(otherwise, tuple):
        raise UndecidedError("the length of a tuple depends on an unknown condition")
    return then if then is otherwise else operation("cond", condition, then, otherwise)


def minimum(left: Value, right: Value) -> Value:
    """Return the smaller value."""
    return _lift("min", min, left, right)


def maximum(left: Value, right: Value) -> Value:
    """Return the larger value."""
    return _lift("max", max, left, right)


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


def ceil_divide(left: Value, right: Value) -> Value:
    """Divide two integers and round towards plus infinity."""
    return -((-left) // right)


def _lift(head: str, compute: Callable[..., Value], *values: Value) -> Value:
    if any(isinstance(value, Term) for value in values):
        same = len(values) == 2 and values[0] is values[1]
        return values[0] if same else operation(head, *values)
    return compute(*values)


def _unary(head: str, compute: Callable[[Value], Value]) -> Callable[[Value], Value]:
    return lambda value: _lift(head, compute, value)


def _length(value: Value) -> Value:
    if not isinstance(value, tuple):
        raise EvaluationError("only a tuple has a length")
    return len(value)


PYTHON: Table = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "neg": operator.neg,
    "abs": _unary("abs", abs),
    "floor": _unary("floor", floor),
    "ceil": _unary("ceil", ceil),
    "sqrt": _unary("sqrt", sqrt),
    "==": equal,
    "!=": lambda left, right: negation(equal(left, right)),
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "and": conjunction,
    "or": disjunction,
    "not": negation,
    "min": minimum,
    "max": maximum,
    "in": contains,
    "cond": choose,
    "length": _length,
}


class Memory(Protocol):
    """Values of terms computed before; it may decline to remember some."""

    def __contains__(self, term: Term) -> bool: ...

    def __getitem__(self, term: Term) -> Value: ...

    def __setitem__(self, term: Term, value: Value) -> None: ...


def evaluate(term: Term, environment: Environment, memory: Memory | None = None) -> Value:
    """Return the value of `term` (thesis, figure of the evaluation rules AE-*).

    What is in `memory` is not computed again (thesis, section on memoisation). Raises
    EvaluationError when a part has no value, such as an index out of range.
    """
    kind = type(term)
    if kind is Constant:
        return term.value  # type: ignore[attr-defined]
    if kind is Symbol:
        return environment.symbol(term)  # type: ignore[arg-type]
    compute = COMPUTATIONS.get(kind)
    if compute is None:
        raise EvaluationError(f"not an attribute expression: {term!r}")
    if memory is None:
        return compute(term, environment, None)
    if term not in memory:
        memory[term] = value = compute(term, environment, memory)
        return value
    return memory[term]


def _anything(term: Anything, environment: Environment, memory: Memory | None) -> Value:
    raise EvaluationError("`any` has no value")


def _access(term: Access, environment: Environment, memory: Memory | None) -> Value:
    return environment.access(term)


def _operation(term: Operation, environment: Environment, memory: Memory | None) -> Value:
    if term.head == "cond":
        condition = evaluate(term.operands[0], environment, memory)
        if not isinstance(condition, Term):
            return evaluate(term.operands[1 if condition else 2], environment, memory)
    values = [evaluate(operand, environment, memory) for operand in term.operands]
    return applied(term.head, *values)


def applied(head: str, *values: Value) -> Value:
    """Return the value of an operation; raise EvaluationError where it has none."""
    try:
        return PYTHON[head](*values)
    except ZeroDivisionError as error:
        raise EvaluationError("division by zero") from error
    except (TypeError, ValueError, OverflowError) as error:
        raise EvaluationError(f"`{head}` is not defined here: {error}") from error


def settled(value: Value, decide: Callable[[Value], bool]) -> Value:
    """Return `value` with every choice in it made that a condition leaves open, as `decide` says.

    Nobody is asked about what is in an alternative that is not taken.
    """
    match value:
        case tuple():
            return tuple(settled(item, decide) for item in value)
        case Operation(head="cond", operands=(condition, then, otherwise)):
            return settled(then if decide(condition) else otherwise, decide)
        case Operation(head=head, operands=operands):
            return applied(head, *(settled(operand, decide) for operand in operands))
        case Constant(value=known):
            return known
        case _:
            return value


def _tuple(term: TupleOf, environment: Environment, memory: Memory | None) -> Value:
    return tuple(evaluate(field, environment, memory) for field in term.fields)


def _projection(term: Projection, environment: Environment, memory: Memory | None) -> Value:
    values = evaluate(term.tuple, environment, memory)
    return project(values, evaluate(term.index, environment, memory))


def project(whole: Value, index: Value) -> Value:
    """Return element `index` of a tuple; an unknown index becomes a chain of choices."""
    if not isinstance(whole, tuple):
        raise EvaluationError(f"only a tuple can be indexed, not {whole!r}")
    if isinstance(index, Term):
        if not whole:
            raise EvaluationError("index into an empty tuple")
        result = whole[-1]
        for position in range(len(whole) - 2, -1, -1):
            result = choose(equal(index, position), whole[position], result)
        return result
    if not isinstance(index, int) or not -len(whole) <= index < len(whole):
        raise EvaluationError(f"index {index} is out of range for a tuple of length {len(whole)}")
    return whole[index]


def _slice(term: Slice, environment: Environment, memory: Memory | None) -> Value:
    whole = evaluate(term.tuple, environment, memory)
    bounds = [
        None if isinstance(part, Anything) else evaluate(part, environment, memory)
        for part in (term.start, term.stop, term.step)
    ]
    if any(isinstance(bound, Term) for bound in bounds):
        raise UndecidedError("a slice bound depends on an unknown size")
    if not isinstance(whole, tuple):
        raise EvaluationError("only a tuple can be sliced")
    try:
        return whole[slice(*bounds)]
    except (TypeError, ValueError) as error:
        raise EvaluationError(f"bad slice: {error}") from error


def _repeat(term: VariadicTuple | Reduce, environment: Environment, memory: Memory | None) -> Value:
    count = field_count(evaluate(term.length, environment, memory))
    scopes = (environment.bind(term.symbol, i) for i in range(count))
    return tuple(evaluate(term.body, scope, memory) for scope in scopes)


def _reduce(term: Reduce, environment: Environment, memory: Memory | None) -> Value:
    return combine(term.head, _repeat(term, environment, memory))


COMPUTATIONS: Mapping[type, Callable[..., Value]] = {
    Anything: _anything,
    Access: _access,
    Operation: _operation,
    TupleOf: _tuple,
    Projection: _projection,
    Slice: _slice,
    VariadicTuple: _repeat,
    Reduce: _reduce,
}
"""How the values of terms are computed, but of constants and symbols: most terms are these."""


def field_count(count: Value) -> int:
    """Return the length of a tuple; raise EvaluationError or UndecidedError when it is none."""
    if isinstance(count, Term):
        raise UndecidedError("the length of a tuple depends on an unknown size")
    if not isinstance(count, int) or count < 0:
        raise EvaluationError(f"a tuple cannot have length {count!r}")
    return count


UNITS: Mapping[str, Value] = {"+": 0, "*": 1, "and": True, "or": False}


def combine(head: str, values: Iterable[Value]) -> Value:
    """Combine values by an operation; nothing gives the unit of the operation, if it has one."""
    values = tuple(values)
    if not values:
        if head in UNITS:
            return UNITS[head]
        raise EvaluationError(f"`{head}` of nothing has no value")
    return reduce(PYTHON[head], values)


def satisfies(
    term: Term,
    value: Value,
    environment: Environment,
    same: Callable[[Value, Value], Value] = equal,
) -> Value:
    """Tell whether `value` fits `term` (thesis, figure of the matching rules AM-*).

    `same` compares a value that `term` asks for with one that is found. Stricter than AM-Var,
    which leaves the length of a variadic tuple unchecked.
    """
    match term:
        case Anything():
            return True
        case TupleOf(fields=fields):
            if not isinstance(value, tuple) or len(fields) != len(value):
                return False
            return conjunction(
                *(satisfies(f, v, environment, same) for f, v in zip(fields, value, strict=True))
            )
        case VariadicTuple(body=body, symbol=symbol, length=length):
            if not isinstance(value, tuple):
                return False
            return conjunction(
                satisfies(length, len(value), environment),
                *(
                    satisfies(body, item, environment.bind(symbol, place), same)
                    for place, item in enumerate(value)
                ),
            )
        case _:
            return same(evaluate(term, environment), value)
