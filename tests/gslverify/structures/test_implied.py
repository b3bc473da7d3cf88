"""What follows from claims by arithmetic alone; the solver has the last word about that."""

from __future__ import annotations

import random
from typing import Any

import pytest

from gsl.attr.evaluate import choose, contains, disjunction, maximum, minimum
from gsl.attr.term import Symbol, Term, operation
from gslverify.semantics.solver import Answer, Solver
from gslverify.structures.arithmetic.implied import Consequences

A, B, C, D = (Symbol(name, low=1) for name in "abcd")
FREE, NAMED = Symbol("free"), Symbol("named")
NAME, OTHER = (Symbol(name, "text") for name in ("name", "other"))
FLOATS, MORE = ("float32", "float64"), ("float32", "float64", "int8")


def fits(one: Any, other: Any) -> Any:
    return disjunction(one == other, one == 1, other == 1)


def broadcast(one: Any, other: Any) -> Any:
    return choose(one == 1, other, one)


AB, BA = broadcast(A, B), broadcast(B, A)

HOLD: list[tuple[list[Term], dict[Symbol, Term], Term]] = [
    ([], {}, A + B == B + A),
    ([], {}, (A + B) * C == C * B + A * C),
    ([], {}, A * A - 1 >= 0),
    ([], {}, A + B > 1),
    ([], {}, maximum(FREE, A) >= 1),
    ([], {}, minimum(A, B) == minimum(B, A)),
    ([], {}, FREE // A == (FREE + 0) // A),
    ([], {}, broadcast(A, 1) == A),
    ([], {}, -((-FREE) // A) == (FREE - 1) // A + 1),
    ([], {}, (A * B + FREE) // A == B + FREE // A),
    ([], {}, -((-A * (FREE // A) - 1) // A) == FREE // A + 1),
    ([], {}, (5 * FREE + 7) // 3 == FREE + (2 * FREE + 1) // 3 + 2),
    ([], {}, (A + 1) // A >= 1),
    ([], {}, (A * B + 3 * A) % A == 0),
    ([], {}, (A * FREE + 1) % A == (1 - B * A) % A),
    ([FREE >= 1], {}, (FREE * B) % FREE == 0),
    ([FREE >= 1, NAMED == 3 * FREE], {NAMED: 3 * FREE}, (NAMED // 3) % FREE == 0),
    ([FREE % (2 * A) == 0], {}, FREE % A == 0),
    ([FREE % (A * B * 6) == 0], {}, FREE % (3 * B) == 0),
    ([(FREE + C) % (2 * A) == 0], {}, (C + FREE - A) % A == 0),
    ([A == B + C], {A: B + C}, A - C == B),
    ([A <= B], {}, B - A >= 0),
    ([(A > B) | (FREE < 3)], {}, (FREE < 3) | (A > B)),
    ([fits(A, B)], {}, AB == BA),
    ([fits(A, B), fits(AB, C)], {}, broadcast(AB, C) == broadcast(BA, C)),
    ([fits(A, B), fits(AB, C)], {}, broadcast(AB, C) == broadcast(A, broadcast(C, B))),
    ([fits(A, B), fits(AB, C)], {}, fits(B, C)),
    ([contains(NAME, FLOATS)], {}, contains(NAME, MORE)),
    ([NAME == OTHER, contains(OTHER, FLOATS)], {NAME: OTHER}, contains(NAME, FLOATS)),
    ([A == 1], {A: 1 * B, B: 1 + 0 * C}, A == B),
]

OPEN: list[tuple[list[Term], Term]] = [
    ([], A == B),
    ([], A - 1 > 0),
    ([], FREE >= 0),
    ([FREE >= 0], (FREE * B) % FREE == 0),
    ([], (A * B + 1) % A == 0),
    ([], A * FREE >= 0),
    ([], AB == BA),
    ([fits(A, B)], fits(A, C)),
    ([fits(A, B), fits(B, C)], fits(A, C)),
    ([], A // FREE == A // FREE),
    ([], -((-FREE) // A) == FREE // A + 1),
    ([], -((-FREE) // A) == FREE // A),
    ([], (FREE * B + B) // FREE == B + B // FREE),
    ([FREE % A == 0], FREE % (2 * A) == 0),
    ([FREE % (2 * A) == 0], FREE % B == 0),
    ([FREE % (2 * A) == 0], FREE % (4 * A) == 0),
    ([FREE % (3 * A) == 0], FREE % (2 * A) == 0),
    ([FREE % (2 * A) == 1], FREE % A == 0),
    ([NAMED >= 0, FREE % (2 * NAMED) == 0], FREE % NAMED == 0),
    ([], 1 // A == 0),
    ([], -2 // A == -1),
    ([], operation("sqrt", FREE) == operation("sqrt", FREE)),
    ([contains(NAME, MORE)], contains(NAME, FLOATS)),
    ([A == 1], A == 2),
    ([], contains(FREE, (1,)) == contains(FREE, (True,))),
]


@pytest.mark.parametrize(("claims", "definitions", "condition"), HOLD)
def test_what_follows_is_found(
    claims: list[Term], definitions: dict[Symbol, Term], condition: Term
) -> None:
    assert Consequences(claims, definitions).hold(condition)


@pytest.mark.parametrize(("claims", "condition"), OPEN)
def test_what_does_not_follow_is_left_open(claims: list[Term], condition: Term) -> None:
    assert not Consequences(claims, {}).hold(condition)


def number(pick: random.Random, depth: int) -> Any:
    if depth == 0:
        return pick.choice([A, B, C, FREE, 0, 1, 2])
    left, right = number(pick, depth - 1), number(pick, depth - 1)
    match pick.randrange(7):
        case 0:
            return left + right
        case 1:
            return left - right
        case 2:
            return minimum(left, right)
        case 3:
            return maximum(left, right)
        case 4:
            return choose(condition(pick, depth - 1), left, right)
        case 5:
            return left // pick.choice([A, B, 2])
    return broadcast(pick.choice([A, B, C]), left)


def condition(pick: random.Random, depth: int) -> Any:
    left, right = number(pick, depth), number(pick, depth)
    match pick.randrange(6):
        case 0:
            return left == right
        case 1:
            return left <= right
        case 2:
            return left < right
        case 3:
            return fits(left, right)
        case 4:
            return disjunction(left == right, left > right)
    return left != right


@pytest.mark.smt
def test_the_solver_finds_no_model_against_what_follows() -> None:
    pick = random.Random(0)
    found = 0
    for _ in range(3000):
        claims = [one for _ in range(3) if isinstance(one := condition(pick, 1), Term)]
        claims += [fits(A, B), fits(AB, C)] if pick.random() < 0.5 else []
        wanted = condition(pick, pick.choice((0, 1, 1, 2)))
        if isinstance(wanted, Term) and Consequences(claims, {}).hold(wanted):
            found += 1
            assert Solver(claims, 400_000).refutes(wanted).answer is not Answer.SAT, (
                claims,
                wanted,
            )
    assert found > 40
