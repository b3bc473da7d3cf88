"""Computes both sides of a case in a model, and writes down the steps that the prover suggests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any

from gsl.attr.evaluate import equal, negation
from gsl.attr.term import Constant, Operation, Symbol, Term, free_symbols
from gsl.kernel.expression import Apply, Expression, Number, Reduction, Select
from gslverify.certificates.checking import Case
from gslverify.certificates.degree import points_for
from gslverify.certificates.draw import RefusedError
from gslverify.certificates.enough import with_facts
from gslverify.certificates.expressions import of_region, of_value
from gslverify.certificates.field import Value, key_of, product_in
from gslverify.certificates.gathered import HOLE
from gslverify.certificates.laws import LAWS, Step
from gslverify.certificates.model import Model
from gslverify.certificates.subjects import flat
from gslverify.certificates.suggesting import (
    chosen_in,
    has_quotient,
    invented_in,
    made_of,
    size_of,
    suggested_laws,
    with_holes,
)
from gslverify.certificates.sums import Part, Recorder, simplified, substitution
from gslverify.prove.failure import UnprovableError
from gslverify.prove.indices.cone import conjuncts
from gslverify.prove.indices.facts import Facts
from gslverify.prove.indices.integers import is_integer
from gslverify.prove.indices.replacing import put
from gslverify.prove.normal import Normaliser
from gslverify.prove.values.algebra import Algebra
from gslverify.prove.values.values import Region
from gslverify.prove.values.values import Value as Form
from gslverify.structures.arithmetic.polynomials import Poly

PLAIN, ALL, CASES = range(3)
"""What is suggested: what forms say; what is entailed, too; what z3 says about elements, too."""


class Writer(Model):
    """Computes both sides of one case, and writes down the steps that the prover suggests."""

    def __init__(
        self, case: Case, path: tuple[Any, ...], facts: Facts, suggests: int, seed: int
    ) -> None:
        points = points_for((case.output.left, case.output.right))
        super().__init__(seed, case.is_field, case.bits, points, case.inputs)
        self.facts = facts
        self.forms = facts.forms
        self.suggests = suggests
        self.used: list[Step] = []
        self.parts: list[Part] = []
        self.normaliser = Normaliser(
            facts, Algebra(facts.forms), case.is_field, case.bits, case.inputs.dtypes
        )
        self.extents: dict[Symbol, Any] = {}
        self.conditions: dict[int, Term] = {}
        self._around: list[Any] = []
        self._later: list[Any] = []
        self._loose: Mapping[Symbol, Any] = {}
        self._choosing: list[Any] = []
        self._tried: dict[int, Any] = {}
        self._gathered: dict[int, Any] = {}
        self._invented = invented_in(facts.forms.definitions)
        self._is_silent = True
        self.checker = case.checker(range(len(case.asked.claims)), path, self)
        self._is_silent = False
        for symbol, extent in case.output.extents.items():
            self.forms.bound(symbol, extent)
        sides = case.output.left, case.output.right
        for side in sides:
            self.value(side)
        self._loose = self.extents
        for suggestion in self._later:
            self._accepts(suggestion)
        self._loose = {}
        self._subtract(*sides)
        if self.difference != 0 and suggests >= ALL:
            with suppress(UnprovableError):
                self._compare(*sides)
        if self.difference != 0 and suggests >= CASES:
            self._loose = self.extents
            self._compute(*sides)
            self._loose = {}
            self._subtract(*sides)

    def claims(self) -> tuple[int, ...]:
        """Return the claims that have to be known."""
        known_by = self.checker.known_by
        return tuple(sorted({known_by[one] for one in self.met_known if one in known_by}))

    def dividing(self) -> Any:
        """Return a condition on which it depends whether both sides are equal."""
        parts = self.difference if isinstance(self.difference, dict) else ()
        literals = [one for mono in parts for one in sorted(mono)]
        known = [self.conditions[one] for one in literals if one in self.conditions]
        with self._silence():
            every = conjuncts([*known, *self._choosing])
            return next((one for one in every if not isinstance(self.condition(one), int)), None)

    def _subtract(self, left: Expression, right: Expression) -> None:
        with self._silence():
            self.difference = self.checker.rest(self.value(left), self.value(right), self.parts)

    def _compare(self, left: Expression, right: Expression) -> None:
        """Have the prover compare both sides, and note how sums in them are paired off."""
        extents = self.checker.extents
        facts = self.facts.assuming(*(symbol < extent for symbol, extent in extents.items()))
        one, other = (
            [
                case
                for case in self.normaliser.cases(side)
                if not case[0] or not facts.assuming(*case[0]).impossible()
            ]
            for side in (left, right)
        )
        if len(one) != 1 or len(other) != 1:
            self._choosing[:0] = [guard for guards, _ in (*one, *other) for guard in guards]
            return
        for guard in conjuncts([*one[0][0], *other[0][0]]):
            self._accepts(("holds", (guard,)))  # as all other cases are impossible
        recorder = Recorder(self.normaliser)
        recorder.same(one[0][1], other[0][1], facts)
        known = set(map(id, facts.terms))
        for one, other, terms in recorder.places:
            if not self.forms.same(one, other):
                new = (term for term in terms if id(term) not in known)
                self._place(one, other, tuple(term for term in new if not self._is_bound(term)))
        for number, *parts in recorder.parts:
            self._pair_off(number, *parts)
        self._subtract(left, right)

    def _compute(self, left: Any, right: Any) -> bool:
        """Have z3 show that elements are equal, or else those that they are made of."""
        if self._is_same(left, right) or self._accepts(("arithmetic", (left, right))):
            return True
        if isinstance(left, Select) and isinstance(right, Select):
            sides = self.condition(left.condition), self.condition(right.condition)
            if key_of(sides[0]) != key_of(sides[1]):
                return False
        inner = made_of(left, right)
        found = [self._compute(*pair) for pair in inner or ()]
        return inner is not None and all(found)

    def _is_bound(self, condition: Any) -> bool:
        """Tell whether a condition is that an index is within its extent."""
        match condition:
            case Operation(head="<", operands=(Symbol() as symbol, extent)):
                atom = self.forms.atom_of(self.forms.poly(symbol))
                limit = None if atom is None else self.forms.ranges.extents.get(atom)
                if limit is not None and limit == self.forms.poly(extent):
                    self.extents.setdefault(symbol, extent)
                return symbol in self.extents
            case Operation(head=">=", operands=(Symbol(low=0), Constant(value=0))):
                return True
        return False

    def _place(self, one: Any, other: Any, given: tuple[Any, ...]) -> None:
        """Note that indices are the same, where some conditions are given."""
        pairs = sorted(((one, other), (other, one)), key=lambda pair: -size_of(pair[0]))
        terms = [pair for pair in pairs if isinstance(pair[0], Term)]
        self._loose = self.extents
        any(self._accepts(("equal", pair, (), given)) for pair in terms)
        self._loose = {}

    def _pair_off(
        self, number: Any, own: Region, value: Form, other: Region, _: Form, there: Any, back: Any
    ) -> None:
        algebra = self.normaliser.algebra
        body = of_value(value)
        self.value(of_region("sum", own, body))
        self.value(of_region("sum", other, of_value(algebra.replaced(value, back))))
        try:
            with self._silence():
                step = self._shown(substitution("sum", own, body, other, there, back))
                self.checker.values(step)
        except RefusedError:
            return
        self.parts.append((Number(number), step))

    def over(self, variables: Any, body: Callable[[], Value]) -> Iterator[tuple[int, Value]]:
        """Note the extents of indices."""
        for symbol, extent in variables:
            if symbol not in self.extents:
                self.extents[symbol] = extent
                self.forms.bound(symbol, extent)
        return super().over(variables, body)

    def forget(self, key: Any = None) -> None:
        """Compute everything anew, so that what was computed in silence is met again."""
        super().forget()

    def _is_new(self, subject: Any) -> bool:
        if self._is_silent or id(subject) in self._tried:
            return False
        self._tried[id(subject)] = subject
        return True

    def _index(self, term: Term) -> Value:
        found = super()._index(term)
        if self._is_new(term):
            if any(map(self._accepts, self._of_index(term))):
                return self.met(super()._index(term))
            if isinstance(term, Operation) and term.head == "cond":
                condition = term.operands[0]
                if not free_symbols(condition) & self.extents.keys():
                    self._choosing.append(condition)
        return found

    def _condition(self, term: Term) -> Value:
        found = super()._condition(term)
        if isinstance(found, int) or self._is_silent:
            return found
        if self._is_new(term) and self._decides(term):
            return super()._condition(term)
        if len(found) <= 2 and not free_symbols(term) & self.extents.keys():
            for mono in found:
                if len(mono) == 1:
                    self.conditions.setdefault(next(iter(mono)), term)
        return found

    def _value(self, expression: Any) -> Value:
        if isinstance(expression, Select) and self._is_new(expression):
            self._implied_around(expression.condition)
            self._around.append(expression.condition)
            self.value(expression.then)
            self._around.pop()
        found = super()._value(expression)
        if self.suggests >= ALL and self._is_gathered(expression):
            return super()._value(expression)
        if isinstance(expression, Reduction) and self._is_new(expression):
            return self._simplified(expression, found)
        if isinstance(expression, Apply) and self._is_new(expression):
            for law, subjects in suggested_laws(expression, self, self.suggests >= ALL):
                if self._accepts((law, subjects)):
                    found = super()._value(expression)
                    if law != "fits":
                        break
        return found

    def _is_gathered(self, expression: Expression) -> bool:
        """Tell whether an expression is shown to be one term of a sum, or a sum with one term."""
        if self._is_silent or id(expression) in self._gathered:
            return False
        self._gathered[id(expression)] = expression
        for total, (index, place, body) in chosen_in(expression):
            outside = with_holes(expression, partial(self._is_same, total))
            what = index, place, body, body if outside is HOLE else outside
            if self._accepts(("one term counts", what)):
                return True
        return False

    def _is_same(self, one: Expression, other: Expression) -> bool:
        with self._silence():
            return bool(key_of(self.value(one)) == key_of(self.value(other)))

    def _implied_around(self, condition: Any) -> None:
        """Note which conditions around an element follow from its own."""
        for around in conjuncts(self._around) if self.suggests >= ALL else ():
            if self._entails(around, (condition,)):
                self._later.append(("holds", (around,), (), (condition,)))

    def _simplified(self, whole: Reduction, found: Value) -> Value:
        """Return a sum without indices that have one value only."""
        simple = simplified(whole, self.normaliser) if whole.function == "sum" else None
        if simple is None:
            return found
        result, parts = simple
        self.value(result)
        try:
            noted = tuple((factor, self._shown(step)) for factor, step in parts)
        except RefusedError:
            return found
        return self.value(result) if self._accepts(("sum", (whole, result), noted)) else found

    def _accepts(self, suggestion: tuple[Any, ...]) -> bool:
        """Write down a step if the checker takes it."""
        law, subjects, parts, given = (*suggestion, (), ())[:4]
        step = self._scoped(Step(law, subjects, (), given, (), parts))
        asked = self.checker.asked.questions
        try:
            right = LAWS[step.law](self.checker.elements, step).right if step.law in LAWS else 0
            self.checker.read(right)
            with self._silence():
                step = self._shown(step)
                self.checker.follow(step)
        except RefusedError:
            return False
        finally:
            self.forms.effort.questions(self.checker.asked.questions - asked)
        self.used.append(step)
        return True

    def _scoped(self, step: Step) -> Step:
        """Return a step with the indices that it is about."""
        return replace(step, indices=self._scope((*step.subjects, *step.given)))

    def _shown(self, step: Step) -> Step:
        return with_facts(self._scoped(step), self.checker)

    def _scope(self, subjects: Iterable[Any]) -> tuple[tuple[Symbol, Any], ...]:
        """Return the bound indices in what a step speaks about, outer ones first."""
        found: dict[Symbol, Any] = {}
        places = self.places if self.places else self._loose

        def add(subject: Any) -> None:
            for symbol in self._symbols(subject):
                if symbol in self.extents and symbol in places and symbol not in found:
                    add(self.extents[symbol])
                    found[symbol] = self.extents[symbol]

        for subject in flat(subjects):
            add(subject)
        return tuple(found.items())

    def _decides(self, condition: Term) -> bool:
        form = self.forms.condition(condition)
        if isinstance(form, bool):
            return self._accepts(("holds" if form else "fails", (condition,)))
        for given in ((), tuple(self._around)) if self.suggests >= ALL else ():
            for law, goal in (("holds", condition), ("fails", negation(condition))):
                if self._entails(goal, given) and self._accepts((law, (condition,), (), given)):
                    return True
        return False

    @contextmanager
    def where(self, holds: Value) -> Iterator[None]:
        """Note which conditions an element is looked at under."""
        before = self.given
        self.given |= product_in(holds) or frozenset()
        try:
            yield
        finally:
            self.given = before

    def _entails(self, condition: Any, given: tuple[Any, ...] = ()) -> bool:
        extents = {**self.extents, **self.checker.extents}
        symbols = frozenset[Symbol]().union(*map(free_symbols, (condition, *given)))
        bounds = [symbol < extents[symbol] for symbol in symbols if symbol in extents]
        return self.facts.assuming(*bounds, *given).entails(condition)

    def _of_index(self, term: Term) -> Iterator[tuple[str, tuple[Any, ...]]]:
        if isinstance(term, Symbol):
            if term in self.places:
                return
            if term in self.checker.extents:
                if not self.forms.poly(term):
                    yield "equal", (term, 0)
                return
            if term.sort == "text":
                name = self.forms.names.text(term)
                if name is not term:
                    yield "equal", (term, name)
                return
        elif not isinstance(term, Operation) or term.head in ("+", "-", "*", "neg", "%", "/"):
            return
        poly = self.forms.poly(term)
        if isinstance(term, Operation) and term.head == "//" and is_integer(term):
            if not poly:
                yield "an index less than the divisor", term.operands
            outside = frozenset(
                p for p in poly if not has_quotient(self.forms.atoms[atom] for atom in p[0])
            )
            if outside:
                yield "whole multiples", (*term.operands, self._term(outside))
        canonical = self._term(poly)
        if self._differ(term, canonical):
            yield "equal", (term, canonical)
        if self.suggests >= ALL and isinstance(term, Operation):
            for value in term.operands[-2:] if term.head in ("cond", "min", "max") else ():
                if self._entails(equal(term, value)):
                    yield "equal", (term, value)

    def _term(self, poly: Poly) -> Any:
        """Return a form as a term of what claims speak about."""
        return put(self.forms.term(poly), self._invented)

    def _differ(self, one: Term, other: Any) -> bool:
        """Tell whether two terms have different values with the steps so far."""
        with self._silence():
            return bool(key_of(self.met(super()._index(one))) != key_of(self.index(other)))

    @contextmanager
    def _silence(self) -> Iterator[None]:
        """Suggest nothing for a while, and take nothing as given."""
        before = self._is_silent, self.given
        self._is_silent, self.given = True, frozenset()
        try:
            yield
        finally:
            self._is_silent, self.given = before
