"""Questions about indices made linear: products of unknowns and quotients become unknowns.

What follows from less follows, so a yes is a yes. A no means nothing, and the question is put again
as it was.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gsl.attr.evaluate import conjunction, negation
from gsl.attr.term import Operation, Symbol, Term, operation
from gslverify.prove.forms import Forms
from gslverify.prove.polynomials import Monomial, Poly, constant_of
from gslverify.smt import Answer, Solver, UntranslatableError

_COMPARED = frozenset({"==", "!=", "<", "<=", ">", ">="})
_KEPT = frozenset({"cond", "min", "max"})


class Relaxed:
    """A solver for linear questions of one scenario."""

    def __init__(self, forms: Forms, claims: Iterable[Term], limit: int, context: Any) -> None:
        self.forms = forms
        self._symbols: dict[Monomial, Any] = {}
        self._lemmas: list[Any] = []
        self._known: dict[int, tuple[Any, Any]] = {}
        linear = [self.condition(claim) for claim in claims]
        terms = [term for term in (*linear, *self._lemmas) if isinstance(term, Term)]
        self._lemmas.clear()
        self.solver = Solver(terms, limit, context)

    def follows(self, condition: Any, assumptions: Iterable[Term]) -> bool:
        """Tell whether a condition follows; False means nothing."""
        goal = self.condition(condition)
        given = [self.condition(assumption) for assumption in assumptions]
        terms = [term for term in (*given, *self._lemmas) if isinstance(term, Term)]
        try:
            if isinstance(goal, Term):
                return self.solver.refutes(goal, *terms).answer is Answer.UNSAT
            return bool(goal) or self.solver.check(*terms).answer is Answer.UNSAT
        except UntranslatableError:
            return False

    def condition(self, value: Any) -> Any:
        """Return a linear condition that means the same if unknowns do."""
        if not isinstance(value, Term):
            return bool(value)
        if id(value) not in self._known:
            self._known[id(value)] = value, self._condition(value)
        return self._known[id(value)][1]

    def _condition(self, value: Term) -> Any:
        form = self.forms.condition(value)
        if isinstance(form, bool) or not isinstance(value, Operation):
            return form if isinstance(form, bool) else value
        if value.head == "and":
            return conjunction(*map(self.condition, value.operands))
        if value.head == "or":
            return negation(conjunction(*(negation(self.condition(o)) for o in value.operands)))
        if value.head == "not":
            return negation(self.condition(value.operands[0]))
        if value.head in _COMPARED and not any(map(_is_text, value.operands)):
            left, right = (self.linear(self.forms.poly(side)) for side in value.operands)
            return operation(value.head, left, right)
        return value

    def linear(self, poly: Poly) -> Any:
        """Return a linear term for a polynomial."""
        total: Any = 0
        for mono, number in sorted(poly, key=lambda pair: pair[0]):
            part = self.forms.term(frozenset([((), number)]))
            total = total + (part * self._unknown(mono) if mono else part)
        return total

    def _unknown(self, mono: Monomial) -> Any:
        if mono not in self._symbols:
            self._symbols[mono] = self._made(mono)
        return self._symbols[mono]

    def _made(self, mono: Monomial) -> Any:
        terms = [self.forms.atoms[atom] for atom in mono]
        if len(terms) == 1:
            return self._atom(mono[0], terms[0])
        lows = [-1 if not isinstance(t, Symbol) or t.low is None else t.low for t in terms]
        low = int(min(lows) >= 1) if min(lows) >= 0 else None
        is_real = any(isinstance(t, Symbol) and t.sort == "real" for t in terms)
        return Symbol("product", "real" if is_real else "int", low)

    def _atom(self, atom: int, term: Term) -> Any:
        if not isinstance(term, Operation):
            return term
        if term.head in _KEPT:
            parts = term.operands
            if term.head == "cond":
                sides = (self.linear(self.forms.poly(part)) for part in parts[1:])
                return operation("cond", self.condition(parts[0]), *sides)
            return operation(term.head, *(self.linear(self.forms.poly(part)) for part in parts))
        if term.head == "//":
            return self._quotient(atom, term)
        return term if term.head in _COMPARED else Symbol("unknown", "real")

    def _quotient(self, atom: int, term: Operation) -> Any:
        whole, divisor = (self.forms.poly(operand) for operand in term.operands)
        number = constant_of(divisor)
        quotient = Symbol("quotient")
        self._symbols[(atom,)] = quotient
        multiple: dict[Monomial, Any] = {}
        for mono, count in divisor:
            key = tuple(sorted((*mono, atom)))
            multiple[key] = multiple.get(key, 0) + count
        below, size = self.linear(frozenset(multiple.items())), self.linear(divisor)
        inside = conjunction(below <= self.linear(whole), self.linear(whole) < below + size)
        positive = number >= 1 if number is not None else size >= 1
        self._lemmas.append(
            inside if positive is True else operation("or", negation(positive), inside)
        )
        return quotient


def _is_text(term: Any) -> bool:
    return getattr(term, "sort", "") == "text" or isinstance(getattr(term, "value", None), str)
