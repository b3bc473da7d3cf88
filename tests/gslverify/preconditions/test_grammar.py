"""The sentences of the grammar are those that an author might write, and no nonsense."""

from __future__ import annotations

import pytest

from gsl import pat
from gsl.attr.term import Access, Operation
from gsl.types import INTEGER
from gslverify.preconditions.changed import written
from gslverify.preconditions.degenerate import FORMS, is_degenerate
from gslverify.preconditions.grammar import Condition, _facts, conditions
from gslverify.preconditions.readings import Reading, readings, value_of
from gslverify.preconditions.specimens import Specimen, specimens
from gslverify.stages.examination import scenarios_of
from tests.gslverify.preconditions import rules
from tests.gslverify.stages.asking import Write, question

pytestmark = pytest.mark.smt

UNDONE = "attr.All(lambda i: (inner.axes[outer.axes[i]] % inner.ndim) == i, length=inner.ndim)"
STAYS = "attr.All(lambda i: (inner.axes[i] % inner.ndim) == i, length=inner.ndim)"


def matches(write: Write) -> tuple[list[Condition], list[Specimen]]:
    asked = question(write)
    samplers = [scenario.sampler for scenario in scenarios_of(asked).feasible]
    drawn = specimens(asked.subst, samplers, 8, 0)
    return conditions(readings(asked.subst, [one.scope for one in drawn])), drawn


def sentences(write: Write) -> set[str]:
    asked = question(write)
    samplers = [scenario.sampler for scenario in scenarios_of(asked).feasible]
    drawn = specimens(asked.subst, samplers, 8, 0)
    found = conditions(readings(asked.subst, [specimen.scope for specimen in drawn]))
    return {written(one.term, asked.subst) for one in found}


@pytest.mark.parametrize(
    ("write", "wanted"),
    [
        (rules.merged_convolutions, "conv.groups == 1"),
        (rules.merged_convolutions, "conv.strides == (1, 1)"),
        (rules.merged_convolutions, "conv.padding == (0, 0, 0, 0)"),
        (rules.merged_convolutions, "x1.shape == x2.shape"),
        (rules.merged_convolutions, "x1.shape[1] == w1.shape[1]"),
        (rules.merged_convolutions, "conv.out_dtype == x1.dtype"),
        (rules.merged_convolutions, "conv.groups == w1.shape[0]"),
        (rules.sum_of_flip, "(flip.axis % x.ndim) == (total.axis[0] % flip.ndim)"),
        (rules.sum_of_flip, "(flip.axis % x.ndim) == (x.ndim - 1)"),
        (rules.sum_of_flip, "attr.Length(total.axis) == x.ndim"),
        (rules.sum_of_flip, "x.shape[flip.axis] == 1"),
        (rules.sum_of_flip, "x.ndim == 2"),
        (rules.sum_of_flip, "total.keepdims == True"),
        (rules.clipped_relu, "clip.max >= 0"),
        (rules.clipped_relu, "clip.max <= clip.min"),
        (rules.square_without_sign, f"attr.In(x.dtype, {INTEGER})"),
        (rules.two_transposes, UNDONE),
        (rules.two_transposes, STAYS),
        (rules.two_transposes, "inner.axes == (0, 2, 1)"),
    ],
)
def test_what_can_be_said(write: Write, wanted: str) -> None:
    found = sentences(write)
    alternatives = {wanted, " == ".join(reversed(wanted.split(" == ")))}
    assert alternatives & found


@pytest.mark.parametrize(
    ("write", "nonsense"),
    [
        (rules.sum_of_flip, "x.shape[0] >= 0"),
        (rules.sum_of_flip, "x.ndim == total.axis[0]"),
        (rules.clipped_relu, "clip.max == x.ndim"),
        (rules.square_without_sign, "x.dtype == 1"),
    ],
)
def test_what_is_not_said(write: Write, nonsense: str) -> None:
    assert nonsense not in sentences(write)


ALL = (
    rules.merged_convolutions,
    rules.sum_of_flip,
    rules.clipped_relu,
    rules.two_transposes,
    rules.chosen_by_truth,
    rules.divided_by_constant,
)


@pytest.mark.parametrize("write", ALL)
def test_nothing_that_is_said_singles_out_a_match(write: Write) -> None:
    assert [text for text in sentences(write) if is_degenerate(text)] == []


@pytest.mark.parametrize("write", ALL)
def test_a_sentence_holds_where_its_term_is_true(write: Write) -> None:
    found, drawn = matches(write)
    for condition in found:
        wanted = [value_of(condition.term, specimen.scope) is True for specimen in drawn]
        assert condition.truths() == wanted, condition.term


@pytest.mark.parametrize(
    "silly",
    [
        "d.value == 1",
        "d.value == -2.5",
        "x.shape[1] == 1",
        "x.shape[-1] == 3",
        "x.shape[0] <= 1",
        "part.end[0] == 1",
        "x.shape == (2, 3)",
        "x.shape[2:] == (1, 1)",
        "(x.shape[0] % 2) == 1",
        "axes == (0, 1, 2, 3)".replace("axes", "t.axes"),
        "t.axes == (0, 1)",
        "total.axis == (0,)",
        "total.axis[0] == 1",
        "norm.axis == 1",
        "x.dtype == 'float64'",
        "(t.value >= 0) & (t.value <= 0)",
        "(t.value <= 0.5) & (t.value >= 0.5)",
        "(x.ndim == 2) & (x.shape[1] == 1)",
    ],
)
def test_what_singles_out_a_match_is_known(silly: str) -> None:
    assert is_degenerate(silly)


@pytest.mark.parametrize(
    "sensible",
    [
        "conv.groups == 1",
        "conv.strides == (1, 1)",
        "c.value >= 0",
        "c.value != 0",
        "x.shape == y.shape",
        "x.shape[0] == y.shape[1]",
        "(x.shape[0] % y.shape[0]) == 0",
        "(x.shape[0] % 2) == 0",
        "x.shape[total.axis[0]] == 1",
        "t.axes == (0, 2, 1)",
        "t.axes == (1, 0)",
        "(norm.axis % x.ndim) == 1",
        "x.dtype == y.dtype",
        "x.dtype != 'bool'",
        "conv.data_layout == 'NCHW'",
        "(a.min <= b.max) & (b.min <= a.max)",
        "(c.value >= 0) & (c.value <= 1)",
    ],
)
def test_what_people_write_is_not_taken_for_it(sensible: str) -> None:
    assert not is_degenerate(sensible)


def test_forms_say_what_they_are() -> None:
    assert all(sentence for _, sentence in FORMS)


def test_a_term_without_a_value_has_none() -> None:
    asked = question(rules.sum_of_flip)
    samplers = [scenario.sampler for scenario in scenarios_of(asked).feasible]
    (specimen,) = specimens(asked.subst, samplers, 1, 0)
    shape = Access(asked.subst.source_patterns[0], "shape")
    assert value_of(shape[99], specimen.scope) is None
    assert value_of(shape, specimen.scope) == specimen.network.variables[0].shape


def test_high_ranks_are_bounds_and_the_weakest_comes_first() -> None:
    x = pat.Wildcard()
    reading = Reading(x.ndim, "ndim", x, (2, 5, 8, None, 3))

    bounds = [term for _, term, _ in _facts(reading) if isinstance(term, Operation)]

    uppers = [term for term in bounds if term.head in ("<", "<=")]
    weakest_first = [x.ndim <= 2, x.ndim <= 3, x.ndim < 8, x.ndim < 5]
    assert [repr(term) for term in uppers] == [repr(term) for term in weakest_first]
