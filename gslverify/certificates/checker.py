"""Checks a certificate: every step follows from a law and from what z3 shows, or it is refused.

The checker makes the normal forms of what kernels say that source and target compute. Wherever it
meets an atom for which the certificate has a step, it lets the atom be what the step says once the
law of the step and its conditions are shown. Both sides have to end in one form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from gsl.attr.evaluate import choose, conjunction, disjunction, equal, negation
from gsl.attr.term import Constant, Symbol, Term, free_symbols, operation
from gsl.dtypes import DTYPES
from gsl.types import FLOATING
from gslverify.certificates.elements import LARGEST_HELD, Elements
from gslverify.certificates.places import LITERALS, RefusedError
from gslverify.certificates.ring import ONE, ZERO, Atom, Sum, number_of, plus
from gslverify.prove.cone import shape_of
from gslverify.semantics.solver import Answer, Solver
from gslverify.semantics.terms import UntranslatableError

ELEMENTS = frozenset({"read", "cast", "==", "<"})
"""Atoms that are values of their dtype."""

WIDER: Mapping[str, tuple[str, ...]] = {
    name: tuple(other for other, one in DTYPES.items() if name != other and one.holds_all_of(dtype))
    for name, dtype in DTYPES.items()
}
"""For a dtype those that hold all its values."""

LIMIT = 150_000
"""The solver's own unit."""


@dataclass(frozen=True, slots=True)
class Step:
    """An atom is a value by a law, whose conditions follow from some claims of the rule.

    The value may be made of `fresh` atoms, which nothing has been made of before.
    """

    atom: int
    law: str
    value: Sum = ZERO
    claims: tuple[int, ...] = ()
    fresh: tuple[Atom, ...] = ()


@dataclass(slots=True)
class Asked:
    """What z3 may use in one scenario: claims, and answers to questions of the same form."""

    claims: Sequence[Term]
    context: Any
    replies: dict[Any, bool]

    def shows(self, goal: Any, facts: Sequence[Any]) -> bool:
        """Tell whether a condition follows from facts; `goal` is False where they must clash."""
        if not isinstance(goal, Term) and goal:
            return True
        given = [fact for fact in facts if isinstance(fact, Term)]
        if any(fact is False for fact in facts):
            return True
        goals = [goal] if isinstance(goal, Term) else []
        key = len(goals), shape_of([*goals, *given])
        if key not in self.replies:
            solver = Solver(given, LIMIT, self.context, ideal=True)
            try:
                result = solver.refutes(goal) if goals else solver.check()
                self.replies[key] = result.answer is Answer.UNSAT
            except UntranslatableError:
                self.replies[key] = False
        return self.replies[key]


class Checker(Elements):
    """Follows the steps of one case of one proof."""

    def __init__(
        self, asked: Asked, path: Sequence[Any], bits: frozenset[str], steps: Mapping[int, Step]
    ) -> None:
        super().__init__(self.follow, bits)
        self.asked = asked
        self.path = tuple(path)
        self.steps = steps
        self._terms: dict[Sum, Any] = {}
        self._terms_of_atoms: dict[int, Any] = {}
        for condition in path:
            self.assume(condition)

    def follow(self, number: int) -> Sum | None:
        """Return what the certificate says that an atom is."""
        step = self.steps.get(number)
        if step is None:
            return None
        for head, what, arguments in step.fresh:
            self.atom(head, what, arguments, head in LITERALS)
        return self.applied(step) if step.law else None

    def applied(self, step: Step) -> Sum:
        """Return what an atom is by a step; raise RefusedError where that does not follow."""
        law = LAWS.get(step.law)
        if law is None:
            raise RefusedError(f"there is no law `{step.law}`")
        conditions, value = law(self, step)
        for condition in conditions:
            if not self.shows(condition, step.claims):
                raise RefusedError(f"`{step.law}` asks for what is not shown: {condition!r}")
        return value()

    def shows(self, goal: Any, claims: Sequence[int]) -> bool:
        """Tell whether a condition follows from some claims, the case, and ranges of indices."""
        facts = [*(self.asked.claims[number] for number in claims), *self.path]
        return self.asked.shows(goal, [*facts, *self.ranges([goal, *facts])])

    def ranges(self, terms: Sequence[Any]) -> list[Term]:
        """Return that the indices in terms are less than their extents."""
        found: dict[Symbol, Any] = {}
        stack = [term for term in terms if isinstance(term, Term)]
        while stack:
            for symbol in sorted(free_symbols(stack.pop()) - found.keys(), key=id):
                number = self.numbers.get(("symbol", symbol, ()))
                extent = self.extents.get(-1 if number is None else number)
                if extent is not None:
                    found[symbol] = symbol < self.term(extent)
                    stack += [found[symbol]] if isinstance(found[symbol], Term) else []
        return list(found.values())

    def term(self, value: Sum) -> Any:
        """Return a sum as a term, the same object each time; what z3 does not know is unknown."""
        if value not in self._terms:
            self._terms[value] = self._term(value)
        return self._terms[value]

    def _term(self, value: Sum) -> Any:
        total: Any = None
        for mono, number in sorted(value, key=lambda pair: pair[0]):
            part: Any = None if number == 1 and mono and mono[0][1] > 0 else number
            if isinstance(number, Fraction):
                part = operation("/", number.numerator, number.denominator)
            for atom, power in mono:
                one = self.term_of(atom)
                for _ in range(abs(power)):
                    head = "*" if power > 0 else "/"
                    part = one if part is None else operation(head, part, one)
            total = part if total is None else total + part
        return 0 if total is None else total

    def term_of(self, number: int) -> Any:
        """Return an atom as a term, the same object each time."""
        if number not in self._terms_of_atoms:
            self._terms_of_atoms[number] = self._term_of(number)
        return self._terms_of_atoms[number]

    def _term_of(self, number: int) -> Any:
        head, what, arguments = self.atoms[number]
        if head == "symbol":
            return what
        if head == "text":
            return Constant(what)
        if head in LITERALS:
            return choose(self.condition_of(number), 1, 0)
        if head == "cond":
            holds, *sides = arguments
            return choose(self.condition_in(holds), *map(self.term, sides))
        if head in INDICES and what is None:
            return operation(head, *map(self.term, arguments))
        return Symbol("unknown", "int" if number in self.bits else "real")

    def condition_in(self, value: Sum) -> Any:
        """Return a sum of literals as a condition."""
        products = (map(self.condition_of, dict(mono)) for mono, _ in sorted(value))
        return disjunction(*(conjunction(*literals) for literals in products))

    def is_element(self, value: Sum) -> bool:
        """Tell whether a value is what its dtype holds of it, and not computed from such."""
        number = number_of(value)
        if number is not None:
            return isinstance(number, int) and 0 <= number <= LARGEST_HELD
        atom = self.only_atom(value)
        return atom is not None and self.atoms[atom][0] in ELEMENTS

    def condition_of(self, number: int) -> Any:
        """Return a literal as a condition."""
        head, what, (value,) = self.atoms[number]
        if head in ("in", "not in"):
            inside = operation("in", self.term(value), Constant(what))
            return inside if head == "in" else negation(inside)
        if what == "text":
            (_, one), (_, other) = sorted((count, mono) for mono, count in value)
            sides = (self.term_of(mono[0][0]) for mono in (one, other))
            return operation("==" if head == "eq" else "!=", *sides)
        return _CONDITIONS[head](self.term(value))


Shown = tuple[Sequence[Any], Callable[[], Sum]]
"""Conditions, and what returns the value of an atom where they hold."""

Law = Callable[[Checker, Step], Shown]


def _decided(checker: Checker, step: Step) -> Shown:
    """A condition that holds wherever the element is computed is 1, and its opposite is 0."""
    number, _, _ = _atom(checker, step, *LITERALS)
    condition = checker.condition_of(number)
    if step.law == "holds":
        return [condition], lambda: ONE
    return [negation(condition)], lambda: ZERO


def _equal(checker: Checker, step: Step) -> Shown:
    """An index is another one where they are equal, and a name where it is that."""
    number, _, _ = _atom(checker, step, "symbol", "cond", *INDICES)
    _require_bound(checker, step)
    return [equal(checker.term_of(number), checker.term(step.value))], lambda: step.value


def _multiple(checker: Checker, step: Step) -> Shown:
    """(a + b c) // b is a // b + c."""
    _, _, (whole, divisor) = _atom(checker, step, "//")
    _require_whole(checker, whole, divisor, step.value)
    rest = plus(whole, checker.times(step.value, divisor), -1)
    value = step.value
    return [checker.term(divisor) >= 1], lambda: plus(
        value, checker.computed("//", [rest, divisor])
    )


def _less(checker: Checker, step: Step) -> Shown:
    """a // b is 0 for 0 <= a < b."""
    _, _, (whole, divisor) = _atom(checker, step, "//")
    _require_whole(checker, whole, divisor)
    one, other = checker.term(whole), checker.term(divisor)
    return [one >= 0, one < other], lambda: ZERO


def _same_place(checker: Checker, step: Step) -> Shown:
    """Elements at equal indices are equal."""
    number, tensor, places = _atom(checker, step, "read")
    other = checker.only_atom(step.value)
    there = checker.atoms[number if other is None else other]
    _require_bound(checker, step)
    if there[:2] != ("read", tensor):
        raise RefusedError("another tensor is read")
    pairs = zip(places, there[2], strict=True)
    equations = [equal(*map(checker.term, pair)) for pair in pairs if pair[0] != pair[1]]
    return equations, lambda: step.value


def _implied(checker: Checker, step: Step) -> Shown:
    """A sum needs no condition that follows from its others."""
    _, names, (*_, body) = _atom(checker, step, "sum")
    literal = checker.only_atom(step.value)
    ((mono, _),) = body
    if literal not in dict(mono) or literal not in checker.opposites:
        raise RefusedError("a condition is left out that is not there")
    rest = tuple(pair for pair in mono if pair[0] != literal)
    others = [checker.condition_of(atom) for atom, _ in rest if atom in checker.opposites]
    condition = disjunction(negation(conjunction(*others)), checker.condition_of(literal))
    return [condition], lambda: checker.bind("sum", names, frozenset([(rest, 1)]))


def _cast(checker: Checker, step: Step) -> Shown:
    """A dtype that holds all values of another one holds them as they are."""
    _, _, (value, old, new) = _atom(checker, step, "cast")
    is_exact = checker.is_element(value)
    kept = WIDER if is_exact else {one: WIDER[one] for one in FLOATING}
    sides = checker.term(old), checker.term(new)
    wider = [(a, b) for a, found in kept.items() for b in found]
    pairs = [conjunction(*map(equal, sides, pair)) for pair in wider]
    return [disjunction(equal(*sides), *pairs)], lambda: value


def _require_bound(checker: Checker, step: Step) -> None:
    if checker.free_in([step.value]) - checker.free(step.atom):
        raise RefusedError(f"`{step.law}` uses an index where it has no value")


def _require_whole(checker: Checker, *values: Sum) -> None:
    if not all(map(checker.is_whole, values)):
        raise RefusedError("a law of integers is used for other numbers")


def _atom(checker: Checker, step: Step, *heads: str) -> Any:
    """Return the number of an atom that a law speaks about, what it is, and its arguments."""
    head, what, arguments = checker.atoms[step.atom]
    if head not in heads or (head in INDICES and what is not None):
        raise RefusedError(f"`{step.law}` says nothing about {head}")
    return step.atom, what, arguments


LAWS: Mapping[str, Law] = {
    "holds": _decided,
    "fails": _decided,
    "equal": _equal,
    "whole multiples": _multiple,
    "less than the divisor": _less,
    "same place": _same_place,
    "implied condition": _implied,
    "a wider dtype": _cast,
}
_CONDITIONS: Mapping[str, Callable[[Any], Any]] = {
    "ge": lambda a: a >= 0,
    "gt": lambda a: a > 0,
    "eq": lambda a: equal(a, 0),
    "ne": lambda a: negation(equal(a, 0)),
    "holds": lambda a: a,
    "fails": negation,
}
INDICES = frozenset({"//", "min", "max", "floor", "ceil", "abs"})
"""Functions of indices that terms have, too."""
