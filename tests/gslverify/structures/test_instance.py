"""Constants of symbolic instances are values of their dtype, whatever that will be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gsl import Const, Subst, attr, op, pat
from gsl.graph import reverse_post_order
from gsl.types import ALL_DTYPES, ANY_FLOAT, INTEGER
from gslverify.networks.matching import Structures, networks
from gslverify.networks.network import Network
from gslverify.prove.proof import targets
from gslverify.semantics.solver import Answer, Solver
from gslverify.structures.variants import enumerate_variants
from gslverify.trials.trial import run_trial
from tests.gslverify.rules import draws, samplers_of

pytestmark = pytest.mark.smt


def answers(subst: Subst) -> set[Answer]:
    """Return what the solver says about the claims of every structure."""
    instances = [variant.instance(subst) for variant in enumerate_variants(subst).variants]
    return {
        Solver([claim.term for claim in instance.claims], 1_000_000).check().answer
        for instance in instances
    }


@pytest.mark.parametrize(
    ("value", "dtype", "answer"),
    [
        (300, "int8", Answer.UNSAT),
        (-1, "uint8", Answer.UNSAT),
        (0.5, "int32", Answer.UNSAT),
        (0.5, "float16", Answer.SAT),
        (127, "int8", Answer.SAT),
    ],
)
def test_a_known_constant_fits_the_dtype_of_its_neighbour(
    value: float, dtype: str, answer: Answer
) -> None:
    x = pat.Wildcard()
    assert answers(Subst(x + value, value + x, where=[x.dtype == dtype])) == {answer}


@pytest.mark.parametrize(
    ("value", "dtypes"),
    [
        ((-1, 1), {*ANY_FLOAT, "int4", "int8", "int16", "int32", "int64"}),
        ((1, 200), {*ANY_FLOAT, *INTEGER} - {"int8"}),
        ((0, 1), set(ALL_DTYPES) - {"bool"}),
        ((False, True), {"bool"}),
        ((0.1, 2.0), set(ANY_FLOAT)),
        ((0.1, 1e300), {"float64"}),
        ((0.1, 1e-12), {"bfloat16", "float32", "float64"}),
        ((1, attr.Tuple(1, 2)), set()),
    ],
)
@pytest.mark.parametrize("like_the_input", [False, True])
def test_a_known_tensor_has_every_dtype_that_holds_it(
    value: Any, dtypes: set[str], like_the_input: bool
) -> None:
    x = pat.Wildcard()
    constant = pat.Const(value=value, dtype=x.dtype if like_the_input else None)
    joined = op.Concatenate((x, constant), axis=0)  # of any dtype
    subst = Subst(joined, joined)
    instances = [one.instance(subst) for one in enumerate_variants(subst).variants]
    exprs = [node.expr for instance in instances for node in instance.graph]

    assert {expr.dtype for expr in exprs if isinstance(expr, Const)} == dtypes


def test_a_truth_value_is_a_constant() -> None:
    x = pat.Wildcard()
    assert answers(Subst(op.LogicalAnd(x, pat.Const(True, dtype="bool")), x)) == {Answer.SAT}


def visit_networks(subst: Subst, visit: Any, **options: Any) -> None:
    samplers = samplers_of(subst)

    @draws(25)
    @given(st.data())
    def every(data: st.DataObject) -> None:
        visit(data.draw(networks(Structures(samplers), **options)))

    every()


def test_an_unknown_constant_is_a_value_of_its_dtype() -> None:
    x, c = pat.Wildcard(), pat.Const(shape=())
    values = []

    def visit(network: Network) -> None:
        parts = reverse_post_order(network.outputs)
        constants = [part.value for part in parts if isinstance(part, Const)]
        values.extend(value.item() for value in constants if value.shape == ())

    visit_networks(Subst(x * c, c * x, where=[x.dtype == "uint8"]), visit)
    assert len(set(values)) > 2
    assert all(isinstance(value, int) and 0 <= value <= 255 for value in values)


def test_a_rule_that_undoes_itself_is_tried_once_beside_a_second_match() -> None:
    x, y = pat.Wildcard(), pat.Wildcard()
    swap = Subst(x + y, y + x)
    told = []

    def visit(network: Network) -> None:
        inputs = {v.name: np.zeros(v.shape, v.dtype) for v in network.variables}
        outcome = run_trial(swap, network, inputs)
        told.append((outcome.code, outcome.rejected))

    visit_networks(swap, visit, contexts=("twice",))
    assert set(told) == {(None, "")}


def test_targets_built_and_taken_out_leave_the_source_in_the_graph() -> None:
    x = pat.Wildcard()
    none = op.Tile(x, repeats=(0,))
    subst = Subst(none, op.Relu(none), where=[x.dtype == "float32"])
    for sampler in samplers_of(subst):
        before = list(sampler.instance.graph)
        assert list(targets(sampler.instance))
        assert list(sampler.instance.graph) == before
        assert len(before) == 2


def test_what_a_source_writes_is_what_calls_have() -> None:
    """The end of a slice lies within the size, so one that a rule writes has to."""
    x = pat.Wildcard(ndim=1)
    subst = Subst(op.StridedSlice(x, begin=(0,), end=(x.shape[0] + 1,), strides=(1,)), x)
    (variant,) = enumerate_variants(subst).variants
    instance = variant.instance(subst)
    solver = Solver([claim.term for claim in instance.claims], 1_000_000)

    assert solver.check().answer is Answer.UNSAT
