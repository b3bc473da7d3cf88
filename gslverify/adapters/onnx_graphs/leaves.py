"""The leaves of a graph that is drawn: their ranks, shapes and dtypes, and how they are written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx.defs import SchemaError, get_schema

from gslverify.adapters.onnx_graphs.drawing import STYLES, Drawing, values
from gslverify.adapters.onnx_graphs.sketch import Step

COMPARISONS = ("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual")
REPEATED = ("Min", "Max", "Sum", "Mean")
BINARY = frozenset(("Add", "Sub", "Mul", "Div", "Pow", "Mod", "PRelu", *COMPARISONS, *REPEATED))
LOGIC = frozenset(("And", "Or", "Xor", "Not", "Where"))
BITS = frozenset(("BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot", "BitShift"))
POOLS = ("MaxPool", "AveragePool")
CONVOLUTIONS = ("Conv", "ConvTranspose", "ConvInteger", "QLinearConv")
NORMALISATIONS = ("BatchNormalization", "InstanceNormalization")
SPATIAL = frozenset((*CONVOLUTIONS, *NORMALISATIONS, *POOLS, "GlobalAveragePool"))
PRODUCTS = frozenset(("MatMul",))
PLANES = frozenset(("Einsum", "Gemm"))
WAYS = (*("as it is",) * 9, "Cast", "Concat", "Identity", "Reshape")
"""How exporters write sizes and axes: mostly as constants, else computed by an operator."""
DTYPES = (*("float32",) * 6, "float64", "float16", "int32", "int64", "uint8", "int8", "bool")
NAMES = {"float": "float32", "double": "float64"}
"""What ONNX calls dtypes differently from NumPy."""

Attributes = dict[str, Any]


def rank_of(operators: frozenset[str] | set[str], drawing: Drawing) -> int:
    """Choose the rank of the first operand from what lies after it."""
    if operators & PLANES:
        return 2
    if operators & SPATIAL:
        return int(drawing.pick((4, 4, 3)))
    if operators & PRODUCTS:
        return int(drawing.pick((2, 1, 2, 3, 2, 4)))
    return int(drawing.pick((2, 1, 3, 0, 2, 4)))


def shape_of_rank(rank: int, drawing: Drawing) -> tuple[int, ...]:
    """Choose a shape: any sizes, mostly; else that of another leaf, or one long axis."""
    shape = drawing.axis_sizes(rank)
    kind = 0 if drawing.is_instance else drawing.choices.number(7)
    others = [drawing.arrays[name].shape for name in drawing.inputs if kind == 7]
    alike = [other for other in others if len(other) == rank]
    return alike[-1] if alike else (*shape[:1], *(1,) * (rank - 1)) if kind == 6 else shape


def dtype_of(steps: Sequence[Step], drawing: Drawing) -> str:
    """Choose a dtype for the first operand of the first step that all of them take, if any is."""
    taken = [frozenset(DTYPES) & accepted(step, drawing.opset) for step in steps]
    common = frozenset.intersection(*taken) or taken[0]
    usual = dict.fromkeys(DTYPES) if _is_converted(steps) else DTYPES
    return str(drawing.pick([dtype for dtype in usual if dtype in common] or DTYPES[:1]))


def _is_converted(steps: Sequence[Step]) -> bool:
    """Tell whether dtypes are what steps are about."""
    return any(step.operator == "Cast" for step in steps)


def accepted(step: Step, opset: int) -> frozenset[str]:
    """Return the dtypes that an operator takes as its first operand, all where it is not known."""
    try:
        first: Any = get_schema(step.operator, opset, step.domain).inputs[0]
    except (SchemaError, IndexError):
        return frozenset(DTYPES)
    names = [str(one).removeprefix("tensor(")[:-1] for one in first.types]
    return frozenset(NAMES.get(name, name) for name in names)


def array(drawing: Drawing, shape: tuple[int, ...], dtype: str) -> Any:
    """Draw an array; its style is a choice."""
    style, seed = drawing.pick(STYLES), drawing.choices.number(255)
    return values(shape, dtype, style, seed)


def operand(drawing: Drawing, name: str, shape: tuple[int, ...], dtype: str) -> str:
    """Make an operand that may be an input or a constant."""
    constant = bool(drawing.choices.number(1))
    return drawing.leaf(name, array(drawing, shape, dtype), constant)


def integers(drawing: Drawing, name: str, numbers: Any) -> str:
    """Make a list of sizes or axes: a constant, an input, or computed of one of these."""
    array = np.array(numbers, np.int64)
    way = "as it is" if drawing.is_instance or array.ndim != 1 else drawing.pick(WAYS)
    if way == "as it is":
        return drawing.leaf(name, array, True)
    parts: dict[str, list[Any]] = {
        "Cast": [array.astype(np.int32)],
        "Concat": [array[place : place + 1] for place in range(array.size)] or [array],
        "Reshape": [array[None]],
    }
    arrays = parts.get(way, [array])
    leaves = [drawing.leaf(drawing.fresh(), one, drawing.choices.number(2) == 2) for one in arrays]
    drawing.fixed.update(leaves)
    if way == "Reshape":
        leaves.append(drawing.leaf(drawing.fresh(), np.array([-1], np.int64), True))
    attributes: Attributes = {"Cast": {"to": 7}, "Concat": {"axis": 0}}.get(way, {})
    drawing.node(Step(way, tuple(leaves), (name,)), leaves, attributes)
    return name


def broadcast(drawing: Drawing, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Choose a shape that broadcasts with another one."""
    rank = len(shape)
    options = (
        shape,
        (),
        (1,),
        shape[-1:],
        (1,) * rank,
        (1, *shape),
        (shape[0], *(1,) * (rank - 1)) if rank else (),
        tuple(1 if axis % 2 else size for axis, size in enumerate(shape)),
        (1, shape[1], *(1,) * (rank - 2)) if rank > 1 else (),
        (*shape[:-1], 1) if rank else (),
        (2, *(1,) * rank),
        (1,) * rank,
        (),
        (1,) * (rank + 1),
    )
    return tuple(drawing.pick(options))


class Known:
    """The operands of a step: their values where they are made already."""

    def __init__(self, drawing: Drawing, step: Step) -> None:
        self.drawing, self.step = drawing, step
        self.names: list[str | None] = list(step.operands)

    def has(self, place: int) -> bool:
        """Tell whether an operand has a value already."""
        return place < len(self.names) and self.names[place] in self.drawing.arrays

    def is_free(self, place: int) -> bool:
        """Tell whether an operand is named or may be added, and has no value yet."""
        if place < len(self.names):
            return self.names[place] is not None and not self.has(place)
        return self.step.more and place == len(self.names)

    def value(self, place: int) -> Any:
        """Return the value of an operand."""
        return self.drawing.arrays[str(self.names[place])]

    def name(self, place: int) -> str:
        """Return what to call an operand, which is added where the step does not have it."""
        if place < len(self.names):
            return str(self.names[place])
        self.names.append(self.drawing.fresh())
        return str(self.names[-1])

    def add(self, place: int, shape: tuple[int, ...], dtype: str = "") -> None:
        """Make an operand if it is free."""
        if self.is_free(place):
            self.operand(place, shape, dtype or self.value(0).dtype.name)

    def operand(self, place: int, shape: tuple[int, ...], dtype: str) -> None:
        """Make an operand; where it has no name, it may be a leaf that is there already."""
        drawing = self.drawing
        alike = [
            name
            for name in drawing.inputs
            if drawing.arrays[name].shape == shape and drawing.arrays[name].dtype.name == dtype
        ]
        is_new = place == len(self.names)
        if is_new and alike and not drawing.is_instance and drawing.choices.number(7) == 7:
            self.names.append(alike[0])
            return
        operand(drawing, self.name(place), shape, dtype)

    def constant(self, place: int, value: Any) -> None:
        """Make an operand that is a constant, if it is free."""
        if self.is_free(place):
            self.drawing.leaf(self.name(place), np.asarray(value), True)

    def maybe(self) -> bool:
        """Choose whether to add what may be left out."""
        return bool(self.drawing.choices.number(1))
