"""Workloads: networks, their parameters and inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gsl import Var, Workload
from gsl.errors import GraphError, MisuseError
from tests.match.toys import add, exp, multiply, relu, var

X, W, V = var("x"), var("w"), var("v")
ONES = np.ones(2, "float32")


def names(variables: tuple[Var, ...]) -> list[str]:
    return [variable.name for variable in variables]


def test_one_output_need_not_be_a_list() -> None:
    output = relu(X)

    assert (output,) == Workload(output).outputs
    assert (output, X) == Workload([output, X]).outputs


def test_variables_are_inputs_unless_they_are_parameters() -> None:
    workload = Workload(add(multiply(W, X), V), {"w": ONES})

    assert names(workload.variables) == ["w", "x", "v"]
    assert names(workload.inputs) == ["x", "v"]
    assert list(workload.parameters) == ["w"]


def test_order_of_inputs_can_be_given() -> None:
    assert names(Workload(add(X, V), inputs=[V, X]).inputs) == ["v", "x"]
    assert names(Workload(relu(X), inputs=[X, V]).inputs) == ["x", "v"]


def test_parameters_cannot_be_exchanged() -> None:
    with pytest.raises(TypeError):
        Workload(multiply(W, X), {"w": ONES}).parameters["w"] = ONES


ILL_FORMED: list[tuple[Callable[[], Any], str]] = [
    (lambda: Workload([]), "it needs at least one output"),
    (lambda: Workload(relu(X)).with_outputs([]), "it needs at least one output"),
    (lambda: Workload(add(X, var("x"))), "two variables are called `x`"),
    (lambda: Workload(relu(X), inputs=[var("x")]), "two variables are called `x`"),
    (lambda: Workload(relu(X), {"b": ONES, "a": ONES}), "parameters without a variable: a, b"),
    (lambda: Workload(relu(W), {"w": np.ones(3, "float32")}), r"is float32\[3\], its variable"),
    (lambda: Workload(relu(W), {"w": [1.0, 1.0]}), r"parameter `w` is float64\[2\]"),
    (lambda: Workload(add(X, V), inputs=[X]), "variables that are not among its inputs: v"),
    (
        lambda: Workload(add(multiply(W, X), V), {"w": ONES}, inputs=[W, X]),
        "variables that are not among its inputs: v",
    ),
]


@pytest.mark.parametrize(("build", "reason"), ILL_FORMED)
def test_ill_formed_workload_does_not_exist(build: Callable[[], Any], reason: str) -> None:
    with pytest.raises(GraphError, match=reason):
        build()


MISUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: Workload(1), "1 cannot be among the outputs of a workload; it is no Expr"),
    (lambda: Workload([relu(X), None]), "None cannot be among the outputs"),
    (lambda: Workload(relu(X), [ONES]), "parameters are arrays by name, not"),
    (lambda: Workload(relu(X)).with_outputs(None), "None cannot be among the outputs"),
    (lambda: Workload(relu(X)).fold(record=5), "the record is no FoldRecord: 5"),
    (lambda: Workload(relu(X), inputs=[relu(X)]), "among the inputs of a workload; it is no Var"),
]


@pytest.mark.parametrize(("build", "reason"), MISUSED)
def test_workload_is_made_of_expressions(build: Callable[[], Any], reason: str) -> None:
    with pytest.raises(MisuseError, match=reason):
        build()


def test_other_outputs_keep_inputs_and_lose_unused_parameters() -> None:
    workload = Workload(add(multiply(W, X), V), {"w": ONES, "v": ONES})

    changed = workload.with_outputs([exp(V)])

    assert names(changed.inputs) == ["x"]
    assert list(changed.parameters) == ["v"]
    assert changed.parameters["v"] is workload.parameters["v"]


def test_other_outputs_cannot_bring_new_inputs() -> None:
    with pytest.raises(GraphError, match="not among its inputs: v"):
        Workload(relu(X)).with_outputs([add(X, V)])


def test_workload_prints_its_signature() -> None:
    workload = Workload(add(multiply(W, X), V), {"w": ONES})

    assert repr(workload) == "Workload(x: float32[2], v: float32[2]; 1 parameters)"


def test_outputs_may_come_with_new_parameters() -> None:
    workload = Workload(add(multiply(W, X), X), {"w": ONES})
    folded = Var("folded", (2,))

    changed = workload.with_outputs(add(folded, X), added={"folded": ONES})

    assert names(changed.variables) == ["x", "folded"]
    assert list(changed.parameters) == ["folded"]
    assert names(changed.inputs) == ["x"]
    with pytest.raises(GraphError, match="not among its inputs: folded"):
        workload.with_outputs(add(folded, X))
