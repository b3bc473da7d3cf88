"""What is sent to a worker."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from relax_graphs import call

from gsl.expr import Call, Var
from gsl.tvm.jobs import Job, make_batch

pytestmark = pytest.mark.tvm


def test_jobs_with_the_same_outputs_share_a_graph():
    x = Var("x", (2,))
    outputs = [call("Exp", x)]
    draws = [{"x": np.zeros(2, np.float32)}, {"x": np.ones(2, np.float32)}]
    other = Job("other", [outputs[0], x], draws[0])
    batch = make_batch([Job("a", outputs, draws[0]), Job("b", outputs, draws[1]), other])
    assert [(name, graph) for name, graph, _ in batch.jobs] == [("a", 0), ("b", 0), ("other", 1)]
    assert len(batch.records) == 2
    assert batch.graphs == [((1,), ()), ((1, 0), ())]


def test_depth_of_a_job_that_is_pickled_is_no_limit():
    chain: Call | Var = Var("x")
    for _ in range(20_000):
        chain = call("Exp", chain)
    batch = pickle.loads(pickle.dumps(make_batch([Job("deep", [chain], {})])))
    assert len(batch.records) == 20_001


def test_gradients_of_the_same_output_are_another_graph():
    x = Var("x", (2,))
    outputs = [call("Sum", call("Exp", x))]
    given = {"x": np.zeros(2, np.float32)}
    batch = make_batch([Job("value", outputs, given), Job("slope", outputs, given, ("x",))])
    assert batch.graphs == [((2,), ()), ((2,), ("x",))]
    assert [graph for _, graph, _ in batch.jobs] == [0, 1]
