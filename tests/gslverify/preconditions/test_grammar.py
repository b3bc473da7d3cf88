"""The sentences of the grammar are those that an author might write, and no nonsense."""

from __future__ import annotations

import pytest

from gsl import pat
from gsl.attr.term import Access, Operation
from gslverify.preconditions.changed import written
from gslverify.preconditions.grammar import Condition, Reading, _facts, conditions, value_of
from gslverify.preconditions.specimens import specimens
from gslverify.stages.satisfiable import scenarios_of
from tests.gslverify.preconditions import rules
from tests.gslverify.stages.asking import Write, question

pytestmark = pytest.mark.smt


def sentences(write: Write) -> dict[str, Condition]:
    asked = question(write)
    samplers = [scenario.sampler for scenario in scenarios_of(asked).feasible]
    drawn = specimens(asked.subst, samplers, 8, 0)
    found = conditions(asked.subst, [specimen.scope for specimen in drawn])
    return {written(one.term, asked.subst): one for one in found}


@pytest.mark.parametrize(
    ("write", "wanted"),
    [
        (rules.merged_convolutions, "conv.groups == 1"),
        (rules.merged_convolutions, "conv.strides == (1, 1)"),
        (rules.merged_convolutions, "(w1.shape[2] % 2) == 1"),
        (rules.merged_convolutions, "x1.shape == x2.shape"),
        (rules.merged_convolutions, "conv.out_dtype == x1.dtype"),
        (rules.merged_convolutions, "conv.groups == w1.shape[0]"),
        (rules.sum_of_flip, "(flip.axis % x.ndim) == (total.axis[0] % flip.ndim)"),
        (rules.sum_of_flip, "x.shape[flip.axis] == 1"),
        (rules.sum_of_flip, "x.ndim == 2"),
        (rules.sum_of_flip, "total.keepdims == True"),
        (rules.clipped_relu, "clip.max >= 0"),
        (rules.clipped_relu, "clip.max <= clip.min"),
        (rules.square_without_sign, "attr.In(x.dtype, ('int32', 'int64', 'int8', 'uint8'))"),
    ],
)
def test_what_can_be_said(write: Write, wanted: str) -> None:
    found = sentences(write)
    alternatives = {wanted, " == ".join(reversed(wanted.split(" == ")))}
    assert alternatives & found.keys()


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

    bounds = [term for _, term in _facts(reading) if isinstance(term, Operation)]

    uppers = [term for term in bounds if term.head in ("<", "<=")]
    weakest_first = [x.ndim < 8, x.ndim < 5, x.ndim <= 1, x.ndim <= 2]
    assert [repr(term) for term in uppers] == [repr(term) for term in weakest_first]
