"""Nodes of PyTorch programs that TVM's frontend lacks or reads otherwise, as calls of Relax.

The table completes the one of the frontend, so that a node is either here, there, or written with
such nodes by `gsl.tvm.torch_decompositions`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from tvm import relax

from gsl.tvm.errors import UnsupportedError
from gsl.tvm.torch_misread import arguments_of

Emit = Callable[[Any, Any], Any]
"""Emits a node with the importer of TVM, and returns its variable."""

REDUCTIONS = {"sum": "add", "prod": "mul", "amax": "max", "amin": "min"}
"""How elements are combined where they are scattered: the name in PyTorch, and in Relax."""


def known() -> Collection[str]:
    """Return the names of the operators that are in one of both tables."""
    return frozenset(completed_importer().convert_map)


def completed_importer() -> Any:
    """Return an importer of exported programs with the table of this module."""
    translator = import_module("tvm.relax.frontend.torch.exported_program_translator")
    importer = translator.ExportedProgramImporter()
    # TVM has all products of matrices in float32; without a wish they have the dtype of both.
    product = importer._binary_op(relax.op.matmul, operator.matmul)
    left = importer._binary_op(relax.op.left_shift, operator.lshift)
    right = importer._binary_op(relax.op.right_shift, operator.rshift)
    importer.convert_map |= {name: partial(row, importer) for name, row in ROWS.items()}
    importer.convert_map |= dict.fromkeys(PRODUCTS, product)
    power = importer._binary_op(relax.op.power, operator.pow)
    importer.convert_map |= dict.fromkeys(POWERS, partial(_power, power))
    importer.convert_map |= {
        "bitwise_left_shift.Tensor": left,
        "bitwise_right_shift.Tensor": right,
    }
    return importer


PRODUCTS = ("bmm.default", "matmul.default", "mm.default")
"""What PyTorch calls products of matrices."""


POWERS = ("pow.Scalar", "pow.Tensor_Tensor")
"""What PyTorch calls powers with exponents that are tensors."""


def _power(emit: Callable[[Any], Any], node: Any) -> Any:
    """Emit a power of floats; those of integers are repeated products, of unknown length."""
    value = node.meta["val"]
    if not value.dtype.is_floating_point:
        cure = "convert one to a float"
        raise UnsupportedError(f"`{node.name}` is a power of integers by a tensor; {cure}")
    return emit(node)


def _reduced(reduce: Callable[..., Any], importer: Any, node: Any) -> Any:
    """Emit a reduction over some axes; over all where none is named."""
    given = arguments_of(node)
    axes = given.get("dim", ())
    axes = [axes] if isinstance(axes, int) else list(axes)
    data = importer.env[given["self"]]
    return importer.block_builder.emit(reduce(data, axes or None, given.get("keepdim", False)))


def _nearest(importer: Any, node: Any) -> Any:
    """Emit the enlarging of an image as PyTorch defines it: place i of n is i m // n of m."""
    sizes = tuple(map(int, node.meta["val"].shape[2:]))
    ways = {
        "method": "nearest_neighbor",
        "coordinate_transformation_mode": "asymmetric",
        "rounding_method": "floor",
    }
    data = importer.env[node.args[0]]
    return importer.block_builder.emit(relax.op.image.resize2d(data, sizes, layout="NCHW", **ways))


def _scattered(importer: Any, node: Any) -> Any:
    """Emit elements combined with those at places along an axis."""
    given, env = arguments_of(node), importer.env
    call = relax.op.scatter_elements(
        env[given["self"]],
        env[given["index"]],
        env[given["src"]],
        given["dim"],
        REDUCTIONS[given.get("reduce", "sum")],
    )
    return importer.block_builder.emit(call)


def _put(importer: Any, node: Any) -> Any:
    """Emit values written, or added, at indices of the first axes, broadcast to each other."""
    given, env, emit = arguments_of(node), importer.env, importer.block_builder.emit
    indices = given["indices"]
    if None in indices:
        raise UnsupportedError(f"`{node.name}` leaves out an axis in front of an index")
    sizes = np.broadcast_shapes(*(tuple(one.meta["val"].shape) for one in indices))
    columns = [relax.op.broadcast_to(relax.op.astype(env[one], "int64"), sizes) for one in indices]
    points = emit(relax.op.stack(columns, len(sizes)))
    whole = (*sizes, *given["self"].meta["val"].shape[len(indices) :])
    values = emit(relax.op.broadcast_to(env[given["values"]], tuple(map(int, whole))))
    how = "add" if given.get("accumulate", False) else "update"
    return emit(relax.op.scatter_nd(env[given["self"]], points, values, how))


def _convolution(importer: Any, node: Any) -> Any:
    """Emit a convolution in the dtype of its data; TVM's frontend has float32 alone."""
    given, env = arguments_of(node), importer.env
    axes = given["input"].meta["val"].dim() - 2
    ways = {"strides": "stride", "padding": "padding", "dilation": "dilation"}
    kind = f"conv{axes}d"
    if given["transposed"]:
        ways, kind = ways | {"output_padding": "output_padding"}, f"{kind}_transpose"
    sizes = {own: _for_each(given[name], axes) for own, name in ways.items()}
    make = getattr(relax.op.nn, kind)
    call = make(env[given["input"]], env[given["weight"]], groups=given["groups"], **sizes)
    made = importer.block_builder.emit(call)
    if given["bias"] is None:
        return made
    bias = relax.op.reshape(env[given["bias"]], (1, -1, *[1] * axes))
    return importer.block_builder.emit(relax.op.add(made, bias))


def _for_each(sizes: Sequence[int], axes: int) -> list[int]:
    """Return one number for each axis; a single one is for all."""
    return [*sizes] * (axes if len(sizes) == 1 else 1)


ROWS: Mapping[str, Emit] = {
    "amax.default": partial(_reduced, relax.op.max),
    "amin.default": partial(_reduced, relax.op.min),
    "convolution.default": _convolution,
    "index_put.default": _put,
    "prod.dim_int": partial(_reduced, relax.op.prod),
    "scatter_add.default": _scattered,
    "scatter_reduce.two": _scattered,
    "upsample_nearest2d.default": _nearest,
    "upsample_nearest2d.vec": _nearest,
}
"""How a node is emitted, by the name that TVM's frontend has for its operator."""
