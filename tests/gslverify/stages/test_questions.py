"""Questions about parts of the claims have the answers that those about all of them have."""

from __future__ import annotations

from itertools import combinations

import pytest

from gsl.attr.term import Constant, Symbol, Term, operation
from gslverify.semantics.solver import Answer, Solver
from gslverify.semantics.terms import UntranslatableError
from gslverify.stages.questions import Questions

pytestmark = pytest.mark.smt

LIMIT = 1_000_000
A, B, C, D = (Symbol(name, low=1) for name in "abcd")
ROOT_A, ROOT_B = operation("sqrt", A), operation("sqrt", B)
CLAIMS = (A < B, B < 4, C < D, D < 4, operation("==", C, D), operation("and", A > 2, C > 1))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What z3 is asked, a letter for each question."""
    questions: list[str] = []
    check, refutes = Solver.check, Solver.refutes
    monkeypatch.setattr(
        Solver, "check", lambda self, *more: (questions.append("c"), check(self, *more))[1]
    )
    monkeypatch.setattr(
        Solver,
        "refutes",
        lambda self, term, *more: (questions.append("r"), refutes(self, term, *more))[1],
    )
    return questions


def solver(*claims: Term) -> Solver:
    return Solver(claims, LIMIT)


@pytest.mark.parametrize("count", range(len(CLAIMS) + 1))
def test_groups_hold_together_where_all_claims_do(count: int) -> None:
    for claims in combinations(CLAIMS, count):
        expected = solver(*claims).check().answer
        assert Questions().can_hold(solver(*claims)) is expected, claims


@pytest.mark.parametrize("value", [True, False])
def test_a_claim_without_unknowns_counts(value: bool) -> None:
    claim = operation("and", A < B, Constant(value))
    expected = Answer.SAT if value else Answer.UNSAT
    assert Questions().can_hold(solver(claim)) is expected


def test_roots_tie_groups_together() -> None:
    claims = [ROOT_A >= 3, ROOT_B <= 2, operation("==", A, 9), operation("==", B, 9)]
    assert Questions().can_hold(solver(*claims)) is Answer.UNSAT


def test_what_the_solver_does_not_know_is_an_error() -> None:
    with pytest.raises(UntranslatableError):
        Questions().can_hold(solver(A < B, operation("exp", A) > 3))


@pytest.mark.parametrize(
    ("goal", "assumptions", "expected"),
    [
        (B > 1, [], True),
        (operation("and", B > 1, A < 4), [B < 5], True),
        (operation("and", B > 1, A < 2), [], False),
        (A < D, [], False),
        (A < D, [D > B], True),
        (C < 2, [D > B], False),
    ],
)
def test_a_goal_follows_from_claims_and_assumptions(
    goal: Term, assumptions: list[Term], expected: bool
) -> None:
    assert Questions().follows(goal, solver(A < B), assumptions) is expected


@pytest.mark.parametrize("goal", [operation("exp", A) > 0, operation("/", 6, A - 1) > 0])
def test_what_may_have_no_value_does_not_follow(goal: Term) -> None:
    assert not Questions().follows(goal, solver(A < B))


def test_a_question_under_other_names_is_not_asked_again(asked: list[str]) -> None:
    questions = Questions()
    assert questions.follows(B > 1, solver(A < B, C < D))
    assert questions.follows(D > 1, solver(A < B, C < D))
    assert asked == ["r", "r"]  # without any claim, and with those that share an unknown
    assert not questions.follows(C > 1, solver(A < B, C < D))
    assert asked == ["r", "r", "r"]


def test_what_follows_without_other_unknowns_is_asked_without_them(asked: list[str]) -> None:
    assert Questions().follows(A > 1, solver(A > 2, A < B, B < C))
    assert asked == ["r"]


def test_groups_of_one_form_are_looked_at_once(asked: list[str]) -> None:
    assert Questions().can_hold(solver(A < B, C < D)) is Answer.SAT
    assert asked == ["c"]


def test_no_answer_is_not_a_yes() -> None:
    cube = operation("*", operation("*", A, B), C)
    hard = Solver([operation("==", cube, operation("*", D, operation("*", D, D)))], 1)
    assert Questions().can_hold(hard) is not Answer.UNSAT
    assert not Questions().follows(A <= B, hard)
