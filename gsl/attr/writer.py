"""Attribute expressions as Python source: the same values as `gsl.attr.evaluate`, sooner.

What is written computes with known values. Where a value turns out to be a term, or where an
operation is not defined, it raises or gives something that is no bool; whoever runs it then asks
`evaluate`, which has the last word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum, auto
from itertools import accumulate

from gsl.attr.code import Code, NotCompiledError
from gsl.attr.evaluate import PYTHON, combine, equal, field_count, project
from gsl.attr.term import (
    Access,
    Anything,
    Constant,
    Operation,
    Projection,
    Reduce,
    Slice,
    Symbol,
    Term,
    TupleOf,
    Value,
    VariadicTuple,
    children,
    free_symbols,
)
from gsl.attr.values import OF_AXES
from gsl.errors import EvaluationError, UndecidedError

MISSING = (EvaluationError, AttributeError, IndexError, KeyError, ZeroDivisionError)
"""What written source raises where an attribute expression has no value."""

UNDECIDED = (TypeError, ValueError, OverflowError, UndecidedError)
"""What it raises where a value is not known yet or an operation not defined."""


class Kind(Enum):
    """What is known of a value when its source is written; two values of one kind compare by ==."""

    INTEGER = auto()
    INTEGERS = auto()
    REAL = auto()
    FLAG = auto()
    TEXT = auto()
    ANY = auto()


NUMBERS = frozenset((Kind.INTEGER, Kind.REAL))


@dataclass(frozen=True, slots=True)
class Written:
    """The source of an expression and the kind of its value."""

    text: str
    kind: Kind = Kind.ANY


Attribute = Callable[[Access, "TermWriter"], Written]


class TermWriter:
    """Writes terms of one function; `attribute` says how it finds attributes of patterns.

    A term that occurs several times is computed once, in the line before its first use. Where
    symbols stand for more than numbers of fields, `unknown` says how it finds the others.
    """

    def __init__(
        self,
        code: Code,
        attribute: Attribute,
        terms: Iterable[Term] = (),
        unknown: Callable[[Symbol], Written] | None = None,
    ) -> None:
        self.code = code
        self.symbols: dict[Symbol, str] = {}
        self._attribute = attribute
        self._unknown = unknown
        self._repeated = _repeated(terms)
        self._names: dict[Term, Written] = {}
        self._inside = 0

    def keep(self, written: Written, prefix: str = "t") -> Written:
        """Give a value a name in the line before, unless it might not be computed at all."""
        if self._inside or written.text.isidentifier():
            return written
        name = self.code.fresh(prefix)
        self.code.line(f"{name} = {written.text}")
        return Written(name, written.kind)

    def known(self) -> dict[Term, Written]:
        """Return the terms that have names now, for `forget`."""
        return dict(self._names)

    def forget(self, known: dict[Term, Written]) -> None:
        """Go back to the names of `known`, because a block that gave others has ended."""
        self._names = dict(known)

    def hoist(self, term: Term) -> None:
        """Compute a term now, for all its later uses, if what it gives is of a certain kind."""
        if term not in self._names and not isinstance(term, Constant):
            written = self._write(term)
            if written.kind is not Kind.ANY:
                self._names[term] = self.keep(written)

    def write(self, term: Term) -> Written:
        """Return the source of `term`; raise NotCompiledError for what has none."""
        if term in self._names:
            return self._names[term]
        written = self._write(term)
        if term in self._repeated and not self._inside:
            written = self._names[term] = self.keep(written)
        return written

    def _write(self, term: Term) -> Written:
        match term:
            case Constant(value=value):
                return self._constant(value)
            case Access():
                return self._attribute(term, self)
            case Symbol() if term in self.symbols:
                return Written(self.symbols[term], Kind.INTEGER)
            case Symbol() if self._unknown is not None:
                return self._unknown(term)
            case Operation():
                return self._operation(term)
            case TupleOf(fields=fields):
                return self._tuple([self.write(field) for field in fields])
            case Projection(tuple=whole, index=index):
                return self._projection(self.write(whole), self.write(index))
            case Slice():
                return self._slice(term)
            case VariadicTuple(body=body, symbol=symbol, length=length):
                return self._running_sums(term) or self._variadic(body, symbol, length)
            case Reduce():
                return self._reduce(term)
            case _:
                raise NotCompiledError(f"{term!r} has no value")

    def _constant(self, value: Value) -> Written:
        kind = kind_of(value)
        if kind is Kind.ANY or kind is Kind.REAL:
            return Written(self.code.constant(value), kind)
        negative = kind is Kind.INTEGER and value < 0
        return Written(f"({value})" if negative else repr(value), kind)

    def _tuple(self, fields: list[Written]) -> Written:
        whole = all(field.kind is Kind.INTEGER for field in fields)
        text = "".join(f"{field.text}, " for field in fields)
        return Written(f"({text})", Kind.INTEGERS if whole else Kind.ANY)

    def _projection(self, whole: Written, index: Written) -> Written:
        if whole.kind is Kind.INTEGERS and index.kind is Kind.INTEGER:
            return Written(f"{whole.text}[{index.text}]", Kind.INTEGER)
        return self._call(project, whole, index)

    def _slice(self, term: Slice) -> Written:
        whole = self.write(term.tuple)
        parts = [
            Written("", Kind.INTEGER) if isinstance(part, Anything) else self.write(part)
            for part in (term.start, term.stop, term.step)
        ]
        if whole.kind is not Kind.INTEGERS or any(p.kind is not Kind.INTEGER for p in parts):
            raise NotCompiledError("a slice of something else than integers")
        return Written(f"{whole.text}[{':'.join(part.text for part in parts)}]", Kind.INTEGERS)

    def _variadic(self, body: Term, symbol: Symbol, length: Term) -> Written:
        item, text = self._fields(body, symbol, length)
        return Written(f"tuple([{text}])", Kind.INTEGERS if item is Kind.INTEGER else Kind.ANY)

    def _running_sums(self, term: VariadicTuple) -> Written | None:
        """Write the tuple of sums of the first 1, 2, ... summands, adding up each only once."""
        match term.body:
            case Reduce(head="+", body=body, symbol=symbol, length=Operation(
                head="+", operands=(Symbol() as last, Constant(value=int(1)))
            )) if last is term.symbol and last not in free_symbols(body):  # fmt: skip
                kind, text = self._fields(body, symbol, term.length)
                if kind is Kind.INTEGER:
                    sums = self.code.constant(accumulate)
                    return Written(f"tuple({sums}([{text}]))", Kind.INTEGERS)
        return None

    def _fields(self, body: Term, symbol: Symbol, length: Term) -> tuple[Kind, str]:
        count = self._call(field_count, self.write(length))
        around, name = dict(self.symbols), self.code.fresh("i")
        self.symbols[symbol] = name
        self._inside += 1
        field = self.write(body)
        self._inside -= 1
        self.symbols = around  # an inner index may have the name of an outer one
        return field.kind, f"{field.text} for {name} in range({count.text})"

    def _reduce(self, term: Reduce) -> Written:
        kind, text = self._fields(term.body, term.symbol, term.length)
        if kind is Kind.INTEGER and term.head == "+":
            return Written(f"sum([{text}])", kind)
        if kind is Kind.FLAG and term.head in ("and", "or"):
            return Written(f"{'all' if term.head == 'and' else 'any'}([{text}])", kind)
        head = self.code.constant(term.head)
        return Written(f"{self.code.constant(combine)}({head}, ({text}))")

    def call(self, function: Callable[..., Value], *operands: str) -> Written:
        """Return the source of a call of `function`, of whose value nothing is known."""
        return Written(f"{self.code.constant(function)}({', '.join(operands)})")

    def _call(self, function: Callable[..., Value], *operands: Written) -> Written:
        return self.call(function, *(operand.text for operand in operands))

    def _operation(self, term: Operation) -> Written:
        if term.head == "cond":
            return self._choice(term)
        operands = [self.write(operand) for operand in term.operands]
        kinds = {operand.kind for operand in operands}
        if len(operands) == 2 and (infix := _infix(term.head, kinds)):
            left, right = operands
            return Written(f"({left.text} {term.head} {right.text})", infix)
        if term.head in ("and", "or") and kinds == {Kind.FLAG}:
            return Written(_joined(term.head, [o.text for o in operands]), Kind.FLAG)
        if term.head == "not" and kinds == {Kind.FLAG}:
            return Written(f"(not {operands[0].text})", Kind.FLAG)
        if term.head == "neg" and kinds <= NUMBERS:
            return Written(f"(-{operands[0].text})", operands[0].kind)
        if term.head in ("min", "max") and kinds == {Kind.INTEGER}:
            listed = ", ".join(operand.text for operand in operands)
            return Written(f"{term.head}({listed})", Kind.INTEGER)
        if term.head == "length" and kinds == {Kind.INTEGERS}:
            return Written(f"len({operands[0].text})", Kind.INTEGER)
        if term.head in OF_AXES:
            return Written(self._call(PYTHON[term.head], *operands).text, Kind.INTEGERS)
        return self._call(PYTHON[term.head], *operands)

    def _choice(self, term: Operation) -> Written:
        condition = self.write(term.operands[0])
        if condition.kind is not Kind.FLAG:
            condition = self._call(_truth, condition)
        self._inside += 1
        then, otherwise = (self.write(operand) for operand in term.operands[1:])
        self._inside -= 1
        kind = then.kind if then.kind is otherwise.kind else Kind.ANY
        return Written(f"({then.text} if {condition.text} else {otherwise.text})", kind)

    def same(self, left: Written, right: Written) -> str:
        """Return the source of a comparison; what it gives is True, False or undecided."""
        if _comparable({left.kind, right.kind}):
            return f"({left.text} == {right.text})"
        return self._call(equal, left, right).text


def _truth(value: Value) -> bool:
    """Return a truth value; raises UndecidedError for what is none, or not known yet."""
    if value is True or value is False:
        return value
    raise UndecidedError("a choice by what is no truth value")


def kind_of(value: Value) -> Kind:
    """Return the kind of a known value."""
    if isinstance(value, bool):
        return Kind.FLAG
    if type(value) is tuple and all(type(item) is int for item in value):
        return Kind.INTEGERS
    kinds = {int: Kind.INTEGER, float: Kind.REAL, str: Kind.TEXT}
    return kinds.get(type(value), Kind.ANY)


def _comparable(kinds: set[Kind]) -> bool:
    """Tell whether == is what `equal` says; NaN is itself only for `equal`."""
    return len(kinds) == 1 and kinds <= {Kind.INTEGER, Kind.INTEGERS, Kind.FLAG, Kind.TEXT}


def _infix(head: str, kinds: set[Kind]) -> Kind | None:
    """Return the kind of what the infix operator gives, or None where it is not the operation."""
    if head in ("==", "!="):
        return Kind.FLAG if _comparable(kinds) else None
    if not kinds <= NUMBERS:
        return Kind.INTEGERS if head == "+" and kinds == {Kind.INTEGERS} else None
    if head in ("<", "<=", ">", ">="):
        return Kind.FLAG
    if head in ("+", "-", "*", "//", "%"):
        return Kind.INTEGER if kinds == {Kind.INTEGER} else Kind.REAL
    return Kind.REAL if head == "/" else None


def _joined(head: str, flags: list[str]) -> str:
    """Return the source of `and` or `or` of flags that computes all, as any may have no value.

    Names have one, so they come last, where they need not be looked at.
    """
    computed = [flag for flag in flags if not flag.isidentifier()]
    together = (" & " if head == "and" else " | ").join(computed)
    names = [flag for flag in flags if flag.isidentifier()]
    first = [f"({together})" if len(computed) > 1 and names else together] if computed else []
    return f"({f' {head} '.join(first + names)})"


def _repeated(terms: Iterable[Term]) -> set[Term]:
    """Return the compound terms that occur more than once in `terms`."""
    seen: set[Term] = set()
    repeated: set[Term] = set()
    stack = list(terms)
    while stack:
        term = stack.pop()
        if term in seen:
            repeated.add(term)
            continue
        if not isinstance(term, Constant | Symbol | Anything):
            seen.add(term)
            stack.extend(children(term))
    return repeated
