"""The inputs of an ONNX model as variables, their open sizes given by the user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral

import onnx_ir as ir

from gsl.errors import MisuseError, ModelError, did_you_mean
from gsl.expr import Var
from gsl.onnx.emitter import Value, type_of
from gsl.onnx.errors import NotReadableError
from gsl.types import ALL_DTYPES

Shapes = Mapping[str, Sequence[int]]
"""Sizes of inputs by name."""

KNOWN = {type_of(dtype): dtype for dtype in ALL_DTYPES}
"""The element types of ONNX that GSL has."""


def require_shapes(shapes: object) -> None:
    """Raise MisuseError unless these are sizes by the names of inputs."""
    if not isinstance(shapes, Mapping):
        raise MisuseError(f"shapes are given by the names of inputs, not as {shapes!r}")
    for name, sizes in shapes.items():
        if not isinstance(sizes, Sequence) or not all(map(_is_natural, sizes)):
            raise MisuseError(f"the sizes of input `{name}` are natural numbers, not {sizes!r}")


def _is_natural(size: object) -> bool:
    return isinstance(size, Integral) and not isinstance(size, bool) and int(size) >= 0


def variables_of(graph: ir.Graph, shapes: Shapes) -> list[tuple[Value, Var]]:
    """Return the inputs of a graph that are no initializers, with their variables.

    A size with a name is the same wherever the name stands. Raises ModelError for an unknown
    input, for a size that is open and not given and for a shape that contradicts the model,
    NotReadableError for what is no tensor of numbers.
    """
    inputs = {str(one.name): one for one in graph.inputs if one.name not in graph.initializers}
    for name in shapes:
        if name not in inputs:
            hint = did_you_mean(name, inputs) or f"its inputs are {', '.join(inputs)}"
            raise ModelError(f"the model has no input `{name}`; {hint}")
    dtypes = {name: _dtype(name, value) for name, value in inputs.items()}
    named = _named_sizes(inputs, shapes)
    found = []
    for name, value in inputs.items():
        sizes = shapes[name] if name in shapes else _sizes(name, value, named)
        found.append((value, Var(name, tuple(map(int, sizes)), dtypes[name])))
    return found


def _dtype(name: str, value: Value) -> str:
    if not isinstance(value.type, ir.TensorType):
        raise NotReadableError(f"input `{name}` is no tensor")
    if value.type.dtype not in KNOWN:
        listed = ", ".join(ALL_DTYPES)
        kind = value.type.dtype.name
        raise NotReadableError(f"input `{name}` has elements of {kind}, not of {listed}")
    return KNOWN[value.type.dtype]


def _declared(value: Value) -> list[int | str] | None:
    """Return sizes, and names or "?" of those that are open, as which exporters write -1, too."""
    if value.shape is None:
        return None
    sizes = [size if isinstance(size, int) else str(size.value or "?") for size in value.shape]
    return ["?" if isinstance(size, int) and size < 0 else size for size in sizes]


def _named_sizes(inputs: Mapping[str, Value], shapes: Shapes) -> dict[str, int]:
    """Return the sizes that the given shapes have where the model has names."""
    named: dict[str, int] = {}
    for name, sizes in shapes.items():
        declared = _declared(inputs[name])
        if declared is None:
            continue
        text = ", ".join(map(str, declared))
        message = f"input `{name}` has the shape ({text}), not {tuple(sizes)}"
        if len(declared) != len(sizes):
            raise ModelError(message)
        for own, size in zip(declared, sizes, strict=True):
            if isinstance(own, int) and own != size:
                raise ModelError(message)
            if isinstance(own, str) and own != "?" and named.setdefault(own, int(size)) != size:
                raise ModelError(f"the size `{own}` is given as {named[own]} and as {size}")
    return named


def _sizes(name: str, value: Value, named: Mapping[str, int]) -> list[int]:
    declared = _declared(value)
    sizes = [named.get(one, one) if isinstance(one, str) else one for one in declared or ()]
    if declared is None or not all(isinstance(size, int) for size in sizes):
        text = "..." if declared is None else ", ".join(map(str, declared))
        cure = f'give its sizes as shapes={{"{name}": ...}} or with --shape {name}=...'
        raise ModelError(f"input `{name}` has the open shape ({text}); {cure}")
    return [int(size) for size in sizes]
