"""Models of other frameworks: what is read, and what is said when that fails."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from real_models import OnnxGraph, exported

from gsl import Workload
from gsl.errors import MisuseError, ModelError
from gsl.expr import Call, Const
from gsl.graph import reverse_post_order
from gsl.tvm.errors import UnsupportedError

pytestmark = [
    pytest.mark.tvm,
    pytest.mark.filterwarnings("ignore:Field 'shape':UserWarning", "ignore::FutureWarning"),
]


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


def test_initializers_become_parameters_unless_nothing_uses_them():
    model = dense_model()
    workload = Workload.from_onnx(model)
    (value,) = workload.parameters.values()
    onnx = pytest.importorskip("onnx")
    expected = onnx.numpy_helper.to_array(model.graph.initializer[0])
    np.testing.assert_array_equal(value, expected)


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
    assert [value.shape for value in workload.parameters.values()] == [(12, 4)]
    order = reverse_post_order(workload.outputs)
    assert [e.value.item() for e in order if isinstance(e, Const)] == [0.5]
    values = np.random.default_rng(0).standard_normal((2, 3, 4)).astype(np.float32)
    reference = pytest.importorskip("onnx.reference").ReferenceEvaluator(model)
    (expected,) = reference.run(None, {"x": values})
    np.testing.assert_allclose(workload.run({"x": values})[0], expected, rtol=1e-5, atol=1e-6)


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


def test_unknown_onnx_operators_pass_through(tmp_path: Path):
    graph = OnnxGraph()
    workload = Workload.from_onnx(graph.model({"x": [3]}, graph.add("Acosh", "x")))
    (output,) = workload.outputs
    assert isinstance(output, Call)
    assert output.operator.name == "relax.acosh"
    values = np.array([1.5, 2.0, 3.0], np.float32)
    workload.save(tmp_path / "model.gsl")
    for one in (workload, Workload.load(tmp_path / "model.gsl")):
        np.testing.assert_allclose(one.run({"x": values})[0], np.arccosh(values), rtol=1e-5)


def test_onnx_operators_that_arrive_as_loop_nests_pass_through():
    graph = OnnxGraph()
    data = graph.add("Pad", "x", graph.array([1, 0, 0, 2], "int64"))
    data = graph.add("Pad", graph.add("Relu", data), graph.array([1, 0, 0, 2], "int64"))
    data = graph.add("Einsum", data, graph.weight(7, 4), equation="ab,bc->ca")
    model = graph.model({"x": [2, 3]}, data)
    workload = Workload.from_onnx(model)
    calls = [e.operator.name for e in reverse_post_order(workload.outputs) if isinstance(e, Call)]
    nests = [f"relax.call_tir.{name}" for name in ("pad", "pad1", "einsum")]
    assert calls == [nests[0], "Relu", *nests[1:]]
    reference = pytest.importorskip("onnx.reference").ReferenceEvaluator(model)
    values = np.random.default_rng(0).standard_normal((2, 3)).astype(np.float32)
    (expected,) = reference.run(None, {"x": values})
    np.testing.assert_allclose(workload.run({"x": values})[0], expected, rtol=1e-5, atol=1e-6)
    assert {row.operator for row in workload.profile({"x": values})} == {*nests, "Relu"}


def test_an_onnx_node_that_is_ill_typed_is_named():
    graph = OnnxGraph()
    product = graph.add("MatMul", graph.add("Relu", "x"), graph.weight(4, 5))
    with pytest.raises(ModelError, match=r"has it as node 1, MatMul of `MatMul_1_0`"):
        Workload.from_onnx(graph.model({"x": [2, 3]}, product))


def doubled_model() -> Any:
    model = dense_model()
    product, relu = model.graph.node
    relu.output[0] = model.graph.output[0].name = product.output[0]
    return model


ONNX_MISTAKES: dict[str, tuple[Any, dict[str, Any], str]] = {
    "an open size": (lambda: dense_model(["batch", 4]), {}, r"open shape \(batch, 4\); give its"),
    "an unnamed size": (lambda: dense_model([None, 4]), {}, r"open shape \(\?, 4\)"),
    "an unknown input": (dense_model, {"y": (2, 4)}, "no input `y`; its inputs are x"),
    "a misspelt input": (lambda: dense_model(), {"xx": (2, 4)}, "did you mean `x`"),
    "no shape": (lambda: dense_model(None), {}, r"open shape \(\.\.\.\); give its sizes as"),
    "another size": (lambda: dense_model(["n", 4]), {"x": (2, 5)}, r"shape \(n, 4\), not \(2, 5\)"),
    "a name used twice": (doubled_model, {}, "node 1, Relu of `MatMul_0_0` makes `MatMul_0_0`, wh"),
    "another rank": (dense_model, {"x": (4,)}, r"input `x` has the shape \(2, 4\), not \(4,\)"),
    "no model": (lambda: 5, {}, "int is neither a path nor an onnx.ModelProto"),
}


@pytest.mark.parametrize("name", ONNX_MISTAKES)
def test_mistakes_with_onnx_models_are_explained(name: str):
    pytest.importorskip("onnx")
    make, shapes, message = ONNX_MISTAKES[name]
    with pytest.raises(ModelError, match=message):
        Workload.from_onnx(make(), shapes)


def dropout_model(training: bool | None, node: bool = False) -> Any:
    graph = OnnxGraph()
    more = () if training is None else (graph.array(0.5), graph.array(training, "bool"))
    if node:
        more = (more[0], graph.add("Not", more[1]))
    return graph.model({"x": [2, 3]}, graph.add("Dropout", "x", *more))


def test_a_dropout_of_training_is_refused():
    for model in (dropout_model(True), dropout_model(False, node=True)):
        with pytest.raises(UnsupportedError, match=r"node \d, Dropout of .* draws random numbers"):
            Workload.from_onnx(model)


def test_a_dropout_of_inference_does_nothing():
    values = np.ones((2, 3), np.float32)
    for model in (dropout_model(False), dropout_model(None)):
        np.testing.assert_array_equal(Workload.from_onnx(model).run({"x": values})[0], values)


@pytest.mark.parametrize("shapes", [[3], {"x": 3}, {"x": "ab"}, {"x": (2.5, 4)}, {"x": (-1, 4)}])
def test_shapes_of_another_kind_are_refused(shapes: Any):
    with pytest.raises(MisuseError, match=r"by the names of inputs|are natural numbers, not"):
        Workload.from_onnx(dense_model(["batch", 4]), shapes=shapes)


def test_what_the_frontend_prints_is_not_repeated(capfd: pytest.CaptureFixture[str]):
    graph = OnnxGraph()
    model = graph.model({"x": [2, 3]}, graph.add("MatMul", "x", graph.weight(4, 5)))
    with pytest.raises(ModelError, match="node 0, MatMul"):
        Workload.from_onnx(model)
    assert capfd.readouterr().out == ""


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


def test_an_operator_that_tvm_lacks_is_named():
    graph = OnnxGraph()
    model = graph.model({"x": [3]}, graph.add("StringNormalizer", "x"))
    with pytest.raises(
        ModelError, match=r"TVM cannot read the ONNX model: .*StringNormalizer"
    ) as e:
        Workload.from_onnx(model)
    assert re.search(r"\(the model has it as node 0, StringNormalizer of `\w+`\)", str(e.value))


def test_nodes_out_of_order_are_named():
    model = dense_model()
    first, second = model.graph.node
    first.input[0] = second.output[0]
    with pytest.raises(ModelError, match=r"node 0, MatMul of `\w+` needs `\w+`, which nothing be"):
        Workload.from_onnx(model)


def test_a_pytorch_module_is_read_with_parameters_and_buffers():
    torch = pytest.importorskip("torch")

    class Scaled(torch.nn.BatchNorm1d):
        def __init__(self) -> None:
            super().__init__(3)
            self.register_buffer("factor", torch.tensor(2.0))
            self.register_buffer("order", torch.tensor([2, 0, 1]))
            self.register_buffer("unsaved", torch.rand(3), persistent=False)

        def forward(self, data: Any) -> Any:
            return super().forward(data)[:, self.order] * self.factor + self.unsaved

    module = torch.nn.Sequential(torch.nn.Linear(4, 3), Scaled())
    values = torch.randn(2, 4)
    program = exported(module, values)
    kinds = [spec.kind for spec in program.graph_signature.input_specs]
    workload = Workload.from_torch(program)
    assert kinds == [spec.kind for spec in program.graph_signature.input_specs]
    (name,) = (variable.name for variable in workload.inputs)
    learnt = ["p_0_weight", "p_0_bias", "p_1_weight", "p_1_bias"]
    assert [*workload.parameters] == [*learnt, "b_1_running_mean", "b_1_running_var"]
    constants = [e for e in reverse_post_order(workload.outputs) if isinstance(e, Const)]
    assert [(one.shape, one.dtype) for one in constants] == [
        ((3,), "int64"), ((), "float32"), ((3,), "float32"),
    ]  # fmt: skip
    (computed,) = workload.run({name: values.numpy()})
    np.testing.assert_allclose(computed, module(values).detach().numpy(), rtol=1e-5, atol=1e-6)


def test_a_module_that_was_not_exported_is_refused():
    torch = pytest.importorskip("torch")
    with pytest.raises(ModelError, match=r"Linear is not an exported program; export the model"):
        Workload.from_torch(torch.nn.Linear(2, 2))


def test_a_dynamic_size_is_refused_by_name():
    torch = pytest.importorskip("torch")
    sizes = {"input": {0: torch.export.Dim("batch")}}
    program = torch.export.export(torch.nn.Linear(4, 3), (torch.ones(2, 4),), dynamic_shapes=sizes)
    with pytest.raises(UnsupportedError, match=r"parameter `input`: .*symbolic size"):
        Workload.from_torch(program)


@pytest.mark.parametrize(
    ("package", "read"), [("onnx", Workload.from_onnx), ("torch", Workload.from_torch)]
)
def test_a_missing_package_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, package: str, read: Any
):
    monkeypatch.setitem(sys.modules, package, None)
    cure = rf"needs the package `{package}`: pip install 'gslverify\[models\]'"
    with pytest.raises(ModelError, match=cure):
        read("model")


def impure_modules() -> dict[str, tuple[Any, str]]:
    """Return modules that TVM would read as if they were functions of their inputs."""
    torch = pytest.importorskip("torch")
    functional = torch.nn.functional

    class Module(torch.nn.Module):
        def __init__(self, forward: Any) -> None:
            super().__init__()
            self.register_buffer("count", torch.zeros(()))
            self.function = forward

        def forward(self, x: Any) -> Any:
            return self.function(self, x)

    modules = {
        "noise": (lambda self, x: x + torch.randn_like(x), r"`randn_like` = .* draws random numb"),
        "dropout": (lambda self, x: functional.dropout(x, 0.5, True), "draws random numbers"),
        "a buffer": (lambda self, x: x + self.count.add_(1.0), "the model changes count; export"),
        "an input": (lambda self, x: 2 * x.add_(1.0), "the model changes x; export model.eval()"),
    }
    return {name: (Module(forward), message) for name, (forward, message) in modules.items()}


@pytest.mark.parametrize("name", ["noise", "dropout", "a buffer", "an input"])
def test_a_pytorch_module_that_is_no_function_of_its_inputs_is_refused(name: str):
    module, message = impure_modules()[name]
    torch = pytest.importorskip("torch")
    with pytest.raises(UnsupportedError, match=message):
        Workload.from_torch(exported(module, torch.ones(2, 3)))


def test_layers_that_are_random_in_training_only_are_read():
    torch = pytest.importorskip("torch")
    layers = [torch.nn.Dropout(0.5), torch.nn.BatchNorm1d(3), torch.nn.AlphaDropout(0.5)]
    module = torch.nn.Sequential(*layers)
    values = torch.ones(2, 3)
    workload = Workload.from_torch(exported(module, values))
    (computed,) = workload.run({workload.inputs[0].name: values.numpy()})
    np.testing.assert_allclose(computed, module(values).detach().numpy(), rtol=1e-5)


def test_a_dynamic_batch_of_pytorch_is_named():
    torch = pytest.importorskip("torch")
    sizes = ({0: torch.export.Dim("batch")},)
    program = torch.export.export(
        torch.nn.Linear(4, 3).eval(), (torch.ones(2, 4),), dynamic_shapes=sizes
    )
    with pytest.raises(UnsupportedError, match=r"parameter `input`: .* has a symbolic size"):
        Workload.from_torch(program)


NO_TENSORS: dict[str, tuple[Any, tuple[Any, ...], str]] = {
    "a result": (
        lambda x: (x + 1, None),
        (),
        r"returns None as `result\[1\]`, no tensor; exp",
    ),
    "the only result": (lambda x: None, (), "returns None as `result`, no tensor; export a module"),
    "a result by name": (lambda x: {"b": None, "a": x}, (), r"returns None as `result\['b'\]`"),
    "a result inside": (lambda x: (x, (None, x)), (), r"returns None as `result\[1\]\[0\]`"),
    "a number": (lambda x: (2 * x, 0.5), (), r"returns 0\.5 as `result\[1\]`, no tensor"),
    "a field": (lambda x: Unnamed([x, None]), (), "returns None as result 2 of 2, no tensor"),
    "an argument": (lambda x, y: 2 * x, (None,), r"argument `y` is None, no tensor; export a"),
    "a given number": (lambda x, y: x + y, (3,), r"argument `y` is 3, no tensor; export a mo"),
}


class Unnamed(list[Any]):
    """A class of results that names its fields to nobody."""


@pytest.mark.parametrize("name", NO_TENSORS)
def test_arguments_and_results_that_are_no_tensors_are_named(name: str):
    torch = pytest.importorskip("torch")
    function, more, message = NO_TENSORS[name]
    if Unnamed not in torch.utils._pytree.SUPPORTED_NODES:
        flatten = (lambda given: (list(given), None)), (lambda fields, _: Unnamed(fields))
        torch.utils._pytree.register_pytree_node(
            Unnamed, *flatten, serialized_type_name="gsl.tests.Unnamed"
        )
    module = torch.nn.Module()
    module.forward = function
    with pytest.raises(UnsupportedError, match=message):
        Workload.from_torch(exported(module, torch.ones(2, 3), *more))


def test_attention_without_its_weights_is_named():
    torch = pytest.importorskip("torch")

    class Attention(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = torch.nn.MultiheadAttention(4, 2)

        def forward(self, x: Any) -> Any:
            return self.inner(x, x, x, need_weights=False)

    with pytest.raises(UnsupportedError, match=r"returns None as `result\[1\]`"):
        Workload.from_torch(exported(Attention(), torch.ones(3, 1, 4)))


def test_control_flow_of_pytorch_is_named():
    torch = pytest.importorskip("torch")

    def forward(x: Any) -> Any:
        return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,))

    module = torch.nn.Module()
    module.forward = forward
    with pytest.raises(UnsupportedError, match=r"^`cond` = cond calls functions; export a module"):
        Workload.from_torch(exported(module, torch.ones(2, 3)))


def test_a_pytorch_operator_that_tvm_lacks_is_named():
    torch = pytest.importorskip("torch")
    module = torch.nn.Module()
    module.forward = lambda x: torch.linalg.svd(2 * x)[1]
    message = r"_linalg_svd\.default.* \(the program has it as `_linalg_svd`\)"
    with pytest.raises(ModelError, match=message):
        Workload.from_torch(exported(module, torch.ones(2, 3)))


def test_control_flow_is_named():
    graph = OnnxGraph()
    onnx = pytest.importorskip("onnx")
    helper = onnx.helper
    branches = {
        f"{name}_branch": helper.make_graph(
            [helper.make_node(kind, ["x"], [name])],
            name,
            [],
            [helper.make_tensor_value_info(name, 1, [2])],
        )
        for name, kind in (("then", "Relu"), ("else", "Abs"))
    }
    positive = graph.add("Greater", graph.add("ReduceSum", "x", keepdims=0), graph.array(0.0))
    model = graph.model({"x": [2]}, graph.add("If", positive, **branches))
    with pytest.raises(
        UnsupportedError,
        match=r"binding \d of block \d, `gv\d*` = If: GSL has no .* as node 2, If of `If_2_0`",
    ):
        Workload.from_onnx(model)
