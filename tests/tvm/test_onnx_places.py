"""What cannot be read of an ONNX model is named in the terms of that model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from real_models import OnnxGraph

from gsl import Workload
from gsl.errors import ModelError
from gsl.tvm.errors import UnsupportedError

pytestmark = [
    pytest.mark.tvm,
    pytest.mark.filterwarnings("ignore:Field 'shape':UserWarning", "ignore::FutureWarning"),
]


def one_node(kind: str, element: int = 1, more: Any = (), **attributes: Any) -> Any:
    """Return a model of one node, with more initializers of the given dtypes as operands."""
    graph = OnnxGraph()
    operands = [graph.array(values, dtype) for values, dtype in more]
    return graph.model({"x": [4]}, graph.add(kind, "x", *operands, **attributes), kind=element)


def returning(name: str) -> Any:
    model = one_node("Relu")
    model.graph.output[0].name = name
    return model


def damaged() -> Any:
    graph = OnnxGraph()
    model = graph.model({"x": [2, 4]}, graph.add("MatMul", "x", graph.weight(4, 3)))
    model.graph.initializer[0].raw_data = b"123"
    return model


def of_sequences() -> Any:
    model = one_node("Identity")
    model.graph.input[0].type.sequence_type.elem_type.tensor_type.elem_type = 1
    return model


PLACES: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "another domain": (
        lambda: one_node("Relu", domain="my.operators"),
        ModelError,
        r"TVM cannot read node 0, Relu of `Relu_0_0`: it is of the domain `my\.operators`",
    ),
    "sizes that depend on values": (
        lambda: one_node("Compress", more=[([True, False, True, True], "bool")]),
        UnsupportedError,
        r"relax\.nonzero: .*does not tell all.* \(the model has it as node 0, Compress of `Comp",
    ),
    "texts": (lambda: one_node("Identity", 8), UnsupportedError, "`x` has elements of STRING, not"),
    "short floats": (
        lambda: one_node("Relu", 16),
        UnsupportedError,
        "elements of BFLOAT16, not of",
    ),
    "sequences": (of_sequences, UnsupportedError, "input `x` is no tensor"),
    "an output of nothing": (
        lambda: returning("z"),
        ModelError,
        "returns `z`, which nothing makes",
    ),
    "a damaged weight": (damaged, ModelError, r"the initializer `layer\.0/weight` is damaged"),
}


@pytest.mark.parametrize("name", PLACES)
def test_what_cannot_be_read_of_an_onnx_model_is_named_with_its_place(name: str):
    make, kind, message = PLACES[name]
    with pytest.raises(kind, match=message):
        Workload.from_onnx(make())


IMAGE = [1, 2, 3, 3]

MISREAD: dict[str, tuple[list[int], dict[str, Any], list[tuple[int, ...]], str]] = {
    "BatchNormalization": (IMAGE, {"training_mode": 1}, [(2,)] * 4, "its training_mode"),
    "ConvTranspose": (IMAGE, {"output_shape": [6, 6]}, [(2, 2, 2, 2)], "its output_shape"),
    "IsInf": ([4], {"detect_negative": 0}, [], "its detect_negative"),
    "SpaceToDepth": ([1, 2, 4, 4], {"blocksize": 2, "mode": "CRD"}, [], "its mode"),
    "LayerNormalization": ([2, 3], {}, [(3,), (3,)], "its result `LayerNormalization_0_1`"),
    "Dropout": ([2, 3], {}, [], "its result `Dropout_0_1`"),
}


def misread_model(name: str, *, said: bool) -> Any:
    """Return a model of one node that says what TVM passes over, or of the same without that."""
    shape, attributes, weights, _ = MISREAD[name]
    graph = OnnxGraph()
    given = [graph.weight(*sizes, positive=True) for sizes in weights]
    harmless = {key: value for key, value in attributes.items() if key == "blocksize"}
    results = graph.add(name, "x", *given, results=2, **(attributes if said else harmless))
    if name in ("LayerNormalization", "Dropout"):
        return graph.model({"x": shape}, *results[: 1 + said])
    graph.nodes[0].output[:] = results[:1]
    return graph.model({"x": shape}, results[0])


@pytest.mark.parametrize("name", MISREAD)
def test_what_tvm_would_pass_over_is_refused(name: str):
    lost = MISREAD[name][-1]
    with pytest.raises(ModelError, match=f"TVM cannot read node 0, {name} of .*: {lost} would be"):
        Workload.from_onnx(misread_model(name, said=True))


@pytest.mark.parametrize("name", MISREAD)
def test_what_tvm_reads_as_it_is_is_not_refused(name: str):
    assert len(Workload.from_onnx(misread_model(name, said=False)).outputs) == 1


def test_operators_of_onnx_runtime_are_read():
    workload = Workload.from_onnx(one_node("FastGelu", domain="com.microsoft"))
    assert workload.outputs[0].shape == (4,)
