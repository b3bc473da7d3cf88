"""Checks a certificate: equations that follow from laws and from what z3 shows, and then one value.

Every step of a certificate says that two terms or elements are equal, for all values of some
indices, by a law. Conditions of the law have to follow from claims of the rule and the case that is
looked at. With all equations in the model both sides have to have one value there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import SystemRandom
from typing import Any

from gsl.attr.evaluate import conjunction, negation
from gsl.attr.term import Symbol, Term
from gsl.kernel.expression import Expression
from gslverify.certificates.draw import RefusedError
from gslverify.certificates.elements import Elements
from gslverify.certificates.field import Value, plus, product_in
from gslverify.certificates.indices import Indices
from gslverify.certificates.inputs import is_seen
from gslverify.certificates.laws import LAWS, Shown, Step
from gslverify.certificates.lemmas import Way, clashes
from gslverify.certificates.model import Model
from gslverify.prove.indices.cone import conjuncts, shape_of
from gslverify.semantics.solver import Answer, Solver
from gslverify.semantics.terms import UntranslatableError

LIMIT = 600_000
"""The solver's own unit, several times what is granted to whoever writes certificates."""


@dataclass(slots=True)
class Asked:
    """What z3 may use in one scenario: claims, and answers to questions of the same form."""

    claims: Sequence[Term]
    context: Any
    replies: dict[Any, bool]
    limit: int = LIMIT
    questions: int = 0

    def shows(self, goal: Any, facts: Sequence[Any], ways: Sequence[Way] = ()) -> bool:
        """Tell whether a condition follows from facts; `goal` is False where they must clash.

        Either sums of products say so on all `ways` in which it can fail, or z3 does.
        """
        if not isinstance(goal, Term) and goal:
            return True
        if any(fact is False for fact in facts) or is_seen(goal, facts):
            return True
        parts = conjuncts([goal])
        if len(parts) > 1:
            return all(self.shows(one, facts) for one in parts)
        goals = [goal] if isinstance(goal, Term) else []
        given = [fact for fact in facts if isinstance(fact, Term)]
        key = len(goals), shape_of([*goals, *given])
        if key not in self.replies:
            self.replies[key] = (
                clashes(ways, goal, given, Indices(SystemRandom().getrandbits(64)))
                if ways
                else self._answer(goals, given)
            )
        return self.replies[key]

    def _answer(self, goals: Sequence[Term], given: Sequence[Term]) -> bool:
        self.questions += 1
        solver = Solver(given, self.limit, self.context, ideal=True)
        try:
            result = solver.refutes(*goals) if goals else solver.check()
        except UntranslatableError:
            return False
        return result.answer is Answer.UNSAT


def decided(step: Step) -> list[tuple[Sequence[Any], Any]]:
    """Return what has to be shown for a step that says that a condition holds or fails."""
    (condition,) = step.subjects
    return [
        ((), one) for one in conjuncts([condition if step.law == "holds" else negation(condition)])
    ]


def conditions_of(shown: Shown) -> list[tuple[Sequence[Any], Any]]:
    """Return the conditions of a law one by one, with what is known for each."""
    return [(given, one) for given, whole in shown.conditions for one in conjuncts([whole])]


class Checker:
    """Follows the steps of one case of one proof in a model, in which some claims are known."""

    def __init__(
        self,
        asked: Asked,
        claims: Iterable[int],
        path: Sequence[Any],
        model: Model,
    ) -> None:
        self.asked = asked
        self.path = tuple(path)
        self.always = conjuncts([*asked.claims, *path])
        self.model = model
        self.elements = Elements(model, self.always)
        self.extents: dict[Symbol, Any] = {}
        self.known_by: dict[int, int] = {}
        self._bounds: dict[Symbol, tuple[Any, Any]] = {}
        for number in claims:
            for literal in model.assume(asked.claims[number]):
                self.known_by[literal] = number
        for condition in path:
            model.assume(condition)
        model.forget()

    def follow(self, step: Step) -> None:
        """Add what a step says to the model; raise RefusedError where that does not follow."""
        if step.law in ("holds", "fails"):
            self._decide(step)
            return
        shown = self._shown(step)
        found = self.model.over(step.indices, lambda: (*self._pair(step, shown), self._given(step)))
        for _, (left, right, given) in list(found):
            self.model.equate(left, right, given)

    def values(self, step: Step) -> list[tuple[Value, Value]]:
        """Return the values of both sides of a step that is shown, at all indices."""
        shown = self._shown(step)
        found = self.model.over(step.indices, lambda: self._pair(step, shown))
        return [pair for _, pair in found]

    def _shown(self, step: Step) -> Shown:
        """Return what a step says, once its conditions are shown."""
        law = LAWS.get(step.law)
        if law is None:
            raise RefusedError(f"there is no law `{step.law}`")
        shown = law(self.elements, step)
        for number, (given, condition) in enumerate(conditions_of(shown)):
            if not self.shows(condition, step, number, given):
                raise RefusedError(f"`{step.law}` asks for what is not shown: {condition!r}")
        return shown

    def _given(self, step: Step) -> frozenset[int]:
        """Return the conditions that a step takes as given."""
        given = product_in(self.model.condition(conjunction(*step.given)))
        if given is None:
            raise RefusedError("what is given is not one of the conditions that are met")
        return given

    def _pair(self, step: Step, shown: Shown) -> tuple[Value, Value]:
        left, right = (self.read(side) for side in (shown.left, shown.right))
        if step.parts and self.rest(left, right, step.parts) != 0:
            raise RefusedError(f"`{step.law}` does not add up")
        return left, right

    def rest(self, left: Value, right: Value, parts: Sequence[tuple[Expression, Step]]) -> Value:
        """Return the difference of two values, but for multiples of what is shown to be 0."""
        rest = plus(left, right, -1)
        for factor, step in parts:
            for one, other in self.values(step):
                given = self.model.condition(conjunction(*step.given))
                scaled = self.model.times(self.model.value(factor), given)
                rest = plus(rest, self.model.times(scaled, plus(one, other, -1)), -1)
        return rest

    def read(self, side: Any) -> Value:
        """Return the value of a term or an element."""
        return self.model.value(side) if isinstance(side, Expression) else self.model.index(side)

    def _decide(self, step: Step) -> None:
        (condition,) = step.subjects
        for number, (_, one) in enumerate(decided(step)):
            if not self.shows(one, step, number):
                raise RefusedError(f"it is not shown that it {step.law}: {condition!r}")
        for _, (given, value) in self.model.over(step.indices, lambda: self._literals(step)):
            for literal, is_positive in value:
                holds = is_positive is (step.law == "holds")
                if given:
                    self.model.implied.append((given, literal, holds))
                    self.model.forget()
                else:
                    self.model.known[literal] = holds
                    self.model.forget(literal)

    def _literals(self, step: Step) -> tuple[frozenset[int], list[tuple[int, bool]]]:
        value = self.model.condition(step.subjects[0])
        if isinstance(value, int):
            return frozenset(), []
        is_positive = frozenset() not in value
        mono = product_in(value if is_positive else plus(1, value, -1))
        if mono is None:
            raise RefusedError("a condition is not one of those that are met")
        if len(mono) > 1 and is_positive is not (step.law == "holds"):
            raise RefusedError("one of several conditions fails")
        return self._given(step), [(literal, is_positive) for literal in mono]

    def shows(self, goal: Any, step: Step, number: int, given: Sequence[Any] = ()) -> bool:
        """Tell whether a condition of a step follows from the facts that the step names for it."""
        if not isinstance(goal, Term) and goal:
            return True
        facts = self.facts(step, given)
        used = step.facts[number] if number < len(step.facts) else ()
        ways = step.ways[number] if number < len(step.ways) else ()
        if any(fact >= len(facts) for fact in used):
            raise RefusedError(f"`{step.law}` names a fact that there is not")
        return self.asked.shows(goal, [facts[fact] for fact in used], ways)

    def facts(self, step: Step, given: Sequence[Any] = ()) -> list[Any]:
        """Return all that is known where a step is: claims, the case, what is given, and ranges."""
        bounds = [self._bound(*one) for one in (*step.indices, *self.extents.items())]
        return [*self.always, *conjuncts([*given, *step.given]), *bounds]

    def _bound(self, symbol: Symbol, extent: Any) -> Any:
        known = self._bounds.get(symbol)
        if known is None or known[0] is not extent:
            known = self._bounds[symbol] = extent, symbol < extent
        return known[1]
