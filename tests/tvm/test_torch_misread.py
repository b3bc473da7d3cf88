"""Calls of PyTorch of which TVM would pass over something, and their likes, are read whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from real_models import exported

from gsl import Workload
from gsl.errors import ModelError

pytestmark = [
    pytest.mark.tvm,
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]

READ: dict[str, Any] = {
    "a scaled sum": lambda torch, x: torch.add(x, x, alpha=0.5),
    "a scaled difference": lambda torch, x: torch.sub(x, 3, alpha=2),
    "a scaled turn": lambda torch, x: torch.rsub(x, x, alpha=2),
    "another divisor": lambda torch, x: torch.nn.functional.avg_pool2d(x, 2, divisor_override=3),
    "exchanged limits": lambda torch, x: x.clamp(1, -1),
    "an index from the end": lambda torch, x: x[[0, -1]],
    "indices of inner axes": lambda torch, x: x[:, [0, 1], [1, 2]],
    "a turned grid of indices": lambda torch, x: x[
        :, :, torch.tensor([0, 2]), torch.tensor([[1], [4]])
    ],
    "indices apart": lambda torch, x: x[[0, 1], :, [1, 2]],
    "a grid": lambda torch, x: torch.nn.functional.grid_sample(x, x[..., :2], align_corners=False),
    "a sum": lambda torch, x: torch.add(x, x, alpha=1) - 3,
    "a mean": lambda torch, x: torch.nn.functional.avg_pool2d(x, 2),
    "limits": lambda torch, x: x.clamp(-1, 1).clamp(min=0.5),
    "limits that are tensors": lambda torch, x: x.clamp(x * 0 - 1, x * 0 + 1),
    "indices": lambda torch, x: x[[0, 3, 1]] + x[:, [2, 0, 1]][:3],
    "indices of the last axis": lambda torch, x: x[..., [0, 2]],
    "a grid of indices": lambda torch, x: x[:, :, torch.tensor([[0], [2]]), torch.tensor([1, 4])],
    "a scaled ELU": lambda torch, x: torch.ops.aten.elu(x, 1.5, 2.0, 0.5),
    "SELU": lambda torch, x: torch.nn.functional.selu(x),
    "an ELU": lambda torch, x: torch.nn.functional.elu(x, 0.3),
    "indices of two axes": lambda torch, x: x[[0, 1], [1, 2]],
}


def program_of(function: Any) -> tuple[Any, Any]:
    """Return the program of a function of PyTorch and a tensor, and that tensor."""
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    module = torch.nn.Module()
    module.forward = lambda x: function(torch, x)
    values = torch.randn(4, 3, 4, 6)
    return exported(module, values), values


def test_what_tvm_would_pass_over_is_refused():
    def pooled(torch: Any, x: Any) -> Any:
        return torch.nn.functional.avg_pool2d(x, 3, 2, ceil_mode=True, divisor_override=4)

    with pytest.raises(ModelError, match=r"`avg_pool2d` .*: its divisor_override would be lost"):
        Workload.from_torch(program_of(pooled)[0])


@pytest.mark.parametrize("name", READ)
def test_what_tvm_reads_as_it_is_computes_the_same(name: str):
    torch = pytest.importorskip("torch")
    program, values = program_of(READ[name])
    workload = Workload.from_torch(program)
    (computed,) = workload.run({workload.inputs[0].name: values.numpy()})
    np.testing.assert_allclose(computed, READ[name](torch, values).numpy(), rtol=1e-5, atol=1e-6)
