"""Operands that may be absent: what patterns match and build, and what the verifier looks at."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from gsl import Call, Subst, Tuple, Var, Workload, op, pat
from gsl.check import check
from gsl.engine.fixpoint import matches
from gsl.errors import ShapeError
from gsl.evaluate import evaluate
from gsl.expr import Expr
from gsl.operators.declaration import ABSENT, lookup
from gslverify.structures.variants import enumerate_variants

ATTENTION = lookup("MaskedAttention")
HEADS = [Var(name, (1, 2, 3, 4)) for name in ("query", "key", "value")]
MASK = Var("mask", (3, 3), "bool")
NOTHING = Tuple([])


def attention(mask: Expr) -> Call:
    return Call(ATTENTION, [*HEADS, mask])


def with_mask(mask: pat.Pattern) -> Subst:
    q, k, v = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    return Subst(op.MaskedAttention(q, k, v, mask), q)


@pytest.mark.parametrize(
    ("mask", "absent", "present"),
    [
        (pat.Absent, True, False),
        (lambda: pat.Variable(dtype="bool"), False, True),
        (lambda: pat.Optional(pat.Variable(dtype="bool")), True, True),
        (lambda: pat.Optional(pat.Variable(dtype="float32")), True, False),
        (pat.Wildcard, True, True),
    ],
)
def test_what_is_matched(mask: Callable[[], pat.Pattern], absent: bool, present: bool) -> None:
    for network, expected in ((attention(NOTHING), absent), (attention(MASK), present)):
        found = matches(with_mask(mask()), Workload(network))
        assert any(True for _ in found) is expected


def test_an_absent_operand_is_built() -> None:
    x = pat.Wildcard()
    rule = Subst(op.Relu(x), op.MaskedAttention(x, x, x, pat.Absent()))
    (result,) = rule(Workload(Call(lookup("Relu"), [HEADS[0]]))).outputs
    assert isinstance(result, Call)
    assert result.operands[3].type == ABSENT


def test_only_optional_operands_may_be_absent() -> None:
    x, m = pat.Wildcard(), pat.Wildcard()
    right = Subst(op.MaskedAttention(x, x, x, m), op.MaskedAttention(x, x, x, pat.Absent()))
    wrong = Subst(op.MaskedAttention(x, x, x, m), op.MaskedAttention(x, x, pat.Absent(), m))
    assert "GSL119" not in {str(one.code) for one in check(right)}
    assert "GSL119" in {str(one.code) for one in check(wrong)}
    with pytest.raises(ShapeError, match="`value` of MaskedAttention must be one tensor"):
        Call(ATTENTION, [*HEADS[:2], NOTHING, MASK])
    with pytest.raises(ShapeError, match="or an empty tuple where it is absent"):
        attention(Tuple([MASK]))


def test_both_are_among_the_structures() -> None:
    found = enumerate_variants(with_mask(pat.Wildcard())).variants
    masks = [one.instance(with_mask(pat.Wildcard())).outputs[0].operands[3] for one in found]
    kinds = {mask.expr.type == ABSENT for mask in masks}
    assert kinds == {True, False}


def test_the_reference_computes_without_a_mask() -> None:
    values = {v.name: np.ones(v.shape, v.dtype) for v in (*HEADS, MASK)}
    results = evaluate([attention(NOTHING), attention(MASK)], values)
    np.testing.assert_array_equal(results[0], results[1])
