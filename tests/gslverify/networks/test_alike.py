"""Inputs that are alike, chosen by others that were drawn."""

from __future__ import annotations

import numpy as np

from gsl.expr import Call, Var
from gsl.operators import lookup
from gslverify.networks.alike import alike
from gslverify.networks.network import Network

X, Y = Var("x", (4,)), Var("y", (4,))
FLAG, ROOT = Var("flag", (4,), "bool"), Var("root", (4,))


def network() -> Network:
    chosen = Call(lookup("Where"), [FLAG, X, Call(lookup("Log"), [ROOT])])
    outputs = (Call(lookup("Subtract"), [chosen, Y]),)
    return Network(outputs, outputs, "alone")


def test_all_ways_are_taken_within_the_ranges() -> None:
    generator = np.random.default_rng(0)
    seen = set()
    for _ in range(40):
        drawn = {v.name: generator.uniform(0, 2, 4).astype(v.dtype) for v in (FLAG, X, ROOT, Y)}
        (inputs,) = alike(network(), drawn)
        assert {name: array.dtype for name, array in inputs.items()} == {
            name: array.dtype for name, array in drawn.items()
        }
        assert (inputs["root"] > 0).all()
        are_single = all(len(set(array.tolist())) == 1 for array in inputs.values())
        are_same = (inputs["x"] == inputs["y"]).all()
        seen.add((are_single, are_same, bool(inputs["x"].any())))
    assert {(True, True, False), (True, False, True), (False, True, True)} <= seen


def test_single_elements_are_alike_anyway() -> None:
    x = Var("x", ())
    outputs = (Call(lookup("Relu"), [x]),)
    assert alike(Network(outputs, outputs, "alone"), {"x": np.float32(1)}) == []
