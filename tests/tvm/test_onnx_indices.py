"""Indices that are inputs, as of embeddings: TVM asks for sizes to count them from the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tvm
from real_models import OnnxGraph
from tvm import relax

from gsl import Workload
from gsl.expr import Call, Const
from gsl.graph import reverse_post_order
from gsl.operators.declaration import OpaqueOperator
from gsl.tvm.errors import UnsupportedError
from gsl.tvm.importer import from_relax

pytestmark = [
    pytest.mark.tvm,
    pytest.mark.filterwarnings("ignore:Field 'shape':UserWarning", "ignore::FutureWarning"),
]

KINDS = {"int32": 6, "int64": 7}
INDICES = [[0, -1, 3], [2, -4, 1]]


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", KINDS)
def test_rows_are_gathered_by_an_input(dtype: str, axis: int):
    graph = OnnxGraph()
    gathered = graph.add("Gather", graph.weight(4, 5), "x", axis=axis)
    workload = Workload.from_onnx(graph.model({"x": [2, 3]}, gathered, kind=KINDS[dtype]))
    order = reverse_post_order(workload.outputs)
    assert not any(isinstance(e, Call) and isinstance(e.operator, OpaqueOperator) for e in order)
    (table,) = workload.parameters.values()
    indices = np.array(INDICES, dtype)
    (computed,) = workload.run({"x": indices})
    np.testing.assert_array_equal(computed, np.take(table, indices, axis))


OTHERS: dict[str, tuple[list[int], Callable[[Any, Any], Any]]] = {
    "GatherElements": ([2, 3], lambda table, i: np.take_along_axis(table[:, :3], i, 0)),
    "GatherND": ([3, 2], lambda table, i: table[tuple(i.T)]),
}


@pytest.mark.parametrize("name", OTHERS)
def test_elements_are_gathered_by_an_input(name: str):
    shape, reference = OTHERS[name]
    graph = OnnxGraph()
    gathered = graph.add(name, graph.weight(4, 5), "x")
    workload = Workload.from_onnx(graph.model({"x": shape}, gathered, kind=KINDS["int64"]))
    (table,) = workload.parameters.values()
    indices = np.array(INDICES, np.int64).reshape(shape)
    (computed,) = workload.run({"x": indices})
    np.testing.assert_array_equal(computed, reference(table, indices))


def asking_for_sizes(*sizes: Any) -> Any:
    x = relax.Var("x", relax.TensorType(sizes, "float32"))
    builder = relax.BlockBuilder()
    with builder.function("main", [x]):
        with builder.dataflow():
            shape = builder.emit(relax.op.shape_of(x), "shape")
            listed = builder.emit(relax.op.shape_to_tensor(shape), "listed")
            result = builder.emit_output(relax.op.reshape(x, shape))
        builder.emit_func_output(relax.Tuple([listed, result]))
    return builder.finalize()


def test_known_sizes_are_constants():
    listed, reshaped = from_relax(asking_for_sizes(2, 3)).outputs
    assert isinstance(listed, Const)
    assert (listed.dtype, listed.value.tolist()) == ("int64", [2, 3])
    assert isinstance(reshaped, Call)
    assert reshaped.attributes["shape"] == (2, 3)


def test_unknown_sizes_are_refused():
    with pytest.raises(UnsupportedError, match=r"parameter `x`: .*symbolic size"):
        from_relax(asking_for_sizes(2, tvm.tirx.Var("n", "int64")))
