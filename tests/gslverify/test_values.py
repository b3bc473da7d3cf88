"""What a rule says about values, the engine, the solver and the references take alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, attr, op, pat
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from gslverify.stages.prove import PROVE
from gslverify.stages.satisfiable import SATISFIABLE
from gslverify.stages.shape import SHAPE
from tests.gslverify.stages.asking import ask, question

pytestmark = pytest.mark.smt

PASS, FAIL, VACUOUS = Verdict.PASS, Verdict.FAIL, Verdict.VACUOUS


def verdict(subst: Subst) -> Verdict:
    """Return what the first stage says that does not pass."""

    def written() -> Subst:
        return subst

    asked = question(written, explained=False)
    for stage in (SATISFIABLE, SHAPE, NUMERIC):
        found = stage.run(asked)
        if found.verdict is not PASS:
            return found.verdict
    return PASS


def is_proved(subst: Subst) -> bool:
    def written() -> Subst:
        return subst

    return any(one.text.startswith("proved") for one in ask(PROVE, written).assurances)


# Truth values.


def kept_where(condition: Callable[[Any], Any]) -> Subst:
    """x and c => x"""
    x, c = pat.Wildcard(), pat.Const(shape=(), dtype="bool")
    return Subst(op.LogicalAnd(x, c), x, where=[condition(c)])


def dropped_where(condition: Callable[[Any], Any]) -> Subst:
    """x and c => zeros"""
    x, c = pat.Wildcard(), pat.Const(shape=(), dtype="bool")
    zeros = op.Zeros(shape=x.shape, dtype="bool")
    return Subst(op.LogicalAnd(x, c), zeros, where=[condition(c)])


def chosen_by(condition: Callable[[Any], Any]) -> Subst:
    """x and c => x or zeros"""
    x, c = pat.Wildcard(), pat.Const(shape=(), dtype="bool")
    zeros = op.Zeros(shape=x.shape, dtype="bool")
    return Subst(op.LogicalAnd(x, c), pat.Cond(condition(c), x, zeros))


def filled_by(value: Callable[[Any], Any]) -> Subst:
    c = pat.Const(shape=(), dtype="bool")
    wide = op.BroadcastTo(c)
    return Subst(wide, op.Full(shape=wide.shape, fill_value=value(c), dtype="bool"))


def negated(value: Callable[[Any], Any]) -> Subst:
    c = pat.Const(shape=(), dtype="bool")
    return Subst(op.LogicalNot(c), pat.Const(value(c), dtype="bool"))


TRUTHS: dict[str, tuple[Subst, Verdict]] = {
    "c": (kept_where(lambda c: c.value), PASS),
    "c == True": (kept_where(lambda c: c.value == True), PASS),  # noqa: E712
    "c != False": (kept_where(lambda c: c.value != False), PASS),  # noqa: E712
    "not c": (kept_where(lambda c: attr.Not(c.value)), FAIL),
    "c != True": (kept_where(lambda c: c.value != True), FAIL),  # noqa: E712
    "c in (True,)": (kept_where(lambda c: attr.In(c.value, (True,))), PASS),
    "c in (1, 2)": (kept_where(lambda c: attr.In(c.value, (1, 2))), VACUOUS),
    "c == 1": (kept_where(lambda c: c.value == 1), VACUOUS),
    "c < 1": (dropped_where(lambda c: c.value < 1), VACUOUS),
    "not c == 1": (dropped_where(lambda c: attr.Not(c.value == 1)), FAIL),
    "c != 1": (dropped_where(lambda c: c.value != 1), FAIL),
    "zeros where not c": (dropped_where(lambda c: attr.Not(c.value)), PASS),
    "cond(c, ...)": (chosen_by(lambda c: c.value), PASS),
    "cond(c == True, ...)": (chosen_by(lambda c: c.value == True), PASS),  # noqa: E712
    "cond(c == 1, ...)": (chosen_by(lambda c: c.value == 1), FAIL),
    "full of c": (filled_by(lambda c: c.value), PASS),
    "full of not c": (filled_by(lambda c: attr.Not(c.value)), FAIL),
    "full of cond": (filled_by(lambda c: attr.Cond(c.value, 1, 0)), PASS),
    "the constant not c": (negated(lambda c: attr.Not(c.value)), PASS),
    "the constant 1 - c": (negated(lambda c: 1 - c.value), FAIL),
}


@pytest.mark.parametrize("name", TRUTHS)
def test_a_truth_value_is_no_number(name: str) -> None:
    subst, right = TRUTHS[name]
    assert verdict(subst) is right


@pytest.mark.parametrize("name", ["c", "c == True", "cond(c, ...)", "full of c"])
def test_truth_values_are_proved_with(name: str) -> None:
    assert is_proved(TRUTHS[name][0])


@pytest.mark.parametrize("name", [n for n, (_, right) in TRUTHS.items() if right is FAIL])
def test_nothing_wrong_is_proved(name: str) -> None:
    assert not is_proved(TRUTHS[name][0])


# Integers.


def added_as_full(dtype: str | None) -> Subst:
    x, c = pat.Wildcard(), pat.Const(shape=(), dtype=dtype)
    return Subst(x + c, x + op.Full(shape=(), fill_value=c.value, dtype=c.dtype))


def limited() -> Subst:
    x, low, high = pat.Wildcard(), pat.Const(shape=()), pat.Const(shape=())
    target = op.Clip(x, min=low.value, max=high.value)
    return Subst(op.Maximum(low, op.Minimum(x, high)), target, where=[low.value < high.value])


def padded(offset: int) -> Subst:
    x, c = pat.Wildcard(), pat.Const(shape=(), dtype="int64")
    row = op.BroadcastTo(c, shape=(1,))
    padding = attr.Cond(c.value == 2**53 + 1, c.value + offset, c.value)
    target = op.Pad(x, pad_width=(0, 1), pad_value=padding)
    return Subst(op.Concatenate((x, row), axis=0), target, where=[x.ndim == 1])


@pytest.mark.parametrize(
    "subst",
    [added_as_full("int64"), added_as_full(None), limited(), padded(0)],
    ids=["full", "full of any dtype", "clip", "pad"],
)
def test_integers_stay_what_they_are_as_attributes(subst: Subst) -> None:
    assert verdict(subst) is PASS


def test_the_neighbour_of_an_integer_that_no_float_has_is_another_one() -> None:
    assert verdict(padded(-1)) is FAIL


# Numbers that dtypes have.


def rms_norm_where(condition: Callable[[Any], Any]) -> Subst:
    x, w, e = pat.Wildcard(), pat.Variable(shape=(None,)), pat.Const(shape=())
    mean = op.Mean(x * x, axis=(-1,), keepdims=True)
    target = op.RmsNorm(x, w, axes=(-1,), epsilon=e.value)
    alike = w.shape[0] == x.shape[x.ndim - 1]
    return Subst(x / op.Sqrt(mean + e) * w, target, where=[condition(e), alike])


def test_a_positive_constant_does_not_vanish_in_its_own_dtype() -> None:
    def written() -> Subst:
        return rms_norm_where(lambda e: e.value > 0)

    assert ask(SHAPE, written).verdict is PASS


def scaled_where(condition: Callable[[Any], Any]) -> Subst:
    x, c = pat.Wildcard(), pat.Const(shape=(), dtype="float16")
    return Subst(x * c, x * pat.Const(c.value, like=x), where=[condition(c), x.dtype == "float16"])


def test_a_constant_is_a_number_of_its_dtype() -> None:
    assert verdict(scaled_where(lambda c: c.value > 65504)) is VACUOUS
    beyond = scaled_where(lambda c: attr.And(c.value > 0, c.value < 2.0**-24))
    assert verdict(beyond) is VACUOUS
    assert verdict(scaled_where(lambda c: c.value >= 65504)) is PASS


# Elements.


def doubled(c: Any, condition: Callable[[Any], Any]) -> Subst:
    """x * c => x + x where c broadcasts nothing"""
    x = pat.Wildcard()
    product = x * c
    return Subst(product, x + x, where=[condition(c), product.shape == x.shape])


def all_of(value: float) -> Callable[[Any], Any]:
    return lambda c: attr.All(lambda i: c.value[i] == value, length=c.shape[0])


ELEMENTS: dict[str, tuple[Callable[[], Subst], Verdict]] = {
    "the first": (lambda: doubled(pat.Const(shape=(None,)), lambda c: c.value[0] == 2), FAIL),
    "the last": (lambda: doubled(pat.Const(shape=(None,)), lambda c: c.value[-1] == 2), FAIL),
    "all": (lambda: doubled(pat.Const(shape=(None,)), all_of(2)), PASS),
    "all, wrong": (lambda: doubled(pat.Const(shape=(None,)), all_of(3)), FAIL),
    "some given": (lambda: doubled(pat.Const((2.0, None)), lambda c: c.shape == (2,)), FAIL),
    "given and asked": (lambda: doubled(pat.Const((2.0, None)), lambda c: c.value[1] == 2), PASS),
    "the whole": (lambda: doubled(pat.Const(shape=(2,)), lambda c: c.value == (2, 2)), PASS),
    "the whole, wrong": (lambda: doubled(pat.Const(shape=(2,)), lambda c: c.value != (2, 2)), FAIL),
}


@pytest.mark.parametrize("name", ELEMENTS)
def test_elements_of_constants_are_known_to_all(name: str) -> None:
    write, right = ELEMENTS[name]
    assert verdict(write()) is right


# Tensors without elements.


def counted(axis: int) -> Subst:
    """Where the mean is not refused, the target is 1 instead of 0."""
    x = pat.Wildcard()
    count = op.Sum(op.OnesLike(x, dtype="int32"), axis=(0, 1), keepdims=False)
    mean = op.Mean(x, axis=(axis,), keepdims=False)
    nothing = op.Sum(op.ZerosLike(mean, dtype="int32"), axis=(0,), keepdims=False)
    return Subst(count, op.Maximum(count, 1) + nothing, where=[x.ndim == 2, x.dtype == "float32"])


def reshaped(rank: int) -> Subst:
    """reshape[(a, ..., z')](x) => x for (a, ..., z)"""
    x = pat.Wildcard()
    shaped = op.Reshape(x, shape=(None,) * rank)
    alike = [shaped.shape[axis] == x.shape[axis] for axis in range(rank - 1)]
    return Subst(shaped, x, where=[x.ndim == rank, *alike])


def padded_reshape() -> Subst:
    x = pat.Wildcard()
    shaped = op.Reshape(x, shape=(None, None))
    around: dict[str, Any] = {"pad_width": (1, 1, 1, 1), "pad_value": 1.0}
    total = op.Sum(op.Pad(shaped, **around), axis=(0, 1), keepdims=False)
    target = op.Sum(op.Pad(x, **around), axis=(0, 1), keepdims=False)
    return Subst(total, target, where=[x.ndim == 2, shaped.shape[0] == x.shape[0]])


@pytest.mark.parametrize(
    "subst",
    [counted(0), counted(1), reshaped(2), reshaped(3), padded_reshape()],
    ids=["mean of axis 0", "mean of axis 1", "matrix", "rank 3", "a value"],
)
def test_rules_that_are_wrong_for_empty_tensors_fail(subst: Subst) -> None:
    assert verdict(subst) is FAIL


def test_a_rule_that_keeps_its_last_size_passes() -> None:
    x = pat.Wildcard()
    shaped = op.Reshape(x, shape=(None, None))
    assert verdict(Subst(shaped, x, where=[x.ndim == 2, shaped.shape == x.shape])) is PASS
