"""Generated graphs: wrong rules are refuted, sound ones never, and what is missing is said."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from gsl import Subst, attr, op, pat
from gsl.tvm.errors import BackendError
from gslverify.codes.backend import BACKEND_MISSING
from gslverify.codes.levels import TARGET_LESS_PRECISE
from gslverify.codes.numeric import (
    BACKEND_CRASHED,
    BACKEND_INCOMPLETE,
    BACKENDS_DISAGREE,
    HARD_TO_DRAW,
    MATCH_REFUSED,
    OUTPUTS_DIFFER,
    TOO_FEW_EXAMPLES,
)
from gslverify.finding import Level, StageResult, Verdict
from gslverify.shrinking.roundness import SIMPLE_VALUES
from gslverify.stages.numeric import NUMERIC
from gslverify.trials import backend
from gslverify.trials.backend import Opinion
from tests.gslverify.rules import SOUND
from tests.gslverify.stages.asking import ask, only

pytestmark = pytest.mark.smt

FEW: dict[str, Any] = {"max_examples": 24, "min_examples": 10, "max_variants": 24}


# Sound rules, among them some that only rounding makes differ.


def sums_in_another_order() -> Subst:
    x, y, z = (pat.Wildcard() for _ in range(3))
    return Subst((x + y) + z, x + (y + z))


def products_in_another_order() -> Subst:
    x, y, z = (pat.Variable(shape=(None, None)) for _ in range(3))
    inner = op.Matmul(x, y)
    outer = op.Matmul(inner, z)
    where = [inner.out_dtype == x.dtype, outer.out_dtype == x.dtype]
    return Subst(outer, op.Matmul(x, op.Matmul(y, z)), where=where)


def softmax_written_out() -> Subst:
    x = pat.Wildcard()
    softmax = op.Softmax(x)
    powers = op.Exp(x - op.Max(x, axis=softmax.axis, keepdims=True))
    return Subst(softmax, powers / op.Sum(powers, axis=softmax.axis, keepdims=True))


def sigmoid_by_tanh() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Sigmoid(x), (op.Tanh(x * 0.5) + 1.0) * 0.5)


def mean_of_squares() -> Subst:
    x = pat.Wildcard()
    spread = op.Variance(x, keepdims=True)
    mean = op.Mean(x, axis=spread.axis, keepdims=True)
    squares = op.Mean(op.Square(x), axis=spread.axis, keepdims=True)
    return Subst(spread, squares - op.Square(mean))


def quotient_of_quotients() -> Subst:
    x, y, z = (pat.Wildcard() for _ in range(3))
    return Subst((x / y) / z, x / (y * z))


ROUNDED = [
    sums_in_another_order,
    products_in_another_order,
    softmax_written_out,
    sigmoid_by_tanh,
    mean_of_squares,
    quotient_of_quotients,
]


@pytest.mark.parametrize("write", [*SOUND.values(), *ROUNDED], ids=lambda write: write.__name__)
def test_sound_rules_are_never_refuted(write: Any) -> None:
    result = ask(NUMERIC, write, **FEW)
    assert result.verdict is Verdict.PASS
    assert {finding.code for finding in result.findings} <= {TARGET_LESS_PRECISE}
    assert result.counts["examples"] >= FEW["min_examples"]
    levels = [one for one in result.assurances if one.level <= Level.EXACT]
    beside = ("needs ", "bit-exact", "where ")
    compared = [one for one in levels if not one.text.startswith(beside)]
    assert compared
    assert all("numpy only" in assurance.text for assurance in compared)


# Wrong rules, of which all shapes and dtypes are right.


def swapped_difference() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x - y, y - x)


def relu_of_negative() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Relu(-x), -op.Relu(x))


def swapped_pieces() -> Subst:
    x = pat.Wildcard()
    pieces = op.Split(x, indices_or_sections=2)
    return Subst(op.Concatenate((pieces[1], pieces[0]), axis=pieces.axis), x)


def nearly_one() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Exp(x), op.Exp(x) * (1.0 + 2.0**-40), where=[x.dtype == "float64"])


def gelu_by_sigmoid() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Gelu(x), x * op.Sigmoid(x * 1.702))


def round_half_up() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Round(x), op.Floor(x + 0.5))


def root_of_square() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Sqrt(op.Square(x)), x)


def divided_by_itself() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x + (y - y), x + (y - y) * (y / y), where=[x.shape == y.shape])


def wrapped_around() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Relu(op.Abs(x)), op.Abs(x))


def ties_of_argmax() -> Subst:
    x = pat.Wildcard()
    place = op.Argmax(op.Flip(x, axis=0), axis=0, keepdims=True)
    last = op.Argmax(x, axis=0, keepdims=True)
    return Subst(place, last, where=[x.shape[0] == 2])


def strict_comparison() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.Greater(x, y), op.LogicalNot(op.Less(x, y)))


def wrong_for_one_piece() -> Subst:
    x = pat.Wildcard()
    pieces = op.Split(x, indices_or_sections=3)
    return Subst(op.Relu(pieces[1]), op.Relu(pieces[0]))


WRONG = [
    swapped_difference,
    relu_of_negative,
    swapped_pieces,
    nearly_one,
    gelu_by_sigmoid,
    round_half_up,
    root_of_square,
    divided_by_itself,
    wrapped_around,
    ties_of_argmax,
    strict_comparison,
    wrong_for_one_piece,
]


@pytest.mark.parametrize("write", WRONG, ids=lambda write: write.__name__)
def test_wrong_rules_are_refuted(write: Any) -> None:
    result = ask(NUMERIC, write, **FEW)
    assert result.verdict is Verdict.FAIL
    finding = only(result)
    assert finding.code is OUTPUTS_DIFFER
    assert not result.assurances
    example = finding.counterexample
    assert example is not None
    assert example.inputs
    assert example.outputs[0].mismatched >= 1
    assert sum(np.size(tensor.values) for tensor in example.inputs) <= 16


def test_counterexamples_have_simple_values() -> None:
    example = only(ask(NUMERIC, swapped_difference, **FEW)).counterexample
    assert example is not None
    values = [v for tensor in example.inputs for v in np.ravel(tensor.values).tolist()]
    assert set(values) <= set(SIMPLE_VALUES)


def test_a_target_that_is_not_a_number_is_found() -> None:
    example = only(ask(NUMERIC, divided_by_itself, **FEW)).counterexample
    assert example is not None
    assert example.outputs[0].max_abs == np.inf


def test_a_match_whose_target_cannot_be_built_is_refuted() -> None:
    def refused() -> Subst:
        x = pat.Wildcard()
        first = op.Relu(x)
        return Subst(first, op.Flip(first, axis=1), where=[x.ndim == 1])

    finding = only(ask(NUMERIC, refused, **FEW))
    assert finding.code is MATCH_REFUSED
    assert finding.counterexample is not None
    assert "cannot be built" in finding.counterexample.target[0]


def essence(result: StageResult) -> Any:
    return result.findings, result.assurances, dict(result.counts)


@pytest.mark.parametrize("write", [swapped_difference, SOUND["common_factor"]])
def test_results_depend_on_the_seed_only(write: Any) -> None:
    assert essence(ask(NUMERIC, write, **FEW)) == essence(ask(NUMERIC, write, **FEW))


def test_another_seed_draws_other_graphs() -> None:
    drawn = [ask(NUMERIC, SOUND["common_factor"], **FEW, seed=seed) for seed in (0, 1)]
    assert drawn[0].verdict == drawn[1].verdict
    assert drawn[0].coverage != drawn[1].coverage


# What is missing.


def test_a_rule_that_matches_nothing_has_nothing_to_run() -> None:
    def vacuous() -> Subst:
        x = pat.Wildcard()
        return Subst(op.Relu(x), x, where=[x.ndim == 65])

    assert essence(ask(NUMERIC, vacuous, **FEW)) == ((), (), {})


def too_large() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[x.ndim == 1, x.shape[0] > 5000])


def hardly_defined() -> Subst:
    x, y = pat.Variable(shape=(None,)), pat.Variable(shape=(None,))
    source, target = op.Sqrt(x - x - 1.0 + y * 0.0), op.Sqrt(y * 0.0 - 1.0)
    return Subst(source, target, where=[x.shape == y.shape])


def without_elements() -> Subst:
    x = pat.Wildcard()
    none = op.Tile(x, repeats=(0,))
    return Subst(none, op.Relu(none), where=[attr.In(x.dtype, ("int8", "float32"))])


@pytest.mark.parametrize(
    ("write", "reason"),
    [
        (hardly_defined, "bounded value"),
        (without_elements, "no elements"),
    ],
)
def test_too_few_graphs_are_inconclusive(write: Any, reason: str) -> None:
    result = ask(NUMERIC, write, **FEW)
    assert result.verdict is Verdict.INCONCLUSIVE
    (finding,) = [one for one in result.findings if one.code is TOO_FEW_EXAMPLES]
    assert reason in " ".join(finding.details)
    assert not result.assurances


def test_the_condition_that_hardly_any_draw_meets_is_named() -> None:
    finding = only(ask(NUMERIC, too_large, **FEW))
    assert finding.code is HARD_TO_DRAW
    number, draws = re.findall(r"(\d+) of (\d+) draws did not meet", finding.message)[0]
    assert int(number) > int(draws) / 2
    assert "x.shape[" in finding.message.partition("did not meet")[2]
    assert "no sizes and attributes were found" in " ".join(finding.details)


# The second opinion.


def opinions(monkeypatch: pytest.MonkeyPatch, *said: Opinion) -> StageResult:
    """Return the result for a sound rule on which the backend says these things in turn."""

    def speak(asked: Any) -> list[Opinion]:
        return [said[number % len(said)] for number in range(len(asked))]

    monkeypatch.setattr(backend, "opinions", speak)
    return ask(NUMERIC, SOUND["times_one"], **FEW, use_tvm=True)


def test_a_backend_that_agrees_is_part_of_the_assurance(monkeypatch: pytest.MonkeyPatch) -> None:
    result = opinions(monkeypatch, Opinion(True))
    assert result.verdict is Verdict.PASS
    assert not any("numpy only" in assurance.text for assurance in result.assurances)


def test_a_backend_that_differs_now_and_then_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    said = [Opinion(True)] * 23 + [Opinion(False, difference="1 of 2 elements differ")]
    result = opinions(monkeypatch, *said)
    assert {finding.code for finding in result.findings} == {BACKENDS_DISAGREE}
    assert result.verdict is Verdict.PASS
    assert result.assurances
    assert "elements differ" in result.findings[0].message


def test_a_backend_that_fails_is_inconclusive(monkeypatch: pytest.MonkeyPatch) -> None:
    result = opinions(monkeypatch, Opinion(False, failure="crash: SIGFPE"))
    assert result.verdict is Verdict.INCONCLUSIVE
    assert only(result).code is BACKEND_CRASHED
    assert only(result).details == ("crash: SIGFPE",)


def test_a_backend_that_fails_now_and_then_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = Opinion(False, failure="error: not implemented")
    result = opinions(monkeypatch, *[Opinion(True)] * 22, failed, failed)
    assert (result.verdict, only(result).code) == (Verdict.PASS, BACKEND_INCOMPLETE)
    assert only(result).details == ("error: not implemented",)
    assert result.assurances


def test_a_target_that_kills_the_backend_is_inconclusive(monkeypatch: pytest.MonkeyPatch) -> None:
    dead = Opinion(False, failure="crash: SIGFPE")
    result = opinions(monkeypatch, *[Opinion(True)] * 23, dead)
    assert (result.verdict, only(result).code) == (Verdict.INCONCLUSIVE, BACKEND_CRASHED)
    assert "dies of its target" in only(result).message
    assert not result.assurances
    both = opinions(monkeypatch, *[Opinion(True)] * 22, dead, dead)
    assert only(both).code is BACKEND_INCOMPLETE


def test_what_a_backend_dies_of_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    dead = Opinion(False, failure="crash: SIGSEGV")
    example = only(opinions(monkeypatch, *[Opinion(True)] * 23, dead)).counterexample
    assert example is not None
    assert example.case is not None
    assert any("Multiply" in line for line in example.source)


def test_without_a_backend_a_rule_is_inconclusive(monkeypatch: pytest.MonkeyPatch) -> None:
    class Missing:
        def anticipate(self, graphs: Any) -> None:
            """Compile nothing."""

        def run(self, *args: Any, **options: Any) -> Any:
            raise BackendError("Traceback\nModuleNotFoundError: No module named 'tvm'")

    monkeypatch.setattr(backend, "_worker", Missing)
    result = ask(NUMERIC, SOUND["times_one"], **FEW, use_tvm=True)
    finding = only(result)
    assert (result.verdict, finding.code) == (Verdict.INCONCLUSIVE, BACKEND_MISSING)
    assert finding.message == "TVM does not start: ModuleNotFoundError: No module named 'tvm'"
    assert "--no-tvm" in finding.cure
    assert not result.assurances


def test_without_a_backend_a_wrong_rule_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    class Missing:
        def anticipate(self, graphs: Any) -> None:
            """Compile nothing."""

        def run(self, *args: Any, **options: Any) -> Any:
            raise BackendError("no TVM here")

    def wrong() -> Subst:
        x = pat.Wildcard()
        return Subst(op.Relu(x), op.Abs(x))

    monkeypatch.setattr(backend, "_worker", Missing)
    assert only(ask(NUMERIC, wrong, **FEW, use_tvm=True)).code is OUTPUTS_DIFFER


@pytest.mark.tvm
@pytest.mark.parametrize("name", ["twice_transposed", "parallel_dense", "diamond_convolution"])
def test_tvm_confirms_sound_rules(name: str) -> None:
    result = ask(NUMERIC, SOUND[name], **FEW, use_tvm=True)
    assert (result.verdict, result.findings) == (Verdict.PASS, ())
    assert all("numpy only" not in assurance.text for assurance in result.assurances)


@pytest.mark.tvm
def test_tvm_is_asked_about_a_counterexample() -> None:
    example = only(ask(NUMERIC, swapped_difference, **FEW, use_tvm=True)).counterexample
    assert example is not None
    assert "TVM computes different outputs, too" in example.notes


def test_sizes_that_no_array_has_are_rejected() -> None:
    def enormous() -> Subst:
        x = pat.Wildcard()
        return Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[x.shape[0] == 10**19])

    assert only(ask(NUMERIC, enormous)).code is TOO_FEW_EXAMPLES


def test_a_structure_whose_graphs_are_too_large_does_not_keep_others_from_being_drawn() -> None:
    """Two paddings of four axes rarely come to less than 20,000 elements."""

    def padded_twice() -> Subst:
        x = pat.Wildcard()
        inner = op.Pad(x, pad_value=0.0)
        outer = op.Pad(inner, pad_value=0.0)
        one, other = inner.pad_width, outer.pad_width
        widths = attr.Variadic(lambda i: one[i] + other[i], length=attr.Length(other))
        return Subst(outer, op.Pad(x, pad_width=widths, pad_value=0.0))

    result = ask(NUMERIC, padded_twice, max_examples=100, min_examples=60)

    assert result.verdict is Verdict.PASS
    assert result.counts["contexts"] >= 8
