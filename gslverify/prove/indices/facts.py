"""What holds where two values are compared: the claims of a scenario and assumptions beside them.

Conditions are first compared by form; only what is open then is put to the solver.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any

from gsl.attr.evaluate import contains, equal
from gsl.attr.term import Term
from gslverify.prove.indices.conditions import opposite
from gslverify.prove.indices.cone import components, cone_of, conjuncts, shape_of
from gslverify.prove.indices.forms import Forms
from gslverify.prove.indices.guesses import is_refuted
from gslverify.prove.indices.relaxed import Relaxed, Replies, Reply
from gslverify.semantics.solver import Answer, Solver
from gslverify.semantics.terms import UntranslatableError

LINEAR_LIMIT = 20_000
"""The solver's own unit, for questions made linear."""


@dataclass(slots=True)
class Memory:
    """Answers of the solver by what was asked.

    `replies` are those that other scenarios of the rule may use, too.
    """

    replies: Replies = field(default_factory=dict)
    answers: dict[Any, bool] = field(default_factory=dict)
    claims: list[Term] | None = None
    relaxed: Relaxed | None = None


class Facts:
    """Assumptions beside the claims that the solver knows; answers are remembered by form."""

    def __init__(
        self,
        solver: Solver,
        forms: Forms,
        terms: tuple[Term, ...] = (),
        known: frozenset[Hashable] = frozenset(),
        memory: Memory | None = None,
    ) -> None:
        self.solver = solver
        self.forms = forms
        self.terms = terms
        self.known = known
        self.memory = Memory() if memory is None else memory

    def assuming(self, *conditions: Any) -> Facts:
        """Return these facts and some more."""
        added = dict[Hashable, Term]()
        for condition in conditions:
            form = self.forms.condition(condition)
            if isinstance(condition, Term) and form is not True and form not in self.known:
                added[form] = condition
        if not added:
            return self
        known = self.known | frozenset(added)
        return Facts(self.solver, self.forms, (*self.terms, *added.values()), known, self.memory)

    def entails(self, *conditions: Any) -> bool:
        """Tell whether all conditions follow; when in doubt they do not."""
        open_ones: dict[Hashable, Any] = {}
        for condition in conditions:
            form = self.forms.condition(condition)
            if form is False and not self.terms:
                return False
            if form is not True and form not in self.known:
                open_ones[form] = condition
        if not open_ones:
            return True
        key = (self.known, frozenset(open_ones))
        answers = self.memory.answers
        if key not in answers:
            answers[key] = all(self._follows(condition) for condition in open_ones.values())
        return answers[key]

    def _follows(self, condition: Any) -> bool:
        relaxed = self._relaxed()
        asked = relaxed.asked
        reply = relaxed.follows(condition, self.terms)
        self.forms.effort.questions(relaxed.asked - asked)
        if reply is not Reply.OPEN:
            return reply is Reply.YES
        return self._exact(condition)

    def _exact(self, condition: Any) -> bool:
        """Put a question as it is, with what may have a part in its answer."""
        parts = self._parts()
        if isinstance(condition, Term):
            return self._asked([condition], cone_of([condition], parts))
        return any(self._asked([], one) for one in components(conjuncts(self.terms), parts))

    def _asked(self, goal: list[Term], cone: list[Term]) -> bool:
        replies = self.memory.replies
        key = ("exact", len(goal), shape_of([*goal, *cone]))
        if key not in replies and is_refuted(goal[0] if goal else False, cone):
            replies[key] = Answer.SAT
        if key not in replies:
            self.forms.effort.questions(1)
            solver = Solver(cone, self.solver.limit, self.solver.context, ideal=True)
            try:
                result = solver.refutes(goal[0]) if goal else solver.check()
                replies[key] = result.answer
            except UntranslatableError:
                replies[key] = Answer.UNKNOWN
        return replies[key] is Answer.UNSAT

    def _parts(self) -> list[Term]:
        if self.memory.claims is None:
            self.memory.claims = conjuncts([*self.solver.claims, *self.forms.definitions])
        return [*self.memory.claims, *conjuncts(self.terms)]

    def _relaxed(self) -> Relaxed:
        memory, solver = self.memory, self.solver
        if memory.relaxed is None:
            memory.relaxed = Relaxed(
                self.forms, solver.claims, LINEAR_LIMIT, solver.context, memory.replies
            )
        return memory.relaxed

    def impossible(self) -> bool:
        """Tell whether the assumptions contradict each other or the claims."""
        forms = self.known
        if any(opposite(form) in forms for form in forms):
            return True
        if not self.terms:
            return False
        return self.entails(False)

    def same(self, pairs: Iterable[tuple[Any, Any]]) -> bool:
        """Tell whether the terms of every pair are equal."""
        different = [(a, b) for a, b in pairs if not self.forms.same(a, b)]
        return self.entails(*(equal(a, b) for a, b in different))

    def is_one_of(self, dtype: Any, names: tuple[str, ...]) -> bool:
        """Tell whether a dtype is known to be among some."""
        if self.forms.names.is_among(dtype, names):
            return True
        name = self.forms.names.text(dtype)
        return not isinstance(name, str) and self.entails(contains(name, names))
