"""Is there anything on which two computations differ? Questions to z3, with their answers.

Every element is asked about alone first, and of those that are alike but for the names of their
unknowns only one. Questions have a limit in z3's own unit, so that they have the same answers on
every machine. Of all that makes a difference, numbers that a machine has are wanted most.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from enum import Enum
from math import inf
from typing import Any, ParamSpec, TypeVar

import z3

from gslverify.interruption import answered
from gslverify.semantics.formulas import ALL_DIGITS, Digits, Formulas, of_one_sort, value_in
from gslverify.semantics.scalars import (
    REAL,
    Scalar,
    UnsupportedError,
)
from gslverify.semantics.sides import Sides, likeness
from gslverify.semantics.solver import Context

MOST_MEMORY = 1024
"""In MB; a question that takes more is not answered."""
MOST_SECONDS = 3
"""For the few steps of z3 that it does not count."""
MODELS_PER_GRID = 2
"""How many models on one grid are tried before the next."""
PATIENCE = 3
"""How much longer a model may take than the answer that there is one."""
LARGEST_PREFERRED = 2**20
FEW_DIGITS = 1024
"""Numbers are multiples of 1 over it before they may be any."""
FEWER_DIGITS = (Digits(4), Digits(8), Digits(6, are_first=True))
"""Small integers and large ones, where those of their dtypes are too much for the solver."""
SHORT = 16
"""Bits of integers that are narrowed beside floats, too."""
CLEAR = 64
"""A difference of this part of the numbers that differ is seen in every floating dtype."""

GRIDS = ((1, True), (FEW_DIGITS, True), (0, True), (0, False))
"""What numbers are multiples of, as one over it and 0 for any; whether they differ clearly."""

Taken = ParamSpec("Taken")
Given = TypeVar("Given")


class Reply(Enum):
    """What is known about two sides."""

    EQUAL = "there is no difference"
    DIFFERENT = "there is a difference"
    OPEN = "the solver gave up"


class Examiner:
    """Asks about the graphs of one rule.

    Args:
        context: that of the rule, which no other rule shares.
        limit: bounds each question in z3's own unit.
        budget: after so many units no question is asked any more; infinity by default.

    Attributes:
        used: how many units all questions have taken.
        insists: whether a question is asked once more, with more patience.
    """

    def __init__(self, context: Context, limit: int, budget: float = inf) -> None:
        self.context = context
        self.limit = limit
        self.budget = budget
        self.used = 0
        self.insists = False
        self._known: dict[Hashable, Reply] = {}
        self._digits: dict[Hashable, Digits] = {}
        self._found: dict[Hashable, list[Any]] = {}

    def reply(self, sides: Sides) -> Reply:
        """Return whether two sides can differ; raise UnsupportedError if z3 fails.

        What was asked about in vain (see `give_up`) is open, and so is what has no elements.
        """
        replies = {self._reply(sides.of(pair)) for pair in sides.pairs}
        beyond = sides.beyond()
        if beyond is not None:
            replies.add(self._reply(beyond))
        ordered = (Reply.DIFFERENT, Reply.OPEN, Reply.EQUAL)
        return next((one for one in ordered if one in replies), Reply.OPEN)

    def _reply(self, sides: Sides) -> Reply:
        if sides.are_one:
            return Reply.EQUAL
        key = likeness(sides)
        if key not in self._known:
            if self.used >= self.budget:
                return Reply.OPEN
            self._known[key] = self._asked(sides, key)
        return self._known[key]

    def _asked(self, sides: Sides, key: Hashable) -> Reply:
        """Ask about all integers, and where that is too much about some of them."""
        for digits in (ALL_DIGITS, *(FEWER_DIGITS if self._may_narrow(sides) else ())):
            difference = Difference(self, sides, digits)
            reply = difference.reply()
            if reply is Reply.DIFFERENT:
                self._digits[key], self._found[key] = digits, difference.found
            if reply is Reply.DIFFERENT or (reply is Reply.EQUAL and digits is ALL_DIGITS):
                return reply
        return Reply.OPEN

    def _may_narrow(self, sides: Sides) -> bool:
        """Tell whether fewer digits make a question easier: beside floats only of short integers.

        That takes more of the limit, so that it is left to questions on which somebody insists.
        """
        kinds = sides.kinds
        widths = [kind.width for kind in kinds if kind.wraps]
        if REAL in kinds:
            return self.insists and max(widths, default=SHORT + 1) <= SHORT
        return bool(widths)

    def differences(self, sides: Sides) -> Iterator[Difference]:
        """Yield the questions that have models: about single elements, and at last about all."""
        parts = [sides.of(pair) for pair in sides.pairs]
        beyond = sides.beyond()
        different: dict[Hashable, Sides] = {}
        for part in parts if beyond is None else (*parts, beyond):
            key = likeness(part)
            if self._known.get(key) is Reply.DIFFERENT:
                different.setdefault(key, part)
        for nowrap in (True, False) if sides.nowrap else (False,):
            for key, part in different.items():
                asked = replace(part, nowrap=nowrap)
                difference = Difference(self, asked, self._digits[key])
                difference.found = self._found[key]
                yield difference
            if len(parts) > 1:
                fewest = min((self._digits[key] for key in different), key=_count)
                yield Difference(self, replace(sides, nowrap=nowrap), fewest)

    def give_up(self, sides: Sides) -> None:
        """Remember that no machine has shown what differs between two sides."""
        beyond = sides.beyond()
        parts = [sides.of(pair) for pair in sides.pairs]
        for part in parts if beyond is None else (*parts, beyond):
            key = likeness(part)
            if self._known.get(key) is Reply.DIFFERENT:
                self._known[key] = Reply.OPEN

    def insist(self, sides: Sides, limit: int) -> None:
        """Forget that a question was open; the next ones have another limit."""
        self.limit, self.insists = limit, True
        for pair in sides.pairs:
            key = likeness(sides.of(pair))
            if self._known.get(key) is Reply.OPEN:
                del self._known[key]

    def solver(self, patience: int = 1) -> Any:
        """Return a new solver with the limits of this examination, or so many times as much."""
        solver = z3.Solver(ctx=self.context.z3)
        solver.set("rlimit", patience * self.limit)
        solver.set("random_seed", 0)
        solver.set("max_memory", MOST_MEMORY)
        solver.set("timeout", 1000 * MOST_SECONDS)
        return solver

    def check(self, solver: Any) -> Any:
        """Return the answer of z3, and count what it took."""
        answer = answered(solver)
        statistics = solver.statistics()
        if "rlimit count" in statistics.keys():  # noqa: SIM118 - no dictionary
            self.used = max(self.used, int(statistics.get_key_value("rlimit count")))
        return answer


def _count(digits: Digits) -> int:
    return digits.count


def _translated(ask: Callable[Taken, Given]) -> Callable[Taken, Given]:
    """Make errors of z3, which may be out of memory, those of a question that it cannot answer."""

    def asked(*arguments: Taken.args, **named: Taken.kwargs) -> Given:
        try:
            return ask(*arguments, **named)
        except z3.Z3Exception as error:
            raise UnsupportedError(f"the solver failed: {error}") from error

    return asked


class Difference:
    """The question what makes a difference between two sides.

    Args:
        examiner: who asks.
        sides: what is compared.
        digits: which digits of unknown integers are open.

    Attributes:
        found: the values of the unknowns in a model that is known, in their order.
    """

    @_translated
    def __init__(self, examiner: Examiner, sides: Sides, digits: Digits) -> None:
        self.examiner = examiner
        self.formulas = formulas = Formulas(examiner.context.z3, digits)
        self.found: list[Any] = []
        defined = [c for one, _ in sides.pairs for c in formulas.defined(one)]
        defined += [c for one in sides.made[0] for c in formulas.defined(one)]
        defined += formulas.hold(sides.of_source)
        undefined = [z3.Not(c) for c in formulas.hold(sides.of_target)]
        undefined += [z3.Not(c) for one in sides.made[1] for c in formulas.defined(one)]
        pairs = [_Elements(formulas, *pair) for pair in sides.pairs if pair[0] is not pair[1]]
        goals = [pair.differ() for pair in pairs] + undefined
        self._clear = [pair.differ_clearly() for pair in pairs] + undefined
        self.is_equal = all(z3.is_false(z3.simplify(goal)) for goal in goals)
        self._asked = [*defined, *formulas.hold(sides.assumed), z3.Or(*goals, formulas.context)]
        self._asked += formulas.laws()
        self._fitting = list(formulas.do_not_wrap(sides.source)) if sides.nowrap else []
        limits = [(formulas.unknowns.get(one), most) for one, most in sides.limits.items()]
        self._reals = [(unknown, most) for unknown, most in limits if unknown is not None]

    @property
    def is_exact(self) -> bool:
        """Whether nothing is left open about the functions that occur."""
        return set(self.formulas.applications) <= {"sqrt"}

    @_translated
    def reply(self) -> Reply:
        """Return whether the sides can differ, for floats of any size, whatever wraps.

        What is computed on the way to an element may wrap where no operator does.
        """
        answer = z3.unsat if self.is_equal else self._answer(*self._asked, *self._fitting)
        if answer != z3.sat and self._fitting and not self.is_equal:
            answer = self._answer(*self._asked)
        if answer == z3.unsat:
            return Reply.EQUAL
        return Reply.DIFFERENT if answer == z3.sat else Reply.OPEN

    def models(self) -> Iterator[dict[Scalar, Any]]:
        """Yield some values of unknowns for which the sides differ; see GRIDS."""
        models = self._models()
        while (found := _translated(next)(models, None)) is not None:
            yield found

    def _answer(self, *asked: Any) -> Any:
        solver = self.examiner.solver()
        solver.add(*asked)
        answer = self.examiner.check(solver)
        if answer == z3.sat:
            self.found = list(self._model(solver, []).values())
        return answer

    def _models(self) -> Iterator[dict[Scalar, Any]]:
        """Yield models, of integers first the one that is known and others from new solvers.

        A solver that was asked before is slower.
        """
        settled = self.formulas.settled()
        if settled is None and not self._reals:
            if self.found:
                yield dict(zip(self.formulas.unknowns, self.found, strict=True))
            asked = [*self._asked, *self._fitting]
            for _ in range(MODELS_PER_GRID):
                solver = self.examiner.solver(PATIENCE)
                solver.add(*asked)
                if self.examiner.check(solver) != z3.sat:
                    return
                yield self._model(solver, asked)
            return
        solver = self.examiner.solver()
        solver.add(*self._asked, *self._fitting)
        for unknown, largest in self._reals:
            solver.add(unknown <= largest, unknown >= -largest)
        if settled is not None:
            solver.push()
            solver.add(*settled, z3.Or(*self._clear, self.formulas.context))
            yield from self._few_models(solver)
            solver.pop()
        for scale, is_clear in GRIDS if self._reals else GRIDS[-1:]:
            solver.push()
            if is_clear:
                solver.add(z3.Or(*self._clear, self.formulas.context))
            for unknown, largest in self._reals if scale else ():
                most = min(largest, LARGEST_PREFERRED)
                solver.add(z3.IsInt(unknown * scale), unknown <= most, unknown >= -most)
            yield from self._few_models(solver)
            solver.pop()

    def _few_models(self, solver: Any) -> Iterator[dict[Scalar, Any]]:
        for _ in range(MODELS_PER_GRID):
            if self.examiner.check(solver) != z3.sat:
                return
            others: list[Any] = []
            yield self._model(solver, others)
            solver.add(*others)

    def _model(self, solver: Any, asked: list[Any]) -> dict[Scalar, Any]:
        """Return what a model says of the unknowns; ask for another one from now on."""
        model = solver.model()
        unknowns = self.formulas.unknowns
        others = [f != model.eval(f, model_completion=True) for f in unknowns.values()]
        asked.append(z3.Or(*others, self.formulas.context))
        return {one: value_in(model, formula, one.kind) for one, formula in unknowns.items()}


class _Elements:
    """One element on both sides, as formulas."""

    def __init__(self, formulas: Formulas, left: Scalar, right: Scalar) -> None:
        self.context = formulas.context
        known = {condition.get_id() for condition in formulas.defined(left)}
        new_ones = [c for c in formulas.defined(right) if c.get_id() not in known]
        self.undefined = [z3.Not(condition) for condition in new_ones]
        self.old, self.new = of_one_sort([formulas.formula(left), formulas.formula(right)])
        self.is_real = left.kind == REAL

    def differ(self) -> Any:
        """Return that the values differ, or that only the second one has none."""
        unequal = [] if self._are_equal() else [self.old != self.new]
        return z3.Or(*unequal, *self.undefined, self.context)

    def _are_equal(self) -> bool:
        """Tell whether multiplying out shows that both values are the same polynomial."""
        if z3.is_bool(self.old):
            return False
        rest = z3.simplify(self.old - self.new, som=True)
        if z3.is_rational_value(rest):
            return bool(rest.numerator_as_long() == 0)
        return bool(z3.is_bv_value(rest) and rest.as_long() == 0)

    def differ_clearly(self) -> Any:
        """Return that the values differ so much that rounding does not hide it."""
        if not self.is_real:
            return self.differ()
        old, new = self.old, self.new
        gap = z3.If(old > new, old - new, new - old)
        whole = z3.If(old > 0, old, -old) + z3.If(new > 0, new, -new)
        clear = z3.And(CLEAR * gap >= whole, CLEAR * gap >= 1)
        return z3.Or(clear, *self.undefined, self.context)
