"""Attribute expressions as terms: a closed union whose operators build bigger terms.

Thesis, section 3.1.2 and its variadic extension. The same terms describe attributes of patterns,
symbolic sizes inside shape rules, and conditions; each meaning (Python values, SMT, text) is a
table of functions, see `gsl.attr.evaluate`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np

from gsl.errors import BeforeMatchError, RuleError
from gsl.span import Origin, here, is_internal, is_written, origin_of, resolve

Value = Any
"""An attribute value: int, float, bool, str, or a tuple of values."""


class Operand:
    """Base of what is no term and says what arithmetic with one means: patterns, elements."""

    __slots__ = ()

    __array_ufunc__ = None
    """Scalars and arrays of NumPy leave arithmetic with this to it, instead of going inside."""


class Term:
    """Base of all attribute expressions; comparison and logic build terms, they decide nothing."""

    __slots__ = ("_free", "_sort")

    _free: frozenset[Symbol]
    """What `free_symbols` has found."""

    _sort: str
    """What `gsl.attr.values.sort_of` has found of a choice."""

    __array_ufunc__ = None

    def __add__(self, other: Value) -> Term:
        return NotImplemented if isinstance(other, Operand) else operation("+", self, other)

    def __radd__(self, other: Value) -> Term:
        return operation("+", other, self)

    def __sub__(self, other: Value) -> Term:
        return NotImplemented if isinstance(other, Operand) else operation("-", self, other)

    def __rsub__(self, other: Value) -> Term:
        return operation("-", other, self)

    def __mul__(self, other: Value) -> Term:
        return NotImplemented if isinstance(other, Operand) else operation("*", self, other)

    def __rmul__(self, other: Value) -> Term:
        return operation("*", other, self)

    def __truediv__(self, other: Value) -> Term:
        return NotImplemented if isinstance(other, Operand) else operation("/", self, other)

    def __rtruediv__(self, other: Value) -> Term:
        return operation("/", other, self)

    def __floordiv__(self, other: Value) -> Term:
        return NotImplemented if isinstance(other, Operand) else operation("//", self, other)

    def __rfloordiv__(self, other: Value) -> Term:
        return operation("//", other, self)

    def __mod__(self, other: Value) -> Term:
        return NotImplemented if isinstance(other, Operand) else operation("%", self, other)

    def __rmod__(self, other: Value) -> Term:
        return operation("%", other, self)

    def __pow__(self, exponent: Value) -> Term:
        if isinstance(exponent, Operand):
            return NotImplemented
        if type(exponent) is not int or exponent < 1:
            message = f"`**` with the exponent {exponent!r}"
            raise RuleError("GSL117", message, resolve(here()), "use a number such as 2, or `*`")
        return reduce(lambda power, _: operation("*", power, self), range(1, exponent), self)

    def __abs__(self) -> Term:
        return operation("abs", self)

    def __neg__(self) -> Term:
        return operation("neg", self)

    def __eq__(self, other: Value) -> Term:  # type: ignore[override]
        return operation("==", self, other)

    def __ne__(self, other: Value) -> Term:  # type: ignore[override]
        return operation("!=", self, other)

    def __lt__(self, other: Value) -> Term:
        return operation("<", self, other)

    def __le__(self, other: Value) -> Term:
        return operation("<=", self, other)

    def __gt__(self, other: Value) -> Term:
        return operation(">", self, other)

    def __ge__(self, other: Value) -> Term:
        return operation(">=", self, other)

    def __and__(self, other: Value) -> Term:
        return operation("and", self, other)

    def __rand__(self, other: Value) -> Term:
        return operation("and", other, self)

    def __or__(self, other: Value) -> Term:
        return operation("or", self, other)

    def __ror__(self, other: Value) -> Term:
        return operation("or", other, self)

    def __invert__(self) -> Term:
        return operation("not", self)

    def __getitem__(self, index: Value) -> Term:
        if isinstance(index, slice):
            return Slice(self, *(as_term(part) for part in (index.start, index.stop, index.step)))
        return Projection(self, as_term(index))

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise _asked(
            "an attribute expression has no truth value before matching",
            "write conditions with `&`, `|`, `~`, attr.Cond or where=[...]",
        )

    def __iter__(self) -> Iterator[Term]:
        raise _asked(
            "the length of an attribute expression is not known before matching",
            "index it, or build a tuple with attr.Variadic",
        )

    def __len__(self) -> int:
        raise _asked(
            "the length of an attribute expression is not known before matching",
            "write attr.Length(...) instead of len(...), or x.ndim for the number of axes of x",
        )

    def __index__(self) -> int:
        raise _asked(
            "the value of an attribute expression is not known before matching",
            "repeat by attr.Variadic, attr.Sum or attr.All instead of loops of Python",
        )

    def __contains__(self, item: Value) -> bool:
        message = "`in` asks an attribute expression for what it has before matching"
        raise _asked(message, "write attr.In(item, tuple) instead of `item in tuple`")


def _asked(message: str, cure: str) -> TypeError:
    """Return the error for a question of Python; only those of rules concern their authors."""
    if is_internal(sys._getframe(2)):
        return TypeError(f"{message}; {cure}")
    return BeforeMatchError("GSL118", message, resolve(here()), cure)


def _caller() -> Origin | None:
    """Return where a rule wrote a term; terms made by the packages themselves have no origin."""
    frame = sys._getframe(3)
    return origin_of(frame) if is_written(frame) else None


@dataclass(frozen=True, slots=True, eq=False)
class Constant(Term):
    """A known value."""

    value: Value


@dataclass(frozen=True, slots=True, eq=False)
class Anything(Term):
    """Matches every value and has none itself (`any` of the thesis; written `None` in Python)."""


@dataclass(frozen=True, slots=True, eq=False)
class Access(Term):
    """The attribute `name` of whatever `pattern` has matched: p.l of the thesis.

    Terms lie below patterns, so all they know of one is that an environment finds what it matched.
    """

    pattern: Any
    name: str
    origin: Origin | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Operation(Term):
    """An operator applied to terms; the heads are the keys of `gsl.attr.evaluate.PYTHON`."""

    head: str
    operands: tuple[Term, ...]
    origin: Origin | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class TupleOf(Term):
    """A tuple of terms."""

    fields: tuple[Term, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Projection(Term):
    """One element of a tuple; counts from 0, negative indices from the end, as in Python."""

    tuple: Term
    index: Term


@dataclass(frozen=True, slots=True, eq=False)
class Slice(Term):
    """A part of a tuple with the meaning of a Python slice; an absent bound is `Anything`."""

    tuple: Term
    start: Term
    stop: Term
    step: Term


@dataclass(frozen=True, slots=True, eq=False)
class Symbol(Term):
    """An unknown with a name and, for solvers, a sort and inclusive bounds.

    In rules it stands for the index of a field of a variadic pattern (from 0). Inside shape rules
    it stands for a size or an attribute value. `sort` is "int", "real", "bool" or "text".
    """

    name: str = "i"
    sort: str = "int"
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class VariadicTuple(Term):
    """The tuple of `body` for `symbol` = 0 .. `length` - 1: `var` of the thesis."""

    body: Term
    symbol: Symbol
    length: Term


@dataclass(frozen=True, slots=True, eq=False)
class Reduce(Term):
    """`body` for `symbol` = 0 .. `length` - 1 combined by the binary operation `head`."""

    head: str
    body: Term
    symbol: Symbol
    length: Term


ANYTHING = Anything()


def as_term(value: Value) -> Term:
    """Wrap a Python value: None is `any`, tuples and lists become tuples of terms.

    Scalars of NumPy count as numbers. Raises RuleError for a pattern or an array.
    """
    if isinstance(value, Term):
        return value
    if value is None:
        return ANYTHING
    if isinstance(value, tuple | list):
        if any(isinstance(item, _COMPOSED) or item is None for item in value):
            return TupleOf(tuple(as_term(item) for item in value))
        return Constant(tuple(value))
    if isinstance(value, np.generic):
        return Constant(value.item())
    if isinstance(value, Operand):
        cure = "write one of its attributes, such as x.shape[0] or x.ndim"
        message = f"{value!r} stands where an attribute expression belongs"
        raise RuleError("GSL117", message, resolve(here()), cure)
    if isinstance(value, np.ndarray):
        message = "an array stands where an attribute expression belongs"
        raise RuleError("GSL117", message, resolve(here()), "write numbers, or array.tolist()")
    return Constant(value)


_COMPOSED = (Term, tuple, list, np.generic, np.ndarray, Operand)
"""What `as_term` does not take as it is inside a tuple."""


def operation(head: str, *operands: Value) -> Operation:
    """Apply `head` to operands and remember where the rule said so."""
    terms = [one if isinstance(one, Term) else as_term(one) for one in operands]
    return Operation(head, tuple(terms), _caller())


def children(term: Term) -> tuple[Term, ...]:
    """Return the direct subterms of `term`, in the order in which they are evaluated."""
    kind = type(term)
    if kind is Operation:
        operands: tuple[Term, ...] = term.operands  # type: ignore[attr-defined]
        return operands
    if kind is Symbol or kind is Constant:
        return ()
    match term:
        case Access(pattern=pattern):
            located: tuple[Term, ...] = pattern.location()
            return located
        case TupleOf(fields=fields):
            return fields
        case Projection(tuple=whole, index=index):
            return (whole, index)
        case Slice(tuple=whole, start=start, stop=stop, step=step):
            return (whole, start, stop, step)
        case VariadicTuple(body=body, length=length) | Reduce(body=body, length=length):
            return (length, body)
        case _:
            return ()


def subterms(term: Term) -> Iterator[Term]:
    """Yield `term` and everything below it, each object once, outermost first."""
    stack, seen = [term], set[int]()
    while stack:
        current = stack.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        below = children(current)
        if below:
            stack.extend(below[::-1])


def bottom_up(term: Term) -> Iterator[Term]:
    """Yield everything below `term` and then `term`, each object once, parts before wholes."""
    done = set[Term]()
    stack = [(term, False)]
    while stack:
        current, expanded = stack.pop()
        if current in done:
            continue
        if expanded:
            done.add(current)
            yield current
        else:
            stack.append((current, True))
            stack.extend((child, False) for child in children(current))


def free_symbols(term: Term) -> frozenset[Symbol]:
    """Return the symbols that `term` does not bind itself (thesis, section on memoisation).

    Every term keeps its own, so that asking again costs nothing.
    """
    try:
        return term._free
    except AttributeError:
        stack = [term]
        while stack:
            unknown = [part for part in children(stack[-1]) if not hasattr(part, "_free")]
            if not unknown:
                one = stack.pop()
                object.__setattr__(one, "_free", _free_in(one))
            stack += unknown
        return term._free


def _free_in(term: Term) -> frozenset[Symbol]:
    """Return the free symbols of a term whose parts know theirs."""
    match term:
        case Symbol():
            return frozenset((term,))
        case (
            VariadicTuple(body=body, symbol=bound, length=length)
            | Reduce(body=body, symbol=bound, length=length)
        ):
            return length._free | (body._free - {bound})
        case _:
            return frozenset[Symbol]().union(*(part._free for part in children(term)))
