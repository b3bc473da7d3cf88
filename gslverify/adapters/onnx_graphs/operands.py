"""What operands and attributes an operator of ONNX may have beside those that a sketch fixes.

Each function gets the drawing, the step, and what is known of its operands, and names the rest.
Where styles of exporters differ, such as an absent attribute, the choice is among those styles.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gslverify.adapters.onnx_graphs.drawing import STYLES, Drawing, values
from gslverify.adapters.onnx_graphs.sketch import Step
from gslverify.networks.choices import NothingDrawnError

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
PLANES = frozenset(("Gemm",))
FURTHEST = np.iinfo(np.int64).max

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


def dtype_of(operators: frozenset[str] | set[str], drawing: Drawing) -> str:
    """Choose the dtype of the first operand."""
    if operators & LOGIC:
        return "bool"
    if operators & BITS:
        return "uint8"
    if operators & {"ConvInteger", "QLinearConv"}:
        return "uint8"
    if operators & {"Cast", "Equal", "Mod", "Min", "Max"}:
        return str(drawing.pick(("float32", "float64", "int32", "float16", "int64")))
    return "float32"


def array(drawing: Drawing, shape: tuple[int, ...], dtype: str) -> Any:
    """Draw an array; its style is a choice."""
    style, seed = drawing.pick(STYLES), drawing.choices.number(255)
    return values(shape, dtype, style, seed)


def operand(drawing: Drawing, name: str, shape: tuple[int, ...], dtype: str) -> str:
    """Make an operand that may be an input or a constant."""
    constant = bool(drawing.choices.number(1))
    return drawing.leaf(name, array(drawing, shape, dtype), constant)


def integers(drawing: Drawing, name: str, numbers: Any) -> str:
    """Make a constant list of sizes or axes."""
    return drawing.leaf(name, np.array(numbers, np.int64), True)


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
        (1,) * rank,
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
            kind = dtype or self.value(0).dtype.name
            operand(self.drawing, self.name(place), shape, kind)

    def constant(self, place: int, value: Any) -> None:
        """Make an operand that is a constant, if it is free."""
        if self.is_free(place):
            self.drawing.leaf(self.name(place), np.asarray(value), True)

    def maybe(self) -> bool:
        """Choose whether to add what may be left out."""
        return bool(self.drawing.choices.number(1))


def binary(known: Known) -> Attributes:
    """Operands that broadcast with the first."""
    step, drawing = known.step, known.drawing
    count = len(known.names) if step.operator in REPEATED else 2
    if step.more and step.operator in REPEATED:
        count = max(count, int(drawing.pick((2, 2, 3, 1))))
    first = next((p for p in range(count) if known.has(p)), 0)
    shape, dtype = known.value(first).shape, known.value(first).dtype.name
    for place in range(count):
        if known.is_free(place):
            known_shape = broadcast(drawing, shape)
            operand(drawing, known.name(place), known_shape, dtype)
    if step.operator == "BitShift":
        return {"direction": drawing.pick(("LEFT", "RIGHT"))}
    if step.operator == "Mod":
        return {"fmod": 1} if np.dtype(dtype).kind == "f" else {}
    return {}


def reshape(known: Known) -> Attributes:
    """A shape with as many elements, in the ways to write it."""
    drawing, shape = known.drawing, known.value(0).shape
    if not known.is_free(1):
        return {}
    rank, total = len(shape), int(np.prod(shape))
    options: tuple[tuple[int, ...], ...] = (
        shape,
        (-1,),
        (*shape[:-2], -1) if rank > 1 else (-1,),
        (1, *shape),
        (0,) * rank if rank else (1,),
        (total // max(1, shape[-1]), shape[-1]) if rank else (1,),
        (0, -1) if rank > 1 else (-1,),
        tuple(reversed(shape)),
        (2, 2) if total == 4 else (*shape, 1),
        (total, 1, 1),
    )
    integers(drawing, known.name(1), drawing.pick(options))
    return {}


def expand(known: Known) -> Attributes:
    """A shape to broadcast to."""
    drawing, shape = known.drawing, known.value(0).shape
    wide = tuple(size if size > 1 else drawing.size() for size in shape)
    options = (wide, shape, (drawing.size(), *wide), (1,) * len(shape), (1, *shape))
    if known.is_free(1):
        integers(drawing, known.name(1), drawing.pick(options))
    return {}


def axes(known: Known) -> Attributes:
    """Axes of size 1, made or removed."""
    rank = known.value(0).ndim
    drawing = known.drawing
    if known.step.operator == "Unsqueeze":
        axes = drawing.pick(((0,), (rank,), (-1,), (0, 1), (1,)))
    else:
        ones = tuple(axis for axis, size in enumerate(known.value(0).shape) if size == 1)
        axes = drawing.pick((ones, ones[:1], tuple(axis - rank for axis in ones)))
        if not known.step.more or known.maybe():
            return {}
    if known.is_free(1):
        integers(drawing, known.name(1), axes)
    return {}


def sliced(known: Known) -> Attributes:
    """A slice along one axis."""
    drawing, shape = known.drawing, known.value(0).shape
    if not shape:
        raise NothingDrawnError("a number cannot be sliced")
    axis = drawing.pick((0, len(shape) - 1, -1))
    size = shape[axis]
    start, end = drawing.pick(((0, size), (0, FURTHEST), (1, size), (0, size // 2), (-1, FURTHEST)))
    step = drawing.pick((1, 1, -1, 2))
    if size > 1 and len(known.step.operands) == 4:
        step = 1
    for place, value in enumerate(([start], [end], [axis], [step]), 1):
        if (place < 4 or len(known.step.operands) > 4) and known.is_free(place):
            integers(drawing, known.name(place), value)
    return {}


def matmul(known: Known) -> Attributes:
    """A matrix, a batch of them, or a vector."""
    drawing = known.drawing
    place = 1 if known.has(0) else 0
    other = known.value(1 - place).shape
    if not other:
        raise NothingDrawnError("a number has no product of matrices")
    inner = other[-1] if place == 1 else other[-2 if len(other) > 1 else 0]
    size = drawing.axis_sizes(1)[0]
    matrix = (inner, size) if place == 1 else (size, inner)
    options = (matrix, (*other[:-2], *matrix), (inner,), (1, *matrix))
    known.add(place, tuple(drawing.pick(options)), known.value(1 - place).dtype.name)
    return {}


def gemm(known: Known) -> Attributes:
    """A second matrix and maybe a bias."""
    drawing = known.drawing
    a = known.value(0)
    if a.ndim != 2:
        raise NothingDrawnError("Gemm takes matrices")
    given = known.step.attributes
    trans_a = int(given.get("transA", drawing.pick((0, 0, 1))))
    trans_b = int(given.get("transB", drawing.pick((0, 1))))
    inner, rows = (a.shape[0], a.shape[1]) if trans_a else (a.shape[1], a.shape[0])
    columns = drawing.axis_sizes(1)[0]
    known.add(1, (columns, inner) if trans_b else (inner, columns))
    if len(known.step.operands) > 2 or known.maybe():
        bias = drawing.pick(((columns,), (1,), (rows, columns), (rows, 1), ()))
        known.add(2, tuple(bias))
    chosen: Attributes = {"alpha": drawing.pick((1.0, 0.5, 2.0)), "beta": drawing.pick((1.0, 0.5))}
    chosen |= {"transA": trans_a, "transB": trans_b}
    return chosen if known.maybe() else {"transA": trans_a, "transB": trans_b}


def transpose(known: Known) -> Attributes:
    """A permutation of the axes."""
    rank = known.value(0).ndim
    order = tuple(range(rank))
    rotated, swapped = (*order[1:], *order[:1]), (*order[:-2], *reversed(order[-2:]))
    return {"perm": known.drawing.pick((tuple(reversed(order)), rotated, swapped, order))}


def cast(known: Known) -> Attributes:
    """A dtype."""
    return {"to": known.drawing.pick((1, 10, 1, 10, 11, 7, 6, 9, 2, 3))}


def clip(known: Known) -> Attributes:
    """Bounds, in any order."""
    drawing, dtype = known.drawing, known.value(0).dtype
    low, high = drawing.pick(((0, 1), (2, 3), (-3, -1), (-1, 2), (0, None), (None, 1), (0, 6)))
    if low is not None:
        known.constant(1, np.array(low, dtype))
    elif high is not None and known.is_free(1):
        known.names.append(None)
    if high is not None:
        known.constant(2, np.array(high, dtype))
    return {}


def constant_of_shape(known: Known) -> Attributes:
    """A shape and a value."""
    known.constant(0, np.array(known.drawing.axis_sizes(2), np.int64))
    value = known.drawing.pick((0, 1, 300, -1, 2.5))
    kind = np.float32 if isinstance(value, float) else known.drawing.pick((np.int64, np.float32))
    return {"value": np.array([value], kind)}


def softmax(known: Known) -> Attributes:
    """An axis, or none."""
    return {"axis": known.drawing.pick((-1, 0, 1))} if known.maybe() else {}


def argmax(known: Known) -> Attributes:
    """An axis, or none."""
    made: Attributes = {"axis": known.drawing.pick((0, -1))} if known.maybe() else {}
    return made | ({"keepdims": known.drawing.pick((0, 1))} if known.maybe() else {})


def flatten(known: Known) -> Attributes:
    """An axis, or none."""
    rank = known.value(0).ndim
    options = tuple(dict.fromkeys((1 if rank else 0, 0, rank, -1 if rank else 0)))
    return {"axis": known.drawing.pick(options)} if known.maybe() else {}


def reduced(known: Known) -> Attributes:
    """Axes as operand or attribute."""
    rank = known.value(0).ndim
    made: Attributes = {"keepdims": known.drawing.pick((0, 1))} if known.maybe() else {}
    if known.maybe() and rank:
        axes = known.drawing.pick(((0,), (rank - 1,), (-1,), tuple(range(rank))))
        if known.drawing.opset >= 18 or known.step.operator == "ReduceSum":
            known.constant(1, np.array(axes, np.int64))
        else:
            made["axes"] = axes
    return made


def concat(known: Known) -> Attributes:
    """An axis."""
    return {"axis": known.drawing.pick((0, -1, 1))}


def scatter(known: Known) -> Attributes:
    """All rows, and what they become."""
    data = known.value(0)
    if not data.ndim:
        raise NothingDrawnError("a number has no rows")
    rows = np.arange(data.shape[0], dtype=np.int64)[:, None]
    known.constant(1, known.drawing.pick((rows, rows[::-1].copy())))
    known.add(2, data.shape)
    return {}


def gather(known: Known) -> Attributes:
    """One index."""
    known.constant(1, np.array(known.drawing.pick((0, 1, -1)), np.int64))
    return {}


def dropout(known: Known) -> Attributes:
    """A ratio, or none."""
    fixed = known.step.attributes
    if known.drawing.opset >= 12 and not fixed and known.maybe():
        known.constant(1, np.array(known.drawing.pick((0.5, 0.0)), np.float32))
    return {}


def einsum(known: Known) -> Attributes:
    """A second matrix and a formula."""
    size = known.drawing.size()
    known.add(1, (size, size))
    texts = ("ij,jk->ik", "ii,ij->ij", "ij,jj->ij", "ij,kj->ik")
    return {"equation": known.drawing.pick(texts)}


def where(known: Known) -> Attributes:
    """What to choose from."""
    shape = known.value(0).shape
    known.add(1, shape, "float32")
    known.add(2, broadcast(known.drawing, shape), "float32")
    return {}
