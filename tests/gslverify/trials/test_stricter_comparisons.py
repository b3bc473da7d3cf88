"""Stricter comparisons: each catches what no other does, and is silent about sound rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl import Subst, op, pat, rule
from gsl.expr import Call, Var
from gsl.operators import lookup
from gslverify.codes.levels import (
    EMPTY_DIFFERS,
    EMPTY_REFUSED,
    SPECIAL_VALUES_CHANGE,
    TARGET_LESS_PRECISE,
)
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.finding import Level, StageResult, Verdict
from gslverify.networks.empty import CONTEXT, empty_networks, plain_inputs
from gslverify.networks.network import Network
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.numeric import NUMERIC
from gslverify.trials import stricter_comparisons
from gslverify.trials.replay import replay
from gslverify.trials.stricter_comparisons import StricterComparisons, compare_strictly
from gslverify.trials.trial import run_trial
from tests.gslverify.rules import SOUND, samplers_of
from tests.gslverify.stages.asking import ask, question

FEW: dict[str, Any] = {"max_examples": 16, "min_examples": 6, "max_variants": 12}


def levels(result: StageResult) -> set[Level]:
    return {assurance.level for assurance in result.assurances}


# Identity.

IDENTITIES = ["twice_transposed", "common_factor", "diamond_convolution", "scaled_by_constant"]


@pytest.mark.smt
@pytest.mark.parametrize("name", IDENTITIES)
def test_identities_are_assured(name: str) -> None:
    result = ask(NUMERIC, SOUND[name], **FEW)
    said = [a.text for a in result.assurances if a.level is Level.IDENTITY]
    assert any(text.startswith("identity, error < 1e-30, ") for text in said)
    assert result.counts["identical"] > 0


@pytest.mark.smt
def test_what_only_holds_for_ordered_numbers_is_no_identity() -> None:
    def positive_part() -> Subst:
        x = pat.Wildcard()
        return Subst(op.Relu(op.Abs(x)), op.Abs(x), where=[x.dtype == "float32"])

    result = ask(NUMERIC, positive_part, **FEW)
    assert result.verdict is Verdict.PASS
    assert not any(a.text.startswith("identity") for a in result.assurances)
    assert result.counts["identical"] == 0


def passed(write: Any, *shapes: tuple[int, ...], context: str = "alone") -> tuple[Question, Any]:
    """Return the question about x * y and trials that are taken to have passed."""
    asked = question(write)
    result = []
    for shape in shapes:
        x, y = Var("x", shape), Var("y", shape)
        output = Call(lookup("Multiply"), [x, y])
        network = Network((output,), (output,), context)
        zeros = {name: np.zeros(shape, np.float32) for name in "xy"}
        result.append([run_trial(asked.subst, network, zeros)])
    return asked, result


def product() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x * y, y * x)


def sum_for_product() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x * y, x + y)


@pytest.mark.smt
def test_residues_that_differ_are_confirmed_on_integers() -> None:
    """Trials on zeros show nothing; residues do, and integers confirm what they say."""
    found = compare_strictly(*passed(sum_for_product, (2,), (1, 2)))
    (finding,) = found.findings
    assert finding.code is OUTPUTS_DIFFER
    assert finding.counterexample is not None
    assert not found.assurances
    assert not compare_strictly(*passed(product, (2,), (1, 2))).findings


def test_residues_alone_refute_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stricter_comparisons, "_refuted_by_integers", lambda asked, trial: None)
    monkeypatch.setattr(stricter_comparisons, "NETWORKS_WITH_OFFSETS", 0)
    found = compare_strictly(*passed(sum_for_product, (2,)))
    assert not [finding for finding in found.findings if finding.code is OUTPUTS_DIFFER]
    assert not [one for one in found.assurances if one.level is Level.IDENTITY]


@pytest.mark.smt
@pytest.mark.parametrize("context", ["one tensor for two", "inputs constant"])
def test_inputs_that_are_not_unknown_certify_nothing(context: str) -> None:
    def is_identity(found: StricterComparisons) -> bool:
        return any(one.level is Level.IDENTITY for one in found.assurances)

    assert is_identity(compare_strictly(*passed(product, (2,))))
    assert not is_identity(compare_strictly(*passed(product, (2,), context=context)))


# Precision.


def squares_of_difference() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    where = [x.dtype == "float32", x.shape == y.shape]
    return Subst((x - y) * (x + y), x * x - y * y, where=where)


@pytest.mark.smt
def test_lost_digits_are_a_warning_with_numbers() -> None:
    result = ask(NUMERIC, squares_of_difference, **FEW)
    assert result.verdict is Verdict.PASS
    (finding,) = result.findings
    assert finding.code is TARGET_LESS_PRECISE
    assert "float32: source off by" in finding.message
    assert Level.IDENTITY in levels(result)


@pytest.mark.smt
@pytest.mark.parametrize("name", ["common_factor", "root_of_transposed"])
def test_sound_rules_keep_their_digits(name: str) -> None:
    result = ask(NUMERIC, SOUND[name], **FEW)
    assert result.findings == ()
    assert result.counts["measured"] > 0


# Special values.


def promised(write: Any, **said: Any) -> StageResult:
    settings = Settings(use_tvm=False, **FEW)
    declared = rule(**(said or {"nan": "same"}))(write)
    return NUMERIC.run(Question("tests::promised", declared, settings))


def plus_zero() -> Subst:
    x = pat.Wildcard()
    return Subst(x + 0, x, where=[x.dtype == "float32"])


def difference() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x + (-y), x - y, where=[x.dtype == "float32"])


@pytest.mark.smt
def test_a_broken_promise_is_refuted_and_can_be_replayed() -> None:
    result = promised(plus_zero)
    assert result.verdict is Verdict.FAIL
    (finding,) = result.findings
    assert finding.code is SPECIAL_VALUES_CHANGE
    assert "signed zero changes" in finding.message
    example = finding.counterexample
    assert example is not None
    assert example.case is not None
    again = replay(plus_zero(), example.case, finding.code.id)
    assert again.code is SPECIAL_VALUES_CHANGE
    assert replay(difference_of_one(), example.case, finding.code.id).code is None


def minus_zero() -> Subst:
    """Right for 0.0, and wrong for -0.0, which the source matches as well."""
    x = pat.Wildcard()
    return Subst(x - 0, x, where=[x.dtype == "float32"])


@pytest.mark.smt
@pytest.mark.parametrize(("write", "said"), [(plus_zero, "same operator"), (minus_zero, "-0.0")])
def test_a_broken_promise_comes_with_what_to_write(write: Any, said: str) -> None:
    (finding,) = promised(write).findings
    assert 'nan="may-change"' in finding.cure
    assert said in finding.cure
    assert finding.counterexample is not None
    assert finding.counterexample.notes == ()


@pytest.mark.smt
def test_overflow_breaks_the_promise_too() -> None:
    def write() -> Subst:
        x = pat.Wildcard()
        return Subst(op.Sqrt(x * x), op.Abs(x), where=[x.dtype == "float16"])

    (finding,) = promised(write).findings
    assert finding.code is SPECIAL_VALUES_CHANGE
    assert "infinity changes" in finding.message
    assert finding.counterexample is not None
    assert finding.counterexample.case is not None
    again = replay(write(), finding.counterexample.case, finding.code.id)
    assert again.code is SPECIAL_VALUES_CHANGE


def factors_in_turn() -> Subst:
    x, y, z = (pat.Wildcard() for _ in range(3))
    return Subst((x * y) * z, x * (y * z), where=[x.dtype == "float32"])


def inverse_of_root() -> Subst:
    x = pat.Wildcard()
    return Subst(1.0 / op.Sqrt(x * x), 1.0 / op.Abs(x), where=[x.dtype == "float32"])


def larger_of_doubles() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.Greater(x * 2, y * 2), op.Greater(x, y), where=[x.dtype == "float32"])


def place_of_largest_double() -> Subst:
    x = pat.Wildcard()
    place = op.Argmax(x * 2)
    target = op.Argmax(x, **pat.same_attr(place))
    return Subst(place, target, where=[x.dtype == "float32"])


@pytest.mark.smt
@pytest.mark.parametrize(
    "write", [factors_in_turn, inverse_of_root, larger_of_doubles, place_of_largest_double]
)
def test_underflow_and_what_overflow_decides_break_it_as_well(write: Any) -> None:
    (finding,) = promised(write).findings
    assert finding.code is SPECIAL_VALUES_CHANGE
    example = finding.counterexample
    assert example is not None
    assert example.case is not None
    assert replay(write(), example.case, finding.code.id).code is SPECIAL_VALUES_CHANGE


def sum_of_products() -> Subst:
    x, w = pat.Wildcard(), pat.Wildcard()
    product = op.Matmul(x, w, out_dtype=x.dtype)
    row = op.Transpose(w, axes=(1, 0))
    target = op.Sum(x * row, axis=(1,), keepdims=True)
    floats = [x.dtype == "float32", x.dtype == w.dtype]
    return Subst(product, target, where=[x.ndim == 2, w.ndim == 2, w.shape[1] == 1, *floats])


def rows_together() -> Subst:
    x, y, w = pat.Wildcard(), pat.Wildcard(), pat.Variable()
    one, two = (op.Matmul(rows, w, out_dtype="float32") for rows in (x, y))
    both = op.Matmul(op.Concatenate((x, y), axis=0), w, out_dtype="float32")
    parts = op.Split(both, indices_or_sections=(x.shape[0],), axis=0)
    ranks = [x.ndim == 2, y.ndim == 2, w.ndim == 2, x.dtype == y.dtype]
    return Subst([one, two], [parts[0], parts[1]], where=ranks)


@pytest.mark.smt
@pytest.mark.parametrize("write", [sum_of_products, rows_together])
def test_the_order_of_a_sum_breaks_no_promise(write: Any) -> None:
    """Whether max + max - max overflows depends on it, and no operator states it."""
    settings = Settings(use_tvm=False)
    result = NUMERIC.run(Question("tests::promised", rule(nan="same")(write), settings))
    assert result.findings == ()


def difference_of_one() -> Subst:
    x = pat.Wildcard()
    zero = pat.Const(shape=())
    return Subst(x + zero, zero + x)


@pytest.mark.smt
def test_a_kept_promise_is_assured() -> None:
    result = promised(difference)
    assert result.verdict is Verdict.PASS
    said = [a.text.partition(",")[0] for a in result.assurances if "ex" in a.text]
    assert "bit-exact" in said


@pytest.mark.smt
def test_special_values_stay_where_only_digits_change() -> None:
    def write() -> Subst:
        x, y = pat.Wildcard(), pat.Wildcard()
        return Subst(x / y, x * (1 / y), where=[x.dtype == "float32"])

    said = [a.text.partition(",")[0] for a in promised(write, flags={"arcp"}).assurances]
    assert {"needs arcp", "special values same"} <= set(said)


@pytest.mark.smt
def test_without_a_promise_changes_are_counted() -> None:
    result = ask(NUMERIC, plus_zero, **FEW)
    assert result.verdict is Verdict.PASS
    assert result.counts["signed zero changed"] > 0
    assert "NaN changed" not in result.counts
    assert not [a for a in result.assurances if "special" in a.text]


# Empty tensors.


def mean_by_sum() -> Subst:
    x = pat.Wildcard()
    total = op.Sum(op.Abs(x), axis=(0,), keepdims=True)
    mean = op.Mean(op.Abs(x), axis=(0,), keepdims=True)
    return Subst(total, mean * op.Sum(op.OnesLike(x), axis=(0,), keepdims=True))


def counts_from_one() -> Subst:
    """Right for all sizes but 0, where the target is 1 instead of 0."""
    x = pat.Wildcard()
    ones = op.Sum(op.OnesLike(x), axis=(0,))
    where = [x.ndim == 1, x.dtype == "int32"]
    return Subst(ones, op.Maximum(ones, 1), where=where)


@pytest.mark.smt
def test_empty_tensors_alone_refute() -> None:
    result = ask(NUMERIC, counts_from_one, **FEW)
    (finding,) = [f for f in result.findings if not f.code.is_warning]
    assert finding.code is EMPTY_DIFFERS
    assert finding.counterexample is not None
    assert f"context: {CONTEXT}" in finding.counterexample.notes


@pytest.mark.smt
def test_a_target_that_empty_tensors_do_not_fit_refutes() -> None:
    def floats() -> Subst:
        subst = mean_by_sum()
        (x,) = [p for p in subst.source_patterns if isinstance(p, pat.Wildcard)]
        return Subst(subst.source[0], subst.target[0], where=[x.ndim == 1, x.dtype == "float32"])

    result = ask(NUMERIC, floats, **FEW)
    assert result.verdict is Verdict.FAIL
    assert {finding.code for finding in result.findings} == {EMPTY_REFUSED}
    assert ask(NUMERIC, floats, declining=True, **FEW).verdict is Verdict.PASS


@pytest.mark.smt
def test_empty_tensors_are_reshaped_to_empty_ones() -> None:
    def write() -> Subst:
        x = pat.Wildcard()
        flat = op.Reshape(op.Relu(x), shape=(None, None))
        inferred = op.Reshape(x, shape=(flat.shape[0], -1))
        return Subst(flat, op.Relu(inferred), where=[x.ndim == 2, x.dtype == "float32"])

    result = ask(NUMERIC, write, **FEW)
    assert EMPTY_REFUSED in {finding.code for finding in result.findings}


def sum_of_three() -> Subst:
    x, y, z = (pat.Wildcard() for _ in range(3))
    product = op.Prod((x + y + z) * 0, axis=(0,), keepdims=False)
    where = [x.dtype == "int32", *(operand.ndim == 1 for operand in (x, y, z))]
    return Subst(product, op.Zeros(shape=(), dtype="int32"), where=where)


def two_flat_ones() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    flat = [op.Reshape(operand, shape=(None,)) for operand in (x, y)]
    product = op.Prod(op.Concatenate(flat, axis=0) * 0, axis=(0,), keepdims=False)
    where = [x.ndim == 1, y.ndim == 1, x.dtype == "int32"]
    return Subst(product, op.Zeros(shape=(), dtype="int32"), where=where)


@pytest.mark.smt
@pytest.mark.parametrize("write", [sum_of_three, two_flat_ones])
def test_more_than_two_sizes_are_0_together(write: Any) -> None:
    """The product of no numbers is 1, and only all sizes at once leave none."""
    (finding,) = ask(NUMERIC, write, **FEW).findings
    assert finding.code is EMPTY_DIFFERS


@pytest.mark.smt
@pytest.mark.parametrize("name", ["twice_transposed", "common_factor", "pieces_in_order"])
def test_networks_with_empty_tensors_match(name: str) -> None:
    samplers = samplers_of(SOUND[name]())
    drawn = list(empty_networks(samplers))
    assert drawn
    for network in drawn:
        sizes = [size for variable in network.variables for size in variable.shape]
        assert 0 in sizes
        trial = run_trial(samplers[0].instance.subst, network, plain_inputs(network))
        assert trial.code is None


@pytest.mark.smt
def test_networks_with_empty_tensors_have_no_large_ones() -> None:
    def write() -> Subst:
        x = pat.Wildcard()
        padded = op.Pad(x, pad_width=(2**40, 0))
        return Subst(op.Relu(op.Relu(padded)), op.Relu(padded))

    assert not list(empty_networks(samplers_of(write())))
