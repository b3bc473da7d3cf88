"""Networks computed on many inputs at once, compared with each of these computed alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl.evaluate import trace
from gsl.expr import Call, Const, Expr, Proj, Var
from gsl.operators import lookup
from gslverify.comparison.batched import ONE_BY_ONE, trace_many, work
from gslverify.comparison.calmer import flat

COUNT = 5
X, Y = Var("x", (2, 3)), Var("y", (3,))
IMAGE, KERNEL = Var("image", (1, 2, 4, 4)), Var("kernel", (3, 2, 3, 3))
N = Var("n", (3,), "int32")


def call(name: str, *operands: Expr, **attributes: Any) -> Call:
    return Call(lookup(name), operands, attributes)


def inputs(*variables: Var) -> dict[str, Any]:
    generator = np.random.default_rng(0)
    drawn = {v.name: generator.normal(2.0, 1.0, (COUNT, *v.shape)) for v in variables}
    return {v.name: drawn[v.name].astype(v.dtype) for v in variables}


NETWORKS = [
    call("Add", X, Y),
    call("Where", call("Less", X, Y), X, Const(2.5)),
    call("Multiply", call("Cast", N, dtype="float32"), X),
    call("Matmul", X, call("Transpose", X, axes=(1, 0))),
    call("Sum", X, axis=1),
    call("Max", X, axis=0, keepdims=True),
    call("Conv2D", IMAGE, KERNEL, padding=(1, 1, 1, 1)),
    call("MaxPool2D", IMAGE, pool_size=(2, 2)),
    call("Reshape", X, shape=(3, 2)),
    Proj(call("Split", X, indices_or_sections=3, axis=1), 1),
    call("Softmax", X, axis=1),
    call("Pad", X, pad_width=(1, 0, 0, 2), pad_value=1.5),
]


@pytest.mark.parametrize("output", NETWORKS, ids=repr)
def test_every_input_is_computed_as_if_alone(output: Expr) -> None:
    many = inputs(X, Y, IMAGE, KERNEL, N)
    values = trace_many([output], many, COUNT)
    for number in range(COUNT):
        alone = trace([output], {name: array[number] for name, array in many.items()})
        for expr, expected in alone.items():
            for mine, theirs in zip(flat([values[expr]]), flat([expected]), strict=True):
                assert mine.dtype == theirs.dtype
                np.testing.assert_allclose(mine[number], theirs, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_element_wise_operators_are_rounded_as_their_references(dtype: str) -> None:
    x, y = Var("x", (4,), dtype), Var("y", (1,), dtype)
    output = call("Divide", call("Multiply", x, y), call("Add", x, y))
    many = inputs(x, y)
    found = trace_many([output], many, COUNT)[output]
    for number in range(COUNT):
        alone = trace([output], {name: array[number] for name, array in many.items()})[output]
        assert found[number].tobytes() == alone.tobytes()


def test_work_counts_elements_and_loops() -> None:
    assert work([call("Add", X, Y)]) == 6
    assert work([call("Sum", X, axis=1)]) == 6
    assert work([call("Matmul", X, call("Transpose", X, axes=(1, 0)))]) == 12 + 6
    assert work([call("Conv2D", IMAGE, KERNEL, padding=(1, 1, 1, 1))]) == 48 * 18
    assert work([call("LayerNorm", X, Y, Y, axes=(1,))]) >= ONE_BY_ONE
    assert work([X]) == 0
