"""The only door to z3: queries about terms under a deterministic resource limit.

What terms mean is said in `gslverify.semantics.terms`. "Unknown" is an answer of its own and
never counts as success; every model is only a suggestion until it was executed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

import z3

from gsl.attr.term import Symbol, Term
from gslverify.interruption import answered
from gslverify.semantics import building as make
from gslverify.semantics.terms import TermFormulas, UntranslatableError

Model = Mapping[Symbol, Any]


class Answer(StrEnum):
    """What the solver says about a set of formulas."""

    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


@dataclass(slots=True)
class Result:
    """An answer with a model when satisfiable, or the numbers of clashing claims when not."""

    answer: Answer
    model: dict[Symbol, Any] = field(default_factory=dict)
    core: tuple[int, ...] = ()


class Context:
    """What solvers of one rule share, made when the first of them is asked; most never are."""

    @cached_property
    def z3(self) -> Any:
        """The context of z3."""
        return z3.Context()


def new_context() -> Context:
    """Return a context, in which solvers of one rule share what they know about formulas."""
    return Context()


def _new_solver(context: Any, limit: int) -> Any:
    made = z3.Solver(ctx=context)
    made.set("rlimit", limit)
    made.set("random_seed", 0)
    return made


class Solver:
    """A set of claims to which questions can be put.

    Solvers of one rule share a `context`, which is slow to make; those of different rules must
    not, or their answers would depend on the order of the rules. `limit` bounds each query in
    z3's own resource unit, not in seconds, so that the same question has the same answer on every
    machine. With `ideal` reals are never rounded, as in proofs about elements.
    """

    def __init__(
        self,
        claims: Iterable[Term],
        limit: int,
        context: Context | None = None,
        ideal: bool = False,
    ) -> None:
        self.context = context or new_context()
        self.ideal = ideal
        self.limit = limit
        self._loaded: Any = None
        self._made: TermFormulas | None = None
        self._learnt: list[Any] = []
        self._unasked: Any = None
        self.claims = tuple(claims)

    @property
    def _z3(self) -> Any:
        return self.context.z3

    @property
    def solver(self) -> Any:
        """The solver of z3, which gets to know the claims when it is first needed.

        Raises UntranslatableError for a claim that z3 does not know.
        """
        if self._loaded is None:
            self._loaded = _new_solver(self._z3, self.limit)
            make.add(self._loaded, self._learnt)
            try:
                for claim in self.claims:
                    make.add(self._loaded, self.formulas.of_condition(claim))
                self._unasked = self._loaded.assertions(), self.formulas.copy(self._z3, self._learn)
            except UntranslatableError:
                self._loaded = None
                self.formulas.forget()
                self._learnt.clear()
                raise
        return self._loaded

    @property
    def formulas(self) -> TermFormulas:
        """The formulas of terms, which the solver of z3 learns from."""
        if self._made is None:
            self._made = TermFormulas(self._z3, self._learn, self.ideal)
        return self._made

    def copy(self, limit: int, alone: bool = True) -> Solver:
        """Return a solver with the same claims that was asked nothing; its context is its own.

        A solver of z3 answers differently after other questions; a copy does not, and is made in a
        fraction of the time that it takes to translate the claims again. Most of that goes into the
        context: one that is not `alone` is made sooner, and for questions of which the answer
        matters and not the model. Raises UntranslatableError for a claim that z3 does not know.
        """
        if self._unasked is None:
            _ = self.solver
        assertions, formulas = self._unasked
        made = Solver(self.claims, limit, None if alone else self.context, self.ideal)
        made._loaded = _new_solver(made._z3, limit)
        made._loaded.add(*(assertions.translate(made._z3) if alone else assertions))
        made._made = formulas.copy(made._z3, made._learn)
        return made

    def close(self) -> None:
        """Let go of all formulas, and of the context if it is its own.

        What learns from formulas and what makes them know each other, and would else keep megabytes
        until Python looks for cycles.
        """
        self._loaded = self._made = self._unasked = None
        self._learnt.clear()

    def _learn(self, *formulas: Any) -> None:
        self._learnt += formulas
        if self._loaded is not None:
            make.add(self._loaded, formulas)

    @contextmanager
    def within(self, limit: int) -> Iterator[None]:
        """Bound each query by another limit for a while."""
        usual = self.limit
        self._bound(limit)
        try:
            yield
        finally:
            self._bound(usual)

    def _bound(self, limit: int) -> None:
        self.limit = limit
        if self._loaded is not None:
            self._loaded.set("rlimit", limit)

    def check(self, *more: Term) -> Result:
        """Ask whether the claims and `more` hold together."""
        formulas = [formula for term in more for formula in self.formulas.of_condition(term)]
        return self._ask(formulas)

    def clash(self, more: Sequence[Term]) -> set[int] | None:
        """Return numbers of those of `more` that the claims rule out together, None if not known.

        There may be fewer that clash.
        """
        formulas = [self._whole(term) for term in more]
        names = [z3.Bool(f"demand{number}", self._z3) for number in range(len(formulas))]
        self.solver.push()
        try:
            make.add(self.solver, map(make.implies, names, formulas))
            if answered(self.solver, *names) != z3.unsat:
                return None
            clashing = {name.get_id() for name in self.solver.unsat_core()}
            return {number for number, name in enumerate(names) if name.get_id() in clashing}
        finally:
            self.solver.pop()

    def refutes(self, obligation: Term, *more: Term) -> Result:
        """Ask for a model of the claims and `more` where `obligation` fails or has no value."""
        formulas = [formula for term in more for formula in self.formulas.of_condition(term)]
        return self._ask([*formulas, make.negation(self._whole(obligation))])

    def _whole(self, term: Term) -> Any:
        return make.conjunction(self.formulas.of_condition(term), self._z3)

    def _ask(self, formulas: Sequence[Any]) -> Result:
        # Translated before this scope opens: the bounds of new symbols have to outlive it.
        self.solver.push()
        try:
            make.add(self.solver, formulas)
            return self._result(answered(self.solver))
        finally:
            self.solver.pop()

    def core(self) -> Result:
        """Ask whether the claims hold together and, if not, for a few that clash."""
        tracked = z3.Solver(ctx=self._z3)
        tracked.set("unsat_core", True)
        tracked.set("core.minimize", True)
        tracked.set("rlimit", self.limit)
        for number, claim in enumerate(self.claims):
            tracked.assert_and_track(self._whole(claim), f"claim{number}")
        tracked.add(*self._learnt)
        answer = answered(tracked)
        if answer != z3.unsat:
            return Result(Answer.UNKNOWN)
        numbers = sorted(int(str(name)[len("claim") :]) for name in tracked.unsat_core())
        return Result(Answer.UNSAT, core=tuple(numbers))

    def near(
        self,
        preferences: Sequence[tuple[Symbol, Any]],
        limits: Sequence[Term] = (),
        one_by_one: bool = True,
    ) -> Result:
        """Find a model within `limits` that grants preferences.

        Of those that clash the last is dropped, then the last of those that still do; all at once
        unless `one_by_one`, which takes fewer questions and grants less.
        """
        granted = [
            (
                z3.Bool(f"preference{number}", self._z3),
                self.formulas.variable(symbol) == self.formulas.value(value),
            )
            for number, (symbol, value) in enumerate(preferences)
        ]
        bounded = [formula for limit in limits for formula in self.formulas.of_condition(limit)]
        self.solver.push()
        try:
            self.solver.add(
                *bounded, *(z3.Implies(name, preference) for name, preference in granted)
            )
            return self._grant([name for name, _ in granted], one_by_one)
        finally:
            self.solver.pop()

    def _grant(self, names: list[Any], one_by_one: bool) -> Result:
        by_id = {name.get_id(): name for name in names}
        while True:
            answer = answered(self.solver, *by_id.values())
            if answer != z3.unsat or not by_id:
                return self._result(answer)
            clashing = {name.get_id() for name in self.solver.unsat_core()}
            if not clashing:
                return Result(Answer.UNSAT)
            dropped = [number for number in by_id if number in clashing]
            for number in dropped[-1:] if one_by_one else dropped:
                del by_id[number]

    def _result(self, answer: Any) -> Result:
        if answer == z3.sat:
            return Result(Answer.SAT, self.formulas.model(self.solver.model()))
        return Result(Answer.UNSAT if answer == z3.unsat else Answer.UNKNOWN)
