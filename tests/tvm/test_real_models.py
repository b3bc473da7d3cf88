"""Real models, rewritten by rules of the corpus until nothing matches, compute what they did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from real_models import lstm_step, torch_block, transformer_encoder

from gsl import Workload, apply
from gsl.engine.fixpoint import matches
from gsl.engine.record import Record
from gsl.expr import Call, Expr
from gsl.graph import reverse_post_order
from gsl.operators.declaration import OpaqueOperator
from gsl.random_inputs import random_inputs
from gsl.rule_files.collect import load_rules
from gsl.tvm.benchmark import compare
from tests.onnx.graphs import inception, mobilenet, resnet, unet

pytestmark = [
    pytest.mark.tvm,
    pytest.mark.filterwarnings("ignore:Field 'shape':UserWarning", "ignore::FutureWarning"),
]

# The whole corpus has laws in both directions, which undo each other (GSL701); these topics do not.
TOPICS = [
    "algebra",
    "bias",
    "concat_split",
    "convolution",
    "elementwise",
    "indexing",
    "matmul",
    "movement",
    "normalisation",
    "padding",
    "parallel",
    "predicates",
    "reductions",
    "transpose",
    "values",
]
SOUND = Path(__file__).parents[2] / "rule_corpus" / "sound"
RULES = [rule for topic in TOPICS for rule in load_rules(str(SOUND / f"{topic}.py"))]

TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}


def from_onnx(make: Callable[[], Any]) -> tuple[Workload, Callable[..., Any]]:
    """Return the workload, and a function of the inputs that ONNX itself evaluates."""
    model = make()
    reference = pytest.importorskip("onnx.reference").ReferenceEvaluator(model)
    return Workload.from_onnx(model), lambda **inputs: reference.run(None, inputs)


def from_torch(make: Callable[[], Any]) -> tuple[Workload, Callable[..., Any]]:
    """Return the workload, and a function of the inputs that PyTorch itself evaluates."""
    program = make()
    torch = pytest.importorskip("torch")

    def reference(**inputs: Any) -> list[Any]:
        given = list(map(torch.from_numpy, inputs.values()))
        # A cell takes its two states as one argument.
        results = program.module()(*(given if len(given) == 1 else (given[0], tuple(given[1:]))))
        listed = results if isinstance(results, tuple) else (results,)
        return [result.detach().numpy() for result in listed]

    return Workload.from_torch(program), reference


@dataclass
class Rewritten:
    """A model before and after, and how often each rule was applied."""

    before: Workload
    after: Workload
    reference: Callable[..., Any]
    counts: dict[str, int] = field(default_factory=dict)


@cache
def rewritten(name: str) -> Rewritten:
    read, make = MODELS[name]
    before, reference = read(make)
    names = {rule(): rule.name for rule in RULES}
    record = Record()
    after = apply(before, list(names), record=record)
    counts = {names[rule]: count for rule, count in record.counts.items()}
    return Rewritten(before, after, reference, counts)


MODELS: dict[str, tuple[Any, Callable[[], Any]]] = {
    "resnet": (from_onnx, resnet),
    "inception": (from_onnx, inception),
    "mobilenet": (from_onnx, mobilenet),
    "unet": (from_onnx, unet),
    "torch_block": (from_torch, torch_block),
    "transformer_encoder": (from_torch, transformer_encoder),
    "lstm_step": (from_torch, lstm_step),
}

EXPECTED = {
    "resnet": {"lower_batch_norm": 10},
    "inception": {"parallel_two_conv": 2, "unary_of_pieces": 2},
    "mobilenet": {"lower_batch_norm": 5},
    "unet": {"lower_batch_norm": 5},
    "torch_block": {"lower_batch_norm": 3},
    "transformer_encoder": {"lower_layer_norm": 4, "matmul_as_dense": 6},
    "lstm_step": {"matmul_as_dense": 2, "add_association": 1},
}

every_model = pytest.mark.parametrize("name", MODELS)


@every_model
def test_a_model_is_read_as_it_is(name: str):
    model = rewritten(name)
    inputs = random_inputs(model.before)
    order = reverse_post_order(model.before.outputs)
    used = {expr.operator for expr in order if isinstance(expr, Call)}
    unknown = {one.name.rstrip("0123456789") for one in used if isinstance(one, OpaqueOperator)}
    assert unknown == set()
    for computed, expected in zip(model.before.run(inputs), model.reference(**inputs), strict=True):
        np.testing.assert_allclose(computed, expected, **TOLERANCE)


@every_model
def test_a_rewritten_model_computes_what_the_framework_computes(name: str):
    model = rewritten(name)
    inputs = random_inputs(model.before, seed=1)
    for computed, expected in zip(model.after.run(inputs), model.reference(**inputs), strict=True):
        assert np.std(expected) > 1e-3
        np.testing.assert_allclose(computed, expected, **TOLERANCE)


@every_model
def test_a_folded_and_saved_model_computes_what_the_framework_computes(name: str, tmp_path: Path):
    model = rewritten(name)
    folded = model.after.fold()
    folded.save(tmp_path / "model.gsl")
    inputs = random_inputs(model.before, seed=2)
    results = Workload.load(tmp_path / "model.gsl").run(inputs)
    for computed, expected in zip(results, model.reference(**inputs), strict=True):
        np.testing.assert_allclose(computed, expected, **TOLERANCE)


@pytest.mark.parametrize("name", ["resnet", "torch_block"])
def test_scales_of_batch_norm_are_folded_into_weights(name: str):
    """Each convolution is followed by its bias, and by nothing else that was a batch norm."""
    model = rewritten(name)
    files = ("normalisation.py", "convolution.py::conv_mul")
    rules = [rule() for file in files for rule in load_rules(str(SOUND / file))]
    folded = apply(model.before, rules).fold()
    calls = [e for e in reverse_post_order(folded.outputs) if isinstance(e, Call)]
    left = {call.operator.name for call in calls}
    assert not {"BatchNorm", "Multiply", "Subtract", "Sqrt"} & left
    biased = [call for call in calls if call.operator.name == "BiasAdd"]
    assert any(call.operands[0].operator.name == "Conv2D" for call in biased)
    inputs = random_inputs(model.before, seed=3)
    for computed, expected in zip(folded.run(inputs), model.reference(**inputs), strict=True):
        np.testing.assert_allclose(computed, expected, **TOLERANCE)


@every_model
def test_the_expected_rules_apply(name: str):
    counts = rewritten(name).counts
    assert {rule: counts.get(rule) for rule in EXPECTED[name]} == EXPECTED[name]


@every_model
def test_nothing_matches_in_the_end(name: str):
    after = rewritten(name).after
    assert [rule.name for rule in RULES if any(matches(rule(), after))] == []


@every_model
def test_inputs_and_parameters_keep_their_names_and_order(name: str):
    model = rewritten(name)
    assert model.after.inputs == model.before.inputs
    kept = [name for name in model.before.parameters if name in model.after.parameters]
    assert list(model.after.parameters) == kept


@every_model
def test_a_rewritten_model_survives_relax(name: str):
    after = rewritten(name).after
    again = Workload.from_relax(after.to_relax("functions"), after.parameters)
    assert shape_of(again.outputs) == shape_of(after.outputs)


def shape_of(outputs: Any) -> list[str]:
    """Return the kinds and types of all expressions in order."""
    return [f"{kind(expr)} {expr.type}" for expr in reverse_post_order(outputs)]


def kind(expr: Expr) -> str:
    return str(getattr(expr, "operator", type(expr).__name__))


def test_comparing_finds_agreement_and_times():
    model = rewritten("inception")
    found = compare(model.before, model.after)
    assert found.difference < 1e-5
    assert min(found.before, found.after) > 0


def test_comparing_finds_a_difference():
    model = rewritten("inception")
    doubled = {name: 2 * value for name, value in model.before.parameters.items()}
    other = Workload(model.before.outputs, doubled, model.before.variables)
    assert compare(model.before, other).difference > 0.1
