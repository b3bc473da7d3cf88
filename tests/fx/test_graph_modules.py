"""Workloads as graph modules of PyTorch compute what the references compute."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl import Call, Workload
from gsl.evaluate import run
from gsl.expr import Proj, Tuple, Var
from gsl.fx.table import ROWS
from gsl.numpy_dtypes import BFLOAT16, is_floating
from gsl.operators import lookup

torch = pytest.importorskip("torch")
calls = pytest.importorskip("tests.onnx.calls", reason="needs the extra `models`")

TOLERANCE = {"bfloat16": 6e-2, "float16": 1e-2, "float32": 2e-5, "float64": 1e-12}
WITHOUT_TENSORS = {"uint16", "uint32", "uint64"}
"""Dtypes that PyTorch hardly computes with."""


def tensor(array: Any) -> Any:
    array = np.asarray(array)
    if array.dtype == BFLOAT16:
        return torch.from_numpy(array.view(np.int16).copy()).view(torch.bfloat16)
    return torch.from_numpy(np.array(array))


def numbers(value: Any) -> Any:
    is_narrow = value.dtype == torch.bfloat16
    return value.float().numpy().astype(BFLOAT16) if is_narrow else value.numpy()


def outputs(workload: Workload, inputs: dict[str, Any]) -> list[Any]:
    given = [tensor(inputs[one.name]) for one in workload.inputs]
    found = workload.to_fx()(*given)
    return [numbers(one) for one in (found if isinstance(found, tuple) else (found,))]


def close(found: list[Any], wanted: list[Any], said: str) -> None:
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype == other.dtype, said
        assert one.shape == other.shape, said
        tolerance = TOLERANCE[other.dtype.name] if is_floating(other.dtype) else 0
        one, other = (x.astype("f8") if is_floating(x.dtype) else x for x in (one, other))
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance, err_msg=said)


@pytest.mark.parametrize("name", sorted(calls.OPERATORS))
def test_every_operator_is_computed(name: str) -> None:
    tried = 0
    for case in calls.cases(name):
        if {one.dtype for one in case.workload.variables} & WITHOUT_TENSORS:
            continue
        with np.errstate(all="ignore"):
            wanted = run(case.workload, case.inputs)
        if not {one.dtype.name for one in wanted} & WITHOUT_TENSORS:
            close(outputs(case.workload, case.inputs), wanted, repr(case.call))
            tried += 1
    assert tried


def test_rows_are_about_operators() -> None:
    for name in ROWS:
        assert lookup(name).name == name


def test_parameters_keep_their_names_and_inputs_their_order() -> None:
    x, y, w = Var("x", (2, 3)), Var("y", (2, 4)), Var("layer.0/weight", (4, 3))
    output = Call(lookup("Multiply"), [y, Call(lookup("Dense"), [x, w], {})], {})
    weight = np.arange(12, dtype=np.float32).reshape(4, 3)
    module = Workload(output, {"layer.0/weight": weight}, [x, y]).to_fx()
    assert isinstance(module, torch.fx.GraphModule)
    assert [name for name, _ in module.named_parameters()] == ["layer_0_weight"]
    kinds = [node.op for node in module.graph.nodes]
    assert kinds == ["placeholder", "placeholder", "get_attr", *["call_function"] * 2, "output"]
    given = torch.ones(2, 3), torch.full((2, 4), 2.0)
    np.testing.assert_array_equal(module(*given), 2 * weight.sum(1) * np.ones((2, 1)))
    exported = torch.export.export(module, given)
    np.testing.assert_array_equal(exported.module()(*given), module(*given))


def test_what_torch_has_not_is_a_submodule() -> None:
    x = Var("x", (3,), "int32")
    quotient = Call(lookup("TruncDivide"), [x, Var("y", (3,), "int32")], {})
    found = outputs(Workload(quotient), {"x": np.int32([7, -7, 1]), "y": np.int32([2, 2, 3])})
    np.testing.assert_array_equal(found[0], [3, -3, 0])


MODELS = {
    "attention": lambda nn: (nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), (2, 5, 8)),
    "images": lambda nn: (
        nn.Sequential(
            *(nn.Conv2d(2, 4, 3), nn.GroupNorm(2, 4), nn.LeakyReLU(), nn.AvgPool2d(2)),
            *(nn.ConvTranspose2d(4, 2, 2, stride=2), nn.Hardswish(), nn.MaxPool2d(2), nn.ELU()),
        ),
        (1, 2, 9, 9),
    ),
    "sequences": lambda nn: (
        nn.Sequential(nn.Conv1d(3, 4, 2), nn.MaxPool1d(2), nn.Mish(), nn.RMSNorm(3)),
        (2, 3, 7),
    ),
}


@pytest.mark.tvm
@pytest.mark.parametrize("name", MODELS)
def test_a_model_of_torch_comes_back(name: str) -> None:
    torch.manual_seed(0)
    block, shape = MODELS[name](torch.nn)
    given = torch.randn(shape)
    workload = Workload.from_torch(torch.export.export(block.eval(), (given,)))
    module = workload.to_fx()
    np.testing.assert_allclose(module(given).detach(), block(given).detach(), atol=1e-5)
    assert not any(node.op == "call_module" for node in module.graph.nodes)


def test_an_output_that_is_a_tuple_is_refused() -> None:
    from gsl.errors import MisuseError

    pair = Tuple([Var("x", (1,)), Var("y", (1,))])
    with pytest.raises(MisuseError, match="a module returns tensors"):
        Workload(pair).to_fx()
    module = Workload([Proj(pair, 1), Proj(pair, 0)]).to_fx()
    assert [one.item() for one in module(torch.zeros(1), torch.ones(1))] == [1, 0]
