"""Questions to the solver, cut down to what their answers depend on.

Structures of a rule differ in ranks and axes, and what is open about an axis is the same in all of
them. So most questions were asked before, with other names.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from gsl.attr.evaluate import applied
from gsl.attr.term import (
    Operation,
    Term,
    Value,
    as_term,
    bottom_up,
    free_symbols,
    operation,
    subterms,
)
from gslverify.prove.indices.cone import components, cone_of, conjuncts, shape_of
from gslverify.semantics.solver import Answer, Solver
from gslverify.semantics.terms import UntranslatableError

_CHOICES = frozenset({"cond", "min", "max"})


class Questions:
    """What solvers of one rule have said, by the forms of the questions."""

    def __init__(self) -> None:
        self._answers: dict[Hashable, Answer] = {}

    def follows(self, goal: Term, solver: Solver, assumptions: Iterable[Term] = ()) -> bool:
        """Tell whether a goal follows from claims and assumptions; when in doubt it does not."""
        conditions = conjuncts([*solver.claims, *assumptions])
        return all(self._follows(one, conditions, solver) for one in conjuncts([goal]))

    def _follows(self, goal: Term, conditions: Sequence[Term], solver: Solver) -> bool:
        # A part of the conditions is enough to prove something, and never to refute it.
        own = free_symbols(goal)
        near = [one for one in conditions if free_symbols(one) <= own]
        if self._refuted(goal, near, solver):
            return True
        cone = cone_of([goal], conditions)
        return len(cone) > len(near) and self._refuted(goal, cone, solver)

    def _refuted(self, goal: Term, conditions: list[Term], solver: Solver) -> bool:
        """Tell whether a goal is known not to fail where conditions hold."""
        try:
            return self._ask([goal], conditions, solver) is Answer.UNSAT
        except UntranslatableError:
            return False

    def simpler(self, term: Term, solver: Solver, assumptions: Sequence[Term] = ()) -> Term:
        """Return a term with every choice made in it of which claims and assumptions decide."""
        known: dict[Term, Value] = {}
        for part in bottom_up(term):
            known[part] = part
            if isinstance(part, Operation):
                operands = [known[one] for one in part.operands]
                known[part] = self._chosen(part.head, operands, solver, assumptions)
        return as_term(known[term])

    def _chosen(
        self, head: str, operands: list[Value], solver: Solver, assumptions: Sequence[Term]
    ) -> Value:
        whole = applied(head, *operands)
        if head not in _CHOICES or not isinstance(whole, Term):
            return whole
        condition, *sides = operands
        if head != "cond":
            order = "<=" if head == "min" else ">="
            condition, sides = operation(order, *operands), operands
        for goal, side in zip((condition, operation("not", condition)), sides, strict=True):
            if self.follows(goal, solver, assumptions):
                return side
        return whole

    def can_hold(self, solver: Solver) -> Answer:
        """Return whether claims hold together, which is decided for groups that share no unknown.

        Raises UntranslatableError for a claim that z3 does not know.
        """
        conditions = conjuncts(solver.claims)
        if any(map(_has_function, conditions)):
            return solver.check().answer  # equal operands have equal roots, whatever the group
        closed = [one for one in conditions if not free_symbols(one)]
        groups = [closed, *components(conditions, conditions)]
        answers = {self._ask([], group, solver) for group in groups if group}
        for answer in (Answer.UNSAT, Answer.UNKNOWN):
            if answer in answers:
                return answer
        return Answer.SAT

    def _ask(self, goals: list[Term], conditions: list[Term], solver: Solver) -> Answer:
        key = (len(goals), shape_of([*goals, *conditions]))
        if key not in self._answers:
            own = Solver(conditions, solver.limit, solver.context)
            result = own.refutes(goals[0]) if goals else own.check()
            self._answers[key] = result.answer
        return self._answers[key]


def _has_function(term: Term) -> bool:
    return any(isinstance(part, Operation) and part.head == "sqrt" for part in subterms(term))
