"""Layers as tf2onnx 1.17 and paddle2onnx 2.1 write them, which the preset `inference` knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gsl import Workload, presets
from gsl.evaluate import run
from gsl.expr import Call
from tests.onnx.graphs import OnnxGraph


def mean(graph: OnnxGraph, data: str) -> str:
    return graph.add("GlobalAveragePool", data)


def reciprocal_root(graph: OnnxGraph, data: str, epsilon: float) -> str:
    shifted = graph.add("Add", data, graph.array(epsilon))
    return graph.add("Reciprocal", graph.add("Sqrt", shifted))


def layer_norm(graph: OnnxGraph) -> str:
    """LayerNormalization of Keras."""
    average = mean(graph, "x")
    deviation = graph.add("Sub", "x", average)
    variance = mean(graph, graph.add("Mul", deviation, deviation))
    root = reciprocal_root(graph, variance, 1e-5)
    factor = graph.add("Mul", root, graph.weight(1, 1, 8))
    moved = graph.add("Mul", graph.add("Neg", average), factor)
    shift = graph.add("Add", moved, graph.weight(1, 1, 8))
    return graph.add("Add", graph.add("Mul", "x", factor), shift)


def rms_norm(graph: OnnxGraph) -> str:
    """The same of a layer that Keras users write."""
    root = reciprocal_root(graph, mean(graph, graph.add("Mul", "x", "x")), 1e-6)
    return graph.add("Mul", "x", graph.add("Mul", root, graph.weight(8)))


def rms_norm_of_paddle(graph: OnnxGraph) -> str:
    """The mean is scaled by a tensor of one element."""
    square = graph.add("Pow", "x", graph.array([2.0]))
    average = graph.add("ReduceMean", square, graph.array([-1], "int64"), keepdims=1)
    scaled = graph.add("Mul", average, graph.array([1.0]))
    factor = reciprocal_root(graph, scaled, 1e-6)
    return graph.add("Mul", graph.add("Mul", "x", factor), graph.weight(8))


def gelu(graph: OnnxGraph) -> str:
    half = graph.add("Mul", graph.array(0.5), "x")
    inner = graph.add("Erf", graph.add("Mul", "x", graph.array(0.5**0.5)))
    return graph.add("Mul", half, graph.add("Add", graph.array(1.0), inner))


def tanh_gelu(graph: OnnxGraph) -> str:
    cube = graph.add("Mul", graph.array(0.044715), graph.add("Pow", "x", graph.array(3.0)))
    inner = graph.add("Mul", graph.array((2 / np.pi) ** 0.5), graph.add("Add", "x", cube))
    one = graph.add("Add", graph.array(1.0), graph.add("Tanh", inner))
    return graph.add("Mul", graph.add("Mul", graph.array(0.5), "x"), one)


def hard_swish(graph: OnnxGraph) -> str:
    shifted = graph.add("Add", "x", graph.array(3.0))
    limited = graph.add("Clip", shifted, graph.array(0.0), graph.array(6.0))
    return graph.add("Mul", "x", graph.add("Mul", graph.array(1 / 6), limited))


def mish(graph: OnnxGraph) -> str:
    return graph.add("Mul", "x", graph.add("Tanh", graph.add("Softplus", "x")))


def dense(graph: OnnxGraph, rows: str) -> str:
    product = graph.add("MatMul", rows, graph.weight(8, 6))
    apart = graph.add("Reshape", product, graph.array([2, 4, 6], "int64"))
    return graph.add("Add", apart, graph.weight(6))


def flat(graph: OnnxGraph) -> str:
    return graph.add("Reshape", "x", graph.array([8, 8], "int64"))


def dense_with_norm(graph: OnnxGraph) -> str:
    """Dense and BatchNormalization of Keras."""
    scaled = graph.add("Mul", dense(graph, flat(graph)), graph.weight(6))
    return graph.add("Add", scaled, graph.weight(6))


def projections(graph: OnnxGraph) -> tuple[str, ...]:
    """Three Dense of Keras that share an input."""
    rows = flat(graph)
    return tuple(dense(graph, rows) for _ in range(3))


def attention(graph: OnnxGraph) -> str:
    """MultiHeadAttention of Paddle: queries are scaled by a tensor of one element."""

    def heads(order: list[int]) -> str:
        product = graph.add("Add", graph.add("MatMul", "x", graph.weight(8, 8)), graph.weight(8))
        apart = graph.add("Reshape", product, graph.array([2, 4, 2, 4], "int64"))
        return graph.add("Transpose", apart, perm=order)

    query = graph.add("Mul", heads([0, 2, 1, 3]), graph.array([0.5]))
    weights = graph.add("Softmax", graph.add("MatMul", query, heads([0, 2, 3, 1])), axis=-1)
    mixed = graph.add("MatMul", weights, heads([0, 2, 1, 3]))
    behind = graph.add("Transpose", mixed, perm=[0, 2, 1, 3])
    return graph.add("Reshape", behind, graph.array([2, 4, 8], "int64"))


def attention_of_sums(graph: OnnxGraph) -> str:
    """MultiHeadAttention of Keras: sums of products in one batch, whose axes of size 1 are left."""

    def reshaped(data: str, *sizes: int) -> str:
        return graph.add("Reshape", data, graph.array(sizes, "int64"))

    def heads(new: int, order: list[int], *sizes: int) -> str:
        rows = graph.add("MatMul", "x", graph.weight(8, 8))
        biased = graph.add("Add", reshaped(rows, 2, 4, 2, 4), graph.weight(2, 4))
        apart = graph.add("Unsqueeze", biased, graph.array([new], "int64"))
        return reshaped(graph.add("Transpose", apart, perm=order), *sizes)

    query = heads(3, [0, 2, 1, 3, 4], 4, 4, 4)
    key = graph.add("Transpose", heads(1, [0, 3, 1, 2, 4], 4, 4, 4), perm=[0, 2, 1])
    value = graph.add("Transpose", heads(2, [0, 3, 2, 4, 1], 4, 4, 4), perm=[0, 2, 1])
    last = graph.array([-1], "int64")
    products = reshaped(graph.add("MatMul", query, key), 2, 2, 4, 4, 1)
    scores = graph.add("Mul", graph.add("Squeeze", products, last), graph.array(0.5))
    weights = graph.add("Softmax", scores, axis=-1)
    joined = reshaped(graph.add("Unsqueeze", weights, graph.array([3], "int64")), 4, 4, 4)
    mixed = reshaped(graph.add("MatMul", joined, value), 2, 2, 4, 4, 1)
    behind = graph.add("Transpose", graph.add("Squeeze", mixed, last), perm=[0, 2, 1, 3])
    return reshaped(behind, 2, 4, 8)


def normalised(graph: OnnxGraph, data: str) -> str:
    """BatchNormalization of Keras, whose channels tf2onnx puts in front."""
    scaled = graph.add("Mul", data, graph.weight(1, 6, 1, 1, positive=True))
    return graph.add("Add", scaled, graph.weight(1, 6, 1, 1))


def convolution(graph: OnnxGraph) -> str:
    return normalised(graph, graph.add("Conv", "x", graph.weight(6, 4, 3, 3), graph.weight(6)))


def depthwise(graph: OnnxGraph) -> str:
    product = graph.add("Conv", "x", graph.weight(6, 2, 1, 1), group=2)
    return normalised(graph, product)


def transposed(graph: OnnxGraph) -> str:
    weight, bias = graph.weight(4, 6, 2, 2), graph.weight(6)
    return normalised(graph, graph.add("ConvTranspose", "x", weight, bias, strides=[2, 2]))


Spelling = Callable[[OnnxGraph], Any]
ROWS, IMAGE = [2, 4, 8], [1, 4, 5, 5]

SPELLINGS: dict[Spelling, tuple[list[int], list[str]]] = {
    layer_norm: (ROWS, ["LayerNorm"]),
    rms_norm: (ROWS, ["RmsNorm"]),
    rms_norm_of_paddle: (ROWS, ["RmsNorm"]),
    gelu: (ROWS, ["Gelu"]),
    tanh_gelu: (ROWS, ["GeluTanh"]),
    hard_swish: (ROWS, ["HardSwish"]),
    mish: (ROWS, ["Mish"]),
    dense_with_norm: (ROWS, ["Matmul", "Add"]),
    projections: (ROWS, ["Matmul", "Add", "Split"]),
    attention: (ROWS, ["SelfAttention"]),
    attention_of_sums: (ROWS, ["SelfAttention"]),
    convolution: (IMAGE, ["Conv2D", "BiasAdd"]),
    depthwise: (IMAGE, ["Conv2D", "BiasAdd"]),
    transposed: (IMAGE, ["Conv2DTranspose", "BiasAdd"]),
}
"""What each is read from, and what the preset leaves of it."""


@pytest.mark.parametrize("spelling", SPELLINGS, ids=lambda spelling: spelling.__name__)
def test_layers_are_known_in_the_spellings_of_exporters(spelling: Spelling) -> None:
    graph = OnnxGraph()
    outputs = spelling(graph)
    shape, wanted = SPELLINGS[spelling]
    names = (outputs,) if isinstance(outputs, str) else outputs
    before = Workload.from_onnx(graph.model({"x": shape}, *names))
    after = presets.inference.apply(before)
    assert [str(e.operator) for e in after.order if isinstance(e, Call)] == wanted
    x = np.random.default_rng(1).standard_normal(shape, np.float32)
    for expected, computed in zip(run(before, {"x": x}), run(after, {"x": x}), strict=True):
        np.testing.assert_allclose(computed, expected, rtol=2e-5, atol=2e-5)


def test_the_bias_of_a_single_column_stays_a_parameter() -> None:
    graph = OnnxGraph()
    product = graph.add("MatMul", "x", graph.weight(8, 1))
    biased = graph.add("Add", product, graph.weight(1))
    half = graph.add("Mul", graph.add("Reshape", biased, graph.array([4, 2], "int64")), "s")
    model = graph.model({"x": [2, 4, 8]}, half)
    model.graph.initializer.append(graph.onnx.numpy_helper.from_array(np.float32([0.5]), "s"))
    assert [array.shape for array in Workload.from_onnx(model).parameters.values()] == [
        (8, 1),
        (1,),
    ]
