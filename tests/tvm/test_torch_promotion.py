"""Dtypes of PyTorch programs: what operators convert by themselves is converted, or refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from real_models import exported

from gsl import Workload
from gsl.errors import GslError
from gsl.evaluate import run

pytestmark = pytest.mark.tvm

VALUES: dict[str, Any] = {
    "bool": [[True, False, True]],
    "int8": [[100, 100, -3]],
    "uint8": [[200, 100, 3]],
    "int64": [[3, -7, 100]],
    "float16": [[1.5, 2.5, -3.0]],
    "float32": [[1.5, 2.5, -3.5]],
}

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "cumsum": lambda x: x.cumsum(-1),
    "sum": lambda x: x.sum(-1),
    "half more": lambda x: x + 0.5,
    "divided": lambda x: x / 2,
    "square root": lambda x: x.sqrt(),
    "sigmoid": lambda x: x.sigmoid(),
    "to a fraction": lambda x: x**0.5,
    "at least a half": lambda x: x.clamp(0.5, 5),
    "below a fraction": lambda x: x < 2.5,
    "a fraction elsewhere": lambda x: x.where(x > 0, 0.5),
    "joined": lambda x: x.new_zeros(1, 3).float() + x,
    "any": lambda x: x.any(-1),
    "product of matrices": lambda x: x @ x.T,
    "remainder": lambda x: x % 3,
    "largest": lambda x: x.amax(-1),
    "product": lambda x: x.prod(-1),
    "cube": lambda x: x**3,
    "at least one": lambda x: x.clamp(min=1),
    "twice its own": lambda x: x.add(x, alpha=2),
    "powers of two": lambda x: (x % 4).exp2(),
    "both": lambda x: (x > 0) * (x < 2),
    "variance": lambda x: torch_variance(x),
}


def torch_variance(x: Any) -> Any:
    torch = pytest.importorskip("torch")
    return torch.var_mean(x, -1)[0]


@pytest.mark.parametrize("dtype", VALUES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_operator_computes_what_pytorch_computes_or_is_refused(name: str, dtype: str):
    torch = pytest.importorskip("torch")
    values = torch.tensor(VALUES[dtype], dtype=getattr(torch, dtype))
    module = torch.nn.Module()
    module.forward = FUNCTIONS[name]
    try:
        wanted = FUNCTIONS[name](values)
    except RuntimeError:
        pytest.skip(f"PyTorch does not compute {name} of {dtype}")
    workload = Workload.from_torch(exported(module, values))
    (found,) = run(workload, {one.name: values.numpy() for one in workload.inputs})
    assert found.dtype.name == str(wanted.dtype).removeprefix("torch.")
    np.testing.assert_allclose(found, wanted.numpy(), rtol=2e-3)


def test_what_tvm_reads_with_another_dtype_is_refused():
    torch = pytest.importorskip("torch")
    module = torch.nn.Module()
    module.forward = lambda x: x // 2
    with pytest.raises(GslError, match=r"`div` of .*: it is int64\[3\], and would be bool\[3\]"):
        Workload.from_torch(exported(module, torch.ones(3, dtype=torch.bool)))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("layer", ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose2d", "GroupNorm"])
def test_layers_keep_the_dtype_of_short_floats(layer: str, dtype: str):
    torch = pytest.importorskip("torch")
    axes = int(layer[-2]) if layer[-1] == "d" else 2
    module = getattr(torch.nn, layer)(2, 2, *[2] * (layer != "GroupNorm"))
    module = module.to(getattr(torch, dtype))
    values = torch.ones(1, 2, *[4] * axes, dtype=getattr(torch, dtype))
    (output,) = Workload.from_torch(exported(module, values)).outputs
    assert (output.dtype, output.shape) == (dtype, tuple(module(values).shape))


def test_a_dense_layer_of_half_floats_stays_one():
    torch = pytest.importorskip("torch")
    module = torch.nn.Linear(3, 4).half()
    values = torch.ones(2, 3, dtype=torch.float16)
    workload = Workload.from_torch(exported(module, values))
    assert workload.outputs[0].dtype == "float16"
    (found,) = run(workload, {workload.inputs[0].name: values.numpy()} | dict(workload.parameters))
    np.testing.assert_allclose(found, module(values).detach().numpy(), rtol=2e-2, atol=1e-2)
