"""Write GSL graphs as Relax functions.

Every function is one dataflow block in A-normal form: one binding per call, so depth is no limit.
TVM infers each type itself; a difference from the declared type is an error here, because the
kernels would silently run out of bounds later.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from tvm import relax

from gsl.errors import GraphError, MisuseError
from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.graph import reverse_post_order, successors
from gsl.tvm.composites import Composites
from gsl.tvm.errors import BackendError
from gsl.tvm.lower import emit_call
from gsl.tvm.relax_types import to_relax_type
from gsl.types import TupleType, Type
from gsl.workload import Workload

MOST_LEVELS = 100
"""TVM recurses over nested types, and so does who reads them: 1,500 levels can end the process."""


def to_relax(workload: Workload, composites: Literal["inline", "functions"] = "inline") -> Any:
    """Return an IRModule whose function `main` computes a workload.

    Its parameters are the inputs, then the model parameters; attribute `num_input` counts the
    former, `num_output` the outputs (one output is returned as it is, several as a tuple).

    With ``composites="functions"`` a call that Relax can only express by several becomes a private
    function that names it, which `from_relax` reads back; "inline" writes what it is made of.

    Raises BackendError when TVM refuses a call and for tuples nested too deeply for it,
    TypeMismatchError when it infers another type, and MisuseError for another word.
    """
    if composites not in ("inline", "functions"):
        raise MisuseError(f'composites are "inline" or "functions", not {composites!r}')
    builder = relax.BlockBuilder()
    parameters = [v for v in workload.variables if v.name in workload.parameters]
    build_function(
        builder,
        "main",
        workload.outputs,
        [*workload.inputs, *parameters],
        num_input=len(workload.inputs),
        composites=Composites(builder) if composites == "functions" else None,
    )
    return builder.finalize()


def build_function(
    builder: Any,
    name: str,
    outputs: Sequence[Expr],
    variables: Sequence[Var],
    *,
    num_input: int | None = None,
    composites: Composites | None = None,
) -> Any:
    """Add a function of `variables` to the module under construction; return its GlobalVar.

    A builder that has raised must not be used again: TVM leaves open blocks in it.
    """
    order = reverse_post_order(outputs)
    _check_variables(order, variables)
    _check_nesting(order)
    if composites is not None:
        composites.prepare(order)
    formals = [relax.Var(v.name, to_relax_type(v.type)) for v in variables]
    attributes = {
        "num_input": len(variables) if num_input is None else num_input,
        "num_output": len(outputs),
    }
    with builder.function(name, formals, attrs=attributes):
        with builder.dataflow():
            body = _Body(builder, order, outputs, composites)
            body.known.update(zip(variables, formals, strict=True))
            body.emit_all()
            results = [body.result(output) for output in outputs]
        return builder.emit_func_output(results[0] if len(results) == 1 else relax.Tuple(results))


def _check_variables(order: Sequence[Expr], variables: Sequence[Var]) -> None:
    known = set(variables)
    missing = [v.name for v in order if isinstance(v, Var) and v not in known]
    if missing:
        raise GraphError(f"variables that are no parameters of the function: {', '.join(missing)}")


def _check_nesting(order: Sequence[Expr]) -> None:
    known: dict[int, int] = {}
    tuples = (expr for expr in order if isinstance(expr, Tuple))
    levels = max((_levels(whole.type, known) for whole in tuples), default=0)
    if levels > MOST_LEVELS:
        nested = f"tuples are nested {levels} levels deep"
        raise BackendError(f"{nested}; TVM recurses over them, which is safe up to {MOST_LEVELS}")


def _levels(whole: Type, known: dict[int, int]) -> int:
    """Return how many levels of tuples a type has; `known` has those of types by their identity."""
    pending = [whole]
    while pending:
        one = pending[-1]
        fields = one.fields if isinstance(one, TupleType) else ()
        open_fields = [field for field in fields if id(field) not in known]
        if not open_fields:
            known[id(one)] = 1 + max((known[id(field)] for field in fields), default=-1)
            pending.pop()
        pending += open_fields
    return known[id(whole)]


class _Body:
    """The bindings of one function; `known` maps expressions to the Relax variables."""

    def __init__(
        self,
        builder: Any,
        order: Sequence[Expr],
        outputs: Sequence[Expr],
        composites: Composites | None,
    ) -> None:
        self.builder = builder
        self.order = order
        self.composites = composites
        self.known: dict[Expr, Any] = {}
        self._results: dict[Expr, Any] = {}
        self._inline = _inline_tuples(order, outputs)

    def emit_all(self) -> None:
        for expr in self.order:
            if not isinstance(expr, Var):
                self.known[expr] = self._emit(expr)

    def result(self, output: Expr) -> Any:
        if output not in self._results:
            self._results[output] = self.builder.emit_output(self.known[output])
        return self._results[output]

    def _emit(self, expr: Expr) -> Any:
        match expr:
            case Const(value=value):
                return relax.const(value, value.dtype.name)
            case Tuple(operands=fields):
                whole = relax.Tuple([self.known[field] for field in fields])
                return whole if expr in self._inline else self.builder.emit(whole)
            case Proj(operands=(whole,), index=index):
                return self.builder.emit(relax.TupleGetItem(self.known[whole], index))
            case Call():
                return self._emit_call(expr)
            case _:
                raise GraphError(f"not a computation expression: {expr!r}")

    def _emit_call(self, call: Call) -> Any:
        operands = [self.known[operand] for operand in call.operands]
        whole = None if self.composites is None else self.composites.emit(call, operands)
        return emit_call(self.builder, call, operands) if whole is None else whole


def _inline_tuples(order: Sequence[Expr], outputs: Sequence[Expr]) -> set[Expr]:
    """Return the tuples written as an argument: those with one use, as operand of a call.

    All others are bound to a variable, so that reading them back gives one tuple, not several.
    """
    users = successors(order)
    return {
        expr
        for expr in order
        if isinstance(expr, Tuple)
        and expr not in outputs
        and len(users[expr]) == 1
        and isinstance(users[expr][0], Call)
        and users[expr][0].operands.count(expr) == 1
    }
