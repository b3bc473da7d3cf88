"""Writes certificates: follows the checker through a proof, and suggests the steps that it needs.

What is suggested comes from the prover, and is believed no more than what is read from a file: the
checker shows each step when it is written down.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gsl.attr.evaluate import equal, negation
from gsl.attr.term import Symbol, Term, children, free_symbols
from gslverify.certificates.checker import INDICES, Asked, Checker, Step
from gslverify.certificates.checking import Output, dtypes_of, outputs_of, symbols_of
from gslverify.certificates.elements import SplitError
from gslverify.certificates.places import LITERALS, RefusedError
from gslverify.certificates.printing import atom_text, text_of
from gslverify.certificates.records import Record, Symbols, written_step
from gslverify.certificates.ring import ZERO, Sum, constant, plus, unit
from gslverify.prove.effort import Effort
from gslverify.prove.facts import Facts, Memory
from gslverify.prove.learning import forms_of
from gslverify.prove.polynomials import Poly
from gslverify.prove.proof import Target, targets
from gslverify.prove.relaxed import Replies
from gslverify.semantics.solver import Solver
from gslverify.structures.instance import Instance

MOST_STEPS = 1_000_000
MOST_CASES = 64


def write_structure(
    instance: Instance, solver: Solver, replies: Replies, context: Any, shown: dict[Any, bool]
) -> Record:
    """Return the certificate of a structure that is proved; raise RefusedError.

    `replies` are those of the prover, `shown` those of the checker.
    """
    claims = [claim.term for claim in instance.claims]
    asked = Asked(claims, context, shown)
    found = []
    for target in targets(instance):
        one = _OfTarget(asked, solver, replies, target, symbols_of(claims))
        found.append(one.record())
    return {"targets": found}


class _OfTarget:
    """Writes the certificate of one way through the conditional targets."""

    def __init__(
        self, asked: Asked, solver: Solver, replies: Replies, target: Target, symbols: Symbols
    ) -> None:
        self.asked = asked
        self.solver = solver
        self.replies = replies
        self.target = target
        self.symbols = symbols
        self.cases = 0
        self.bits = self._truth_values()

    def _facts(self, path: Sequence[Any]) -> Facts:
        forms = forms_of([*self.asked.claims, *path], Effort(MOST_STEPS))
        return Facts(self.solver, forms, memory=Memory(self.replies)).assuming(*path)

    def _truth_values(self) -> dict[str, list[int]]:
        """Return the inputs that are shown to hold truth values, and by which claims."""
        found = {}
        facts = self._facts(self.target.path)
        for name, dtype in dtypes_of(self.target).items():
            used = claims_about([dtype], self.asked.claims)
            given = [*(self.asked.claims[number] for number in used), *self.target.path]
            is_bool = facts.forms.names.is_named(dtype, "bool")
            if is_bool and self.asked.shows(equal(dtype, "bool"), given):
                found[name] = used
        return found

    def record(self) -> Record:
        """Return the certificate."""
        outputs = [
            {"output": output.name, "proof": self._case(output, tuple(self.target.path))}
            for output in outputs_of(self.target)
        ]
        return {"truth values": self.bits, "outputs": outputs}

    def _case(self, output: Output, path: tuple[Any, ...]) -> Record:
        self.cases += 1
        if self.cases > MOST_CASES:
            raise RefusedError("it falls into too many cases")
        facts = self._facts(path)
        if len(path) > len(self.target.path) and facts.impossible():
            used = claims_about(path, self.asked.claims)
            if self.asked.shows(False, [*(self.asked.claims[n] for n in used), *path]):
                return {"impossible": used}
        for suggests in (PLAIN, EAGER, ALL):
            writer = Writer(self.asked, path, frozenset(self.bits), facts, suggests)
            try:
                left, right = output.elements(writer)
            except SplitError as error:
                if suggests is not ALL:
                    continue
                return self._split(output, path, writer, error.condition)
            if left == right:
                return {"steps": self._steps(writer)}
        sides = (text_of(writer, side) for side in (left, right))
        raise RefusedError(f"{output.name}: {' is not '.join(sides)}")

    def _split(
        self, output: Output, path: tuple[Any, ...], writer: Writer, open_one: Any
    ) -> Record:
        return {
            "steps": self._steps(writer),
            "condition": text_of(writer, writer.condition(open_one)),
            "holds": self._case(output, (*path, open_one)),
            "fails": self._case(output, (*path, negation(open_one))),
        }

    def _steps(self, writer: Writer) -> list[Record]:
        found = []
        for step in writer.used:
            value = writer.results.get(step.atom, ZERO)
            texts = atom_text(writer, step.atom), text_of(writer, value)
            found.append(written_step(step, self.symbols, *texts))
        return found


def claims_about(terms: Sequence[Any], claims: Sequence[Term]) -> list[int]:
    """Return the claims that share unknowns with terms, or with others that do."""
    reached = {s for term in terms if isinstance(term, Term) for s in free_symbols(term)}
    left, taken = list(range(len(claims))), list[int]()
    is_growing = True
    while is_growing:
        new = [n for n in left if free_symbols(claims[n]) & reached]
        left = [n for n in left if n not in new]
        taken += new
        reached |= {s for n in new for s in free_symbols(claims[n])}
        is_growing = bool(new)
    return sorted(taken)


def _invented(definitions: Sequence[Term]) -> dict[Symbol, Term]:
    """Return the symbols that stand for values, with these."""
    pairs = [children(definition) for definition in definitions]
    return {symbol: value for symbol, value in pairs if isinstance(symbol, Symbol)}


PLAIN, EAGER, ALL = range(3)
"""What is suggested: what forms say; what elements and dtypes are the same; all conditions."""


class Writer(Checker):
    """Checks, and writes down the steps that the prover suggests."""

    def __init__(
        self, asked: Asked, path: Sequence[Any], bits: frozenset[str], facts: Facts, suggests: int
    ) -> None:
        self.facts = facts
        self.forms = facts.forms
        self.suggests = suggests
        self.used: list[Step] = []
        self.results: dict[int, Sum] = {}
        self._is_apart = False
        self._invented = _invented(facts.forms.definitions)
        self._met: dict[Any, list[int]] = {}
        super().__init__(asked, path, bits, {})

    def bound(self, symbol: Symbol, extent: Sum, level: int = -1) -> int:
        """Tell the prover of indices, too."""
        number = super().bound(symbol, extent, level)
        self.forms.bound(symbol, self.term(extent))
        return number

    def at(self, symbol: Symbol, extent: Sum) -> None:
        """Tell the prover of indices, too."""
        super().at(symbol, extent)
        self.forms.bound(symbol, self.term(extent))

    def _index(self, term: Term) -> Sum:
        """Return the form of an index; what the prover has invented is a quotient."""
        if self._is_apart and isinstance(term, Symbol) and term in self._invented:
            return self._index(self._invented[term])
        return super()._index(term)

    def follow(self, number: int) -> Sum | None:
        """Return what a suggested step says that an atom is, if it is shown."""
        mark = len(self.atoms)
        for law, value in self._wanted(number):
            fresh = tuple(self.atoms[mark:])
            step = Step(number, law, value, tuple(self._claims(number, value)), fresh)
            try:
                found = self.applied(step)
            except RefusedError:
                continue
            self.used.append(step)
            self.results[number] = found
            return found
        if len(self.atoms) > mark:
            self.used.append(Step(number, "", fresh=tuple(self.atoms[mark:])))
        return None

    def _wanted(self, number: int) -> Iterator[tuple[str, Sum]]:
        suggested = self._suggested(number)
        while True:
            with self._apart():
                found = next(suggested, None)
            if found is None:
                return
            if found != ("equal", unit(number)):
                yield found

    @contextmanager
    def _apart(self) -> Iterator[None]:
        """Meet atoms without asking for steps."""
        known, self._known, self._is_apart = self._known, {}, True
        try:
            yield
        finally:
            self._known, self._is_apart = known, False

    def made(self, head: str, what: Any, arguments: Sequence[Sum], bit: bool = False) -> Sum:
        """Return an atom, or what a step says that it is."""
        if self._is_apart:
            number = self.atom(head, what, tuple(arguments), bit)
            return unit(number)
        return super().made(head, what, arguments, bit)

    def _claims(self, number: int, value: Sum) -> list[int]:
        """Return the claims that a step may need."""
        head, _, arguments = self.atoms[number]
        terms = [self.term(one) for one in (*arguments, value)]
        if head in ("symbol", *LITERALS):
            terms = [self.term_of(number), self.term(value)]
        if head == "sum":
            ((mono, _),) = arguments[-1]
            terms = [self.condition_of(atom) for atom, _ in mono if atom in self.opposites]
        return claims_about([*terms, *self.ranges(terms), *self.path], self.asked.claims)

    def _suggested(self, number: int) -> Iterator[tuple[str, Sum]]:
        head, what, _ = self.atoms[number]
        if head in LITERALS:
            yield from self._decided(self.condition_of(number))
        elif head in ("symbol", "cond") or (head in INDICES and what is None):
            yield from self._of_index(number)
        elif head == "cast":
            yield "a wider dtype", ZERO
        elif head == "read" and self.suggests >= EAGER:
            yield from self._same_place(number)
        elif head == "sum" and self.suggests >= ALL:
            yield from self._implied(number)

    def _decided(self, condition: Any) -> Iterator[tuple[str, Sum]]:
        form = self.forms.condition(condition)
        if not isinstance(form, bool) and self.suggests >= ALL:
            if self._entails(condition):
                form = True
            elif self._entails(negation(condition)):
                form = False
        if isinstance(form, bool):
            yield ("holds" if form else "fails"), ZERO

    def _entails(self, condition: Any) -> bool:
        return self.facts.assuming(*self.ranges([condition])).entails(condition)

    def _of_index(self, number: int) -> Iterator[tuple[str, Sum]]:
        term = self.term_of(number)
        if isinstance(term, Symbol) and term.sort == "text":
            name = self.forms.names.text(term)
            if name is not term:
                yield "equal", self.index(name)
            elif self.suggests >= EAGER:
                yield from self._same_name(number, term)
            return
        if isinstance(term, Symbol) and number in self.levels:
            return
        poly = self.forms.poly(term)
        if self.atoms[number][0] == "//":
            found = self._sum(poly)
            if not found:
                yield "less than the divisor", ZERO
                return
            rest = plus(found, frozenset(p for p in found if self._has_quotient(p[0])), -1)
            if rest:
                yield "whole multiples", rest
        yield "equal", self._sum(poly)
        if self.suggests >= ALL and self.atoms[number][0] in ("cond", "min", "max"):
            for value in self.atoms[number][2][-2:]:
                if self._entails(equal(term, self.term(value))):
                    yield "equal", value

    def _same_name(self, number: int, name: Symbol) -> Iterator[tuple[str, Sum]]:
        others = self._met.setdefault("", [])
        for other in others:
            if self._entails(equal(name, self.term_of(other))):
                yield "equal", unit(other)
        others.append(number)

    def _implied(self, number: int) -> Iterator[tuple[str, Sum]]:
        ((mono, _),) = self.atoms[number][2][-1]
        literals = [atom for atom, _ in mono if atom in self.opposites]
        for literal in literals:
            others = [self.condition_of(other) for other in literals if other != literal]
            condition = self.condition_of(literal)
            facts = self.facts.assuming(*self.ranges([*others, condition]), *others)
            if facts.entails(condition):
                yield "implied condition", unit(literal)

    def _has_quotient(self, mono: Any) -> bool:
        return any(self.atoms[atom][0] == "//" for atom, _ in mono)

    def _sum(self, poly: Poly) -> Sum:
        total = ZERO
        for mono, number in sorted(poly, key=lambda pair: pair[0]):
            part = constant(number)
            for atom in mono:
                part = self.times(part, self.index(self.forms.atoms[atom]))
            total = plus(total, part)
        return total

    def _same_place(self, number: int) -> Iterator[tuple[str, Sum]]:
        _, tensor, places = self.atoms[number]
        own = [self.term(place) for place in places]
        others = self._met.setdefault(tensor, [])
        for other in others:
            if self.free(other) - self.free(number):
                continue
            there = [self.term(place) for place in self.atoms[other][2]]
            facts = self.facts.assuming(*self.ranges([*own, *there]))
            if facts.same(list(zip(own, there, strict=True))):
                yield "same place", unit(other)
                return
        others.append(number)
