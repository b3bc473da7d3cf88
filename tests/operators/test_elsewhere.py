"""What other systems make of values on which an operator is not defined here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl import Call, Var, Workload
from gsl.evaluate import run
from gsl.operators import REGISTRY, Operator, lookup
from gsl.operators.declaration import operator
from gsl.operators.defined import Elsewhere, Values
from gsl.operators.semantics import semantics_known
from gsl.types import TensorType

CASES: dict[str, tuple[list[tuple[str, tuple[int, ...]]], dict[str, Any], int]] = {
    "Take": ([("data", (4, 3)), ("indices", (2, 5))], {"axis": 0}, 4),
    "GatherElements": ([("data", (4, 3)), ("indices", (2, 3))], {"axis": 0}, 4),
    "GatherND": ([("data", (4, 4, 2)), ("indices", (5, 2))], {"depth": 2}, 4),
    "OneHot": ([("indices", (2, 5))], {"depth": 4}, 9),
    "ScatterElements": (
        [("data", (4, 3)), ("indices", (2, 3)), ("updates", (2, 3))],
        {"axis": 0, "reduction": "add"},
        4,
    ),
    "ScatterND": (
        [("data", (4, 4, 2)), ("indices", (5, 2)), ("updates", (5, 2))],
        {"depth": 2, "reduction": "add"},
        4,
    ),
}
"""Operands with their shapes, attributes, and beyond what no index lies, on either side."""


def selectable(system: str) -> set[str]:
    return {
        name
        for name, one in REGISTRY.items()
        if system in one.elsewhere and one.elsewhere[system].values is not None
    }


def test_every_operator_is_tried() -> None:
    assert selectable("onnx") == CASES.keys()


@pytest.mark.parametrize("name", CASES)
def test_references_compute_what_onnx_says(name: str) -> None:
    pytest.importorskip("onnxruntime")
    from gsl.onnx.run import run as run_onnx

    operands, attributes, beyond = CASES[name]
    variables = [
        Var(one, shape, "int64" if one == "indices" else "float32") for one, shape in operands
    ]
    workload = Workload(Call(lookup(name), variables, attributes))
    generator = np.random.default_rng(0)
    least = 0
    for _ in range(10):
        given: dict[str, Any] = {
            one.name: generator.integers(-beyond, beyond, one.shape)
            if one.name == "indices"
            else generator.standard_normal(one.shape).astype("float32")
            for one in variables
        }
        least = min(least, given["indices"].min())
        np.testing.assert_allclose(run(workload, given)[0], run_onnx(workload, given)[0], rtol=1e-6)
    assert least == -beyond


@pytest.mark.parametrize("name", CASES)
def test_the_values_are_wider(name: str) -> None:
    operands, attributes, _ = CASES[name]
    known = lookup(name)
    types = tuple(TensorType(shape, "int64") for _, shape in operands)
    given = known.normalise(attributes, types)

    def limits(system: str) -> Values:
        rule = known.values_in(system).get("indices", Values())
        return (rule if isinstance(rule, Values) else rule(types, given)).everywhere()

    assert limits("") == limits("numpy") == Values(low=0, high=3)
    assert limits("onnx") == (Values() if name == "OneHot" else Values(low=-4, high=3))


@pytest.mark.parametrize("name", ["GatherND", "ScatterND"])
def test_each_index_has_the_values_of_its_axis(name: str) -> None:
    known = lookup(name)
    types = tuple(TensorType(shape, "int64") for shape in ((4, 3, 2), (5, 2), (5, 2)))

    def limits(system: str) -> Any:
        rule = known.values_in(system)["indices"]
        assert callable(rule)
        return rule(types[: len(known.operands)], {"depth": 2})

    assert [limits("").at(place) for place in range(3)] == [(0, 3), (0, 2), (0, 3)]
    assert [limits("onnx").at(place) for place in range(3)] == [(-4, 3), (-3, 2), (-4, 3)]


def test_text_alone_selects_nothing() -> None:
    @operator(elsewhere={"paddle": Elsewhere("others give 0")}, values={"data": Values(low=0)})
    def ElsewhereTold(need: Any, data: TensorType) -> TensorType:
        """Told elsewhere."""
        return data

    declared: Operator = REGISTRY.pop("ElsewhereTold")
    assert declared.values_in("paddle") is declared.values
    assert semantics_known() == ["onnx"]
