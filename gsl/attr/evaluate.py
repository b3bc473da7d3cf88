"""The value of a term: one walk over it, with the meaning of operations in `gsl.attr.values`.

Where an operand is still a term the result is a term again, so the same walk also evaluates
symbolically.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from gsl.attr.cases import Pick, cases_of, decided, except_where, in_every_case
from gsl.attr.memory import Memory
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
)
from gsl.attr.values import (
    LENGTH_UNKNOWN,
    OF_AXES,
    PYTHON,
    ceil_divide,
    choose,
    combine,
    conjunction,
    contains,
    cut,
    disjunction,
    equal,
    field_count,
    is_symbolic,
    maximum,
    minimum,
    negation,
    project,
)
from gsl.errors import EvaluationError, UndecidedError

__all__ = [
    "COMPUTATIONS",
    "PYTHON",
    "Environment",
    "Memory",
    "applied",
    "ceil_divide",
    "choose",
    "combine",
    "conjunction",
    "contains",
    "disjunction",
    "equal",
    "evaluate",
    "evaluate_in_cases",
    "field_count",
    "is_symbolic",
    "maximum",
    "minimum",
    "negation",
    "project",
    "satisfies",
]


class Environment(Protocol):
    """What the leaves of a term stand for: the environment of the thesis with its match."""

    def access(self, term: Access) -> Value:
        """Return the value of an attribute of a matched pattern."""

    def symbol(self, symbol: Symbol) -> Value:
        """Return the value bound to `symbol`; raise EvaluationError when it is unbound."""

    def bind(self, symbol: Symbol, value: Value) -> Environment:
        """Return this environment extended by `symbol` = `value`."""


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
    key, known = memory.key(term), memory.values
    if key in known:
        return known[key]
    value = compute(term, environment, memory)
    if key is not None:
        known[key] = value
    return value


def evaluate_in_cases(term: Term, environment: Environment, memory: Memory, pick: Pick) -> Value:
    """Return the value of a term as `evaluate` does, in the cases that `pick` chooses.

    It is asked for what has to be known and depends on unknown sizes, such as how long a tuple is;
    what it has said is in `memory`. Raises UndecidedError where there may be too many cases.
    """
    while True:
        try:
            return evaluate(term, environment, memory)
        except UndecidedError as error:
            if error.asked is None:
                raise
            key, value = error.asked
            memory.values[key] = decided(value, pick, str(error))


def _known(term: Term, environment: Environment, memory: Memory | None, why: str) -> Value:
    """Return the value of a term that has to be known; raise UndecidedError for a term in it."""
    value = evaluate(term, environment, memory)
    if is_symbolic(value):
        raise UndecidedError(why, _asked(term, value, memory))
    return value


def _asked(term: Term, value: Value, memory: Memory | None) -> tuple[object, object] | None:
    key = None if memory is None else memory.key(term)
    return None if key is None else (key, value)


def _anything(term: Anything, environment: Environment, memory: Memory | None) -> Value:
    raise EvaluationError("`any` has no value")


def _access(term: Access, environment: Environment, memory: Memory | None) -> Value:
    return environment.access(term)


def _operation(term: Operation, environment: Environment, memory: Memory | None) -> Value:
    if term.head == "cond":
        condition = evaluate(term.operands[0], environment, memory)
        if condition is True or condition is False:
            return evaluate(term.operands[1 if condition else 2], environment, memory)
        if not isinstance(condition, Term):
            raise EvaluationError(f"a condition is true or false, not {condition!r}")
    if term.head in OF_AXES:
        why = "axes depend on an unknown size"
        return applied(term.head, *(_known(o, environment, memory, why) for o in term.operands))
    values = [evaluate(operand, environment, memory) for operand in term.operands]
    try:
        return applied(term.head, *values)
    except UndecidedError as error:
        # A choice between tuples of different lengths.
        error.asked = _asked(term.operands[0], values[0], memory)
        raise


def applied(head: str, *values: Value) -> Value:
    """Return the value of an operation; raise EvaluationError where it has none."""
    return PYTHON[head](*values)


def _tuple(term: TupleOf, environment: Environment, memory: Memory | None) -> Value:
    return tuple(evaluate(field, environment, memory) for field in term.fields)


def _projection(term: Projection, environment: Environment, memory: Memory | None) -> Value:
    whole = evaluate(term.tuple, environment, memory)
    index = evaluate(term.index, environment, memory)
    return _at_unknown(whole, index) if isinstance(index, Term) else project(whole, index)


def _at_unknown(whole: Value, index: Term) -> Value:
    """Return the element of a tuple at an unknown index: a choice that has no value outside."""
    cases = cases_of(index)
    if cases is not None or not isinstance(whole, tuple) or not whole:
        return in_every_case(cases or {0: True}, lambda number: project(whole, number))
    count = len(whole)
    within = {place: equal(index, place) for place in range(-count, count)}
    inside = in_every_case(within, lambda number: project(whole, number))
    outside = disjunction(applied("<", index, -count), applied(">=", index, count))
    return except_where(outside, inside)


def _slice(term: Slice, environment: Environment, memory: Memory | None) -> Value:
    whole = evaluate(term.tuple, environment, memory)
    parts = (term.start, term.stop, term.step)
    why = "a slice bound depends on an unknown size"
    bounds = (
        None if isinstance(part, Anything) else _known(part, environment, memory, why)
        for part in parts
    )
    return cut(whole, *bounds)


def _repeat(term: VariadicTuple | Reduce, environment: Environment, memory: Memory | None) -> Value:
    count = field_count(_known(term.length, environment, memory, LENGTH_UNKNOWN))
    fields = []
    for number in range(count):
        scope = environment.bind(term.symbol, number)
        inside = None if memory is None else memory.inside(term.symbol, number)
        fields.append(evaluate(term.body, scope, inside))
    return tuple(fields)


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
