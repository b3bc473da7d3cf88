"""Rules of many inputs are taken apart where no condition relates what they consist of."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path

import pytest

from gsl import Subst, op, pat
from gsl.assume import dtypes
from gsl.pat import Call, Pattern, Wildcard
from gslverify.codes.satisfiable import OPEN_STRUCTURES
from gslverify.finding import StageResult, Verdict
from gslverify.stages.parts import is_same_call, taken_apart
from gslverify.stages.prove import PROVE
from gslverify.stages.satisfiable import SATISFIABLE
from tests.gslverify.stages.asking import ask, only, question


def inputs(count: int) -> list[Pattern]:
    return [pat.Wildcard() for _ in range(count)]


def total(terms: Sequence[Pattern]) -> Pattern:
    return reduce(operator.add, terms)


def floats(tensors: Sequence[Pattern]) -> list[object]:
    return [one.dtype == "float32" for one in tensors]


def outputs(wrong: bool = False, related: bool = False, needed: bool = False) -> Subst:
    """Twelve outputs of their own; the last one is wrong for one pair of ranks.

    A condition that relates all ranks is there for nothing, or `needed`.
    """
    xs = inputs(12)
    target = [op.Abs(x) for x in xs]
    if wrong:
        fact = (xs[-1].ndim == 3) & (xs[4].ndim == 2)
        target[-1] = pat.Cond(fact, op.Negative(xs[-1]), target[-1])
    ranks = sum((x.ndim * place for place, x in enumerate(xs, 1)), start=0 * xs[0].ndim)
    where = [ranks % 7 == 6] if related or needed else []
    if needed:
        target[0] = pat.Cond(ranks % 7 == 6, target[0], op.Negative(xs[0]))
    return Subst([op.Abs(op.Abs(x)) for x in xs], target, where=where)


def sums(wrong: bool = False) -> Subst:
    """A sum of reductions in another order; one is wrong on one list of axes."""
    xs = inputs(12)
    source = [op.Sum(x) for x in xs]
    target = [op.Sum(x, **pat.same_attr(one)) for x, one in zip(xs, source, strict=True)]
    if wrong:
        target[7] = pat.Cond(source[7].axis == (0, 1), op.Negative(target[7]), target[7])
    return Subst(total(source), total(target[::-1]), where=floats(xs))


def alternatives(wrong: bool = False) -> Subst:
    """A sum of alternatives, each of which the target writes down again."""
    xs = inputs(8)
    source = [pat.Alt(op.Abs(x), op.Maximum(x, 1)) for x in xs]
    again = [
        pat.Cond(one.arm == 0, op.Abs(x), op.Maximum(x, 1))
        for one, x in zip(source, xs, strict=True)
    ]
    if wrong:
        fact = (source[6].arm == 1) & (source[2].arm == 1)
        again[6] = pat.Cond(fact, op.Abs(xs[6]), again[6])
    return Subst(total(source), total(again), where=floats(xs))


def convolutions() -> Subst:
    """A sum of convolutions, each of which refuses most ranks, in another order."""
    xs = inputs(12)
    source = [op.Conv2D(x, w) for x, w in zip(xs[::2], xs[1::2], strict=True)]
    target = [op.Conv2D(*one.operands, **pat.same_attr(one)) for one in source]
    return Subst(total(source), total(target[::-1]), where=floats(xs))


def shared() -> Subst:
    """Products of one tensor with six others."""
    x, ws = pat.Wildcard(), inputs(6)
    source = [op.Negative(op.Negative(op.Matmul(x, w))) for w in ws]
    inner = [one.operands[0].operands[0] for one in source]
    target = [op.Matmul(x, w, **pat.same_attr(one)) for w, one in zip(ws, inner, strict=True)]
    return Subst(source, target, where=[x.ndim >= 1])


def satisfiable(write: Callable[[], Subst]) -> StageResult:
    return ask(SATISFIABLE, write)


@pytest.mark.smt
@pytest.mark.parametrize("write", [outputs, sums, alternatives, convolutions, shared])
def test_rules_of_many_inputs_are_shown_in_parts(write: Callable[[], Subst]) -> None:
    asked = question(write)
    result = SATISFIABLE.run(asked)
    assert (result.verdict, result.findings) == (Verdict.PASS, ())
    assert any("shown right by rules that it consists of" in note for note in result.notes)
    assert asked.memory["scenarios"].complete
    assert asked.memory["scenarios"].feasible


@pytest.mark.smt
@pytest.mark.parametrize(
    ("write", "text"),
    [(sums, "proved, all ranks"), (convolutions, "proved, rank 4")],
)
def test_what_was_shown_in_parts_holds_for_all_ranks_where_every_part_does(
    write: Callable[[], Subst], text: str
) -> None:
    asked = question(write)
    SATISFIABLE.run(asked)
    result = PROVE.run(asked)
    assert [one.text for one in result.assurances] == [text]


@pytest.mark.smt
@pytest.mark.parametrize("write", [outputs, sums, alternatives])
def test_a_part_that_is_wrong_leaves_structures_open(
    write: Callable[[bool], Subst],
) -> None:
    result = ask(SATISFIABLE, lambda: write(True), max_variants=20)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert only(result).code is OPEN_STRUCTURES


def wrong_on_empty_tensors() -> Subst:
    """Twelve outputs of their own, one of which has no mean where a tensor has no elements."""
    xs = inputs(11)
    last = pat.Wildcard(ndim=2)
    size = last.shape[0] * last.shape[1]
    mean = op.Mean(last, axis=(0, 1), keepdims=False)
    total = mean * op.Full(shape=(), fill_value=size, dtype=last.dtype)
    source = [*(op.Abs(op.Abs(x)) for x in xs), op.Sum(last, axis=(0, 1), keepdims=False)]
    return Subst(source, [*map(op.Abs, xs), total], where=floats([*xs, last]))


@pytest.mark.smt
def test_parts_are_run_on_tensors_without_elements() -> None:
    result = ask(SATISFIABLE, wrong_on_empty_tensors)
    assert only(result).code is OPEN_STRUCTURES
    assert any("without elements" in note for note in result.notes)


def positions(wrong: bool) -> Subst:
    """A sum of positions, which are no floats, in another order."""
    xs = inputs(6)
    source = [op.Argmax(x) for x in xs]
    again = [op.Argmax(x, **pat.same_attr(one)) for x, one in zip(xs, source, strict=True)]
    target = total(again[::-1])
    return Subst(total(source), op.Cast(target, dtype="float32") if wrong else target)


@pytest.mark.smt
@pytest.mark.parametrize("wrong", [False, True])
def test_what_is_assumed_of_inputs_is_not_assumed_of_results(wrong: bool) -> None:
    asked = question(lambda: positions(wrong), max_variants=20)
    asked.rule = replace(asked.rule, assumptions=(dtypes("float32"),))
    result = SATISFIABLE.run(asked)
    assert result.verdict is (Verdict.INCONCLUSIVE if wrong else Verdict.PASS)
    assert any("shown right by rules" in note for note in result.notes) is not wrong


@pytest.mark.smt
def test_what_has_to_be_certified_is_not_shown_in_parts(tmp_path: Path) -> None:
    result = ask(SATISFIABLE, sums, certificates=str(tmp_path), max_variants=20)
    assert only(result).code is OPEN_STRUCTURES


@pytest.mark.smt
def test_structures_that_a_condition_relates_are_not_taken_apart() -> None:
    assert taken_apart(outputs(related=True)) is None
    result = ask(SATISFIABLE, lambda: outputs(needed=True), max_variants=8)
    assert only(result).code is OPEN_STRUCTURES
    assert any("not shown in parts: it is in one piece" in note for note in result.notes)


def equal_ranks(wrong: bool = False) -> Subst:
    """Reductions of inputs, two of which have as many axes; one is wrong on one list of axes."""
    rule = sums(wrong)
    sources = [one for one in rule.source_patterns if isinstance(one, Wildcard)]
    pairs = zip(sources[::2], sources[1::2], strict=True)
    where = [*rule.where, *(one.ndim == other.ndim for one, other in pairs)]
    return Subst(rule.source, rule.target, where=where)


@pytest.mark.smt
@pytest.mark.parametrize("write", [equal_ranks, lambda: outputs(related=True)])
def test_conditions_that_relate_parts_for_nothing_are_left_out(write: Callable[[], Subst]) -> None:
    result = ask(SATISFIABLE, write)
    assert (result.verdict, result.findings) == (Verdict.PASS, ())
    assert any("shown right by rules that it consists of" in note for note in result.notes)


@pytest.mark.smt
def test_a_part_that_is_wrong_without_a_condition_leaves_structures_open() -> None:
    result = ask(SATISFIABLE, lambda: equal_ranks(wrong=True), max_variants=20)
    assert only(result).code is OPEN_STRUCTURES


def test_outputs_are_apart_and_the_same_one_is_there_once() -> None:
    (part,) = taken_apart(outputs()) or ()
    assert (len(part.source), len(part.source_patterns)) == (1, 3)


def test_outputs_that_need_each_other_stay_together() -> None:
    x, y, z = inputs(3)
    source = [op.Abs(x), op.Exp(y), op.Tanh(z)]
    parts = taken_apart(Subst(source, [op.Abs(y), op.Exp(x), op.Tanh(op.Abs(z))])) or []
    assert sorted(len(part.source) for part in parts) == [1, 2]


def test_conditions_stay_with_what_they_are_about() -> None:
    x, y = inputs(2)
    where = [x.ndim == 2, y.ndim == 3, x.dtype == y.dtype]
    source = [op.Abs(op.Abs(x)), op.Tanh(y)]
    first, second = taken_apart(Subst(source, [op.Abs(x), op.Tanh(op.Abs(y))], where=where)) or ()
    assert len(first.where) == len(second.where) == 1


def test_sides_that_do_one_thing_with_their_operands_are_compared_below_it() -> None:
    x, y = inputs(2)
    source = op.Abs(op.Abs(x)) * op.Negative(op.Negative(y))
    parts = taken_apart(Subst(source, op.Abs(x) * y)) or []
    assert len(parts) == 2
    assert all(len(part.source_patterns) == 3 for part in parts)


def test_a_call_that_both_sides_have_is_any_tensor() -> None:
    x, y = inputs(2)
    call = op.Sum(x)
    (part,) = taken_apart(Subst(call + y, y + op.Sum(x, **pat.same_attr(call)))) or ()
    assert len(part.source_patterns) == 3
    assert not any(isinstance(one, Call) for one in part.source[0].operands)


def swapped(inner: bool) -> Subst:
    """A call that both sides have; its operand, or an attribute of it, is used beside it."""
    x, y = inputs(2)
    call = op.Sum(x)
    again = op.Sum(x, **pat.same_attr(call))
    if inner:
        return Subst(call + x, x + again)
    return Subst(call + op.Sum(y), op.Sum(y, axis=call.axis, keepdims=False) + again)


def test_a_call_whose_operand_a_constant_is_like_is_no_tensor() -> None:
    x, y = inputs(2)
    call = op.Sum(x)
    again = op.Sum(x, **pat.same_attr(call))
    one = pat.Const(1.0, like=x)
    assert taken_apart(Subst(call + y, (y + again) * one)) is None
    assert taken_apart(Subst(call + y, (y + again) * pat.Const(1.0, like=y))) is not None


@pytest.mark.parametrize("inner", [True, False])
def test_a_call_of_which_more_is_used_is_no_tensor(inner: bool) -> None:
    assert taken_apart(swapped(inner)) is None


def test_one_thing_in_another_way_is_not_taken_away() -> None:
    x = pat.Wildcard()
    assert taken_apart(Subst(op.Abs(op.Abs(x)), op.Abs(x))) is not None
    assert taken_apart(Subst(op.Abs(x), op.Maximum(x, op.Negative(x)))) is None


def test_calls_are_the_same_if_all_their_attributes_are() -> None:
    x = pat.Wildcard()
    call, number = op.Softmax(x), op.Softmax(x, axis=1)
    assert is_same_call(call, op.Softmax(x, axis=call.axis))
    assert is_same_call(number, op.Softmax(x, axis=1))
    assert not is_same_call(number, op.Softmax(x, axis=0))
    assert not is_same_call(call, op.Softmax(x, axis=1))
    assert not is_same_call(call, op.Softmax(x, axis=number.axis))
    assert not is_same_call(call, op.LogSoftmax(x, axis=call.axis))


def test_a_rule_of_any_number_of_outputs_is_in_one_piece() -> None:
    x = pat.Wildcard()
    call = op.Abs(x)
    many = pat.Variadic(call, templates=[call, x])
    assert taken_apart(Subst(op.Concatenate(many), op.Concatenate(many))) is None
