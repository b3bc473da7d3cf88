"""ONNX models as workloads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import onnx_ir as ir

from gsl.errors import GslError, ModelError
from gsl.expr import Const, Expr, Var
from gsl.graph import reverse_post_order
from gsl.onnx import rows
from gsl.onnx.emitter import Value
from gsl.onnx.errors import NotReadableError, RowError
from gsl.onnx.idle import literally
from gsl.onnx.inner import captured, graphs_of
from gsl.onnx.inputs import KNOWN, Shapes, require_shapes, variables_of
from gsl.onnx.loading import load, reason
from gsl.onnx.opaque import BranchTypes, read_opaque
from gsl.onnx.site import Site
from gsl.onnx.table import reader_of
from gsl.onnx.values import Values, is_constant
from gsl.types import TensorType
from gsl.workload import Workload

RANDOM = frozenset(
    {
        "Bernoulli",
        "Multinomial",
        "RandomNormal",
        "RandomNormalLike",
        "RandomUniform",
        "RandomUniformLike",
    }
)
"""Operators whose results are no function of their inputs."""

NOT_COVERED = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)
"""What a row may raise over a node that it was not written for."""

assert rows.__all__  # importing them has filled the table


def from_onnx(
    model: Any,
    shapes: Shapes = MappingProxyType({}),
    record: list[Carried] | None = None,
    *,
    literal: bool = False,
) -> Workload:
    """Return the workload of an ONNX model.

    Its weights become parameters, whether they are initializers or nodes of constants, but single
    numbers and lists of sizes or axes become constants: rules look at those. What a model computes
    of constants, such as shapes, is a constant. Functions and branches on known conditions are put
    in the place of their calls; a node that no row of the table reads stays what it is, as an
    opaque call. Inputs, parameters and outputs keep their names.

    Args:
        model: the path of a file, or an `onnx.ModelProto`.
        shapes: sizes of the inputs by name, for models that leave some open.
        record: gets an entry for every node that became an opaque call.
        literal: keep what is computed of constants, and operators that change nothing here, for
            readers who want to know what a rewrite does to them.

    Raises ModelError when the file is no ONNX model or contradicts itself, MisuseError for shapes
    of another kind, and NotReadableError, naming the node, for what GSL cannot carry.
    """
    require_shapes(shapes)
    loaded = load(model)
    return _Reading(loaded, [] if record is None else record, literal).workload(shapes)


@dataclass(frozen=True, slots=True)
class Carried:
    """A node that became an opaque call: its place, the name of its operator, and why.

    `wanted` are the inputs of the model that would have to be known, if that is the reason.
    """

    place: str
    operator: str
    reason: str
    wanted: tuple[str, ...] = ()


class _Reading:
    """One model on its way into a workload; `record` gets the nodes that stay opaque."""

    def __init__(self, model: ir.Model, record: list[Carried], literal: bool) -> None:
        self._model = model
        self._literal = literal
        self._record = record
        self._values = Values()
        self._exprs: dict[Value, Expr] = {}
        self._refused: dict[Value, NotReadableError] = {}
        self._taken: set[str] = set()
        self._variables: list[Var] = []

    def workload(self, shapes: Shapes) -> Workload:
        graph = self._model.graph
        for value, variable in variables_of(graph, shapes):
            self._exprs[value] = variable
            self._variables.append(variable)
            self._taken.add(variable.name)
        self._read_graph(graph)
        outputs = [self._output(value) for value in graph.outputs]
        names = [str(value.name) for value in graph.outputs]
        parameters, variables = self._used(outputs)
        return Workload(outputs, parameters, variables, names)

    def _used(self, outputs: Sequence[Expr]) -> tuple[dict[str, Any], list[Var]]:
        """Return the parameters that something uses, and all variables."""
        values = self._values.parameters
        used = {expr for expr in Workload(outputs).order if isinstance(expr, Var)}
        kept = [one for one in self._variables if one in used or one.name not in values]
        return {one.name: values[one.name] for one in kept if one.name in values}, kept

    def _output(self, value: Value) -> Expr:
        if value in self._refused:
            raise self._refused[value]
        found = self._exprs[value]
        declared = value.type.dtype if isinstance(value.type, ir.TensorType) else None
        sizes = [] if value.shape is None else list(value.shape)
        known = all(
            not isinstance(size, int) or size in (own, -1)
            for size, own in zip(sizes, found.shape, strict=False)
        )
        fits = value.shape is None or (len(sizes) == len(found.shape) and known)
        if KNOWN.get(declared, found.dtype) != found.dtype or not fits:  # type: ignore[arg-type]
            raise ModelError(
                f"the model declares its output `{value.name}` as {declared} {value.shape}, "
                f"but computes {found.type}"
            )
        return found

    def _read_graph(self, graph: ir.Graph) -> None:
        for value in graph.initializers.values():
            try:
                self._exprs[value] = self._tensor(str(value.name), value.const_value)
            except NotReadableError as error:
                self._refused[value] = error
        for number, node in enumerate(graph):
            refused = self._refusal(_place(number, node), node)
            if refused is not None:
                self._refused |= dict.fromkeys(node.outputs, refused)

    def _refusal(self, place: str, node: ir.Node) -> NotReadableError | None:
        """Read a node; return why it cannot be, which matters only where an output needs it."""
        needed = [self._refused[one] for one in node.inputs if one in self._refused]
        if not needed and not self._is_decided(node):
            needed = [self._refused[one] for one in captured(node) if one in self._refused]
        if needed:
            return needed[0]
        try:
            self._read_node(place, node)
        except (GslError, *NOT_COVERED) as error:
            wanted = error.wanted if isinstance(error, NotReadableError) else ()
            refused = NotReadableError(f"{place}: {reason(error)}", wanted)
            refused.__cause__ = error
            return refused
        return None

    def _tensor(self, name: str, tensor: Any) -> Expr:
        """Return the constant or the parameter that a tensor of the model is."""
        try:
            if tensor.dtype not in KNOWN:
                raise NotReadableError(f"it has elements of {tensor.dtype.name}")
            if any(size < 0 for size in tensor.shape.numpy()):
                raise ValueError(f"it has the sizes {tensor.shape}")
            array = np.asarray(tensor.numpy())
        except GslError as error:
            raise NotReadableError(f"the weight `{name}` cannot be carried: {error}") from error
        except Exception as error:
            message = f"the initializer `{name}` is damaged: {reason(error)}"
            raise ModelError(message) from error
        return self._known(name, array)

    def _known(self, name: str, array: Any) -> Expr:
        if is_constant(array):
            return Const(array)
        variable = Var(self._fresh(name), array.shape, array.dtype.name)
        self._values.parameters[variable.name] = array
        self._variables.append(variable)
        return variable

    def _fresh(self, name: str) -> str:
        candidate, count = name, 0
        while candidate in self._taken:
            count += 1
            candidate = f"{name}_{count}"
        self._taken.add(candidate)
        return candidate

    def _read_node(self, place: str, node: ir.Node) -> None:
        if node.op_type == "Constant" and node.domain == "":
            self._exprs[node.outputs[0]] = self._constant(node)
        elif self._is_decided(node):
            self._read_branch(node)
        else:
            operands = [None if one is None else self._exprs[one] for one in node.inputs]
            results = self._results(place, node, operands)
            for value, expr in zip(node.outputs, results, strict=False):
                if expr is not None and self._literal:
                    self._exprs[value] = literally(node.op_type, expr) if expr in operands else expr
                elif expr is not None:
                    self._exprs[value] = self._values.folded(expr)

    def _results(
        self, place: str, node: ir.Node, operands: Sequence[Expr | None]
    ) -> Sequence[Expr | None]:
        if node.op_type in RANDOM and node.domain == "":
            raise NotReadableError("it draws random numbers; export the model for inference")
        opset = self._opset(node)
        used = [bool(one.uses()) or one.is_graph_output() for one in node.outputs]
        row = reader_of(node.domain, node.op_type, opset)
        why: str = "GSL has no operator for it"
        wanted: tuple[str, ...] = ()
        if node.op_type == "If" and not node.domain:
            wanted = self._inputs_of(operands, 0)
            why = "its condition depends on an input of the model"
            why = why if wanted else "its condition is no single truth value that is known"
        if row is not None:
            try:
                return _row_results(row, Site(node, operands, opset, self._values.value_of, used))
            except NotReadableError:
                raise
            except RowError as error:
                why, wanted = str(error), self._inputs_of(operands, error.wanted)
            except (GslError, *NOT_COVERED) as error:
                why = reason(error)
        try:
            outer = [self._exprs[value] for value in captured(node)]
            versions = self._model.graph.opset_imports
            types = self._types_of_branches(node)
            made = read_opaque(node, operands, outer, opset, versions, self._values.value_of, types)
        except NotReadableError as error:
            message = f"{why}, and it cannot be carried as it is: {error}"
            raise NotReadableError(message, wanted) from error
        self._record.append(Carried(place, node.op_type, why, wanted))
        return made

    def _inputs_of(self, operands: Sequence[Expr | None], place: int | None) -> tuple[str, ...]:
        """Return the inputs of the model that an operand depends on."""
        wanted = None if place is None else operands[place]
        below = [] if wanted is None else reverse_post_order([wanted])
        variables = [expr.name for expr in below if isinstance(expr, Var)]
        return tuple(name for name in variables if name not in self._values.parameters)

    def _opset(self, node: ir.Node) -> int:
        imports = self._model.graph.opset_imports
        domain = "ai.onnx" if node.domain == "" and "" not in imports else node.domain
        if domain not in imports:
            raise NotReadableError(f"the model does not import its domain `{node.domain}`")
        return node.version or imports[domain]

    def _constant(self, node: ir.Node) -> Expr:
        (attribute,) = node.attributes.values()
        name, value = str(node.outputs[0].name), attribute.value
        if attribute.name == "value":
            return self._tensor(name, value)
        if attribute.name in ("value_float", "value_floats"):
            return self._known(name, np.array(value, np.float32))
        if attribute.name in ("value_int", "value_ints"):
            return self._known(name, np.array(value, np.int64))
        raise NotReadableError(f"GSL has no constants of `{attribute.name}`")

    def _is_decided(self, node: ir.Node) -> bool:
        if node.op_type != "If" or node.domain or node.inputs[0] is None:
            return False
        known = self._values.value_of(self._exprs[node.inputs[0]])
        return known is not None and known.size == 1

    def _types_of_branches(self, node: ir.Node) -> list[BranchTypes]:
        """Return the types that the branches of an If give each result, None where one is not read.

        What is noted about nodes inside is not about the model.
        """
        if node.op_type != "If" or node.domain:
            return []
        noted = len(self._record)
        found = []
        for graph in graphs_of(node):
            self._read_graph(graph)
            exprs = [self._exprs.get(value) for value in graph.outputs]
            found.append([None if one is None else one.tensor_type for one in exprs])
        del self._record[noted:]
        return list(zip(*found, strict=True))

    def _read_branch(self, node: ir.Node) -> None:
        """Put the branch that is taken in the place of an If."""
        (condition,) = node.inputs
        assert condition is not None
        known = self._values.value_of(self._exprs[condition])
        graph = node.attributes["then_branch" if bool(known) else "else_branch"].value
        self._read_graph(graph)
        for value, inner in zip(node.outputs, graph.outputs, strict=True):
            if inner in self._refused:
                self._refused[value] = self._refused[inner]
            else:
                self._exprs[value] = self._exprs[inner]


def _row_results(row: Any, site: Site) -> Sequence[Expr | None]:
    """Return what a row makes of a node; raise RowError where something would be lost."""
    made = row(site)
    results: list[Expr | None] = [made] if isinstance(made, Expr) else list(made)
    lost = site.passed_over()
    missing = [place for place, used in enumerate(site.used) if used and not _made(results, place)]
    if not lost and missing:
        lost = f"its result {missing[0]} would be lost"
    if lost:
        raise RowError(lost)
    assert all(one is None or isinstance(one.type, TensorType) for one in results)
    return results


def _made(results: Sequence[Expr | None], place: int) -> bool:
    return place < len(results) and results[place] is not None


def _place(number: int, node: ir.Node) -> str:
    """Return what to call a node of a model."""
    names = ", ".join(str(output.name) for output in node.outputs)
    return f"node {number}, {node.op_type} of `{names}`"
