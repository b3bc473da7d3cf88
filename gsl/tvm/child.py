"""Run a batch of jobs on TVM: the part of a worker behind the process barrier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import tvm
from tvm import relax

from gsl.expr import Const, Expr, Var
from gsl.graph import reverse_post_order
from gsl.records import decode
from gsl.tvm.errors import BackendError, TypeMismatchError
from gsl.tvm.export import build_function
from gsl.tvm.jobs import Batch, Failure, Result
from gsl.tvm.kernels import Kernels
from gsl.tvm.run import Executable, arrays_by_name, compile_functions


@dataclass(frozen=True, slots=True)
class Graph:
    """Outputs, and the variables to which gradients are wanted instead of them."""

    outputs: Sequence[Expr]
    gradient_to: tuple[str, ...]


Compiled = Executable | Exception
"""Where the function of a graph is, or why there is none."""

KERNELS = Kernels()
"""What this process has compiled for `execute_by_operator`."""


VERSION = "0.27"
"""What TVM has to be: names and attributes of its operators change from one version to the next."""


def warm_up() -> None:
    """Compile and run something, so that forked processes find TVM initialised.

    Raises BackendError when TVM is of another version.
    """
    if not tvm.__version__.startswith(f"{VERSION}."):
        raise BackendError(f"TVM {tvm.__version__} is installed, not {VERSION}")
    module = _module("f0", [Const(0.0)])
    compile_functions(module).run("f0", [])


def execute(batch: Batch) -> list[Result]:
    """Return the results of all jobs; what one job raises does not concern the others."""
    exprs = decode(batch.records)
    graphs = [Graph([exprs[p] for p in positions], names) for positions, names in batch.graphs]
    compiled = _compile_all(graphs)
    return [
        _run(name, number, inputs, compiled[number], graphs[number].gradient_to)
        for name, number, inputs in batch.jobs
    ]


def execute_by_operator(batch: Batch) -> list[Result]:
    """Return the results of all jobs as `execute`, computed by kernels that are kept.

    None of them may be a gradient.
    """
    graphs = _prepared(batch)
    return [_run_by_operator(name, graphs[graph], inputs) for name, graph, inputs in batch.jobs]


def prepare(batch: Batch) -> None:
    """Compile the kernels by which jobs will be executed."""
    _prepared(batch)


def _prepared(batch: Batch) -> list[list[Expr]]:
    """Return the graphs of a batch whose kernels have been compiled."""
    exprs = decode(batch.records)
    graphs = [[exprs[position] for position in positions] for positions, _ in batch.graphs]
    KERNELS.prepare(graphs)
    return graphs


def _run_by_operator(name: str, outputs: Sequence[Expr], inputs: dict[str, Any]) -> Result:
    try:
        return KERNELS.run(outputs, inputs)
    except TypeMismatchError as error:
        return Failure("type", str(error), name)
    except Exception as error:
        return Failure("exception", f"{type(error).__name__}: {error}", name)


def _compile_all(graphs: Sequence[Graph]) -> list[Compiled]:
    modules = [_attempt(_module_of, f"f{index}", graph) for index, graph in enumerate(graphs)]
    whole = tvm.IRModule({})
    for module in modules:
        if not isinstance(module, Exception):
            whole.update(module)
    try:
        executable = compile_functions(whole)
    except BackendError:
        return [_compile_one(module) for module in modules]
    return [module if isinstance(module, Exception) else executable for module in modules]


def _compile_one(module: Any) -> Compiled:
    result: Compiled = (
        module if isinstance(module, Exception) else _attempt(compile_functions, module)
    )
    return result


def _attempt(function: Any, *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except Exception as error:
        return error


def _module(name: str, outputs: Sequence[Expr]) -> Any:
    # One builder per function, because one that has raised cannot be used again.
    builder = relax.BlockBuilder()
    build_function(builder, name, outputs, _variables(outputs))
    return builder.finalize()


def _module_of(name: str, graph: Graph) -> Any:
    """Return a module of one function: the outputs, or the gradients of the one output."""
    module = _module(name, graph.outputs)
    if not graph.gradient_to:
        return module
    formals = {parameter.name: parameter for parameter in module[name].params}
    wanted = [formals[variable] for variable in graph.gradient_to]
    whole = relax.transform.Gradient(name, require_grads=wanted)(module)
    adjoint = whole[f"{name}_adjoint"].with_attr("global_symbol", name)
    return tvm.IRModule({tvm.ir.GlobalVar(name): adjoint})


def _variables(outputs: Sequence[Expr]) -> list[Var]:
    return [expr for expr in reverse_post_order(outputs) if isinstance(expr, Var)]


def _run(
    name: str,
    graph: int,
    inputs: dict[str, Any],
    compiled: Compiled,
    gradient_to: tuple[str, ...],
) -> Result:
    try:
        if isinstance(compiled, Exception):
            raise compiled
        function = f"f{graph}"
        parameters = [name for name, _ in compiled.signatures[function].parameters]
        results = compiled.run(function, arrays_by_name(parameters, inputs))
        # A gradient comes as the value and a tuple of the slopes.
        return list(results[0][1]) if gradient_to else results
    except TypeMismatchError as error:
        return Failure("type", str(error), name)
    except Exception as error:
        return Failure("exception", f"{type(error).__name__}: {error}", name)
