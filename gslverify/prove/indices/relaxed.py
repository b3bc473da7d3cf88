"""Questions about indices made linear: products of unknowns and quotients become unknowns.

What follows from less follows, so a yes is a yes. A no counts where nothing was made linear; else
the question is put again as it was.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from enum import Enum
from functools import reduce
from typing import Any

from gsl.attr.term import Constant, Operation, Symbol, Term, as_term, free_symbols
from gsl.attr.values import BOOL, sort_of
from gslverify.prove.indices.cone import components, cone_of, conjuncts, shape_of
from gslverify.prove.indices.forms import Forms
from gslverify.prove.indices.guesses import is_refuted
from gslverify.prove.indices.lemmas import Clause, of_product, of_quotient
from gslverify.semantics.solver import Answer, Solver
from gslverify.semantics.terms import UntranslatableError
from gslverify.structures.arithmetic.polynomials import ZERO, Monomial, Poly, add, constant_of

_COMPARED = frozenset({"==", "!=", "<", "<=", ">", ">="})
_KEPT = frozenset({"cond", "min", "max"})


class Reply(Enum):
    """What is known about a question; OPEN means that the relaxed one has another answer."""

    YES = 0
    NO = 1
    OPEN = 2


Replies = dict[Hashable, Answer]
"""What the solver said before, about this structure of a rule or about another one."""


class Relaxed:
    """Linear questions of one scenario.

    Every question goes to a solver that knows what the answer depends on and nothing else; one that
    was answered before, for other unknowns, is not asked again.
    """

    def __init__(
        self, forms: Forms, claims: Iterable[Term], limit: int, context: Any, replies: Replies
    ) -> None:
        self.forms = forms
        self.limit = limit
        self.context = context
        self.replies = replies
        self.asked = 0
        self._symbols: dict[Monomial, Any] = {}
        self._invented: set[Symbol] = set()
        self._made: dict[Hashable, Term] = {}
        self._lemmas: list[Term] = []
        self._compared = set[Poly]()
        self._known: dict[int, tuple[Any, Any]] = {}
        linear = conjuncts(map(self.condition, (*claims, *forms.bounds())))
        self._claims = [term for term in linear if isinstance(term, Term)]
        self._claims += [self._operation(">=", *least) for least in forms.ranges.leasts()]

    def follows(self, condition: Any, assumptions: Iterable[Term]) -> Reply:
        """Tell whether a condition follows from claims that hold and from assumptions."""
        goal = self.condition(condition)
        linear = conjuncts(map(self.condition, assumptions))
        given = [term for term in linear if isinstance(term, Term)]
        if goal is True or any(term is False for term in linear):
            return Reply.YES
        every = [*self._claims, *self._lemmas, *given]
        if isinstance(goal, Term):
            return self._reply(goal, cone_of([goal], every))
        return self._contradiction(given, every)

    def _contradiction(self, given: Sequence[Term], every: Sequence[Term]) -> Reply:
        """Tell whether what is given cannot hold, part by part."""
        replies = [self._reply(False, one) for one in components(given, every)]
        if Reply.YES in replies:
            return Reply.YES
        return Reply.OPEN if Reply.OPEN in replies else Reply.NO

    def _reply(self, goal: Term | bool, cone: Sequence[Term]) -> Reply:
        goals = [goal] if isinstance(goal, Term) else []
        key = (len(goals), shape_of([*goals, *cone]))
        if key not in self.replies:
            self.replies[key] = self._asked(goal, cone)
        answer = self.replies[key]
        if answer is Answer.UNSAT:
            return Reply.YES
        invented = (free_symbols(term) & self._invented for term in (*goals, *cone))
        return Reply.OPEN if answer is Answer.UNKNOWN or any(invented) else Reply.NO

    def _asked(self, goal: Term | bool, cone: Sequence[Term]) -> Answer:
        if is_refuted(goal, cone):
            return Answer.SAT
        self.asked += 1
        solver = Solver(cone, self.limit, self.context, ideal=True)
        try:
            result = solver.refutes(goal) if isinstance(goal, Term) else solver.check()
        except UntranslatableError:
            return Answer.UNKNOWN
        return result.answer

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
        if value.head in ("and", "or"):
            return self._joined(value.head, [self.condition(part) for part in value.operands])
        if value.head == "not":
            return self._negation(self.condition(value.operands[0]))
        if value.head in _COMPARED and not any(map(_is_no_number, value.operands)):
            left, right = (self.linear(self.forms.poly(side)) for side in value.operands)
            if all(map(self.forms.is_integer, value.operands)):
                self._multiply_out(form)
            return self._operation(value.head, left, right)
        names = [self.forms.names.text(o) if _is_text(o) else o for o in value.operands]
        return self._operation(value.head, *names)

    def _multiply_out(self, form: Hashable) -> None:
        """Learn what the quotients in a comparison of integers say about products."""
        match form:
            case ("ge", frozenset() as poly, True):
                self._compare(poly)
            case ("eq" | "ne", frozenset() as poly):
                self._compare(poly)
                self._compare(add(ZERO, poly, -1))

    def _compare(self, difference: Poly) -> None:
        if difference in self._compared:
            return
        self._compared.add(difference)
        for clause in of_quotient(difference, self.forms):
            self._learn(clause)

    def _learn(self, clause: Clause) -> None:
        for part in clause:
            self._compare(part)
        parts = [self._operation(">=", self.linear(poly), 0) for poly in clause]
        self._lemmas.append(reduce(lambda a, b: self._operation("or", a, b), parts))

    def _joined(self, head: str, parts: Sequence[Any]) -> Any:
        absorbing = head == "or"
        if any(part is absorbing for part in parts):
            return absorbing
        open_parts = [part for part in parts if isinstance(part, Term)]
        if not open_parts:
            return not absorbing
        return reduce(lambda a, b: self._operation(head, a, b), open_parts)

    def _negation(self, condition: Any) -> Any:
        if isinstance(condition, Term):
            return self._operation("not", condition)
        return not condition

    def _operation(self, head: str, *parts: Any) -> Term:
        """Return an operation, the same object for the same operands."""
        terms = tuple(map(as_term, parts))
        key = (head, *(_constant_key(term) or id(term) for term in terms))
        return self._made.setdefault(key, Operation(head, terms))

    def linear(self, poly: Poly) -> Any:
        """Return a linear term for a polynomial."""
        total: Any = None
        for mono, number in sorted(poly, key=lambda pair: pair[0]):
            part = self.forms.term(frozenset([((), number)]))
            if mono:
                unknown = self._unknown(mono)
                part = unknown if number == 1 else self._operation("*", part, unknown)
            total = part if total is None else self._operation("+", total, part)
        return 0 if total is None else total

    def _unknown(self, mono: Monomial) -> Any:
        if mono not in self._symbols:
            self._symbols[mono] = self._made_of(mono)
            for clause in of_product(mono, self.forms):
                self._learn(clause)
        return self._symbols[mono]

    def _made_of(self, mono: Monomial) -> Any:
        forms = self.forms
        terms = [forms.atoms[atom] for atom in mono]
        if len(terms) == 1:
            return self._atom(mono[0], terms[0])
        lows = [least for least in (1, 0) if all(forms.ranges.is_count(a, least) for a in mono)]
        low = next(iter(lows), None)
        is_real = any(isinstance(t, Symbol) and t.sort == "real" for t in terms)
        return self._invent("product", "real" if is_real else "int", low)

    def _invent(self, name: str, sort: str, low: int | None = None) -> Symbol:
        symbol = Symbol(name, sort, low)
        self._invented.add(symbol)
        return symbol

    def _atom(self, atom: int, term: Term) -> Any:
        if not isinstance(term, Operation):
            return term
        if term.head in _KEPT:
            parts = term.operands
            if term.head == "cond":
                sides = (self.linear(self.forms.poly(part)) for part in parts[1:])
                return self._operation("cond", self.condition(parts[0]), *sides)
            return self._operation(
                term.head, *(self.linear(self.forms.poly(part)) for part in parts)
            )
        if term.head == "//":
            return self._quotient(atom, term)
        return term if term.head in _COMPARED else self._invent("unknown", "real")

    def _quotient(self, atom: int, term: Operation) -> Any:
        whole, divisor = (self.forms.poly(operand) for operand in term.operands)
        number = constant_of(divisor)
        is_positive = number is not None and number >= 1
        quotient = Symbol("quotient") if is_positive else self._invent("quotient", "int")
        self._symbols[(atom,)] = quotient
        multiple: dict[Monomial, Any] = {}
        for mono, count in divisor:
            key = tuple(sorted((*mono, atom)))
            multiple[key] = multiple.get(key, 0) + count
        below, size = self.linear(frozenset(multiple.items())), self.linear(divisor)
        above = self._operation("+", below, size)
        inside = [
            self._operation("<=", below, self.linear(whole)),
            self._operation("<", self.linear(whole), above),
        ]
        if not is_positive:
            small = self._operation("<", size, 1)
            inside = [self._operation("or", small, part) for part in inside]
        self._lemmas += inside
        return quotient


def _constant_key(term: Term) -> Hashable:
    return (type(term.value), repr(term.value)) if isinstance(term, Constant) else None


def _is_no_number(term: Term) -> bool:
    return _is_text(term) or sort_of(term) == BOOL


def _is_text(term: Any) -> bool:
    return getattr(term, "sort", "") == "text" or isinstance(getattr(term, "value", None), str)
