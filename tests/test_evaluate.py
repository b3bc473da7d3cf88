"""Running a graph with the NumPy references."""

from __future__ import annotations

import numpy as np
import pytest

from gsl import Call, Const, Expr, Tuple, Workload
from gsl.errors import GraphError
from gsl.evaluate import evaluate, run, trace
from gsl.operators.declaration import Need, Operator, Tensor, operator
from gsl.types import TensorType
from tests.match.toys import add, half, negative, pack, relu, tag, unregistered, var

X, Y = var("x"), var("y")
VALUES = {"x": np.array([1.0, -2.0], "float32"), "y": np.array([10.0, 20.0], "float32")}

RESULTS: list[tuple[Expr, list[float]]] = [
    (X, [1, -2]),
    (Const([5.0, 6.0]), [5, 6]),
    (relu(X), [1, 0]),
    (add(X, Y), [11, 18]),
    (tag(X, 3), [4, 1]),
    (half(X, 0), [1, -2]),
    (half(X, 1), [2, -4]),
    (pack(X, Y, X), [12, 16]),
]


@pytest.mark.parametrize(("expr", "expected"), RESULTS, ids=lambda part: repr(part))
def test_value_of_an_expression(expr: Expr, expected: list[float]) -> None:
    (result,) = evaluate([expr], VALUES)

    assert expected == result.tolist()


def test_tuples_are_python_tuples() -> None:
    (result,) = evaluate([Tuple([X, Tuple([Y])])], VALUES)

    assert isinstance(result, tuple)
    assert result[0] is VALUES["x"]
    assert result[1][0] is VALUES["y"]


def test_outputs_come_in_order_even_when_repeated() -> None:
    r, n = relu(X), negative(X)

    assert [v.tolist() for v in evaluate([n, r, n], VALUES)] == [[-1, 2], [1, 0], [-1, 2]]


def test_trace_gives_every_intermediate_value_in_order() -> None:
    r = relu(X)
    n = negative(r)

    results = trace([n], VALUES)

    assert [X, r, n] == list(results)
    assert results[n].tolist() == [-1, 0]


def test_shared_expressions_are_computed_once() -> None:
    calls = []

    @unregistered
    @operator()
    def Counted(need: Need, data: Tensor) -> TensorType:
        return data

    @Counted.numpy
    def _count(data: object) -> object:
        calls.append(data)
        return data

    shared = Call(Counted, [X])
    evaluate([add(shared, shared), negative(shared)], VALUES)

    assert len(calls) == 1


def test_parameters_and_inputs_meet_in_a_run() -> None:
    workload = Workload([add(X, Y)], {"y": VALUES["y"]})

    assert [v.tolist() for v in run(workload, {"x": VALUES["x"]})] == [[11, 18]]


def test_variable_without_a_value_is_an_error() -> None:
    with pytest.raises(GraphError, match="variable `y` has no value"):
        evaluate([add(X, Y)], {"x": VALUES["x"]})


def test_operator_without_a_reference_is_an_error() -> None:
    silent = Operator("Silent", (), {}, lambda need: X.type, None, frozenset(), "")

    with pytest.raises(GraphError, match="Silent has no NumPy reference"):
        evaluate([Call(silent, [])], {})


def test_what_is_no_expression_is_an_error() -> None:
    with pytest.raises(GraphError, match="not a computation expression"):
        evaluate([Expr((), X.type)], {})


def test_deep_chain_is_evaluated_without_recursion() -> None:
    expr: Expr = X
    for _ in range(20_000):
        expr = negative(expr)

    assert evaluate([expr], VALUES)[0].tolist() == [1, -2]
