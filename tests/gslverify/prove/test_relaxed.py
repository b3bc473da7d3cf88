"""Linear questions: yes and no are right, and what was answered is not asked again."""

from __future__ import annotations

from typing import Any

import pytest

from gsl.attr.evaluate import choose, conjunction, contains, disjunction, equal, negation
from gsl.attr.term import Symbol, Term, operation
from gslverify.prove.indices.learning import forms_of
from gslverify.prove.indices.relaxed import Relaxed, Replies, Reply
from gslverify.semantics.solver import new_context

pytestmark = pytest.mark.smt

M, N, K = (Symbol(name, low=1) for name in "mnk")
P, J = Symbol("i", low=0), Symbol("j", low=0)
ONE, OTHER, THIRD = (Symbol(name, "text") for name in ("one", "other", "third"))
FLOATS = ("float16", "float32", "float64")


def relaxed(*claims: Any, replies: Replies | None = None) -> Relaxed:
    terms = [claim for claim in claims if isinstance(claim, Term)]
    found: Replies = {} if replies is None else replies
    return Relaxed(forms_of(terms), terms, 100_000, new_context(), found)


@pytest.mark.parametrize(
    ("claims", "goal", "expected"),
    [
        ([P < N], P <= N, Reply.YES),
        ([P < N], P < N - 1, Reply.NO),
        ([P < N, N <= M], P < M, Reply.YES),
        ([equal(N, M + 1)], M < N, Reply.YES),
        ([equal(N, M - 2)], M >= 3, Reply.YES),
        ([equal(N, M - 2)], M >= 4, Reply.NO),
        ([], N // 2 * 2 <= N, Reply.YES),
        ([], N // 2 * 2 >= N, Reply.NO),
        ([P < N], choose(equal(N, 1), 0, P) <= P, Reply.YES),
        ([P < N], operation("*", P, K) < operation("*", N, K), Reply.OPEN),
        ([], operation("*", N, M) >= 1, Reply.YES),
        ([equal(ONE, OTHER), contains(OTHER, FLOATS)], contains(ONE, FLOATS), Reply.YES),
        ([contains(OTHER, FLOATS)], contains(ONE, FLOATS), Reply.NO),
        ([equal(ONE, OTHER)], equal(ONE, THIRD), Reply.NO),
        ([disjunction(equal(ONE, OTHER), equal(ONE, THIRD))], equal(ONE, THIRD), Reply.NO),
    ],
)
def test_questions_are_answered(claims: list[Any], goal: Any, expected: Reply) -> None:
    assert relaxed(*claims).follows(goal, []) is expected


def test_assumptions_count() -> None:
    asked = relaxed(P < N)
    assert asked.follows(P < 3, []) is Reply.NO
    assert asked.follows(P < 3, [N <= 3]) is Reply.YES


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([P < J], Reply.NO),
        ([P < J, J < P], Reply.YES),
        ([K < 3, P < J, J < P], Reply.YES),
        ([M < 1], Reply.YES),
        ([negation(M >= 1)], Reply.YES),
        ([conjunction(K < 3, J < 3)], Reply.NO),
    ],
)
def test_contradictions_are_found(given: list[Any], expected: Reply) -> None:
    assert relaxed().follows(False, given) is expected


def test_a_question_about_other_unknowns_is_not_asked_again() -> None:
    replies: Replies = {}
    one = relaxed(P < N, K < 7, replies=replies)
    assert one.follows(P <= N, []) is Reply.YES
    other = relaxed(J < M, replies=replies)
    assert other.follows(J <= M, []) is Reply.YES
    assert (one.asked, other.asked) == (1, 0)
    assert other.follows(J < M + 1, []) is Reply.YES
    assert other.asked == 1
