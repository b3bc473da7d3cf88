"""Graphs and jobs as flat records."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest
from relax_graphs import WORKLOADS, call, same

from gsl.errors import GraphError
from gsl.expr import Call, Var
from gsl.records import decode, encode
from gsl.tvm.jobs import Job, make_batch
from gsl.workload import Workload

pytestmark = pytest.mark.tvm


@pytest.mark.parametrize("make", WORKLOADS)
def test_decoding_restores_the_structure(make: Callable[[], Workload]):
    outputs = make().outputs
    records, positions = pickle.loads(pickle.dumps(encode(outputs)))
    exprs = decode(records)
    assert same([exprs[position] for position in positions], outputs)


def test_depth_is_no_limit():
    chain: Call | Var = Var("x")
    for _ in range(20_000):
        chain = call("Exp", chain)
    records, (position,) = pickle.loads(pickle.dumps(encode([chain])))
    assert same([decode(records)[position]], [chain])


def test_what_is_not_an_expression_is_refused():
    class Other:
        operands = ()

    with pytest.raises(GraphError, match="not a computation expression"):
        encode([Other()])
    with pytest.raises(GraphError, match="not a record"):
        decode([("other", ())])


def test_jobs_with_the_same_outputs_share_a_graph():
    x = Var("x", (2,))
    outputs = [call("Exp", x)]
    draws = [{"x": np.zeros(2, np.float32)}, {"x": np.ones(2, np.float32)}]
    other = Job("other", [outputs[0], x], draws[0])
    batch = make_batch([Job("a", outputs, draws[0]), Job("b", outputs, draws[1]), other])
    assert [(name, graph) for name, graph, _ in batch.jobs] == [("a", 0), ("b", 0), ("other", 1)]
    assert len(batch.records) == 2
    assert batch.graphs == [(1,), (1, 0)]
