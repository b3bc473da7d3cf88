"""What is built by the C functions of z3 is what its Python operators build."""

from __future__ import annotations

import operator
from typing import Any

import pytest
import z3

from gslverify.semantics import building as make

CONTEXT = z3.Context()
INTS = (z3.Int("m", CONTEXT), z3.Int("n", CONTEXT), z3.IntVal(3, CONTEXT))
REALS = (z3.Real("x", CONTEXT), z3.Real("y", CONTEXT), z3.RealVal("1/3", CONTEXT))
TRUTHS = (z3.Bool("p", CONTEXT), z3.Bool("q", CONTEXT), z3.BoolVal(True, CONTEXT))
SORTS = (INTS, REALS, TRUTHS)

NUMBERS = [
    (make.plus, operator.add),
    (make.minus, operator.sub),
    (make.times, operator.mul),
    (make.over, operator.truediv),
    (make.less, operator.lt),
    (make.at_most, operator.le),
    (make.more, operator.gt),
    (make.at_least, operator.ge),
]
EQUALITIES = [(make.equal, operator.eq), (make.unequal, operator.ne)]


def pairs(*sorts: Any) -> list[tuple[Any, Any]]:
    return [(left, right) for sort in sorts for left in sort for right in sort]


@pytest.mark.parametrize(("ours", "theirs"), NUMBERS)
def test_numbers(ours: Any, theirs: Any) -> None:
    assert all(ours(*pair).eq(theirs(*pair)) for pair in pairs(INTS, REALS))


@pytest.mark.parametrize(("ours", "theirs"), EQUALITIES)
def test_equality_of_any_sorts(ours: Any, theirs: Any) -> None:
    every = [*pairs(*SORTS), *zip(INTS, REALS, strict=True), *zip(TRUTHS, INTS, strict=True)]
    assert all(ours(*pair).eq(theirs(*pair)) for pair in every)


def test_truth_values() -> None:
    for left, right in pairs(TRUTHS):
        assert make.implies(left, right).eq(z3.Implies(left, right))
        assert make.conjunction((left, right), CONTEXT).eq(z3.And(left, right))
        assert make.disjunction((left, right), CONTEXT).eq(z3.Or(left, right))
        assert make.negation(left).eq(z3.Not(left))
    assert make.conjunction((), CONTEXT).eq(z3.And(CONTEXT))
    assert make.disjunction((), CONTEXT).eq(z3.Or(CONTEXT))


def test_one_of_two() -> None:
    for pair in [*pairs(*SORTS), *zip(INTS, REALS, strict=True)]:
        assert make.choice(TRUTHS[0], *pair).eq(z3.If(TRUTHS[0], *pair))


def test_operands_of_one() -> None:
    for number in (*INTS, *REALS):
        assert make.negative(number).eq(-number)
        assert make.small(7, number).eq(number.sort().cast(7))
        assert make.is_real(number) == z3.is_real(number)
    assert [make.as_real(one).eq(z3.ToReal(one)) for one in INTS] == [True] * 3
    assert all(make.as_real(one) is one for one in (*REALS, *TRUTHS))


def test_sorts_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(z3.Z3Exception):
        make.negation(INTS[0])
    with pytest.raises(z3.Z3Exception):
        make.conjunction((INTS[0], TRUTHS[0]), CONTEXT)
    with pytest.raises(z3.Z3Exception):
        make.choice(INTS[0], *REALS[:2])


def test_a_solver_takes_formulas_for_true() -> None:
    solver = z3.Solver(ctx=CONTEXT)
    make.add(solver, [INTS[0] > 3, INTS[0] < 3])
    assert solver.check() == z3.unsat
