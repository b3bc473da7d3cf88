"""What ONNX models are read as, and what is said when they cannot be."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gsl import Workload
from gsl.errors import GslError, MisuseError, ModelError
from gsl.evaluate import run
from gsl.expr import Call, Const
from gsl.graph import reverse_post_order
from gsl.types import TensorType
from tests.onnx.graphs import OnnxGraph

KINDS = {"int32": 6, "int64": 7, "bool": 9}


def operators(workload: Workload) -> list[str]:
    return [str(e.operator) for e in reverse_post_order(workload.outputs) if isinstance(e, Call)]


def reference(model: Any, **inputs: Any) -> Any:
    evaluator = pytest.importorskip("onnx.reference").ReferenceEvaluator(model)
    return evaluator.run(None, inputs)


def check(model: Any, workload: Workload, **inputs: Any) -> None:
    """Demand that references compute what those of ONNX do, before and after writing."""
    expected = reference(model, **inputs)
    given = {one.name: inputs[one.name] for one in workload.inputs}
    for found in (run(workload, given), reference(workload.to_onnx(), **given)):
        for one, other in zip(found, expected, strict=True):
            assert np.asarray(one).dtype == other.dtype
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def dense_model(sizes: Any = (2, 4)) -> Any:
    graph = OnnxGraph()
    product = graph.add("MatMul", "x", graph.weight(4, 3))
    graph.weight(5)  # an initializer that nothing uses
    return graph.model({"x": sizes and list(sizes)}, graph.add("Relu", product))


def test_an_onnx_model_is_read_from_a_file(tmp_path: Path):
    onnx = pytest.importorskip("onnx")
    path = tmp_path / "model.onnx"
    onnx.save(dense_model(), path)
    for given in (path, str(path)):
        workload = Workload.from_onnx(given)
        assert [(v.name, v.shape) for v in workload.inputs] == [("x", (2, 4))]
        assert workload.output_names == ("Relu_1_0",)


def test_initializers_become_parameters_unless_nothing_uses_them():
    model = dense_model()
    workload = Workload.from_onnx(model)
    assert list(workload.parameters) == ["layer.0/weight"]
    onnx = pytest.importorskip("onnx")
    expected = onnx.numpy_helper.to_array(model.graph.initializer[0])
    np.testing.assert_array_equal(workload.parameters["layer.0/weight"], expected)


def test_weights_in_nodes_of_constants_are_parameters():
    graph = OnnxGraph()
    array = np.ones((4, 3), np.float32)
    weight = graph.add("Constant", value=graph.onnx.numpy_helper.from_array(array))
    model = graph.model({"x": [2, 4]}, graph.add("MatMul", "x", weight))
    workload = Workload.from_onnx(model)
    assert list(workload.parameters) == [weight]
    check(model, workload, x=np.ones((2, 4), np.float32))


VALUES: dict[str, Any] = {
    "value_float": 2.0,
    "value_int": 2,
    "value_floats": [1.0, 2.0, 3.0],
    "value_ints": [2, 3, 4],
}


@pytest.mark.parametrize("name", VALUES)
def test_constants_of_every_kind_are_read(name: str):
    graph = OnnxGraph()
    constant = graph.add("Constant", **{name: VALUES[name]})
    total = graph.add("Add", "x", graph.add("Cast", constant, to=1))
    model = graph.model({"x": [2, 3]}, total)
    check(model, Workload.from_onnx(model), x=np.ones((2, 3), np.float32))


def test_a_list_of_sizes_in_a_node_is_known():
    graph = OnnxGraph()
    shape = graph.add("Constant", value_ints=[3, 2])
    workload = Workload.from_onnx(graph.model({"x": [2, 3]}, graph.add("Reshape", "x", shape)))
    assert operators(workload) == ["Reshape"]


def shape_model() -> Any:
    """Flattens all but the first axis, the way exporters write it, and scales by a number."""
    graph = OnnxGraph()
    first = graph.add("Gather", graph.add("Shape", "x"), graph.array(0, "int64"))
    first = graph.add("Unsqueeze", first, graph.array([0], "int64"))
    sizes = graph.add("Concat", first, graph.array([-1], "int64"), axis=0)
    product = graph.add("MatMul", graph.add("Reshape", "x", sizes), graph.weight(12, 4))
    return graph.model({"x": [2, 3, 4]}, graph.add("Mul", product, graph.array(0.5)))


def test_numbers_and_sizes_become_constants():
    model = shape_model()
    before = model.SerializeToString()
    workload = Workload.from_onnx(model)
    assert model.SerializeToString() == before
    assert operators(workload) == ["Reshape", "Matmul", "Multiply"]
    assert [value.shape for value in workload.parameters.values()] == [(12, 4)]
    order = reverse_post_order(workload.outputs)
    assert [e.value.item() for e in order if isinstance(e, Const)] == [0.5]
    check(model, workload, x=np.random.default_rng(0).standard_normal((2, 3, 4)).astype("f"))


def test_shapes_that_a_model_computes_are_folded():
    graph = OnnxGraph()
    size = graph.add("Gather", graph.add("Shape", "x"), graph.array(1, "int64"))
    one = graph.array(1, "int64")
    numbers = graph.add("Range", graph.array(0, "int64"), size, one)
    shape = graph.add("Concat", graph.array([2], "int64"), graph.add("Shape", numbers), axis=0)
    filled = graph.add("ConstantOfShape", shape)
    part = graph.add("Slice", graph.add("Shape", filled), graph.array([0], "int64"), size)
    part = graph.add("Slice", graph.add("Shape", "x"), *(graph.array([i], "int64") for i in (0, 9)))
    model = graph.model({"x": [2, 3]}, graph.add("Expand", graph.add("Add", "x", filled), part))
    workload = Workload.from_onnx(model)
    assert operators(workload) == ["Add"]
    check(model, workload, x=np.ones((2, 3), np.float32))


def test_initializers_may_be_listed_among_the_inputs():
    onnx = pytest.importorskip("onnx")
    model = shape_model()
    for tensor in model.graph.initializer:
        info = onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
        model.graph.input.append(info)
    workload = Workload.from_onnx(model)
    assert [variable.name for variable in workload.inputs] == ["x"]
    assert workload.outputs[0].shape == (2, 4)


def test_open_sizes_are_given():
    for sizes in ((7, 4), [np.int64(7), 4]):
        workload = Workload.from_onnx(dense_model(["batch", 4]), shapes={"x": sizes})
        assert workload.outputs[0].shape == (7, 3)


def test_a_size_of_minus_one_is_open():
    """Paddle's exporter writes so; onnxruntime takes it for open, too."""
    graph = OnnxGraph()
    model = graph.model({"x": [-1, 3]}, graph.add("Relu", "x"))
    model.graph.output[0].CopyFrom(
        graph.onnx.helper.make_tensor_value_info(model.graph.output[0].name, 1, [-1, 3])
    )
    assert Workload.from_onnx(model, {"x": (2, 3)}).outputs[0].shape == (2, 3)
    with pytest.raises(ModelError, match=r"`x` has the open shape \(\?, 3\); give its sizes"):
        Workload.from_onnx(model)
    with pytest.raises(ModelError, match=r"`x` has the shape \(\?, 3\), not \(2, 4\)"):
        Workload.from_onnx(model, {"x": (2, 4)})


def test_a_size_with_a_name_is_the_same_everywhere():
    graph = OnnxGraph()
    model = graph.model({"x": ["n", 3], "y": ["n", 1]}, graph.add("Add", "x", "y"))
    workload = Workload.from_onnx(model, {"x": (5, 3)})
    assert [one.shape for one in workload.inputs] == [(5, 3), (5, 1)]
    with pytest.raises(ModelError, match="the size `n` is given as 5 and as 6"):
        Workload.from_onnx(model, {"x": (5, 3), "y": (6, 1)})


def test_an_empty_batch_is_read():
    model = dense_model([0, 4])
    check(model, Workload.from_onnx(model), x=np.ones((0, 4), np.float32))


def test_unknown_operators_pass_through_untouched(tmp_path: Path):
    graph = OnnxGraph()
    inverse = graph.add("Det", "x")
    model = graph.model({"x": [2, 3, 3]}, graph.add("Relu", inverse))
    workload = Workload.from_onnx(model)
    assert operators(workload) == ["onnx.Det", "Relu"]
    values = np.random.default_rng(0).standard_normal((2, 3, 3)).astype(np.float32)
    workload.save(tmp_path / "model.gsl")
    for one in (workload, Workload.load(tmp_path / "model.gsl")):
        check(model, one, x=values)
        written = one.to_onnx(opset=22)
        assert [node.op_type for node in written.graph.node] == ["Det", "Relu"]
        assert written.graph.output[0].name == model.graph.output[0].name


def test_all_of_an_unknown_operator_comes_back():
    graph = OnnxGraph()
    found = graph.add("Unique", "x", results=4, sorted=0)
    del found
    nodes = graph.add("TopK", "x", graph.array([2], "int64"), results=2, axis=0, largest=0)
    model = graph.model({"x": [4, 3]}, *nodes)
    model.graph.node[0].CopyFrom(graph.nodes[1])
    del model.graph.node[1:]
    del model.graph.output[1]
    (node,) = Workload.from_onnx(model).to_onnx().graph.node
    given = {one.name: one for one in node.attribute}
    assert node.op_type == "TopK"
    assert (given["axis"].i, given["largest"].i, len(node.output)) == (0, 0, 2)


def test_operators_of_other_domains_pass_through_if_their_types_are_declared():
    onnx = pytest.importorskip("onnx")
    graph = OnnxGraph()
    made = graph.add("FastGelu", "x", domain="com.microsoft")
    model = graph.model({"x": [4]}, graph.add("Relu", made))
    model.opset_import.append(onnx.helper.make_opsetid("com.microsoft", 1))
    with pytest.raises(ModelError, match=r"node 0, FastGelu of .* the sizes of its result"):
        Workload.from_onnx(model)
    model.graph.value_info.append(onnx.helper.make_tensor_value_info(made, 1, [4]))
    workload = Workload.from_onnx(model)
    assert operators(workload) == ["onnx.com.microsoft.FastGelu", "Relu"]
    written = workload.to_onnx()
    assert [node.domain for node in written.graph.node] == ["com.microsoft", ""]


def test_what_no_output_needs_may_be_anything():
    def model(*needed: int) -> Any:
        graph = OnnxGraph()
        text = graph.add("Identity", graph.add("Constant", value_strings=["a", "b"]))
        results = graph.add("Relu", "x"), text, graph.add("StringConcat", text, text)
        made = graph.model({"x": [2]}, *(results[place] for place in needed))
        for place, output in zip(needed, made.graph.output, strict=True):
            output.type.tensor_type.elem_type = 8 if place else 1
        return made

    assert operators(Workload.from_onnx(model(0))) == ["Relu"]
    for needed in ((0, 1), (2,)):
        with pytest.raises(ModelError, match=r"node 0, Constant .*value_strings"):
            Workload.from_onnx(model(*needed))


def branch_model(condition: Callable[[OnnxGraph], str]) -> Any:
    graph = OnnxGraph()
    helper = graph.onnx.helper
    branches = {
        f"{name}_branch": helper.make_graph(
            [helper.make_node(kind, ["x"], [name])],
            name,
            [],
            [helper.make_tensor_value_info(name, 1, [2])],
        )
        for name, kind in (("then", "Relu"), ("else", "Abs"))
    }
    return graph.model({"x": [2]}, graph.add("If", condition(graph), **branches))


def test_a_branch_on_a_known_condition_takes_its_place():
    for value, kind in ((True, "Relu"), (False, "Abs")):
        model = branch_model(partial(OnnxGraph.array, values=value, dtype="bool"))
        workload = Workload.from_onnx(model)
        assert operators(workload) == [kind]
        check(model, workload, x=np.array([-1, 2], np.float32))


def positive(graph: OnnxGraph) -> str:
    return graph.add("Greater", graph.add("ReduceSum", "x", keepdims=0), graph.array(0.0))


def test_a_branch_on_an_input_comes_out_untouched():
    model = branch_model(positive)
    workload = Workload.from_onnx(model)
    assert operators(workload) == ["Sum", "Greater", "onnx.If"]
    for values in ([-1, 2], [-1, 0.5]):
        check(model, workload, x=np.array(values, np.float32))


def test_a_branch_on_an_input_that_decides_sizes_is_named():
    model = branch_model(positive)
    for attribute in model.graph.node[-1].attribute:
        attribute.g.output[0].type.tensor_type.ClearField("shape")
        attribute.g.node[0].op_type = "NonZero"
        attribute.g.output[0].type.tensor_type.elem_type = 7
    with pytest.raises(
        ModelError, match=r"If of `If_2_0`: its condition depends on .*sizes of its"
    ):
        Workload.from_onnx(model)


def test_sizes_of_branches_are_those_of_their_own_nodes(caplog: pytest.LogCaptureFixture):
    def sizes(graph: OnnxGraph) -> str:
        graph.add("Concat", graph.add("Shape", "x"), graph.array([1], "int64"), axis=0)
        return positive(graph)

    model = branch_model(sizes)
    helper, shape = pytest.importorskip("onnx").helper, model.graph.node[1].output[0]
    for attribute in model.graph.node[-1].attribute:
        output = attribute.g.output[0]
        attribute.g.node.append(helper.make_node("Reshape", [output.name, shape], ["upright"]))
        output.name = "upright"
        output.type.tensor_type.ClearField("shape")
    workload = Workload.from_onnx(model)
    assert workload.outputs[0].type == TensorType((2, 1), "float32")
    for values in ([-1, 2], [-1, 0.5]):
        check(model, workload, x=np.array(values, np.float32))
    assert not caplog.records


def test_branches_of_several_sizes_are_named():
    model = branch_model(positive)
    branch = model.graph.node[-1].attribute[0].g
    branch.node[0].op_type = "Concat"
    branch.node[0].input[:] = ["x", "x"]
    branch.node[0].attribute.append(pytest.importorskip("onnx").helper.make_attribute("axis", 0))
    branch.output[0].type.tensor_type.shape.dim[0].dim_value = 4
    wanted = r"If of `If_2_0`: its condition depends on .* is float32\[2\] or float32\[4\]"
    with pytest.raises(ModelError, match=wanted):
        Workload.from_onnx(model)


def test_texts_of_weights_matter_only_where_they_are_needed():
    onnx = pytest.importorskip("onnx")
    graph = OnnxGraph()
    graph.weights.append(onnx.numpy_helper.from_array(np.array(["a"], object), "text"))
    text = graph.add("StringNormalizer", "text")
    model = graph.model({"x": [2]}, graph.add("Relu", "x"))
    assert operators(Workload.from_onnx(model)) == ["Relu"]
    model.graph.output[0].name = text
    with pytest.raises(ModelError, match=r"the weight `text` cannot be carried: .* of STRING"):
        Workload.from_onnx(model)


def test_sparse_tensors_are_dense():
    onnx = pytest.importorskip("onnx")
    graph, helper = OnnxGraph(), onnx.helper
    values = helper.make_tensor("sparse", 1, [2], [1.0, 2.0])
    flat, points = ([0, 4], [2]), ([0, 0, 1, 1], [2, 2])
    first, second = (
        helper.make_sparse_tensor(values, helper.make_tensor("i", 7, shape, list(places)), [2, 3])
        for places, shape in (flat, points)
    )
    constant = graph.add("Constant", sparse_value=first)
    total = graph.add("Add", graph.add("Add", "x", "sparse"), constant)
    model = graph.model({"x": [2, 3]}, total)
    model.graph.sparse_initializer.append(second)
    workload = Workload.from_onnx(model)
    assert model.graph.sparse_initializer
    (found,) = run(workload, {"x": np.zeros((2, 3), np.float32)})
    assert found.tolist() == [[2, 0, 0], [0, 4, 0]]


def loop_model() -> Any:
    """Adds a weight and an input of the model three times; the body sees both from outside."""
    graph = OnnxGraph()
    helper, weight = graph.onnx.helper, graph.weight(2)
    info = helper.make_tensor_value_info
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["going"], ["still"]),
            helper.make_node("Add", ["state", weight], ["more"]),
            helper.make_node("Add", ["more", "x"], ["next"]),
        ],
        "body",
        [info("number", 7, []), info("going", 9, []), info("state", 1, [2])],
        [info("still", 9, []), info("next", 1, [2])],
    )
    start = graph.add("Relu", "x")
    looped = graph.add("Loop", graph.array(3, "int64"), graph.array(True, "bool"), start, body=body)
    model = graph.model({"x": [2]}, graph.add("Abs", looped))
    model.graph.value_info.append(info(looped, 1, [2]))
    return model


def test_graphs_inside_of_unknown_operators_come_back_with_what_they_see(tmp_path: Path):
    model = loop_model()
    workload = Workload.from_onnx(model)
    assert operators(workload) == ["Relu", "onnx.Loop", "Abs"]
    workload.save(tmp_path / "model.gsl")
    values = np.array([-1, 2], np.float32)
    for one in (workload, Workload.load(tmp_path / "model.gsl")):
        check(model, one, x=values)
    runtime = pytest.importorskip("gsl.onnx.run", reason="onnxruntime is not installed")
    np.testing.assert_allclose(
        runtime.run(workload, {"x": values})[0], reference(model, x=values)[0], rtol=1e-6
    )


def test_operators_of_other_domains_inside_of_a_loop_come_back():
    model = loop_model()
    body = model.graph.node[1].attribute[0].g
    body.node[1].CopyFrom(
        pytest.importorskip("onnx").helper.make_node(
            "Gelu", ["state"], ["more"], domain="com.microsoft"
        )
    )
    model.opset_import.add(domain="com.microsoft", version=1)
    workload = Workload.from_onnx(model)
    written = workload.to_onnx()
    assert ("com.microsoft", 1) in {(one.domain, one.version) for one in written.opset_import}
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    values = {"x": np.array([-1, 2], np.float32)}
    first, second = (
        runtime.InferenceSession(one.SerializeToString()).run(None, values)
        for one in (model, written)
    )
    np.testing.assert_allclose(first, second, rtol=1e-6)


def test_functions_are_inlined():
    onnx = pytest.importorskip("onnx")
    helper = onnx.helper
    nodes = [helper.make_node("Mul", ["a", "a"], ["s"]), helper.make_node("Relu", ["s"], ["b"])]
    imports = [helper.make_opsetid("", 21)]
    function = helper.make_function("own", "Squared", ["a"], ["b"], nodes, imports)
    graph = OnnxGraph()
    made = graph.add("Squared", graph.add("Squared", "x", domain="own"), domain="own")
    model = graph.model({"x": [3]}, made)
    model.functions.append(function)
    model.opset_import.append(helper.make_opsetid("own", 1))
    workload = Workload.from_onnx(model)
    assert operators(workload) == ["Multiply", "Relu"] * 2
    check(model, workload, x=np.array([1, -2, 3], np.float32))


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_rows_are_gathered_by_an_input(dtype: str, axis: int):
    graph = OnnxGraph()
    gathered = graph.add("Gather", graph.weight(4, 5), "x", axis=axis)
    model = graph.model({"x": [2, 3]}, gathered, kind=KINDS[dtype])
    model.graph.output[0].type.tensor_type.elem_type = 1
    workload = Workload.from_onnx(model)
    assert "Take" in operators(workload)
    check(model, workload, x=np.array([[0, -1, 3], [2, -4, 1]], dtype))


def test_known_indices_count_from_the_start():
    graph = OnnxGraph()
    taken = graph.add("Gather", "x", graph.array([-1, 0], "int64"), axis=1)
    model = graph.model({"x": [2, 3]}, taken)
    workload = Workload.from_onnx(model)
    assert operators(workload) == ["Take"]
    check(model, workload, x=np.arange(6, dtype=np.float32).reshape(2, 3))


def test_known_pads_are_attributes():
    graph = OnnxGraph()
    pads = graph.array([0, 0, 1, 1, 0, 0, 1, 1], "int64")
    data = graph.add("Conv", graph.add("Pad", "x", pads), graph.weight(2, 3, 3, 3))
    workload = Workload.from_onnx(graph.model({"x": [1, 3, 8, 8]}, data))
    assert operators(workload) == ["Pad", "Conv2D"]


def dropout_model(training: bool | None, node: bool = False) -> Any:
    graph = OnnxGraph()
    more = () if training is None else (graph.array(0.5), graph.array(training, "bool"))
    if node:
        more = (more[0], graph.add("Not", more[1]))
    return graph.model({"x": [2, 3]}, graph.add("Dropout", "x", *more))


def test_a_dropout_of_training_is_refused():
    for model in (dropout_model(True), dropout_model(False, node=True)):
        with pytest.raises(ModelError, match=r"node \d, Dropout of .* draws random numbers"):
            Workload.from_onnx(model)


def test_a_dropout_of_inference_does_nothing():
    for model in (dropout_model(False), dropout_model(None)):
        workload = Workload.from_onnx(model)
        assert workload.outputs == workload.inputs


IMAGE = [1, 2, 3, 3]

SAID: dict[str, tuple[list[int], dict[str, Any], list[tuple[int, ...]], int]] = {
    "BatchNormalization": (IMAGE, {"training_mode": 1}, [(2,)] * 4, 3),
    "AveragePool": (IMAGE, {"kernel_shape": [2, 2], "auto_pad": "SAME_LOWER"}, [], 1),
    "IsInf": ([4], {"detect_negative": 0}, [], 1),
    "SpaceToDepth": ([1, 2, 4, 4], {"blocksize": 2}, [], 1),
    "LayerNormalization": ([2, 3], {}, [(3,), (3,)], 2),
    "MaxPool": (IMAGE, {"kernel_shape": [2, 2]}, [], 2),
    "Softmax": ([2, 3, 4], {"axis": 1}, [], 1),
}


@pytest.mark.parametrize("name", SAID)
def test_nothing_that_a_node_says_is_passed_over(name: str):
    shape, attributes, weights, count = SAID[name]
    graph = OnnxGraph()
    given = [graph.weight(*sizes, positive=True) for sizes in weights]
    results = graph.add(name, "x", *given, results=count, **attributes)
    listed = results if count > 1 else [results]
    model = graph.model({"x": shape}, *listed)
    for output in model.graph.output:
        output.type.tensor_type.ClearField("elem_type")
    values = np.random.default_rng(0).standard_normal(shape).astype("f")
    workload = Workload.from_onnx(model)
    found = run(workload, {"x": values})
    for one, other in zip(found, reference(model, x=values), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def doubled_model() -> Any:
    model = dense_model()
    product, relu = model.graph.node
    relu.output[0] = model.graph.output[0].name = product.output[0]
    return model


def one_node(kind: str, element: int = 1, **attributes: Any) -> Any:
    graph = OnnxGraph()
    return graph.model({"x": [4]}, graph.add(kind, "x", **attributes), kind=element)


def returning(name: str) -> Any:
    model = one_node("Relu")
    model.graph.output[0].name = name
    return model


def damaged() -> Any:
    model = dense_model()
    model.graph.initializer[0].raw_data = b"123"
    return model


def of_sequences() -> Any:
    model = one_node("Identity")
    model.graph.input[0].type.sequence_type.elem_type.tensor_type.elem_type = 1
    return model


def out_of_order() -> Any:
    model = dense_model()
    first, second = model.graph.node
    first.input[0] = second.output[0]
    return model


def ill_typed() -> Any:
    graph = OnnxGraph()
    product = graph.add("MatMul", graph.add("Relu", "x"), graph.weight(4, 5))
    return graph.model({"x": [2, 3]}, product)


def of_version(opset: int) -> Any:
    model = one_node("Relu")
    model.opset_import[0].version = opset
    return model


def declaring_another_type() -> Any:
    model = one_node("Relu")
    model.graph.output[0].type.tensor_type.elem_type = 7
    return model


MISTAKES: dict[str, tuple[Any, dict[str, Any], str]] = {
    "an open size": (lambda: dense_model(["batch", 4]), {}, r"open shape \(batch, 4\); give its"),
    "an unnamed size": (lambda: dense_model([None, 4]), {}, r"open shape \(\?, 4\)"),
    "an unknown input": (dense_model, {"y": (2, 4)}, "no input `y`; its inputs are x"),
    "a misspelt input": (lambda: dense_model(), {"xx": (2, 4)}, "did you mean `x`"),
    "no shape": (lambda: dense_model(None), {}, r"open shape \(\.\.\.\); give its sizes as"),
    "another size": (lambda: dense_model(["n", 4]), {"x": (2, 5)}, r"shape \(n, 4\), not \(2, 5\)"),
    "a name used twice": (doubled_model, {}, "node 1, Relu of `MatMul_0_0` makes `MatMul_0_0`, wh"),
    "another rank": (dense_model, {"x": (4,)}, r"input `x` has the shape \(2, 4\), not \(4,\)"),
    "no model": (lambda: 5, {}, "int is neither a path nor an onnx.ModelProto"),
    "texts": (lambda: one_node("Identity", 8), {}, "`x` has elements of STRING, not"),
    "sequences": (of_sequences, {}, "input `x` is no tensor"),
    "an output of nothing": (lambda: returning("z"), {}, "returns `z`, which nothing makes"),
    "a damaged weight": (damaged, {}, r"the initializer `layer\.0/weight` is damaged"),
    "nodes out of order": (out_of_order, {}, r"node 0, MatMul of `\w+` needs `\w+`, which nothing"),
    "an ill-typed node": (ill_typed, {}, r"node 1, MatMul of `MatMul_1_0`: .*Incompatible dim"),
    "another domain": (
        lambda: one_node("Relu", domain="my.operators"),
        {},
        r"node 0, Relu of `Relu_0_0`: the model does not import its domain `my\.operators`",
    ),
    "sizes that depend on values": (
        lambda: one_node("NonZero"),
        {},
        r"node 0, NonZero of `NonZero_0_0`: GSL has no operator for it, and it cannot be carried",
    ),
    "random numbers": (lambda: one_node("Bernoulli"), {}, "Bernoulli of .* draws random numbers"),
    "an old opset": (lambda: of_version(6), {}, "opset 6 is older than 7; convert the model by on"),
    "a future opset": (lambda: of_version(99), {}, r"opset 99 is newer than \d+, the last that th"),
    "another type": (declaring_another_type, {}, "declares its output `Relu_0_0` as INT64"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_explained(name: str):
    pytest.importorskip("onnx")
    make, shapes, message = MISTAKES[name]
    with pytest.raises(ModelError, match=message):
        Workload.from_onnx(make(), shapes)


@pytest.mark.parametrize("shapes", [[3], {"x": 3}, {"x": "ab"}, {"x": (2.5, 4)}, {"x": (-1, 4)}])
def test_shapes_of_another_kind_are_refused(shapes: Any):
    with pytest.raises(MisuseError, match=r"by the names of inputs|are natural numbers, not"):
        Workload.from_onnx(dense_model(["batch", 4]), shapes=shapes)


def test_a_missing_file_is_named(tmp_path: Path):
    pytest.importorskip("onnx")
    with pytest.raises(ModelError, match=r"there is no file `.*absent\.onnx`"):
        Workload.from_onnx(tmp_path / "absent.onnx")


@pytest.mark.parametrize("content", [b"", b"this is no model", b"\x08\x09"])
def test_a_corrupt_file_is_named(tmp_path: Path, content: bytes):
    pytest.importorskip("onnx")
    path = tmp_path / "corrupt.onnx"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"corrupt\.onnx` is no ONNX model"):
        Workload.from_onnx(path)


@pytest.mark.parametrize("package", ["onnx", "onnx_ir"])
def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch, package: str):
    for name in [one for one in sys.modules if one.startswith("gsl.onnx.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    cure = rf"needs the package `{package}`: pip install 'gslverify\[models\]'"
    with pytest.raises(GslError, match=cure):
        Workload.from_onnx("model")
