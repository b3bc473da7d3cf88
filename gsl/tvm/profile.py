"""Where the time of a workload goes: each of its operators measured on its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from tvm import relax

from gsl.errors import MisuseError
from gsl.evaluate import value_of
from gsl.expr import Call, Expr, Tuple, Var
from gsl.graph import reverse_post_order, successors
from gsl.text.listing import shown_attributes
from gsl.tvm.export import build_function
from gsl.tvm.run import Executable, check_inputs, compile_functions
from gsl.types import TupleType, Type
from gsl.workload import Workload

Key = tuple[Any, ...]
"""What calls that run the same kernel have in common: operator, attributes, operand types."""


@dataclass(frozen=True, slots=True)
class OperatorTime:
    """The time of all calls that run the same kernel.

    Attributes:
        name: the call with the types of its operands and the attributes that are not the default.
        operator: its operator.
        calls: how many calls of the workload these are.
        milliseconds: the sum of the median times of these calls.
    """

    name: str
    operator: str
    calls: int
    milliseconds: float


def profile(workload: Workload, inputs: Mapping[str, Any], repeats: int = 5) -> list[OperatorTime]:
    """Return the time per operator, the longest first.

    Operators run one by one on the values that reach them, so what a compiler gains by fusing
    them does not show. A few microseconds per call are its own cost. Raises InputError for
    inputs that do not fit, MisuseError for less than one repeat.
    """
    check_inputs(workload, inputs)
    if type(repeats) is not int or repeats < 1:
        raise MisuseError(f"a call is repeated at least once, not {repeats!r} times")
    order = reverse_post_order(workload.outputs)
    calls = {_key(expr): expr for expr in order if isinstance(expr, Call)}
    if not calls:
        return []
    functions = {key: f"call_{number}" for number, key in enumerate(calls)}
    executable = _compiled({functions[key]: call for key, call in calls.items()})
    seconds: dict[Key, list[float]] = {key: [] for key in calls}
    values: dict[Expr, Any] = {}
    named = {**workload.parameters, **inputs}
    for expr, dead in _with_dead(order):
        operands = [values[operand] for operand in expr.operands]
        if isinstance(expr, Call):
            key, arrays = _key(expr), list(leaves(operands))
            seconds[key].append(median(executable.measure(functions[key], arrays, repeats)))
            (values[expr],) = executable.run(functions[key], arrays)
        else:
            values[expr] = value_of(expr, operands, named)
        for operand in dead:
            del values[operand]
    rows = [_row(calls[key], times) for key, times in seconds.items()]
    return sorted(rows, key=lambda row: -row.milliseconds)


def _key(call: Call) -> Key:
    types = tuple(operand.type for operand in call.operands)
    return call.operator, tuple(call.attributes.items()), types


def _row(call: Call, seconds: Sequence[float]) -> OperatorTime:
    types = [str(operand.type) for operand in call.operands]
    attributes = [f"{name}={value!r}" for name, value in shown_attributes(call).items()]
    name = f"{call.operator}({', '.join([*types, *attributes])})"
    return OperatorTime(name, call.operator.name, len(seconds), 1e3 * sum(seconds))


def _compiled(calls: Mapping[str, Call]) -> Executable:
    """Return one function per call, of the tensors in its operands."""
    builder = relax.BlockBuilder()
    for name, call in calls.items():
        variables: list[Var] = []
        operands = [_formal(operand.type, variables) for operand in call.operands]
        build_function(builder, name, [call.with_operands(tuple(operands))], variables)
    return compile_functions(builder.finalize(), level=3)


def _formal(given: Type, variables: list[Var]) -> Expr:
    if isinstance(given, TupleType):
        return Tuple([_formal(field, variables) for field in given.fields])
    variables.append(Var(f"v{len(variables)}", given.shape, given.dtype))
    return variables[-1]


def leaves(values: Sequence[Any]) -> Iterator[Any]:
    """Yield the arrays among values, those inside tuples included, in order."""
    for value in values:
        if isinstance(value, tuple):
            yield from leaves(value)
        else:
            yield value


def _with_dead(order: Sequence[Expr]) -> Iterator[tuple[Expr, list[Expr]]]:
    """Yield each expression with those that nothing after it uses."""
    last = {expr: (users or [expr])[-1] for expr, users in successors(order).items()}
    dead: dict[Expr, list[Expr]] = {}
    for expr, user in last.items():
        dead.setdefault(user, []).append(expr)
    for expr in order:
        yield expr, dead.get(expr, [])
