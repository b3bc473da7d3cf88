"""For all sizes: the target is legal and of the same type; counterexamples are executed."""

from __future__ import annotations

from typing import Any

import pytest

from gsl import Subst, attr, op, pat
from gsl.errors import EvaluationError
from gslverify.codes.levels import EMPTY_DIFFERS
from gslverify.codes.shape import ILLEGAL_TARGET, OUTPUT_DTYPE, OUTPUT_SHAPE, UNDECIDED_SHAPE
from gslverify.finding import Level, Verdict
from gslverify.stages import shape
from gslverify.stages.shape import SHAPE
from gslverify.structures import decisions
from gslverify.structures.models.concrete import Rewritten
from tests.gslverify.rules import SOUND
from tests.gslverify.stages.asking import ask, line_of, only

pytestmark = pytest.mark.smt


@pytest.mark.parametrize("ranks", [lambda x: x.ndim >= 5, lambda x: attr.In(x.ndim, (5, 6))])
def test_structures_without_elements_may_have_any_ranks(ranks: Any) -> None:
    def turned() -> Subst:
        x = pat.Wildcard()
        before = op.Flip(x)
        after = op.Flip(op.Relu(x), **pat.same_attr(before))
        return Subst(op.Relu(before), after, where=[ranks(x)])

    assert ask(SHAPE, turned).verdict is Verdict.PASS


@pytest.mark.parametrize("name", SOUND)
def test_sound_rules_are_proved(name: str) -> None:
    result = ask(SHAPE, SOUND[name], max_variants=40)
    assert (result.verdict, result.findings) == (Verdict.PASS, ())
    (assurance,) = result.assurances
    assert assurance.level is Level.PROVED
    assert assurance.text.startswith("proved")
    assert result.counts["variants"] > 0


def test_the_assurance_says_how_far_it_goes() -> None:
    (assurance,) = ask(SHAPE, SOUND["common_factor"]).assurances
    assert str(assurance) == "shape proved, ranks 0-4"
    (assurance,) = ask(SHAPE, SOUND["parallel_dense"]).assurances
    assert "lengths 2-4" in assurance.text
    (assurance,) = ask(SHAPE, SOUND["common_factor"], max_variants=2).assurances
    assert "for 2 of 5 structures" in assurance.text


def test_a_rule_without_inputs_is_proved() -> None:
    def zeros() -> Subst:
        made = op.Zeros(shape=(2, 3), dtype="int8")
        return Subst(made, op.Full(shape=(2, 3), fill_value=0.0, dtype="int8"))

    (assurance,) = ask(SHAPE, zeros).assurances
    assert assurance.text == "proved, no inputs"


def untransposed() -> Subst:
    x = pat.Wildcard()
    moved = op.Transpose(x)
    return Subst(moved, x)


def unpadded() -> Subst:
    x, w = pat.Wildcard(), pat.Variable()
    first = op.Conv2D(x, w, data_layout="NCHW", kernel_layout="OIHW")
    plain = op.Conv2D(x, w, padding=0, strides=first.strides, groups=first.groups)
    return Subst(first, plain, where=[first.out_dtype == x.dtype, first.dilation[0] == 1])


def uncast() -> Subst:
    x = pat.Wildcard()
    cast = op.Cast(x)
    return Subst(cast, x)


def accumulator_forgotten() -> Subst:
    x, w = pat.Wildcard(), pat.Variable()
    product = op.Dense(x, w)
    return Subst(product, op.Dense(x, w))


def convolutions_of_any_kernel() -> Subst:
    x, w, v = pat.Wildcard(), pat.Variable(), pat.Variable()
    first = op.Conv2D(x, w, data_layout="NCHW", kernel_layout="OIHW")
    second = op.Conv2D(x, v, **pat.same_attr(first))
    both = op.Concatenate((w, v), axis=0)
    merged = op.Conv2D(x, both, **pat.same_attr(first))
    pieces = op.Split(merged, indices_or_sections=(w.shape[0],), axis=1)
    return Subst([first, second], [pieces[0], pieces[1]])


def split_into_two() -> Subst:
    x = pat.Wildcard()
    first = op.Relu(x)
    halves = op.Split(first, indices_or_sections=2, axis=0)
    return Subst(first, op.Concatenate((halves[0], halves[1]), axis=0))


def divided_by_a_size() -> Subst:
    x = pat.Wildcard()
    leaky = op.LeakyRelu(x)
    product = attr.Product(lambda i: x.shape[i], length=x.ndim)
    return Subst(leaky, op.LeakyRelu(x, alpha=leaky.alpha / (product - 1)))


def field_instead_of_tuple() -> Subst:
    x = pat.Wildcard()
    pieces = op.Split(x, indices_or_sections=2, axis=0)
    return Subst(pieces, op.Flip(x, axis=0))


def another_number_of_fields() -> Subst:
    x = pat.Wildcard()
    pieces = op.Split(x, indices_or_sections=2, axis=0)
    return Subst(pieces, op.Split(x, indices_or_sections=1, axis=0))


def wrong_for_one_alternative() -> Subst:
    x = pat.Wildcard()
    either = pat.Alt(op.Relu(x), op.Sum(x, axis=0, keepdims=True))
    return Subst(op.Abs(either), x)


def wrong_on_one_path() -> Subst:
    x = pat.Wildcard()
    total = op.Sum(x, keepdims=True)
    flat = op.Sum(x, axis=total.axis, keepdims=False)
    same = op.Sum(x, axis=total.axis, keepdims=True)
    return Subst(total, pat.Cond(x.shape[0] == 7, flat, same), where=[x.ndim == 1])


def wrong_on_the_second_path() -> Subst:
    x = pat.Wildcard()
    total = op.Sum(x, keepdims=True)
    flat = op.Sum(x, axis=total.axis, keepdims=False)
    return Subst(total, pat.Cond(x.shape[0] != 7, total, flat), where=[x.ndim == 1])


def flag_by_size() -> Subst:
    x = pat.Wildcard()
    total = op.Sum(x, keepdims=True)
    same = op.Sum(x, axis=total.axis, keepdims=attr.Cond(x.shape[0] == 7, False, True))
    return Subst(total, same, where=[x.ndim == 1])


def layout_by_stride() -> Subst:
    x = pat.Wildcard()
    pool = op.MaxPool1D(x, layout="NCW")
    layout = attr.Cond(pool.strides[0] == 3, "NWC", pool.layout)
    attributes = {"pool_size": pool.pool_size, "strides": pool.strides, "padding": pool.padding}
    attributes |= {"dilation": pool.dilation, "ceil_mode": pool.ceil_mode}
    return Subst(pool, op.MaxPool1D(x, **attributes, layout=layout))


def axis_by_size() -> Subst:
    x = pat.Wildcard()
    axis = attr.Cond(x.shape[0] > x.shape[1], 0, 1)
    target = op.Sum(x, axis=(axis,), keepdims=True)
    return Subst(op.Sum(x, axis=(0,), keepdims=True), target, where=[x.ndim == 2])


def order_by_size() -> Subst:
    x = pat.Wildcard()
    order = attr.Cond(x.shape[0] == 7, (0, 1), (1, 0))
    return Subst(op.Transpose(x, axes=(1, 0)), op.Transpose(x, axes=order), where=[x.ndim == 2])


def axis_that_exists_at_times() -> Subst:
    x = pat.Wildcard()
    axis = attr.Cond(x.shape[0] == 7, 2, 0)
    return Subst(op.Softmax(x, axis=0), op.Softmax(x, axis=axis), where=[x.ndim == 2])


def no_such_axis() -> Subst:
    x = pat.Wildcard()
    first = op.Relu(x)
    return Subst(first, op.Flip(first, axis=2))


WRONG = [
    (untransposed, OUTPUT_SHAPE),
    (unpadded, ILLEGAL_TARGET),
    (uncast, OUTPUT_DTYPE),
    (accumulator_forgotten, OUTPUT_DTYPE),
    (convolutions_of_any_kernel, ILLEGAL_TARGET),
    (split_into_two, ILLEGAL_TARGET),
    (divided_by_a_size, ILLEGAL_TARGET),
    (field_instead_of_tuple, OUTPUT_SHAPE),
    (another_number_of_fields, OUTPUT_SHAPE),
    (wrong_for_one_alternative, OUTPUT_SHAPE),
    (wrong_on_one_path, OUTPUT_SHAPE),
    (wrong_on_the_second_path, OUTPUT_SHAPE),
    (flag_by_size, OUTPUT_SHAPE),
    (layout_by_stride, ILLEGAL_TARGET),
    (axis_by_size, OUTPUT_SHAPE),
    (order_by_size, OUTPUT_SHAPE),
    (axis_that_exists_at_times, ILLEGAL_TARGET),
    (no_such_axis, ILLEGAL_TARGET),
]


@pytest.mark.parametrize(("write", "code"), WRONG, ids=[write.__name__ for write, _ in WRONG])
def test_wrong_rules_are_refuted(write: Any, code: Any) -> None:
    result = ask(SHAPE, write)
    assert result.verdict is Verdict.FAIL
    finding = only(result)
    assert finding.code is code, finding
    assert finding.span is not None
    example = finding.counterexample
    assert example is not None
    assert example.source[-1].startswith("return")
    assert example.target
    sizes = [v for n, v in example.attributes.items() if ".shape[" in n]
    assert all(size <= 9 for size in sizes)


def test_a_counterexample_is_the_same_every_time() -> None:
    assert ask(SHAPE, untransposed).findings == ask(SHAPE, untransposed).findings


def test_the_smallest_counterexample_is_shown() -> None:
    example = only(ask(SHAPE, wrong_on_one_path)).counterexample
    assert example is not None
    assert [tensor.shape for tensor in example.inputs] == [(7,)]
    example = only(ask(SHAPE, untransposed)).counterexample
    assert example is not None
    assert [sorted(tensor.shape)[-2:] for tensor in example.inputs] == [[1, 2]]


def test_the_message_names_both_types() -> None:
    message = only(ask(SHAPE, uncast)).message
    assert "in the source and" in message


def test_a_target_that_cannot_be_built_shows_why() -> None:
    example = only(ask(SHAPE, no_such_axis)).counterexample
    assert example is not None
    assert "the target cannot be built" in example.target[0]


# What is not decided.


def cubes() -> Subst:
    x = pat.Variable(shape=(None, None, None))
    a, b, c = (x.shape[i] + 1 for i in range(3))
    total = op.Relu(x)
    size = attr.Cond(a * a * a + b * b * b == c * c * c, 1, x.shape[0])
    return Subst(total, op.Reshape(total, shape=(size, x.shape[1], x.shape[2])))


def choice_of_structure() -> Subst:
    x = pat.Wildcard()
    first = op.Relu(x)
    order = attr.Variadic(lambda i: i, length=x.shape[0])
    return Subst(first, op.Transpose(first, axes=order), where=[x.ndim == 2])


@pytest.mark.parametrize(
    ("write", "limit", "reason"),
    [(cubes, 30_000, "gave up"), (choice_of_structure, 4_000_000, "length")],
)
def test_what_is_not_decided_is_said(write: Any, limit: int, reason: str) -> None:
    result = ask(SHAPE, write, solver_limit=limit)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert only(result).code is UNDECIDED_SHAPE
    assert reason in only(result).message
    assert not result.assurances


def test_too_many_paths_are_not_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decisions, "MOST_PATHS", 1)
    result = ask(SHAPE, wrong_on_the_second_path)
    assert "more than 1 ways" in only(result).message


@pytest.mark.parametrize("name", ["concrete_outputs", "rewrite_once"])
def test_what_cannot_be_confirmed_is_not_reported(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unconfirmed(*args: Any) -> Any:
        if name == "rewrite_once":
            return Rewritten()
        raise EvaluationError("no such number")

    monkeypatch.setattr(shape, name, unconfirmed)
    result = ask(SHAPE, untransposed)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "could not be confirmed" in only(result).message


def test_a_vacuous_rule_has_no_assurance() -> None:
    def vacuous() -> Subst:
        x = pat.Wildcard()
        return Subst(op.Relu(x), x, where=[x.ndim == 65])

    result = ask(SHAPE, vacuous)
    assert (result.findings, result.assurances) == ((), ())


def test_the_blame_is_on_the_target() -> None:
    span = only(ask(SHAPE, no_such_axis)).span
    assert span is not None
    assert span.line == line_of(no_such_axis, "op.Flip")


def weight_of_another_rank() -> Subst:
    """In the model of the solver e is 1e-6, of which float32 holds a little less: no match."""
    x, g, e = pat.Wildcard(), pat.Variable(shape=(None, 1, None)), pat.Const(shape=())
    target = op.RmsNorm(x, g, axes=(-1,), epsilon=e.value)
    return Subst(x * g + e, target, where=[x.ndim == 3, e.value >= 1e-6])


def test_a_number_that_is_rounded_does_not_hide_an_illegal_target() -> None:
    result = ask(SHAPE, weight_of_another_rank)
    assert only(result).code is ILLEGAL_TARGET
    assert "`weight` must have the sizes of the axes" in only(result).message


def test_attributes_that_lengthen_tensors_are_limited_by_what_fits_into_a_machine() -> None:
    def place_in_repeated() -> Subst:
        repeated = op.Repeat(pat.Variable(shape=(None, None)))
        place = op.Argmax(repeated, axis=repeated.axis)
        factor = pat.Const(repeated.repeats, dtype="int64")
        return Subst(place, op.Argmax(repeated.operands[0], **pat.same_attr(place)) * factor)

    assert ask(SHAPE, place_in_repeated).findings == ()


def named_last_size() -> Subst:
    """Where an axis is empty the last size is any, which the target does not keep."""
    x = pat.Wildcard()
    shaped = op.Reshape(x, shape=(None, None))
    return Subst(shaped, x, where=[x.ndim == 2, shaped.shape[0] == x.shape[0]])


def mean_of_rows() -> Subst:
    """Of no elements there is no mean, which is for networks to say."""
    x = pat.Wildcard()
    mean = op.Mean(x, axis=(0,), keepdims=False)
    zeros = op.ZerosLike(mean)
    return Subst(op.Relu(x), op.Relu(x + zeros), where=[x.ndim == 2, x.dtype == "float32"])


def test_types_are_kept_where_tensors_lack_elements_too() -> None:
    finding = only(ask(SHAPE, named_last_size))
    assert finding.code is EMPTY_DIFFERS
    assert not ask(SHAPE, mean_of_rows).findings
