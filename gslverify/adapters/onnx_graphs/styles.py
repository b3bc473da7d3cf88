"""The ways in which exporters write one and the same model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from enum import Enum
from typing import Any

from onnx import ModelProto, NodeProto, ValueInfoProto, helper, numpy_helper


class Constants(Enum):
    """Where constants are."""

    INITIALIZERS = "initializers"
    NODES = "results of Constant nodes"
    INPUTS = "initializers that are inputs, too"


class Types(Enum):
    """Which types a model states."""

    ALL = "those of everything"
    ENDS = "those of inputs and outputs"
    SYMBOLS = "those of inputs and outputs, with symbols for the first axes"


@dataclass(frozen=True, slots=True)
class Style:
    """How a model is written, and for which operator set."""

    opset: int = 18
    constants: Constants = Constants.INITIALIZERS
    types: Types = Types.ALL


OPSETS = (18, 20, 18, 13, 11, 21)
CONSTANTS = (*(Constants.INITIALIZERS,) * 4, Constants.NODES, Constants.NODES, Constants.INPUTS)
TYPES = (*(Types.ALL,) * 4, Types.ENDS, Types.SYMBOLS)
SYMBOL = "N{}"


def written(
    style: Style,
    nodes: Sequence[NodeProto],
    leaves: Sequence[str],
    constants: Set[str],
    outputs: Sequence[str],
    arrays: Mapping[str, Any],
) -> ModelProto:
    """Return a model in a style.

    Args:
        style: how it is written.
        nodes: what it computes, in order.
        leaves: the names of its inputs and constants.
        constants: which of the leaves are constants.
        outputs: the names of its outputs.
        arrays: a value for every name, for its type.
    """
    fixed = [name for name in leaves if name in constants]
    inputs = [_typed(name, arrays[name], style.types) for name in leaves if name not in constants]
    initializers = [numpy_helper.from_array(arrays[name], name) for name in fixed]
    made = list(nodes)
    if style.constants is Constants.NODES:
        values = zip(fixed, initializers, strict=True)
        made = [helper.make_node("Constant", [], [n], value=one) for n, one in values] + made
        initializers = []
    elif style.constants is Constants.INPUTS:
        inputs += [_typed(name, arrays[name], Types.ALL) for name in fixed]
    inner = [n for node in nodes for n in node.output if n and n not in outputs]
    stated = inner if style.types is Types.ALL else []
    results = [_typed(name, arrays[name], style.types, is_result=True) for name in outputs]
    values_stated = [_typed(name, arrays[name], Types.ALL) for name in stated]
    graph = helper.make_graph(
        made, "graph", inputs, results, initializers, value_info=values_stated
    )
    opset = helper.make_opsetid("", style.opset)
    version = helper.find_min_ir_version_for([opset])
    return helper.make_model(graph, opset_imports=[opset], ir_version=version)


def _typed(name: str, array: Any, types: Types, is_result: bool = False) -> ValueInfoProto:
    """Return a name with its type; of results with symbols nothing is known but how many axes.

    An axis of size 1 or 0 has no symbol: what it is broadcast to would be taken for its size.
    """
    kind = helper.np_dtype_to_tensor_dtype(array.dtype)
    sizes: list[int | str | None] = list(array.shape)
    if types is Types.SYMBOLS and is_result:
        sizes = [None] * len(sizes)
    elif types is Types.SYMBOLS and sizes and array.shape[0] > 1:
        sizes[0] = SYMBOL.format(array.shape[0])
    return helper.make_tensor_value_info(name, kind, sizes)
