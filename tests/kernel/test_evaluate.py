"""Expressions are computed for a whole index space at once, as one by one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gsl.kernel.evaluate as module
from gsl.attr.term import Symbol, operation
from gsl.errors import KernelError
from gsl.kernel.evaluate import evaluate
from gsl.kernel.expression import Apply, Number, Read, Reduction, Select
from gsl.kernel.functions import FUNCTIONS

P, J, K, R = (Symbol(name) for name in "ijkr")
RANDOM = np.random.default_rng(0)
A = RANDOM.normal(size=(3, 4))
B = RANDOM.normal(size=(4, 5))


def matmul(function: str = "sum") -> Reduction:
    return Reduction(function, ((K, 4),), Read("A", (P, K)) * Read("B", (K, J)))


def test_a_matrix_product() -> None:
    np.testing.assert_allclose(evaluate(matmul(), [(P, 3), (J, 5)], {"A": A, "B": B}), A @ B)


@pytest.mark.parametrize(
    ("function", "fold"),
    [("sum", np.sum), ("product", np.prod), ("max", np.max), ("min", np.min)],
)
def test_reductions(function: str, fold: Callable[..., Any]) -> None:
    products = A[:, :, None] * B[None]
    found = evaluate(matmul(function), [(P, 3), (J, 5)], {"A": A, "B": B})
    np.testing.assert_allclose(found, fold(products, axis=1))


@pytest.mark.parametrize("most", [1, 2, 7, 30, 1000])
def test_blocks_make_no_difference(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(module, "MOST_ELEMENTS", most)
    data, weight = RANDOM.normal(size=(2, 7)), RANDOM.normal(size=(3, 2, 3))
    body = Read("data", (K, P + R)) * Read("weight", (J, K, R))
    whole = Reduction("sum", ((K, 2), (R, 3)), body)

    found = evaluate(whole, [(J, 3), (P, 5)], {"data": data, "weight": weight})

    expected = [[np.sum(data[:, i : i + 3] * weight[j]) for i in range(5)] for j in range(3)]
    np.testing.assert_allclose(found, expected)


def test_reductions_nest_and_count_what_they_do_not_read() -> None:
    inner = Reduction("max", ((R, 4),), Read("A", (K, R)))
    outer = Reduction("sum", ((K, 3), (J, 7)), inner - Read("A", (P, 0)))
    found = evaluate(outer, [(P, 3)], {"A": A})
    np.testing.assert_allclose(found, 7 * A.max(axis=1).sum() - 21 * A[:, 0])


@pytest.mark.parametrize(
    ("function", "value"), [("sum", 0), ("product", 1), ("max", -math.inf), ("min", math.inf)]
)
def test_reductions_of_nothing(function: str, value: float) -> None:
    assert evaluate(matmul(function), [(P, 0), (J, 5)], {"A": A, "B": B}).shape == (0, 5)
    empty = Reduction(function, ((K, 0),), Read("A", (P, K)))
    assert evaluate(empty, [(P, 3)], {"A": A}).tolist() == [value] * 3


def test_a_guarded_read_is_zero_outside() -> None:
    read = Read("x", (2 * P - 1,), guarded=True)
    assert evaluate(read, [(P, 4)], {"x": np.array([5, 6, 7])}).tolist() == [0, 6, 0, 0]
    assert evaluate(read, [(P, 4)], {"x": np.zeros(0)}).tolist() == [0, 0, 0, 0]


def test_a_promise_is_checked_where_it_is_needed() -> None:
    read = Read("x", (P - 1,))
    inputs = {"x": np.array([5.0, 6.0])}

    with pytest.raises(KernelError, match=r"a read of `x` lies outside of \(2,\)"):
        evaluate(read, [(P, 3)], inputs)

    assert evaluate(Select(P >= 1, read, Number(9)), [(P, 3)], inputs).tolist() == [9, 5, 6]
    assert evaluate(Select(P < 1, Number(9), read), [(P, 3)], inputs).tolist() == [9, 5, 6]
    nested = Select(P < 3, Select(P >= 1, read, Number(9)), Number(8))
    assert evaluate(nested, [(P, 4)], inputs).tolist() == [9, 5, 6, 8]
    with pytest.raises(KernelError, match="outside"):
        evaluate(Select(P < 1, read, Number(9)), [(P, 3)], inputs)


@pytest.mark.parametrize("limit", [0, 4])
def test_a_side_that_nothing_chooses_need_not_exist(limit: int) -> None:
    choice = Select(limit > P, Read("x", (P - 9 * (limit == 0),)), Read("y", (P,)))
    found = evaluate(choice, [(P, 4)], {"x" if limit else "y": np.arange(4)})
    assert found.tolist() == [0, 1, 2, 3]


def test_sizes_and_indices_are_values() -> None:
    n = Symbol("n")
    value = Reduction("sum", ((K, n),), Number(P * n + K))
    assert evaluate(value, [(P, 3)], {}, {n: 4}).tolist() == [6, 22, 38]


@pytest.mark.parametrize(
    ("term", "values"),
    [
        (P // 2 * 10 + P % 2, [0, 1, 10, 11]),
        (-P // 2, [0, -1, -1, -2]),
        (abs(P - 2), [2, 1, 0, 1]),
        (operation("min", P, 2), [0, 1, 2, 2]),
        (operation("max", P, 2), [2, 2, 2, 3]),
        (operation("cond", (P == 1) | ~(P < 3), 7, P), [0, 7, 2, 7]),
        (operation("cond", (P != 1) & (P > 0), P, 9), [9, 9, 2, 3]),
        (operation("cond", P <= 1, 5, 6), [5, 5, 6, 6]),
    ],
)
def test_index_arithmetic(term: Any, values: list[int]) -> None:
    assert evaluate(Number(term), [(P, 4)], {}).tolist() == values


ONE = {"sigmoid": lambda x: 1 / (1 + math.exp(-x)), "erf": math.erf, "round": round}


@pytest.mark.parametrize("name", ["exp", "tanh", "sin", "cos", "floor", "ceil", "trunc", *ONE])
def test_functions_of_one_value(name: str) -> None:
    values = np.array([-1.5, -0.25, 0.0, 0.5, 2.5])
    function = ONE.get(name) or getattr(math, name)
    found = evaluate(Apply(name, (Read("x", (P,)),)), [(P, 5)], {"x": values})
    np.testing.assert_allclose(found, [function(value) for value in values])


@pytest.mark.parametrize(
    ("name", "left", "right", "value"),
    [
        ("+", 5, 3, 8), ("-", 5, 3, 2), ("*", 5, 3, 15), ("/", 1, 4, 0.25), ("//", -5, 3, -2),
        ("//", -5.0, 2.0, -3.0), ("%", -5, 3, 1), ("%", -5.5, 2.0, 0.5), ("pow", 2.0, -1.0, 0.5),
        ("max", 5, 3, 5), ("min", 5, 3, 3), ("==", 5, 3, 0), ("!=", 5, 3, 1), ("<", 5, 3, 0),
        ("<=", 3, 3, 1), (">", 5, 3, 1), (">=", 3, 5, 0), ("and", 1, 0, 0), ("or", 1, 0, 1),
    ],
)  # fmt: skip
def test_functions_of_two_values(name: str, left: float, right: float, value: float) -> None:
    assert evaluate(Apply(name, (Number(left), Number(right))), [], {}) == value


def test_the_rest_of_the_functions() -> None:
    x = Read("x", (P,))
    inputs = {"x": np.array([-4.0, 0.0, 9.0])}
    for expression, values in [
        (Apply("abs", (x,)), [4, 0, 9]),
        (Apply("sign", (-x,)), [1, 0, -1]),
        (Apply("sqrt", (x * x,)), [4, 0, 9]),
        (Apply("log", (Apply("exp", (x,)),)), [-4, 0, 9]),
        (Apply("not", (x,)), [0, 1, 0]),
        (Apply("select", (x, Number(1), Number(2))), [1, 2, 1]),
        (Apply("cast", (x * 0.375, Number("float64"), Number("int32"))), [-1, 0, 3]),
    ]:
        np.testing.assert_allclose(evaluate(expression, [(P, 3)], inputs), values)
    assert len(FUNCTIONS) == 48


def test_float32_stays_float32() -> None:
    x = np.linspace(-1, 1, 4, dtype=np.float32)
    for name in ("erf", "sigmoid"):
        value = Apply(name, (Read("x", (P,)) * Number(0.5),))
        assert evaluate(value, [(P, 4)], {"x": x}).dtype == np.float32


@pytest.mark.parametrize(("source", "target"), [("int4", "uint4"), ("uint4", "int4")])
def test_four_bits_are_cast_to_four_others(source: str, target: str) -> None:
    cast = Apply("cast", (Read("A", (P,)), Number(source), Number(target)))
    found = evaluate(cast, [(P, 3)], {"A": np.array([0, 1, 7]).astype(source)})
    assert (found.dtype.name, found.astype(int).tolist()) == (target, [0, 1, 7])


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (Read("y", (P,)), "tensor `y` has no value"),
        (Read("x", (P, P)), "2 indices for `x`, which has 1 dimensions"),
        (Read("x", (J,)), "index variable `j` has no value"),
        (Number(P / 2), "is no index arithmetic"),
        (Number(Symbol("i")), "index variable `i` has no value"),
    ],
)
def test_mistakes(expression: Any, message: str) -> None:
    with pytest.raises(KernelError, match=message):
        evaluate(expression, [(P, 2)], {"x": np.zeros(2)})
