"""Which function chooses the operands and attributes of an operator; and models of sketches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx

from gslverify.adapters.onnx_graphs import operands, windows
from gslverify.adapters.onnx_graphs.drawing import OPSETS, SMALL, Drawing, sketched_operands, values
from gslverify.adapters.onnx_graphs.sketch import Sketch, Step
from gslverify.networks.choices import Choices

Chooser = Callable[[operands.Known], operands.Attributes]

REDUCTIONS = ("Sum", "Mean", "Max", "Min", "Prod", "L1", "L2")

CHOOSERS: Mapping[str, Chooser] = {
    **dict.fromkeys(
        operands.BINARY | operands.LOGIC - {"Not", "Where"} | operands.BITS - {"BitwiseNot"},
        operands.binary,
    ),
    **dict.fromkeys(
        ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd"), operands.reduced
    ),
    **dict.fromkeys(operands.POOLS, windows.pool),
    **dict.fromkeys(("Conv", "ConvTranspose", "ConvInteger"), windows.conv),
    **dict.fromkeys(("Squeeze", "Unsqueeze"), operands.axes),
    **dict.fromkeys(("Softmax", "LogSoftmax"), operands.softmax),
    **dict.fromkeys(("ArgMax", "ArgMin"), operands.argmax),
    "BatchNormalization": windows.normalised,
    "Cast": operands.cast,
    "Clip": operands.clip,
    "Concat": operands.concat,
    "ConstantOfShape": operands.constant_of_shape,
    "Dropout": operands.dropout,
    "Einsum": operands.einsum,
    "Expand": operands.expand,
    "Flatten": operands.flatten,
    "Gather": operands.gather,
    "Gemm": operands.gemm,
    "MatMul": operands.matmul,
    "Pad": windows.pad,
    "QLinearConv": windows.quantised_conv,
    "Reshape": operands.reshape,
    "ScatterND": operands.scatter,
    "Slice": operands.sliced,
    "Transpose": operands.transpose,
    "Where": operands.where,
}
"""The operators that have more than one operand, or attributes."""

INPUT_STYLES = ("integers", "reals", "halves", "negative", "large", "ties")


def drawn(
    sketch: Sketch, choices: Choices, sizes: Sequence[int] = SMALL
) -> tuple[onnx.ModelProto, list[dict[str, Any]]]:
    """Return a model that a sketch describes, and inputs for it; raises NothingDrawnError."""
    drawing = Drawing(choices, sizes)
    drawing.opset = int(drawing.pick(OPSETS))
    leaves = sketched_operands(sketch)
    for name, value in sketch.constants.items():
        if name in leaves:
            drawing.leaf(name, value, True)
    for step in sketch.steps:
        _add(drawing, sketch, step)
    model = drawing.model(sketch.outputs)
    free = [one.name for one in model.graph.input]
    arrays = {name: drawing.arrays[name] for name in free}
    seed = choices.number(255)
    numbered = [(place + seed, *pair) for place, pair in enumerate(arrays.items())]
    others = [
        {name: values(one.shape, one.dtype.name, style, n) for n, name, one in numbered}
        for style in INPUT_STYLES
    ]
    return model, [arrays, *others]


def _add(drawing: Drawing, sketch: Sketch, step: Step) -> None:
    """Choose what a step leaves open, and add it."""
    known = operands.Known(drawing, step)
    chooser = CHOOSERS.get(step.operator)
    if step.operands and not any(known.has(place) for place in range(len(step.operands))):
        if step.operator != "ConstantOfShape":
            _first(drawing, sketch, step)
    elif step.operands and not known.has(0) and step.operator not in operands.BINARY | {"MatMul"}:
        _first(drawing, sketch, step)
    made = {} if chooser is None else chooser(known)
    for name in known.names:
        if name is not None and name not in drawing.arrays:
            operands.operand(drawing, name, (), "float32")
    attributes = dict(step.attributes)
    if step.others or not step.attributes.keys() - made.keys():
        attributes = {**made, **attributes} if step.others else _allowed(made, step)
    attributes = {k: v for k, v in attributes.items() if v is not None}
    drawing.node(step, known.names, {k: _attribute(v) for k, v in attributes.items()})


def _allowed(made: Mapping[str, Any], step: Step) -> dict[str, Any]:
    """Return the attributes that a step may have, those it fixes included."""
    return {**{name: made[name] for name in step.wanted if name in made}, **step.attributes}


def _attribute(value: Any) -> Any:
    return onnx.numpy_helper.from_array(value) if isinstance(value, np.ndarray) else value


def _first(drawing: Drawing, sketch: Sketch, step: Step) -> None:
    """Make the first operand of a step, of which nothing is known."""
    later = {one.operator for one in sketch.steps[sketch.steps.index(step) :]}
    rank, dtype = operands.rank_of(later, drawing), operands.dtype_of(later, drawing)
    shape = drawing.axis_sizes(rank)
    name = next(name for name in step.operands if name is not None)
    # What is computed of constants alone is folded before anything else rewrites it.
    is_constant = drawing.choices.number(7) == 7
    drawing.leaf(name, operands.array(drawing, shape, dtype), is_constant)
