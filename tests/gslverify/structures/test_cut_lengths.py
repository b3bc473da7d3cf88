"""At which numbers of fields a rule goes another way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, attr, op, pat
from gslverify.finding import Verdict
from gslverify.stages.numeric import NUMERIC
from gslverify.structures.targets.counted import turning_points
from tests.gslverify.stages.asking import ask


def joined(chosen: Callable[[pat.Variadic, attr.Symbol], Any]) -> Subst:
    x = pat.Wildcard()
    fields = pat.Variadic(x, templates=[x], min_len=2)
    i = attr.Symbol("i")
    inner = fields(x, chosen(fields, i))
    inputs = pat.Variadic(inner, templates=[inner], index=i, length=fields.length)
    return Subst(op.Concatenate(fields, axis=0), op.Concatenate(inputs, axis=0))


def lengths(rule: Subst) -> tuple[int, ...]:
    return tuple(n for point in turning_points(rule) for n in point.lengths.values())


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        (lambda fields, i: i, ()),
        (lambda fields, i: fields.length - 1 - i, ()),
        (lambda fields, i: attr.Cond(i == 12, 0, i), (13,)),
        (lambda fields, i: attr.Cond(attr.In(i, (3, 20)), 0, i), (21,)),
        (lambda fields, i: attr.Cond(attr.In(i, (3, 20, 900)), 0, i), (21, 901)),
        (lambda fields, i: attr.Min(i, 9), (11,)),
        (lambda fields, i: attr.Min(i, 900), (902,)),
        (lambda fields, i: i - i % 16 // 15, (32,)),
        (lambda fields, i: attr.Cond(fields.length == 7, 0, i), (7,)),
        (lambda fields, i: attr.Cond(fields(fields.field, i).shape[0] == 99, 0, i), ()),
        (lambda fields, i: attr.Cond(i + fields.length > 20, 0, i), (11,)),
        (lambda fields, i: attr.Tuple(0, 1, 2, 2)[i], (5,)),
        (lambda fields, i: i + attr.Tuple(0, 0, 1, 1, 0, 0)[fields.length], (5, 6)),
        (lambda fields, i: attr.Min(i, fields.length - 9 - 9), (19,)),
    ],
)
def test_numbers_that_indices_and_lengths_meet(chosen: Any, expected: tuple[int, ...]) -> None:
    assert lengths(joined(chosen)) == expected


def test_bound_symbols_count_fields_where_their_length_does() -> None:
    x = pat.Wildcard()
    fields = pat.Variadic(x, templates=[x], min_len=2)
    whole = op.Concatenate(fields, axis=0)

    def cut(length: Any) -> Subst:
        cuts = attr.Variadic(lambda j: attr.Cond(j == 6, 1, j), length=length)
        pieces = op.Split(whole, indices_or_sections=cuts, axis=0)
        return Subst(whole, op.Concatenate(pieces, axis=0))

    assert lengths(cut(fields.length - 1)) == (8,)
    assert lengths(cut(whole.ndim)) == ()


def test_conditions_on_sizes_count_no_fields() -> None:
    x = pat.Wildcard()
    target = pat.Cond(x.shape[0] == 99, op.Relu(x), op.Abs(x))
    assert lengths(Subst(op.Relu(x), target)) == ()


@pytest.mark.smt
@pytest.mark.parametrize(("place", "verdict"), [(11, Verdict.FAIL), (18, Verdict.PASS)])
def test_a_table_by_the_number_of_fields_is_tried_at_each_number(
    place: int, verdict: Verdict
) -> None:
    """cat(relu(x_0), ...) => relu(cat(x_shift, ...)), shifted for one number of up to 17 fields."""
    shift = attr.Tuple(*(int(number == place) for number in range(19)))

    def shifted() -> Subst:
        x = pat.Wildcard()
        limited = op.Relu(x)
        fields = pat.Variadic(limited, templates=[limited, x])
        i, n = attr.Symbol("i"), fields.length
        inner = fields(x, attr.Min(i + shift[n], n - 1))
        inputs = pat.Variadic(inner, templates=[inner], index=i, length=n)
        alike = attr.All(lambda k: fields(x, k).shape == fields(x, 0).shape, length=n)
        joined = op.Concatenate(fields, axis=0)
        return Subst(joined, op.Relu(op.Concatenate(inputs, axis=0)), where=[alike, n <= 17])

    assert ask(NUMERIC, shifted).verdict is verdict
