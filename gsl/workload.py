"""Workloads: a network together with the values of its parameters (thesis, section 2.1)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property
from importlib import import_module
from os import PathLike
from types import MappingProxyType
from typing import Any, Literal, Self, TypeVar

import numpy as np

from gsl import fold, storage
from gsl.errors import GraphError, MisuseError
from gsl.expr import Expr, Var
from gsl.graph import reverse_post_order

Kind = TypeVar("Kind", bound=Expr)


class Workload:
    """A network W = (F, Theta), callable on its inputs once bound to a way of running it.

    Args:
        outputs: the expression or expressions that the network computes.
        parameters: an array for every variable that is a model parameter; all others are inputs.
        inputs: order of the input variables; by default the reverse post-order of the network.
        output_names: what the outputs are called in models of other systems, as many different
            names as outputs; by default `output`, or `output_0` and so on.

    Raises GraphError when there is no output, when two variables share a name, when a parameter
    does not fit its variable, when `inputs` misses a variable, or for names that do not fit;
    MisuseError for outputs that are no expressions and inputs that are no variables.
    """

    def __init__(
        self,
        outputs: Expr | Sequence[Expr],
        parameters: Mapping[str, Any] = MappingProxyType({}),
        inputs: Sequence[Var] | None = None,
        output_names: Sequence[str] | None = None,
    ) -> None:
        self.outputs = _outputs(outputs)
        self.given_output_names = _names(output_names, len(self.outputs))
        used = [expr for expr in self.order if isinstance(expr, Var)]
        first = () if inputs is None else _all(inputs, Var, "inputs")
        self.variables = _unique([*first, *used])
        if not isinstance(parameters, Mapping):
            raise MisuseError(f"parameters are arrays by name, not {parameters!r}")
        unknown = parameters.keys() - {variable.name for variable in self.variables}
        if unknown:
            raise GraphError(f"parameters without a variable: {', '.join(sorted(unknown))}")
        self.parameters = MappingProxyType(
            {
                v.name: _fitting(v, parameters[v.name])
                for v in self.variables
                if v.name in parameters
            }
        )
        self.inputs = tuple(v for v in self.variables if v.name not in self.parameters)
        given = set(self.inputs if inputs is None else first)
        _require_known([v for v in self.inputs if v not in given])

    @property
    def output_names(self) -> tuple[str, ...]:
        """What the outputs are called in models of other systems."""
        count = len(self.outputs)
        if self.given_output_names is not None and len(self.given_output_names) == count:
            return self.given_output_names
        taken = {variable.name for variable in self.variables}
        wanted = ["output"] if count == 1 else [f"output_{place}" for place in range(count)]
        return tuple(f"{name}_" if name in taken else name for name in wanted)

    @cached_property
    def order(self) -> list[Expr]:
        """The expressions of the network in reverse post-order."""
        return reverse_post_order(self.outputs)

    def with_outputs(
        self,
        outputs: Expr | Sequence[Expr],
        used: Collection[Var] | None = None,
        order: list[Expr] | None = None,
        added: Mapping[str, Any] = MappingProxyType({}),
    ) -> Workload:
        """Return the workload of other outputs; inputs stay, parameters unused by now go.

        What stays keeps its order. `used` are the parameters below `outputs`, if they are known;
        then the variables there are taken to be known, too. `order` is the reverse post-order, if
        that is known, and `added` are arrays of new parameters. Raises GraphError for a variable
        that is new otherwise, and for no outputs at all.
        """
        result = copy(self)
        result.__dict__.pop("order", None)
        if order is not None:
            result.__dict__["order"] = order
        result.outputs = _outputs(outputs)
        new: list[Var] = []
        if used is None:
            used = [expr for expr in result.order if isinstance(expr, Var)]
            known = set(self.variables)
            new = [v for v in used if v not in known]
            _require_known([v for v in new if v.name not in added])
        if self.parameters or added:
            kept = {*self.inputs, *used}
            values = {**self.parameters, **added}
            variables = (*(v for v in self.variables if v in kept), *new)
            result.variables = variables
            result.parameters = MappingProxyType(
                {v.name: values[v.name] for v in variables if v.name in values}
            )
        return result

    # What needs TVM or draws is above this module and loaded by name when it is first asked for.

    @staticmethod
    def from_relax(module: Any, params: Any = None, function: str = "main") -> Workload:
        """Return the workload of a Relax function; see `gsl.tvm.importer.from_relax`."""
        workload: Workload = import_module("gsl.tvm.importer").from_relax(module, params, function)
        return workload

    @staticmethod
    def from_onnx(
        path_or_model: Any, shapes: Mapping[str, Sequence[int]] | None = None
    ) -> Workload:
        """Return the workload of an ONNX model; see `gsl.onnx.reader.from_onnx`."""
        workload: Workload = import_module("gsl.onnx").from_onnx(path_or_model, shapes)
        return workload

    def to_onnx(self, path: str | PathLike[str] | None = None, opset: int | None = None) -> Any:
        """Return an `onnx.ModelProto`, or write it to a file; see `gsl.onnx.writer.to_onnx`."""
        return import_module("gsl.onnx").to_onnx(self, path, opset)

    @staticmethod
    def from_torch(exported_program: Any) -> Workload:
        """Return the workload of an exported PyTorch program; see `gsl.tvm.torch_importer`.

        The order of the inputs is that of the forward method.
        """
        workload: Workload = import_module("gsl.tvm.torch_importer").from_torch(exported_program)
        return workload

    def to_fx(self) -> Any:
        """Return a `torch.fx.GraphModule` that computes this; see `gsl.fx.writer.to_fx`."""
        return import_module("gsl.fx").to_fx(self)

    def to_relax(self, composites: Literal["inline", "functions"] = "inline") -> Any:
        """Return an IRModule whose `main` computes this; see `gsl.tvm.export.to_relax`."""
        return import_module("gsl.tvm.export").to_relax(self, composites)

    def run(self, inputs: Mapping[str, Any]) -> list[Any]:
        """Return the outputs on TVM for arrays by input name; see `gsl.tvm.run.run`.

        Raises InputError for a missing or unknown input and for a wrong shape or dtype.
        """
        outputs: list[Any] = import_module("gsl.tvm.run").run(self, inputs)
        return outputs

    def profile(self, inputs: Mapping[str, Any]) -> list[Any]:
        """Return the time that each operator takes on TVM; see `gsl.tvm.profile.profile`."""
        rows: list[Any] = import_module("gsl.tvm.profile").profile(self, inputs)
        return rows

    def visualize(self, format: str = "mermaid") -> str:
        """Return a picture of the network: "mermaid", "dot", "svg", "tree" or "text".

        Raises ModelError for another format.
        """
        picture: str = import_module("gsl.drawing.picture").picture(self.outputs, format)
        return picture

    def fold(self, *, record: fold.FoldRecord | None = None) -> Workload:
        """Return the workload with everything computed that needs no input; see `gsl.fold.fold`.

        `record` is told which parameters are new, and which calls could not be computed and why.
        """
        return fold.fold(self, record=record)

    def save(self, path: str | PathLike[str]) -> None:
        """Save the workload as one file; raises StorageError, see `gsl.storage`."""
        storage.save(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Return the workload that `save` has written to `path`; raises StorageError."""
        return storage.load(path, cls)

    def __repr__(self) -> str:
        inputs = ", ".join(f"{v.name}: {v.type}" for v in self.inputs)
        return f"Workload({inputs}; {len(self.parameters)} parameters)"


def _all(given: Iterable[Kind], kind: type[Kind], what: str) -> tuple[Kind, ...]:
    """Return what is given as a tuple; raise MisuseError unless all of it is of a kind."""
    items = tuple(given) if isinstance(given, Iterable) else (given,)
    for item in items:
        if not isinstance(item, kind):
            raise MisuseError(
                f"{item!r} cannot be among the {what} of a workload; it is no {kind.__name__}"
            )
    return items


def _outputs(given: Expr | Iterable[Expr]) -> tuple[Expr, ...]:
    """Return outputs as a tuple; raise GraphError when there are none."""
    listed = (given,) if isinstance(given, Expr) else _all(given, Expr, "outputs")
    if not listed:
        raise GraphError("a workload computes something; it needs at least one output")
    return listed


def _names(given: Sequence[str] | None, count: int) -> tuple[str, ...] | None:
    """Return names of outputs; raise GraphError unless they are different, one for each."""
    if given is None:
        return None
    names = tuple(given)
    if (
        len(names) != count
        or len(set(names)) != count
        or not all(isinstance(n, str) for n in names)
    ):
        raise GraphError(f"{count} outputs need as many different names, not {names!r}")
    return names


def _require_known(missing: Sequence[Var]) -> None:
    if missing:
        names = ", ".join(v.name for v in missing)
        raise GraphError(f"the network uses variables that are not among its inputs: {names}")


def _unique(variables: Sequence[Var]) -> tuple[Var, ...]:
    by_name: dict[str, Var] = {}
    for variable in variables:
        if by_name.setdefault(variable.name, variable) is not variable:
            raise GraphError(f"two variables are called `{variable.name}`")
    return tuple(by_name.values())


def _fitting(variable: Var, value: Any) -> Any:
    array = np.asarray(value)
    if array.shape != variable.shape or array.dtype.name != variable.dtype:
        raise GraphError(
            f"parameter `{variable.name}` is {array.dtype.name}{list(array.shape)}, "
            f"its variable {variable.type}"
        )
    return array
