"""PyTorch models: what is read, and what is said when that fails."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from real_models import exported

from gsl import Workload
from gsl.errors import ModelError
from gsl.expr import Const
from gsl.graph import reverse_post_order
from gsl.tvm.errors import UnsupportedError

pytestmark = [
    pytest.mark.tvm,
    pytest.mark.filterwarnings("ignore:Field 'shape':UserWarning", "ignore::FutureWarning"),
]


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


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    cure = r"needs the package `torch`: pip install 'gslverify\[models\]'"
    with pytest.raises(ModelError, match=cure):
        Workload.from_torch("model")


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
    with pytest.raises(UnsupportedError, match=r"`input` has the open shape \(s\d+, 4\); export"):
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


def test_what_only_values_decide_is_named():
    torch = pytest.importorskip("torch")
    module = torch.nn.Module()
    module.forward = lambda x: x[x > 0]
    with pytest.raises(UnsupportedError, match=r"`index` has the open shape \(u0\); export with"):
        Workload.from_torch(exported(module, torch.ones(2, 3)))


def test_a_pytorch_operator_that_tvm_lacks_is_named():
    torch = pytest.importorskip("torch")
    module = torch.nn.Module()
    module.forward = lambda x: torch.linalg.svd(2 * x)[1]
    message = r"no operator reads `_linalg_svd` = aten\._linalg_svd\.default; write it with others"
    with pytest.raises(UnsupportedError, match=message):
        Workload.from_torch(exported(module, torch.ones(2, 3)))
