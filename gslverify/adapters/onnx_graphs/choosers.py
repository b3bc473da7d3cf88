"""Which function chooses the operands and attributes of an operator; and models of sketches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import onnx

from gslverify.adapters.onnx_graphs import leaves, operands, windows
from gslverify.adapters.onnx_graphs.drawing import SMALL, Drawing, sketched_operands, values
from gslverify.adapters.onnx_graphs.sketch import Sketch, Step
from gslverify.adapters.onnx_graphs.styles import CONSTANTS, OPSETS, TYPES, Style
from gslverify.networks.choices import Choices

Chooser = Callable[[leaves.Known], leaves.Attributes]

REDUCTIONS = ("Sum", "Mean", "Max", "Min", "Prod", "L1", "L2")

CHOOSERS: Mapping[str, Chooser] = {
    **dict.fromkeys(
        leaves.BINARY | leaves.LOGIC - {"Not", "Where"} | leaves.BITS - {"BitwiseNot"},
        operands.binary,
    ),
    **dict.fromkeys(
        ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd"), operands.reduced
    ),
    **dict.fromkeys(leaves.POOLS, windows.pool),
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
    "Shape": operands.shape_of,
    "Slice": operands.sliced,
    "Split": operands.split,
    "Transpose": operands.transpose,
    "Where": operands.where,
}
"""The operators that have more than one operand, or attributes."""

OPSETS_OF_INSTANCES = (18, 20, 13)
INPUT_STYLES = ("integers", "reals", "halves", "negative", "large", "ties")


def drawn(
    sketch: Sketch, choices: Choices, sizes: Sequence[int] = SMALL
) -> tuple[onnx.ModelProto, list[dict[str, Any]]]:
    """Return a model that a sketch describes, and inputs for it; raises NothingDrawnError."""
    drawing = Drawing(choices, sizes)
    drawing.style = _style(drawing)
    needed = sketched_operands(sketch)
    for name, value in sketch.constants.items():
        if name in needed:
            drawing.leaf(name, value, True)
    for step in sketch.steps:
        _add(drawing, sketch, step)
    model = drawing.model((*sketch.outputs, *_used(drawing, sketch)))
    free = [name for name in drawing.inputs if name not in drawing.constants]
    arrays = {name: drawing.arrays[name] for name in free}
    seed = choices.number(255)
    numbered = [(place + seed, *pair) for place, pair in enumerate(arrays.items())]
    others = [
        {
            name: one if name in drawing.fixed else values(one.shape, one.dtype.name, style, n)
            for n, name, one in numbered
        }
        for style in INPUT_STYLES
    ]
    return model, [arrays, *others]


def _style(drawing: Drawing) -> Style:
    """Choose how the model is written; an instance is written plainly."""
    if drawing.is_instance:
        return Style(drawing.pick(OPSETS_OF_INSTANCES))
    return Style(drawing.pick(OPSETS), drawing.pick(CONSTANTS), drawing.pick(TYPES))


def _used(drawing: Drawing, sketch: Sketch) -> list[str]:
    """Choose whether somebody uses what is computed on the way, too."""
    inner = [n for step in sketch.steps for n in step.results if n and n not in sketch.outputs]
    is_used = inner and not drawing.is_instance and drawing.choices.number(7) == 7
    return [drawing.pick(inner)] if is_used else []


def _turned(drawing: Drawing, step: Step) -> Step:
    """Choose which operand of a step is the one that is known."""
    may_turn = step.operator in leaves.BINARY | {"MatMul"} and len(step.operands) == 1
    if not may_turn or drawing.is_instance or drawing.choices.number(3) < 3:
        return step
    return replace(step, operands=(drawing.fresh(), *step.operands))


def _add(drawing: Drawing, sketch: Sketch, step: Step) -> None:
    """Choose what a step leaves open, and add it."""
    turned = _turned(drawing, step)
    known, steps = leaves.Known(drawing, turned), sketch.steps[sketch.steps.index(step) :]
    chooser, broadcasts = CHOOSERS.get(step.operator), leaves.BINARY | {"MatMul"}
    if turned.operands and not any(known.has(place) for place in range(len(turned.operands))):
        if step.operator != "ConstantOfShape":
            _first(drawing, turned, steps)
    elif turned.operands and not known.has(0) and step.operator not in broadcasts:
        _first(drawing, turned, steps)
    made = {} if chooser is None else chooser(known)
    for name in known.names:
        if name is not None and name not in drawing.arrays:
            leaves.operand(drawing, name, (), "float32")
    attributes = dict(step.attributes)
    if step.others or not step.attributes.keys() - made.keys():
        attributes = {**made, **attributes} if step.others else _allowed(made, step)
    # An empty list has no type; what it says is said without it.
    attributes = {k: v for k, v in attributes.items() if v is not None and not _is_empty(v)}
    drawing.node(step, known.names, {k: _attribute(v) for k, v in attributes.items()})


def _allowed(made: Mapping[str, Any], step: Step) -> dict[str, Any]:
    """Return the attributes that a step may have, those it fixes included."""
    return {**{name: made[name] for name in step.wanted if name in made}, **step.attributes}


def _is_empty(value: Any) -> bool:
    return isinstance(value, tuple | list) and not value


def _attribute(value: Any) -> Any:
    return onnx.numpy_helper.from_array(value) if isinstance(value, np.ndarray) else value


def _first(drawing: Drawing, step: Step, steps: Sequence[Step]) -> None:
    """Make the first operand of a step, of which nothing is known; it goes through `steps`."""
    later = {one.operator for one in steps}
    rank, dtype = leaves.rank_of(later, drawing), leaves.dtype_of(steps, drawing)
    shape = leaves.shape_of_rank(rank, drawing)
    name = next(name for name in step.operands if name is not None)
    # What is computed of constants alone is folded before anything else rewrites it.
    is_constant = drawing.choices.number(7) == 7
    drawing.leaf(name, leaves.array(drawing, shape, dtype), is_constant)
