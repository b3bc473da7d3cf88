"""Attribute expressions as text: close to how a rule author writes them, or as Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

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
    VariadicTuple,
)
from gsl.pat import GetInst, Pattern

INFIX = frozenset({"+", "-", "*", "/", "//", "%", "==", "!=", "<", "<=", ">", ">="})
WORDS = {"and": "&", "or": "|"}
PREFIXES = {"neg": "-", "not": "~"}
REDUCTIONS = {"+": "sum", "*": "product", "and": "all", "or": "any", "min": "min", "max": "max"}

FUNCTIONS = ("In", "Min", "Max", "Cond", "Length", "Abs", "Floor", "Ceil", "Sqrt")
CALLED = {name.lower(): f"attr.{name}" for name in FUNCTIONS}
REDUCED = {
    "+": "attr.Sum(",
    "*": "attr.Product(",
    "and": "attr.All(",
    "or": "attr.Exists(",
    "min": "attr.ReduceIndexed(attr.BinaryOp.MIN, ",
    "max": "attr.ReduceIndexed(attr.BinaryOp.MAX, ",
}
INDICES = "ijkmn"
"""What indices are called in Python, from the outermost."""

Names = Mapping[Pattern, str]


def term_text(term: Term, names: Names) -> str:
    """Return the text of a term; `names` tells what the patterns in it are called."""
    return _Text(names).of(term)


def python_text(term: Term, names: Names) -> str:
    """Return the Python that makes a term; `names` are the variables that hold its patterns.

    It expects ``from gsl import attr``. Not all terms have a value alone: in those made of `None`
    it is "any".
    """
    return _Python(names).of(term)


def pattern_text(pattern: Any, names: Names) -> str:
    """Return the name of a pattern, or what it is when it has none."""
    return names.get(pattern) or repr(pattern)


@dataclass(frozen=True, slots=True)
class _Text:
    """Writes terms as they are read."""

    names: Names

    def pattern(self, pattern: Pattern) -> str:
        """Return the name of a pattern; an instance of a template is that of a field."""
        if isinstance(pattern, GetInst) and pattern not in self.names:
            field = f"{self.pattern(pattern.template)}, {self.of(pattern.index_term)}"
            return f"{self.pattern(pattern.variadic)}({field})"
        return pattern_text(pattern, self.names)

    def of(self, term: Term) -> str:
        match term:
            case Constant(value=value):
                return repr(value)
            case Anything():
                return "None"
            case Symbol():
                return self.index(term)
            case Access(pattern=pattern, name=name):
                return f"{self.pattern(pattern)}.{name}"
            case Operation(head=head, operands=operands):
                return self.operation(head, operands)
            case TupleOf(fields=fields):
                inside = ", ".join(self.of(field) for field in fields)
                return f"({inside},)" if len(fields) == 1 else f"({inside})"
            case Projection(tuple=whole, index=index):
                return f"{self.closed(whole)}[{self.of(index)}]"
            case Slice():
                return self.slice(term)
            case VariadicTuple(body=body, symbol=symbol, length=length):
                return self.tuple_of(body, symbol, length)
            case Reduce():
                return self.reduction(term)
        raise TypeError(f"{term!r} is not an attribute expression")

    def operation(self, head: str, operands: Sequence[Term]) -> str:
        if head in INFIX or head in WORDS:
            return f" {WORDS.get(head, head)} ".join(map(self.closed, operands))
        if head in PREFIXES:
            return f"{PREFIXES[head]}{self.closed(operands[0])}"
        return f"{self.function(head)}({', '.join(map(self.of, operands))})"

    def closed(self, term: Term) -> str:
        """Return the text of an operand, in parentheses where it is made of several parts."""
        open_ended = isinstance(term, Operation) and (term.head in INFIX or term.head in WORDS)
        return f"({self.of(term)})" if open_ended else self.of(term)

    def slice(self, term: Slice) -> str:
        bounds = [
            "" if isinstance(bound, Anything) else self.of(bound)
            for bound in (term.start, term.stop, term.step)
        ]
        inside = ":".join(bounds if bounds[2] else bounds[:2])
        return f"{self.closed(term.tuple)}[{inside}]"

    def function(self, head: str) -> str:
        return head

    def index(self, symbol: Symbol) -> str:
        return symbol.name

    def tuple_of(self, body: Term, symbol: Symbol, length: Term) -> str:
        return f"({self.of(body)} {self.loop(symbol, length)})"

    def reduction(self, term: Reduce) -> str:
        loop = self.loop(term.symbol, term.length)
        return f"{REDUCTIONS[term.head]}({self.of(term.body)} {loop})"

    def loop(self, symbol: Symbol, length: Term) -> str:
        count = "any number" if isinstance(length, Anything) else self.of(length)
        return f"for {symbol.name} < {count}"


@dataclass(frozen=True, slots=True)
class _Python(_Text):
    """Writes terms as they are made."""

    indices: Mapping[Symbol, str] = field(default_factory=dict)

    def function(self, head: str) -> str:
        return CALLED[head]

    def index(self, symbol: Symbol) -> str:
        return self.indices.get(symbol, symbol.name)

    def tuple_of(self, body: Term, symbol: Symbol, length: Term) -> str:
        return self.made("attr.Variadic(", body, symbol, length)

    def reduction(self, term: Reduce) -> str:
        return self.made(REDUCED[term.head], term.body, term.symbol, term.length)

    def made(self, opened: str, body: Term, symbol: Symbol, length: Term) -> str:
        used = {*self.names.values(), *self.indices.values()}
        index = next(name for name in INDICES if name not in used)
        inside = _Python(self.names, {**self.indices, symbol: index})
        return f"{opened}lambda {index}: {inside.of(body)}, length={self.of(length)})"
