"""ONNX models as people have them, built with the helpers of ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

OPSET = 21


class OnnxGraph:
    """Collects the nodes and the random weights of an ONNX model."""

    def __init__(self, seed: int = 0) -> None:
        self.onnx = pytest.importorskip("onnx")
        self.generator = np.random.default_rng(seed)
        self.nodes: list[Any] = []
        self.weights: list[Any] = []

    def weight(self, *shape: int, positive: bool = False) -> str:
        values = 0.3 * self.generator.standard_normal(shape)
        return self.array(np.abs(values) + 0.5 if positive else values)

    def array(self, values: Any, dtype: str = "float32") -> str:
        name = f"layer.{len(self.weights)}/weight"
        array = np.asarray(values, dtype)
        self.weights.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def add(self, kind: str, *operands: str, results: int = 1, **attributes: Any) -> Any:
        names = [f"{kind}_{len(self.nodes)}_{index}" for index in range(results)]
        node = self.onnx.helper.make_node(kind, list(operands), names, **attributes)
        self.nodes.append(node)
        return names[0] if results == 1 else names

    def convolution(self, data: str, channels: tuple[int, int], size: int, stride: int = 1) -> str:
        weight = self.weight(channels[1], channels[0], size, size)
        pads = [size // 2] * 4
        return self.add("Conv", data, weight, strides=[stride] * 2, pads=pads)

    def batch_norm(self, data: str, channels: int) -> str:
        others = [self.weight(channels) for _ in range(3)]
        return self.add("BatchNormalization", data, *others, self.weight(channels, positive=True))

    def model(
        self, inputs: dict[str, Any], *outputs: str, kind: int = 1, opset: int = OPSET
    ) -> Any:
        helper = self.onnx.helper
        declared = [helper.make_tensor_value_info(n, kind, shape) for n, shape in inputs.items()]
        results = [helper.make_tensor_value_info(name, kind, None) for name in outputs]
        graph = helper.make_graph(self.nodes, "network", declared, results, self.weights)
        opsets = [helper.make_opsetid("", opset)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=9)


def residual_block(graph: OnnxGraph, data: str, channels: tuple[int, int], stride: int) -> str:
    first = graph.batch_norm(graph.convolution(data, channels, 3, stride), channels[1])
    inner = graph.add("Relu", first)
    second = graph.batch_norm(graph.convolution(inner, (channels[1],) * 2, 3), channels[1])
    if stride != 1:
        data = graph.batch_norm(graph.convolution(data, channels, 1, stride), channels[1])
    return graph.add("Relu", graph.add("Add", second, data))


def resnet() -> Any:
    """A stem, four residual blocks with batch norm, and a classifier."""
    graph = OnnxGraph()
    data = graph.add("Relu", graph.batch_norm(graph.convolution("x", (3, 8), 7, 2), 8))
    data = graph.add("MaxPool", data, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    for channels, stride in (((8, 8), 1), ((8, 8), 1), ((8, 16), 2), ((16, 16), 1)):
        data = residual_block(graph, data, channels, stride)
    flat = graph.add("Flatten", graph.add("GlobalAveragePool", data))
    scores = graph.add("Gemm", flat, graph.weight(10, 16), graph.weight(10), transB=1)
    return graph.model({"x": [1, 3, 32, 32]}, graph.add("Softmax", scores))


def inception() -> Any:
    """Two blocks of four branches each: 1x1, 1x1-3x3, 1x1-5x5 and a pooled one."""
    graph = OnnxGraph()
    data, width = "x", 4
    for _ in range(2):
        reduced = [graph.convolution(data, (width, 4), 1) for _ in range(3)]
        straight = graph.add("Relu", reduced[0])
        middle = graph.convolution(graph.add("Relu", reduced[1]), (4, 6), 3)
        large = graph.convolution(graph.add("Relu", reduced[2]), (4, 2), 5)
        pooled = graph.add("MaxPool", data, kernel_shape=[3, 3], pads=[1] * 4, strides=[1, 1])
        branches = [graph.add("Relu", b) for b in (middle, large)]
        last = graph.add("Relu", graph.convolution(pooled, (width, 4), 1))
        data, width = graph.add("Concat", straight, *branches, last, axis=1), 16
    return graph.model({"x": [2, 4, 9, 9]}, data)


def mobilenet() -> Any:
    """A stem, two blocks of depthwise and pointwise convolutions, one with squeeze and excite."""
    graph = OnnxGraph()
    data = six(graph, graph.batch_norm(graph.convolution("x", (3, 8), 3, 2), 8))
    for channels in ((8, 16), (16, 24)):
        weight = graph.weight(channels[0], 1, 3, 3)
        data = graph.add("Conv", data, weight, pads=[1] * 4, group=channels[0])
        data = six(graph, graph.batch_norm(data, channels[0]))
        data = graph.batch_norm(graph.convolution(data, channels, 1), channels[1])
    squeezed = graph.add("GlobalAveragePool", data)
    squeezed = graph.add("Relu", graph.convolution(squeezed, (24, 4), 1))
    excited = graph.add("HardSigmoid", graph.convolution(squeezed, (4, 24), 1))
    data = graph.add("HardSwish", graph.add("Mul", data, excited))
    pooled = graph.add("ReduceMean", data, graph.array([2, 3], "int64"), keepdims=0)
    return graph.model({"x": [1, 3, 16, 16]}, pooled)


def six(graph: OnnxGraph, data: str) -> str:
    return graph.add("Clip", data, graph.array(0.0), graph.array(6.0))


def unet() -> Any:
    """Two levels down and up: a transposed convolution, an enlarged image, joined with skips."""
    graph = OnnxGraph()

    def block(data: str, channels: tuple[int, int]) -> str:
        return graph.add(
            "Relu", graph.batch_norm(graph.convolution(data, channels, 3), channels[1])
        )

    first = block("x", (3, 8))
    second = block(graph.add("MaxPool", first, kernel_shape=[2, 2], strides=[2, 2]), (8, 16))
    third = block(graph.add("MaxPool", second, kernel_shape=[2, 2], strides=[2, 2]), (16, 16))
    upper = graph.add("ConvTranspose", third, graph.weight(16, 16, 2, 2), strides=[2, 2])
    fourth = block(graph.add("Concat", upper, second, axis=1), (32, 16))
    sizes, how = graph.array([1, 1, 2, 2]), {"coordinate_transformation_mode": "asymmetric"}
    larger = graph.add("Resize", fourth, "", sizes, mode="nearest", nearest_mode="floor", **how)
    last = block(graph.add("Concat", larger, first, axis=1), (24, 8))
    return graph.model({"x": [1, 3, 16, 16]}, graph.convolution(last, (8, 1), 1))


def quantised() -> Any:
    """A convolution and a classifier between pairs of nodes that quantise and dequantise."""
    graph = OnnxGraph()

    def through_bytes(data: str, scale: float, zero: int) -> str:
        how = graph.array(scale), graph.array(zero, "uint8")
        return graph.add("DequantizeLinear", graph.add("QuantizeLinear", data, *how), *how)

    stored = graph.array(graph.generator.integers(-127, 128, (8, 3, 3, 3)), "int8")
    scales, zeros = graph.array(np.full(8, 0.01)), graph.array(np.zeros(8), "int8")
    weight = graph.add("DequantizeLinear", stored, scales, zeros, axis=0)
    data = graph.add("Conv", through_bytes("x", 0.05, 128), weight, graph.weight(8), pads=[1] * 4)
    data = through_bytes(graph.add("Relu", graph.add("Relu", data)), 0.04, 0)
    flat = graph.add("Flatten", graph.add("GlobalAveragePool", data))
    return graph.model({"x": [1, 3, 8, 8]}, graph.add("Gemm", flat, graph.weight(8, 4)))
