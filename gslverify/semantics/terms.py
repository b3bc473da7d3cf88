"""Attribute terms as formulas of z3, with the meaning that `gsl.attr.values` gives them.

Integers are mathematical integers and names of dtypes and layouts are numbered. Reals are real
numbers, of which infinities and NaN are none, and their arithmetic is rounded. A term has a value
only where its demands hold: no divisor is 0. Arithmetic and order of truth values and texts have
none, and no formula.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from fractions import Fraction
from math import isfinite
from typing import Any

import z3

from gsl.attr.evaluate import applied
from gsl.attr.term import Constant, Operation, Symbol, Term, subterms
from gsl.attr.values import BOOL, LOGIC, TEXT, sort_of
from gsl.errors import EvaluationError, GslError
from gsl.types import ALL_DTYPES
from gslverify.semantics import building as make
from gslverify.semantics.rounding import Rounding, moved

Learn = Callable[..., None]
"""Takes formulas that hold of symbols and functions wherever they occur."""


class UntranslatableError(GslError):
    """A term has no counterpart in the theories that the solver decides."""


class TermFormulas:
    """Translates terms in one context of z3.

    `learn` is told what holds of every new symbol and function, before the formula that has it is
    returned. Symbols keep their variables until `forget`. With `ideal` arithmetic of reals is that
    of real numbers, as proofs about elements take it, and nothing is rounded.
    """

    def __init__(self, context: Any, learn: Learn, ideal: bool = False) -> None:
        self.context = context
        self.ideal = ideal
        self.symbols: dict[Symbol, Any] = {}
        self._learn = learn
        self.rounding = Rounding(context, learn)
        self._texts: dict[str, int] = {name: number for number, name in enumerate(ALL_DTYPES)}
        self._memo: dict[Term, Any] = {}
        self._origin: Mapping[Term, Any] = {}
        self._demanded: dict[Term, dict[int, Any]] = {}

    def copy(self, context: Any, learn: Learn) -> TermFormulas:
        """Return the same in another context, where all that was learnt so far is known."""
        made = TermFormulas(context, learn, self.ideal)
        made.symbols = {symbol: moved(one, context) for symbol, one in self.symbols.items()}
        made.rounding = self.rounding.copy(context, learn)
        made._texts = dict(self._texts)
        made._origin = {**self._origin, **self._memo}
        return made

    def forget(self) -> None:
        """Forget all symbols and terms."""
        self.symbols.clear()
        self.rounding = Rounding(self.context, self._learn)
        self._memo.clear()
        self._origin = {}
        self._demanded.clear()

    def of_condition(self, term: Term) -> list[Any]:
        """Translate a condition, with what has to hold for it to have a value at all."""
        if sort_of(term) not in (BOOL, ""):
            raise UntranslatableError(f"{term!r} is no condition")
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
            for guard, branch in zip((chosen, make.negation(chosen)), others, strict=True):
                yield from (make.implies(guard, d) for d in self._demands(branch).values())
            return
        for operand in others:
            yield from self._demands(operand).values()
        if term.head in _DIVISIONS:
            divisor = self.translate(others[0])
            yield make.unequal(divisor, make.small(0, divisor))
        elif term.head == "sqrt":
            yield self.translate(first) >= 0

    def translate(self, term: Term) -> Any:
        """Return the formula of a term; raise UntranslatableError when there is none."""
        if term in self._memo:
            return self._memo[term]
        match term:
            case _ if term in self._origin:
                formula = moved(self._origin[term], self.context)
            case Symbol():
                formula = self.variable(term)
            case Constant(value=value):
                formula = self.value(value)
            case Operation(head=head) if not _goes_together(term):
                # Evaluated symbolically, it has no value: it was made by somebody else.
                raise UntranslatableError(f"`{head}` takes values of other sorts: {term!r}")
            case Operation(head="==" | "!=" as head, operands=sides) if _differ(*sides):
                formula = z3.BoolVal(head == "!=", self.context)
            case Operation(head=head) if not self.ideal and (known := _known(term)) is not None:
                formula = self.value(known)
            case Operation(head=head) if head in TABLE:
                formula = self._operation(term)
            case Operation(head="in", operands=(item, Constant(value=tuple() as options))):
                formula = self._member(item, options)
            case _:
                raise UntranslatableError(f"the solver does not know {term!r}")
        self._memo[term] = formula
        return formula

    def _operation(self, term: Operation) -> Any:
        operands = [self.translate(part) for part in term.operands]
        is_real = any(map(make.is_real, operands))
        is_rounded = not self.ideal and (term.head == "/" or (is_real and term.head in ROUNDING))
        if is_rounded and is_real:
            operands = [self._as_float(operand) for operand in operands]
        if is_real:
            operands = [make.as_real(operand) for operand in operands]
        formula = TABLE[term.head](*operands)
        if term.head == "sqrt":
            self._know_root(formula)
        return self.rounding.rounded(formula) if is_rounded else formula

    def _as_float(self, operand: Any) -> Any:
        """Return an operand of real arithmetic, for which an integer is rounded."""
        if z3.is_int_value(operand):
            try:
                return self.value(float(operand.as_long()))
            except OverflowError as error:
                raise UntranslatableError(f"{operand} is beyond all floats") from error
        return self.rounding.rounded(z3.ToReal(operand)) if z3.is_int(operand) else operand

    def _know_root(self, root: Any) -> None:
        """Roots are not negative, and 0 only where the operand is not positive."""
        self._learn(root >= 0, z3.Implies(root.arg(0) > 0, root > 0))

    def _member(self, item: Term, options: Collection[Any]) -> Any:
        sort = sort_of(item)
        alike = [one for one in options if not sort or sort_of(one) == sort]
        formula = self.translate(item)
        numbers = [self._number(one) for one in alike if isinstance(one, str)]
        if len(numbers) == len(alike) > 1 and max(numbers) - min(numbers) < len(set(numbers)):
            # Two comparisons are made in a fraction of the time of one for every dtype.
            least, most = (make.small(limit(numbers), formula) for limit in (min, max))
            limits = make.at_least(formula, least), make.at_most(formula, most)
            return make.conjunction(limits, self.context)
        return make.disjunction(
            [make.equal(formula, self.value(one)) for one in alike], self.context
        )

    def variable(self, symbol: Symbol) -> Any:
        """Return the unknown of z3 for a symbol."""
        if symbol not in self.symbols:
            name = f"{symbol.name}#{len(self.symbols)}"
            made = _SORTS[symbol.sort](name, self.context)
            self.symbols[symbol] = made
            self._learn(*self.bounds(symbol))
            if symbol.sort == "real" and not self.ideal:
                self.rounding.hold(made)
        return self.symbols[symbol]

    def bounds(self, symbol: Symbol) -> list[Any]:
        """Return what holds of a symbol alone."""
        variable = self.symbols[symbol]
        low = [] if symbol.low is None else [make.at_least(variable, self.value(symbol.low))]
        high = [] if symbol.high is None else [make.at_most(variable, self.value(symbol.high))]
        texts = [make.at_least(variable, make.small(0, variable))] if symbol.sort == "text" else []
        return [*low, *high, *texts]

    def _number(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts))

    def value(self, value: Any) -> Any:
        """Return the formula of a known value; raise UntranslatableError when there is none."""
        match value:
            case bool():
                return z3.BoolVal(value, self.context)
            case int():
                return z3.IntVal(value, self.context)
            case float() if isfinite(value):
                return z3.RealVal(str(Fraction(value)), self.context)
            case str():
                return z3.IntVal(self._number(value), self.context)
        raise UntranslatableError(f"the solver does not know the value {value!r}")

    def model(self, model: Any) -> dict[Symbol, Any]:
        """Return what a model of z3 says about all symbols."""
        return {
            symbol: self._read(symbol, model.eval(variable, model_completion=True))
            for symbol, variable in self.symbols.items()
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
        return _as_number(Fraction(value.numerator_as_long(), value.denominator_as_long()))


def _as_number(value: Fraction) -> float:
    """Return a real as a float, or as an integer where no float has it."""
    try:
        near = float(value)
    except OverflowError:
        near = float("inf") if value > 0 else float("-inf")
    return int(value) if value.denominator == 1 and near != value else near


_SORTS: Mapping[str, Callable[..., Any]] = {
    "int": z3.Int,
    "real": z3.Real,
    "bool": z3.Bool,
    "text": z3.Int,
}

ROUNDING = frozenset({"+", "-", "*", "/", "//", "%"})
"""Operations on reals whose results float64 may have to round."""

_DIVISIONS = frozenset({"/", "//", "%"})
_OF_ANY_SORT = frozenset({"==", "!=", "in", "cond"})


def _goes_together(term: Operation) -> bool:
    """Tell whether operands are of the sorts that an operation takes, as far as they are known."""
    sorts = [sort_of(operand) for operand in term.operands]
    if term.head in LOGIC or term.head == "cond":
        checked = sorts[:1] if term.head == "cond" else sorts
        return all(sort in (BOOL, "") for sort in checked)
    return term.head in _OF_ANY_SORT or not {BOOL, TEXT} & {*sorts}


def _known(term: Operation) -> Any:
    """Return the value of an operation on known numbers, None for others or if it has none."""
    values = [one.value for one in term.operands if isinstance(one, Constant)]
    if len(values) < len(term.operands) or any(isinstance(one, tuple) for one in values):
        return None
    try:
        return applied(term.head, *values)
    except EvaluationError:
        return None


def _differ(left: Term, right: Term) -> bool:
    """Tell whether two terms are of different sorts, whose values are never equal."""
    first, second = sort_of(left), sort_of(right)
    return bool(first and second) and first != second


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


def _floor_divide(left: Any, right: Any) -> Any:
    """Python rounds down; z3 leaves a remainder that is never negative."""
    if make.is_real(left):
        return z3.ToReal(z3.ToInt(make.over(left, right)))
    mirrored = make.over(make.negative(left), make.negative(right))
    return make.choice(make.more(right, make.small(0, right)), make.over(left, right), mirrored)


def _divide(left: Any, right: Any) -> Any:
    return make.over(make.as_real(left), make.as_real(right))


def _square_root(operand: Any) -> Any:
    """Leave the function open: equal roots follow from equal operands and nothing else does."""
    sort = z3.RealSort(operand.ctx)
    return z3.Function("sqrt", sort, sort)(z3.ToReal(operand) if z3.is_int(operand) else operand)


TABLE: Mapping[str, Callable[..., Any]] = {
    "+": make.plus,
    "-": make.minus,
    "*": make.times,
    "/": _divide,
    "//": _floor_divide,
    "%": lambda a, b: make.minus(a, make.times(b, _floor_divide(a, b))),
    "neg": make.negative,
    "abs": lambda a: make.choice(make.less(a, make.small(0, a)), make.negative(a), a),
    "floor": lambda a: z3.ToInt(a) if make.is_real(a) else a,
    "sqrt": _square_root,
    "ceil": lambda a: make.negative(z3.ToInt(make.negative(a))) if make.is_real(a) else a,
    "==": make.equal,
    "!=": make.unequal,
    "<": make.less,
    "<=": make.at_most,
    ">": make.more,
    ">=": make.at_least,
    "and": lambda a, b: make.conjunction((a, b), a.ctx),
    "or": lambda a, b: make.disjunction((a, b), a.ctx),
    "not": make.negation,
    "min": lambda a, b: make.choice(make.less(b, a), b, a),
    "max": lambda a, b: make.choice(make.less(a, b), b, a),
    "cond": make.choice,
}
