"""Every two dtypes that are free come together."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product

import pytest

from gsl import Subst, attr, op, pat
from gslverify.networks.joint_dtypes import MOST_ROWS, _rows, joint_dtypes
from gslverify.stages.examination import scenarios_of
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.seeds import SEEDS
from tests.gslverify.stages.asking import is_refuted, question

NARROW = ("int8", "uint8", "int16", "bool", "int4", "uint4", "uint16")
BYTES = ("int8", "uint8", "uint4", "int4", "bool")
BETWEEN = ("int16", "int32", "int64", "float32", "float64", "bfloat16", "float8_e4m3fn")
WIDE = ("int16", "int32", "int64", "float32", "float64", "bool")


def test_rows_have_every_two_options_of_two_names() -> None:
    options = {"a": BYTES, "b": BETWEEN, "c": WIDE, "d": ("int8", "int16")}
    rows = [dict(row) for row in _rows(options)]

    for one, other in combinations(options, 2):
        together = {(row[one], row[other]) for row in rows}
        assert together == set(product(options[one], options[other]))
    assert len(rows) < len(BYTES) * len(BETWEEN) * len(WIDE) / 2
    assert len(rows) <= MOST_ROWS


def test_every_option_of_one_name_has_a_row() -> None:
    assert list(_rows({"a": BYTES})) == [(("a", one),) for one in BYTES]


def rows_of(**written: str) -> set[str]:
    """Return the dtypes that relu is tried in for the sake of its dtype."""

    def relu() -> Subst:
        x = pat.Wildcard(ndim=1, **written)
        return Subst(op.Relu(x), op.Maximum(x, 0))

    found = joint_dtypes([one.sampler for one in scenarios_of(question(relu)).feasible])
    return {dtype for _, row in found for _, dtype in row}


def test_only_dtypes_that_are_free_have_rows() -> None:
    assert {"float32", "bfloat16"} <= rows_of()
    assert not rows_of(dtype="float32")


def product_in_int32() -> Subst:
    """int64(x) * int64(y)  =>  int64(int32(x) * int32(y)); two uint16 are too large for that"""
    x, y = pat.Wildcard(ndim=1), pat.Wildcard(ndim=1)
    wide = op.Cast(x, dtype="int64") * op.Cast(y, dtype="int64")
    narrow = op.Cast(x, dtype="int32") * op.Cast(y, dtype="int32")
    among = [attr.In(x.dtype, NARROW), attr.In(y.dtype, NARROW)]
    return Subst(wide, op.Cast(narrow, dtype="int64"), where=among)


def conversion_left_out() -> Subst:
    """cast(cast(x))  =>  cast(x); a float8 holds no integers of 8 bits beyond 16"""
    x = pat.Wildcard()
    between = op.Cast(x)
    last = op.Cast(between)
    among = [attr.In(x.dtype, BYTES), attr.In(between.dtype, BETWEEN), attr.In(last.dtype, WIDE)]
    return Subst(last, op.Cast(x, dtype=last.dtype), where=among)


@pytest.mark.smt
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("write", [product_in_int32, conversion_left_out])
def test_two_dtypes_of_many_refute_a_rule(write: Callable[[], Subst], seed: int) -> None:
    assert is_refuted(write, NUMERIC, seed=seed)
