"""Properties of passes are tested on graphs of sources that hypothesis draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable

from gsl import Workload, op, pat
from gsl.evaluate import evaluate
from gsl.types import TensorType
from gslverify.networks.choices import Choices, NothingDrawnError
from gslverify.passes import graphs, made, source


@source(contexts=("alone",), dtypes=("float32",))
def difference() -> Any:
    return op.Subtract(pat.Wildcard(), pat.Wildcard())


@source(contexts=("alone",))
def negated() -> Any:
    return op.Negative(pat.Wildcard())


@made
def never(choices: Choices) -> Workload:
    raise NothingDrawnError("it is never drawn")


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(graphs(difference, negated))
def test_inputs_fit_the_graph(case: tuple[Workload, dict[str, Any]]) -> None:
    workload, inputs = case

    assert {one.name: one.shape for one in workload.variables} == {
        name: array.shape for name, array in inputs.items()
    }
    (result,) = evaluate(workload.outputs, inputs)
    assert TensorType(result.shape, str(result.dtype)) == workload.outputs[0].type


def test_what_fails_shrinks_to_a_small_graph() -> None:
    def is_not_symmetric(case: tuple[Workload, dict[str, Any]]) -> bool:
        workload, inputs = case
        (call,) = workload.outputs
        swapped = call.with_operands(tuple(reversed(call.operands)))
        (one,), (other,) = (evaluate([expr], inputs) for expr in (call, swapped))
        return one.shape != other.shape or not np.array_equal(one, other)

    workload, _ = find(graphs(difference), is_not_symmetric, settings=settings(deadline=None))

    assert all(np.prod(one.shape) <= 4 for one in workload.variables)


def test_draws_that_come_to_nothing_are_rejected() -> None:
    with pytest.raises(Unsatisfiable):
        find(graphs(never), lambda case: True)


def test_some_source_is_needed() -> None:
    with pytest.raises(ValueError, match="there are no sources"):
        graphs()


def test_several_sources_are_drawn_from() -> None:
    both = graphs(difference, negated)
    for name in ("Subtract", "Negative"):
        find(both, lambda case, name=name: case[0].outputs[0].operator.name == name)


def test_strategies_can_be_combined() -> None:
    pair = st.tuples(graphs(negated), st.booleans())
    find(pair, lambda case: case[1])
