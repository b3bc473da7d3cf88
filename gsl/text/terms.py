"""Attribute expressions as text, close to how a rule author writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from gsl.pat import Pattern

INFIX = frozenset({"+", "-", "*", "/", "//", "%", "==", "!=", "<", "<=", ">", ">="})
WORDS = {"and": "&", "or": "|"}
PREFIXES = {"neg": "-", "not": "~"}
REDUCTIONS = {"+": "sum", "*": "product", "and": "all", "or": "any", "min": "min", "max": "max"}

Names = Mapping[Pattern, str]


def term_text(term: Term, names: Names) -> str:
    """Return the text of a term; `names` tells what the patterns in it are called."""
    match term:
        case Constant(value=value):
            return repr(value)
        case Anything():
            return "None"
        case Symbol(name=name):
            return name
        case Access(pattern=pattern, name=name):
            return f"{pattern_text(pattern, names)}.{name}"
        case Operation(head=head, operands=operands):
            return _operation_text(head, operands, names)
        case TupleOf(fields=fields):
            inside = ", ".join(term_text(field, names) for field in fields)
            return f"({inside},)" if len(fields) == 1 else f"({inside})"
        case Projection(tuple=whole, index=index):
            return f"{_closed(whole, names)}[{term_text(index, names)}]"
        case Slice():
            return _slice_text(term, names)
        case VariadicTuple(body=body, symbol=symbol, length=length):
            return f"({term_text(body, names)} {_loop(symbol, length, names)})"
        case Reduce(head=head, body=body, symbol=symbol, length=length):
            loop = _loop(symbol, length, names)
            return f"{REDUCTIONS[head]}({term_text(body, names)} {loop})"
    raise TypeError(f"{term!r} is not an attribute expression")


def pattern_text(pattern: Any, names: Names) -> str:
    """Return the name of a pattern, or what it is when it has none."""
    return names.get(pattern) or repr(pattern)


def _operation_text(head: str, operands: Sequence[Term], names: Names) -> str:
    if head in INFIX or head in WORDS:
        return f" {WORDS.get(head, head)} ".join(_closed(operand, names) for operand in operands)
    if head in PREFIXES:
        return f"{PREFIXES[head]}{_closed(operands[0], names)}"
    return f"{head}({', '.join(term_text(operand, names) for operand in operands)})"


def _closed(term: Term, names: Names) -> str:
    """Return the text of an operand, in parentheses where it is made of several parts."""
    text = term_text(term, names)
    open_ended = isinstance(term, Operation) and (term.head in INFIX or term.head in WORDS)
    return f"({text})" if open_ended else text


def _slice_text(term: Slice, names: Names) -> str:
    bounds = [
        "" if isinstance(bound, Anything) else term_text(bound, names)
        for bound in (term.start, term.stop, term.step)
    ]
    inside = ":".join(bounds if bounds[2] else bounds[:2])
    return f"{_closed(term.tuple, names)}[{inside}]"


def _loop(symbol: Symbol, length: Term, names: Names) -> str:
    count = "any number" if isinstance(length, Anything) else term_text(length, names)
    return f"for {symbol.name} < {count}"
