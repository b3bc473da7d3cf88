"""Calls, and the types of the operands that simpler ones have instead."""

from __future__ import annotations

from typing import Any

import numpy as np
from relax_graphs import call, values_for

from gsl.expr import Call, Expr, Tuple, Var
from gsl.graph import reverse_post_order


def var(*shape: int, dtype: str = "float32", name: str = "x") -> Var:
    return Var(name, shape, dtype)


def pair(first: tuple[int, ...], second: tuple[int, ...], dtype: str = "float64") -> Tuple:
    return Tuple([var(*first, dtype=dtype), var(*second, dtype=dtype, name="y")])


def slices(data: Var, *cuts: tuple[int, int, int]) -> Expr:
    begin, end, strides = zip(*cuts, strict=True)
    return call("StridedSlice", data, begin=begin, end=end, strides=strides)


CASES: dict[str, tuple[Call, str]] = {
    "elementwise": (call("Add", var(2, 3, 4), var(4, name="y")), "float32[6,4], float32[1,4]"),
    "joined": (
        call("Concatenate", pair((2, 3, 4, 5), (2, 1, 4, 5)), axis=1),
        "int64[2,3,20], int64[2,1,20]",
    ),
    "joined at the end": (
        call("Concatenate", pair((2, 3), (2, 1)), axis=-1),
        "int64[2,3,1], int64[2,1,1]",
    ),
    "cut": (
        call("Split", var(3, 2, 4, dtype="bool"), indices_or_sections=2, axis=-1),
        "int8[6,4,1]",
    ),
    "cut at places": (
        call("Split", var(5, 2, 2), indices_or_sections=(1, 3), axis=0),
        "int32[1,5,4]",
    ),
    "transposed": (call("Transpose", var(2, 3, 4, 5), axes=(2, 3, 0, 1)), "int32[6,20]"),
    "transposed all over": (call("Transpose", var(2, 3, 4), axes=(2, 1, 0)), "int32[2,3,4]"),
    "transposed sizes of 1": (call("Transpose", var(1, 3, 1, 4), axes=(2, 0, 3, 1)), "int32[3,4]"),
    "transposed nothing": (call("Transpose", var(1, 1, dtype="float16")), "float16[1]"),
    "repeated": (call("BroadcastTo", var(3, 1, 1), shape=(2, 3, 4, 5)), "int32[1,3,1]"),
    "filled": (call("Full", shape=(2, 3), fill_value=1.5), ""),
    "sliced": (
        slices(var(2, 6, 4, 5), (0, 2, 1), (1, 6, 2), (0, 4, 1), (0, 5, 1)),
        "int32[2,6,20]",
    ),
    "sliced everywhere": (slices(var(3, 4), (1, 3, 1), (0, 4, 3)), "int32[3,4]"),
    "sliced nowhere": (slices(var(1, 1), (0, 1, 1), (0, 1, 1)), "int32[1]"),
    "padded": (call("Pad", var(2, 3, 4), pad_width=(0, 0, 0, 0, 1, 2)), "int32[6,4]"),
    "padded with a number": (
        call("Pad", var(2, 3), pad_width=(1, 0, 0, 0), pad_value=2.5),
        "float32[2,3]",
    ),
    "padded with a negative zero": (
        call("Pad", var(2, 3), pad_width=(1, 0, 0, 0), pad_value=-0.0),
        "float32[2,3]",
    ),
    "flipped": (call("Flip", var(2, 3, 4), axis=1), "int32[2,3,4]"),
    "taken": (
        call("Take", var(2, 3, 4), var(5, 1, dtype="int64", name="i"), axis=-2),
        "int32[2,3,4], int64[5]",
    ),
    "summed": (call("Sum", var(2, 3, 4, 5), axis=(1, -2), keepdims=True), "float32[2,12,5]"),
    "summed apart": (call("Sum", var(2, 1, 3, 4), axis=(0, 3)), "float32[2,3,4]"),
    "summed sizes of 1": (call("Max", var(2, 1, 3), axis=(1,)), "float32[6,1]"),
    "of another kind": (call("Variance", var(2, 3), axis=(1,)), "float32[2,3]"),
    "biased": (
        call("BiasAdd", var(2, 3, 4, 5), var(3, name="y"), axis=-3),
        "float32[2,3,20], float32[3]",
    ),
    "softmax": (call("Softmax", var(2, 3, 4), axis=-1), "float32[6,4,1]"),
    "log softmax": (call("LogSoftmax", var(2, 3, 4), axis=0), "float32[1,2,12]"),
    "dense": (call("Dense", var(2, 3, 4), var(5, 4, name="y")), "float32[6,4], float32[5,4]"),
    "dense of a vector": (call("Dense", var(4), var(5, 4, name="y")), "float32[1,4], float32[5,4]"),
    "multiplied": (call("Matmul", var(2, 3, 4), var(4, 5, name="y")), "float32[6,4], float32[4,5]"),
    "multiplied by a vector": (
        call("Matmul", var(2, 3, 4), var(4, name="y")),
        "float32[6,4], float32[4,1]",
    ),
    "a vector multiplied": (
        call("Matmul", var(4), var(4, 5, name="y")),
        "float32[1,4], float32[4,5]",
    ),
    "a vector multiplied by batches": (
        call("Matmul", var(4), var(2, 4, 5, name="y")),
        "float32[4], float32[2,4,5]",
    ),
    "batches multiplied": (
        call("Matmul", var(2, 3, 4, 5), var(2, 3, 5, 6, name="y")),
        "float32[6,4,5], float32[6,5,6]",
    ),
    "a repeated batch": (
        call("Matmul", var(2, 1, 4, 5), var(2, 3, 5, 6, name="y")),
        "float32[2,1,4,5], float32[2,3,5,6]",
    ),
    "without elements": (call("Sum", var(0, 3), axis=(0,)), "float32[0,3]"),
    "repeated elements": (call("Repeat", var(2, 3, 4), repeats=2, axis=1), "int32[2,3,4]"),
}


def values_of(made: Call) -> dict[str, Any]:
    """Return arrays for the variables of a call by name; `i` are indices from 0 to 2.

    Numbers have few digits, so that sums are exact: a library adds up as it likes.
    """
    variables = [one for one in reverse_post_order([made]) if isinstance(one, Var)]
    values = {name: np.round(array * 8) / 8 for name, array in values_for(variables).items()}
    values = {v.name: values[v.name].astype(v.dtype) for v in variables}
    return values | {"i": np.array([0, 2, 1, 2, 0]).reshape(5, 1)}
