"""What operands and attributes an operator of ONNX may have beside those that a sketch fixes.

Each function gets the drawing, the step, and what is known of its operands, and names the rest.
Where styles of exporters differ, such as an absent attribute, the choice is among those styles.
"""

from __future__ import annotations

import numpy as np

from gslverify.adapters.onnx_graphs.drawing import Drawing
from gslverify.adapters.onnx_graphs.leaves import (
    REPEATED,
    Attributes,
    Known,
    array,
    broadcast,
    integers,
)
from gslverify.networks.choices import NothingDrawnError

DIVISIONS = ("Div", "Mod")
FURTHEST = np.iinfo(np.int64).max
AXES_ARE_OPERANDS = 13
RATIOS_ARE_OPERANDS = 12
SHAPES_HAVE_PARTS = 15
REDUCTIONS_TAKE_AXES = (18, AXES_ARE_OPERANDS)
"""The operator sets from which on axes are operands: of most reductions, and of ReduceSum."""


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
            if step.operator in DIVISIONS and np.dtype(dtype).kind != "f":
                _divisor(known, place, dtype)
                continue
            known.operand(place, broadcast(drawing, shape), dtype)
    if step.operator == "BitShift":
        return {"direction": drawing.pick(("LEFT", "RIGHT"))}
    if step.operator == "Mod":
        return {"fmod": 1} if np.dtype(dtype).kind == "f" else {}
    return {}


def _divisor(known: Known, place: int, dtype: str) -> None:
    """Make integers to divide by: processes end that divide by 0."""
    if place != 1:
        raise NothingDrawnError("what integers are divided by may be 0")
    divisors = array(known.drawing, broadcast(known.drawing, known.value(0).shape), dtype)
    known.constant(1, np.where(divisors == 0, np.ones_like(divisors), divisors))


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
        _matrix(total) if total > 1 else (*shape, 1),
        (total, 1, 1),
        *_shapes_of(drawing, total),
    )
    integers(drawing, known.name(1), drawing.pick(options))
    return {}


def _matrix(total: int) -> tuple[int, int]:
    """Return a matrix with so many elements, with as few rows as it can have."""
    rows = next(n for n in (2, 3, 5, 7, total) if total % n == 0)
    return rows, total // rows


def _shapes_of(drawing: Drawing, total: int) -> list[tuple[int, ...]]:
    """Return the shapes of other tensors of so many elements, which rules may compare."""
    if drawing.is_instance:
        return []
    return list(dict.fromkeys(one.shape for one in drawing.arrays.values() if one.size == total))


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
    if drawing.opset < AXES_ARE_OPERANDS:
        return {"axes": axes}
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
    has_steps = len(known.step.operands) > 4 or (known.step.more and known.maybe())
    start, end = drawing.pick(((0, size), (0, FURTHEST), (1, size), (0, size // 2), (-1, FURTHEST)))
    step = drawing.pick((1, 1, -1, 2))
    if size > 1 and len(known.step.operands) == 4:
        step = 1
    for place, value in enumerate(([start], [end], [axis], [step]), 1):
        if (place < 4 or has_steps) and known.is_free(place):
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
    permutations = (tuple(reversed(order)), rotated, swapped, order)
    return {"perm": known.drawing.pick(permutations)} if known.drawing.choices.number(7) < 7 else {}


def cast(known: Known) -> Attributes:
    """A dtype."""
    return {"to": known.drawing.pick((1, 10, 1, 10, 11, 7, 6, 9, 2, 3))}


def clip(known: Known) -> Attributes:
    """Bounds, in any order."""
    drawing, dtype = known.drawing, known.value(0).dtype
    options = ((0, 1), (2, 3), (-3, -1), (-1, 2), (0, None), (None, 1), (0, 6))
    low, high = drawing.pick(options[:2] if dtype.kind == "u" else options)
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
        if known.drawing.opset >= REDUCTIONS_TAKE_AXES[known.step.operator == "ReduceSum"]:
            known.constant(1, np.array(axes, np.int64))
        else:
            made["axes"] = axes
    return made


def concat(known: Known) -> Attributes:
    """An axis, and what is joined along it."""
    shape, axis = known.value(0).shape, known.drawing.pick((0, -1, 1))
    if not -len(shape) <= axis < len(shape):
        raise NothingDrawnError("there is no such axis to join along")
    others = list(shape)
    others[axis] = known.drawing.size() if known.maybe() else shape[axis]
    for place in range(len(known.names), known.drawing.pick((2, 1, 3)) if known.step.more else 0):
        known.add(place, tuple(others))
    return {"axis": axis}


def split(known: Known) -> Attributes:
    """An axis, and into how many parts."""
    shape, drawing, parts = known.value(0).shape, known.drawing, len(known.step.results)
    axis = drawing.pick((0, -1, len(shape) - 1))
    if not shape or shape[axis] % parts:
        raise NothingDrawnError("it cannot be split into equal parts")
    made: Attributes = {"axis": axis} if axis or known.maybe() else {}
    if known.maybe():
        sizes = [shape[axis] // parts] * parts
        if drawing.opset < AXES_ARE_OPERANDS:
            return made | {"split": sizes}
        integers(drawing, known.name(1), sizes)
    elif drawing.opset >= REDUCTIONS_TAKE_AXES[0]:
        made["num_outputs"] = parts
    return made


def shape_of(known: Known) -> Attributes:
    """Which part of a shape."""
    if known.drawing.opset < SHAPES_HAVE_PARTS or known.maybe():
        return {}
    return {"start": known.drawing.pick((0, 1, -1)), "end": known.drawing.pick((1, 2, -1))}


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
    if not fixed and known.maybe():
        ratio = known.drawing.pick((0.5, 0.0))
        if known.drawing.opset < RATIOS_ARE_OPERANDS:
            return {"ratio": ratio}
        known.constant(1, np.array(ratio, np.float32))
    return {}


def einsum(known: Known) -> Attributes:
    """A second matrix and a formula."""
    rows, columns = known.value(0).shape
    size = known.drawing.size()
    shapes = {"ij,jk->ik": (columns, size), "ij,kj->ik": (size, columns)}
    if rows == columns:
        shapes |= {"ii,ij->ij": (rows, size)}
    shapes |= {"ij,jj->ij": (columns, columns)}
    text = known.drawing.pick(tuple(shapes))
    known.add(1, shapes[text])
    return {"equation": text}


def where(known: Known) -> Attributes:
    """What to choose from."""
    shape = known.value(0).shape
    known.add(1, shape, "float32")
    known.add(2, broadcast(known.drawing, shape), "float32")
    return {}
