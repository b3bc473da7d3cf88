"""Calls of PyTorch programs that GSL says with other operators: which, and what they compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from real_models import exported

from gsl import Call, Workload
from gsl.evaluate import run

pytestmark = pytest.mark.tvm
torch = pytest.importorskip("torch")

F = torch.nn.functional
IMAGE = torch.arange(70.0).reshape(1, 2, 5, 7).sin()
ROWS, COLUMNS = torch.tensor([1, 2, 0]), torch.tensor([2, 0])
MATRIX = torch.arange(15.0).reshape(5, 3)

CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...], str]] = {
    "rows": (lambda x, i: x[i], (MATRIX, ROWS), "Take"),
    "grid": (lambda x, i, j: x[i[:, None], j[None, :]], (MATRIX, ROWS, COLUMNS), "GatherND"),
    "pairs": (lambda x, i, j: x[i, j], (MATRIX, ROWS, ROWS), "GatherND"),
    "row of one": (lambda x, i, j: x[i, j], (MATRIX, ROWS, ROWS[2:]), "GatherND"),
    "rows written": (
        lambda x, i, y: x.index_put((i,), y),
        (MATRIX[:, 0], ROWS, torch.ones(3)),
        "ScatterND",
    ),
    "pairs added": (
        lambda x, i, j: x.index_put((i, j), torch.ones(()), accumulate=True),
        (MATRIX, ROWS, torch.tensor([1, 1, 0])),
        "ScatterND",
    ),
    "floor of quotient": (lambda i: i // 2, (ROWS - 2,), "FloorDivide"),
    "histogram": (
        lambda x: torch.histc(x, bins=4, min=-0.5, max=0.5),
        (torch.tensor([-0.5, -0.25, -0.1, 0.0, 0.3, 0.5, 0.6, -0.7]),),
        "Sum",
    ),
    "and": (lambda x: (x > 0) & (x < 0.5), (IMAGE,), "LogicalAnd"),
    "or": (lambda x: (x > 0) | (x < -0.5), (IMAGE,), "LogicalOr"),
    "either": (lambda x: (x > 0) ^ (x < 0.5), (IMAGE,), "LogicalXor"),
    "not": (lambda x: ~(x > 0), (IMAGE,), "LogicalNot"),
    "bits": (lambda i: i & 1, (ROWS,), "BitwiseAnd"),
    "padded": (lambda x: F.pad(x, (0, 1, 2, 0), value=3.0), (IMAGE,), "Pad"),
    "cut": (lambda x: F.pad(x, (0, -1, -2, 1)), (IMAGE,), "DilatedPad"),
    "nearest": (lambda x: F.interpolate(x, size=(9, 4)), (IMAGE,), "Resize"),
    "nearest of twice": (lambda x: F.interpolate(x, scale_factor=2), (IMAGE,), "Resize"),
    "averaged": (lambda x: F.adaptive_avg_pool2d(x, (2, 3)), (IMAGE,), "AdaptiveAvgPool2D"),
    "between": (lambda x: F.interpolate(x, size=(3, 11), mode="bilinear"), (IMAGE,), "Resize"),
    "corners": (
        lambda x: F.interpolate(x, size=(9, 4), mode="bilinear", align_corners=True),
        (IMAGE,),
        "Resize",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_has_no_operator_of_its_own_is_said_with_others(name: str) -> None:
    function, inputs, operator = CASES[name]
    module = torch.nn.Module()
    module.forward = function
    workload = Workload.from_torch(exported(module, *inputs))
    operators = [str(call.operator) for call in workload.order if isinstance(call, Call)]
    assert operator in operators
    assert not any("." in one for one in operators)
    values = dict(zip((one.name for one in workload.inputs), inputs, strict=True))
    (found,) = run(workload, {key: value.numpy() for key, value in values.items()})
    np.testing.assert_allclose(found, function(*inputs).numpy(), atol=1e-5)


def test_rows_are_multiplied_by_the_matrix_of_their_group() -> None:
    """Experts, as torch and transformers route them; what no group has is 0."""
    pytest.importorskip("transformers.integrations.moe")
    grouped = torch.ops.transformers.grouped_mm_fallback
    data, weight = MATRIX.sin(), torch.arange(24.0).reshape(4, 3, 2).cos()
    ends = torch.tensor([2, 2, 3, 5], dtype=torch.int32)
    module = torch.nn.Module()
    module.forward = lambda x, w, e: grouped(x, w, e)
    workload = Workload.from_torch(exported(module, data, weight, ends))
    assert not any("." in str(one.operator) for one in workload.order if isinstance(one, Call))
    for own in (ends, torch.tensor([0, 1, 1, 4], dtype=torch.int32)):
        names = (one.name for one in workload.inputs)
        values = dict(zip(names, (data.numpy(), weight.numpy(), own.numpy()), strict=True))
        wanted = grouped(data, weight, own).numpy()
        np.testing.assert_allclose(run(workload, values)[0], wanted, atol=1e-6)
