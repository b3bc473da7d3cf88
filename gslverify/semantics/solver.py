"""The only door to z3: terms to formulas, queries under a deterministic resource limit.

Integers are mathematical integers, reals are reals, names of dtypes and layouts are numbered.
"Unknown" is an answer of its own and never counts as success; every model is only a suggestion
until it was executed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from math import isfinite
from typing import Any

import z3

from gsl.attr.term import Constant, Operation, Symbol, Term, subterms
from gsl.errors import GslError
from gsl.types import ALL_DTYPES

Model = Mapping[Symbol, Any]


class Answer(StrEnum):
    """What the solver says about a set of formulas."""

    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


class UntranslatableError(GslError):
    """A term has no counterpart in the theories that the solver decides."""


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


class Solver:
    """A set of claims to which questions can be put.

    Solvers of one rule share a `context`, which is slow to make; those of different rules must
    not, or their answers would depend on the order of the rules. `limit` bounds each query in
    z3's own resource unit, not in seconds, so that the same question has the same answer on every
    machine.
    """

    def __init__(self, claims: Iterable[Term], limit: int, context: Context | None = None) -> None:
        self.context = context or new_context()
        self.limit = limit
        self._loaded: Any = None
        self._symbols: dict[Symbol, Any] = {}
        self._texts: dict[str, int] = {name: number for number, name in enumerate(ALL_DTYPES)}
        self._memo: dict[Term, Any] = {}
        self._demanded: dict[Term, dict[int, Any]] = {}
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
            self._loaded = z3.Solver(ctx=self._z3)
            self._loaded.set("rlimit", self.limit)
            self._loaded.set("random_seed", 0)
            try:
                for claim in self.claims:
                    self._loaded.add(*self._formulas(claim))
            except UntranslatableError:
                self._loaded = None
                self._symbols.clear()
                self._memo.clear()
                self._demanded.clear()
                raise
        return self._loaded

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

    def _formulas(self, term: Term) -> list[Any]:
        """Translate a condition, with what has to hold for it to have a value at all."""
        try:
            return [*self._demands(term).values(), self.translate(term)]
        except (AttributeError, TypeError, z3.Z3Exception) as error:
            raise UntranslatableError(f"the solver does not know {term!r}: {error}") from error

    def _demands(self, term: Term) -> dict[int, Any]:
        """Return what has to hold for a term to have a value; of a choice only what is chosen."""
        if not isinstance(term, Operation):
            return {}
        if term not in self._demanded:
            self._demanded[term] = {
                demand.get_id(): demand for demand in self._demands_of_operation(term)
            }
        return self._demanded[term]

    def _demands_of_operation(self, term: Operation) -> Iterator[Any]:
        first, *others = term.operands
        yield from self._demands(first).values()
        if term.head == "cond":
            chosen = self.translate(first)
            for guard, branch in zip((chosen, z3.Not(chosen)), others, strict=True):
                yield from (z3.Implies(guard, d) for d in self._demands(branch).values())
            return
        for operand in others:
            yield from self._demands(operand).values()
        if term.head in _DIVISIONS:
            yield self.translate(others[0]) != 0
        elif term.head == "sqrt":
            yield self.translate(first) >= 0

    def check(self, *more: Term) -> Result:
        """Ask whether the claims and `more` hold together."""
        formulas = [formula for term in more for formula in self._formulas(term)]
        return self._ask(formulas)

    def refutes(self, obligation: Term, *more: Term) -> Result:
        """Ask for a model of the claims and `more` where `obligation` fails or has no value."""
        formulas = [formula for term in more for formula in self._formulas(term)]
        holds = z3.And(*self._formulas(obligation), self._z3)
        return self._ask([*formulas, z3.Not(holds)])

    def _ask(self, formulas: Sequence[Any]) -> Result:
        # Translated before this scope opens: the bounds of new symbols have to outlive it.
        self.solver.push()
        try:
            self.solver.add(*formulas)
            return self._result(self.solver.check())
        finally:
            self.solver.pop()

    def core(self) -> Result:
        """Ask whether the claims hold together and, if not, for a few that clash."""
        tracked = z3.Solver(ctx=self._z3)
        tracked.set("unsat_core", True)
        tracked.set("core.minimize", True)
        tracked.set("rlimit", self.limit)
        for number, claim in enumerate(self.claims):
            formulas = self._formulas(claim)
            tracked.assert_and_track(z3.And(*formulas, self._z3), f"claim{number}")
        for symbol, variable in self._symbols.items():
            tracked.add(*self._bounds(symbol, variable))
        answer = tracked.check()
        if answer != z3.unsat:
            return Result(Answer.UNKNOWN)
        numbers = sorted(int(str(name)[len("claim") :]) for name in tracked.unsat_core())
        return Result(Answer.UNSAT, core=tuple(numbers))

    def near(self, wishes: Sequence[tuple[Symbol, Any]], limits: Sequence[Term] = ()) -> Result:
        """Find a model within `limits` that grants wishes; clashing wishes are dropped."""
        granted = [
            (z3.Bool(f"wish{number}", self._z3), self._variable(symbol) == self._value(value))
            for number, (symbol, value) in enumerate(wishes)
        ]
        bounded = [formula for limit in limits for formula in self._formulas(limit)]
        self.solver.push()
        try:
            self.solver.add(*bounded, *(z3.Implies(name, wish) for name, wish in granted))
            return self._grant([name for name, _ in granted])
        finally:
            self.solver.pop()

    def _grant(self, names: list[Any]) -> Result:
        by_id = {name.get_id(): name for name in names}
        while True:
            answer = self.solver.check(*by_id.values())
            if answer != z3.unsat or not by_id:
                return self._result(answer)
            clashing = {name.get_id() for name in self.solver.unsat_core()}
            if not clashing:
                return Result(Answer.UNSAT)
            del by_id[[number for number in by_id if number in clashing][-1]]

    def _result(self, answer: Any) -> Result:
        if answer == z3.sat:
            return Result(Answer.SAT, self._model(self.solver.model()))
        return Result(Answer.UNSAT if answer == z3.unsat else Answer.UNKNOWN)

    def _model(self, model: Any) -> dict[Symbol, Any]:
        return {
            symbol: self._read(symbol, model.eval(variable, model_completion=True))
            for symbol, variable in self._symbols.items()
        }

    def _read(self, symbol: Symbol, value: Any) -> Any:
        if symbol.sort == "text":
            names = {number: name for name, number in self._texts.items()}
            return names.get(value.as_long(), ALL_DTYPES[0])
        if symbol.sort == "bool":
            return z3.is_true(value)
        if symbol.sort == "int":
            return value.as_long()
        if z3.is_algebraic_value(value):
            value = value.approx(20)
        return float(Fraction(value.numerator_as_long(), value.denominator_as_long()))

    def translate(self, term: Term) -> Any:
        """Return the formula of a term; raise UntranslatableError when there is none."""
        if term in self._memo:
            return self._memo[term]
        match term:
            case Symbol():
                formula = self._variable(term)
            case Constant(value=value):
                formula = self._value(value)
            case Operation(head=head, operands=operands) if head in TABLE:
                formula = TABLE[head](*_same_sort([self.translate(part) for part in operands]))
                if head == "sqrt":
                    self._know_root(formula)
            case Operation(head="in", operands=(item, Constant(value=options))):
                formula = self._member(self.translate(item), options)
            case _:
                raise UntranslatableError(f"the solver does not know {term!r}")
        self._memo[term] = formula
        return formula

    def _know_root(self, root: Any) -> None:
        """Roots are not negative, and 0 only where the operand is not positive."""
        self.solver.add(root >= 0, z3.Implies(root.arg(0) > 0, root > 0))

    def _member(self, item: Any, options: Collection[Any]) -> Any:
        numbers = [self._number(o) for o in options if isinstance(o, str)]
        if len(numbers) == len(options) > 1 and max(numbers) - min(numbers) < len(set(numbers)):
            # Two comparisons are made in a fraction of the time of one for every dtype.
            return z3.And(item >= min(numbers), item <= max(numbers))
        return z3.Or(*(_equal(item, self._value(option)) for option in options), self._z3)

    def _variable(self, symbol: Symbol) -> Any:
        if symbol not in self._symbols:
            name = f"{symbol.name}#{len(self._symbols)}"
            variable = _SORTS[symbol.sort](name, self._z3)
            self._symbols[symbol] = variable
            self.solver.add(*self._bounds(symbol, variable))
        return self._symbols[symbol]

    def _bounds(self, symbol: Symbol, variable: Any) -> list[Any]:
        low = [] if symbol.low is None else [variable >= self._value(symbol.low)]
        high = [] if symbol.high is None else [variable <= self._value(symbol.high)]
        texts = [variable >= 0] if symbol.sort == "text" else []
        return [*low, *high, *texts]

    def _number(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts))

    def _value(self, value: Any) -> Any:
        match value:
            case bool():
                return z3.BoolVal(value, self._z3)
            case int():
                return z3.IntVal(value, self._z3)
            case float() if isfinite(value):
                return z3.RealVal(str(Fraction(value)), self._z3)
            case str():
                return z3.IntVal(self._number(value), self._z3)
        raise UntranslatableError(f"the solver does not know the value {value!r}")


_SORTS: Mapping[str, Callable[..., Any]] = {
    "int": z3.Int,
    "real": z3.Real,
    "bool": z3.Bool,
    "text": z3.Int,
}

_DIVISIONS = frozenset({"/", "//", "%"})


def has_formula(term: Term) -> bool:
    """Tell, without translating it, whether z3 knows all operations and numbers of a term."""
    for part in subterms(term):
        match part:
            case Symbol() | Operation(head="in") | Constant(value=bool() | int() | str() | tuple()):
                continue
            case Constant(value=float() as value) if isfinite(value):
                continue
            case Operation(head=head) if head in TABLE:
                continue
        return False
    return True


def is_partial(term: Term) -> bool:
    """Tell whether a term is an operation that some operands leave without a value."""
    return isinstance(term, Operation) and (term.head in _DIVISIONS or term.head == "sqrt")


def _same_sort(formulas: list[Any]) -> list[Any]:
    if any(z3.is_real(formula) for formula in formulas):
        return [z3.ToReal(part) if z3.is_int(part) else part for part in formulas]
    return formulas


def _equal(left: Any, right: Any) -> Any:
    """As in attribute expressions, a truth value does not equal a number."""
    if z3.is_bool(left) != z3.is_bool(right):
        return z3.BoolVal(False, left.ctx)
    return left == right


def _floor_divide(left: Any, right: Any) -> Any:
    """Python rounds down; z3 leaves a remainder that is never negative."""
    if z3.is_real(left):
        return z3.ToReal(z3.ToInt(left / right))
    return z3.If(right > 0, left / right, (-left) / (-right))


def _divide(left: Any, right: Any) -> Any:
    return left / right if z3.is_real(left) else z3.ToReal(left) / z3.ToReal(right)


def _square_root(operand: Any) -> Any:
    """Leave the function open: equal roots follow from equal operands and nothing else does."""
    sort = z3.RealSort(operand.ctx)
    return z3.Function("sqrt", sort, sort)(z3.ToReal(operand) if z3.is_int(operand) else operand)


TABLE: Mapping[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _divide,
    "//": _floor_divide,
    "%": lambda a, b: a - b * _floor_divide(a, b),
    "neg": lambda a: -a,
    "abs": lambda a: z3.If(a < 0, -a, a),
    "floor": lambda a: z3.ToInt(a) if z3.is_real(a) else a,
    "sqrt": _square_root,
    "ceil": lambda a: -z3.ToInt(-a) if z3.is_real(a) else a,
    "==": _equal,
    "!=": lambda a, b: z3.Not(_equal(a, b)),
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "and": lambda a, b: z3.And(a, b),
    "or": lambda a, b: z3.Or(a, b),
    "not": z3.Not,
    "min": lambda a, b: z3.If(a < b, a, b),
    "max": lambda a, b: z3.If(a < b, b, a),
    "cond": z3.If,
}
