"""The value of a term: one walk over it, with the meaning of operations in `gsl.attr.values`.

Where an operand is still a term the result is a term again, so the same walk also evaluates
symbolically.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

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
from gsl.errors import EvaluationError

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
    "field_count",
    "is_symbolic",
    "maximum",
    "minimum",
    "negation",
    "project",
    "satisfies",
    "settled",
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
    values = [evaluate(operand, environment, memory) for operand in term.operands]
    return applied(term.head, *values)


def applied(head: str, *values: Value) -> Value:
    """Return the value of an operation; raise EvaluationError where it has none."""
    return PYTHON[head](*values)


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


def _slice(term: Slice, environment: Environment, memory: Memory | None) -> Value:
    whole = evaluate(term.tuple, environment, memory)
    parts = (term.start, term.stop, term.step)
    bounds = (
        None if isinstance(part, Anything) else evaluate(part, environment, memory)
        for part in parts
    )
    return cut(whole, *bounds)


def _repeat(term: VariadicTuple | Reduce, environment: Environment, memory: Memory | None) -> Value:
    count = field_count(evaluate(term.length, environment, memory))
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
