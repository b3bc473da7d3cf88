"""What TVM's gradients are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from gsl.expr import Call, Var
from gsl.operators import lookup
from gsl.tvm.jobs import Job
from gslverify.gradients.agreement import judge
from gslverify.gradients.opinions import opinions
from gslverify.networks.network import Network
from gslverify.trials import backend


@pytest.mark.parametrize(
    ("shape", "doubts"),
    [
        ((4, 3), "the gradient of TVM to x has the shape [4, 3], not [2, 3]"),
        ((2, 3), "the gradients to x differ by up to "),
    ],
)
def test_gradients_of_other_shapes_are_doubted(
    monkeypatch: pytest.MonkeyPatch, shape: tuple[int, ...], doubts: str
) -> None:
    def answers(jobs: Sequence[Job]) -> list[Any]:
        return [[np.full(shape, 100.0)] for _ in jobs]

    monkeypatch.setattr(backend, "results", answers)
    output = Call(lookup("Exp"), [Var("x", (2, 3), "float32")], {})
    agreement = judge(Network((output,), (output,), "alone"), (output,), np.random.default_rng(0))

    said = opinions([agreement])

    assert said.derived == 2
    assert [doubt.partition(": ")[0] for doubt in said.doubts] == ["source", "target"]
    assert all(doubts in doubt for doubt in said.doubts)
