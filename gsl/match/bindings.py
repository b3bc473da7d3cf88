"""What a match has found: which node every pattern stands for, in which field of which variadic.

Templates of a variadic pattern are instantiated once per field (thesis, algorithm "instantiate a
pattern"). Instead of copying them, an instance is the pair of the template and the path of
fields it lies in, so patterns stay free of match state and one rule can match concurrently.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gsl.attr.evaluate import evaluate
from gsl.attr.term import Access, Symbol, Term
from gsl.errors import EvaluationError
from gsl.expr import Expr, attribute_of
from gsl.graph import Node
from gsl.operators import Operator
from gsl.pat import Alt, GetInst, Pattern, Variadic
from gsl.span import Span, resolve

Path = tuple[tuple[Variadic, int], ...]
Key = tuple[Pattern, Path]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One field of a variadic pattern, inside the field of an outer one or at the top."""

    variadic: Variadic
    index: int
    outer: Frame | None = None

    @property
    def path(self) -> Path:
        """The fields from the outermost to this one."""
        outer = () if self.outer is None else self.outer.path
        return (*outer, (self.variadic, self.index))


def instance_of(pattern: Pattern, frame: Frame | None) -> Key:
    """Return what stands for `pattern` in `frame`: itself, its instance, or the first pattern."""
    while frame is not None:
        variadic = frame.variadic
        if pattern in variadic.templates:
            if frame.index > 0 or not variadic.first:
                return pattern, frame.path
            pattern = variadic.first_of(pattern)
        frame = frame.outer
    return pattern, ()


def frame_of(path: Path) -> Frame | None:
    """Return the innermost of the fields of `path`."""
    frame = None
    for variadic, index in path:
        frame = Frame(variadic, index, frame)
    return frame


@dataclass(slots=True)
class Bindings:
    """A match: nodes by pattern instance, lengths of variadic patterns, arms of alternatives."""

    nodes: dict[Key, Node]
    lengths: dict[Key, int]
    arms: dict[Key, int]

    def copy(self) -> Bindings:
        """Return bindings that stay as they are when a search goes on."""
        return Bindings(dict(self.nodes), dict(self.lengths), dict(self.arms))

    def __getitem__(self, pattern: Pattern) -> Expr:
        """Return the expression that `pattern` stands for; raise KeyError when it has none."""
        return self.nodes[self.locate(pattern, Scope(self))].expr

    def locate(self, pattern: Pattern, scope: Scope) -> Key:
        """Return the key of `pattern` seen from `scope`, following instance accesses."""
        if isinstance(pattern, GetInst):
            index = evaluate(pattern.index_term, scope)
            variadic = instance_of(pattern.variadic, scope.frame)
            count = self.lengths.get(variadic)
            if count is None:
                raise EvaluationError(f"{pattern!r} is used before its variadic is matched")
            if not isinstance(index, int) or not 0 <= index < count:
                raise EvaluationError(f"there is no field {index} in {count} fields")
            outer = frame_of(variadic[1])
            return instance_of(pattern.template, Frame(pattern.variadic, index, outer))
        return instance_of(pattern, scope.frame)

    def attribute(self, pattern: Pattern, name: str, scope: Scope) -> Any:
        """Return an attribute of what `pattern` stands for; raise EvaluationError without one."""
        key = self.locate(pattern, scope)
        if isinstance(key[0], Variadic) and name == "length" and key in self.lengths:
            return self.lengths[key]
        if isinstance(key[0], Alt) and name == "arm" and key in self.arms:
            return self.arms[key]
        if key not in self.nodes:
            raise EvaluationError(f"{pattern!r} has not matched anything yet")
        try:
            return attribute_of(self.nodes[key].expr, name)
        except AttributeError as error:
            expr = self.nodes[key].expr
            raise EvaluationError(f"{expr!r} has no attribute `{name}`") from error

    def operator(self, pattern: Pattern, scope: Scope) -> Operator:
        """Return the operator of the call that `pattern` stands for."""
        found: Operator = self.attribute(pattern, "operator", scope)
        return found


@dataclass(frozen=True, slots=True)
class Scope:
    """The environment of the thesis: bindings, the field we are in, and bound symbols."""

    bindings: Bindings
    frame: Frame | None = None
    symbols: Mapping[Symbol, int] = field(default_factory=dict)

    def access(self, term: Access) -> Any:
        """Return the value of an attribute of a matched pattern (rule AE-Access)."""
        return self.bindings.attribute(term.pattern, term.name, self)

    def symbol(self, symbol: Symbol) -> int:
        """Return the index that a symbol stands for (rule AE-Symbol)."""
        if symbol in self.symbols:
            return self.symbols[symbol]
        frame = self.frame
        while frame is not None:
            if frame.variadic.symbol is symbol:
                return frame.index
            frame = frame.outer
        raise EvaluationError(f"symbol `{symbol.name}` is not bound here")

    def bind(self, symbol: Symbol, value: Any) -> Scope:
        """Return this scope with one more symbol."""
        return Scope(self.bindings, self.frame, {**self.symbols, symbol: value})


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Why there is no match: the reason, the pattern that said no and what it was held against."""

    reason: str
    pattern: Pattern | None = None
    expr: Expr | None = None
    term: Term | None = None

    def __bool__(self) -> bool:
        return False

    @property
    def span(self) -> Span | None:
        """Where the rule says what did not fit."""
        origin = getattr(self.term, "origin", None)
        if origin is None and self.pattern is not None:
            origin = self.pattern.origin
        return resolve(origin)

    def __str__(self) -> str:
        return f"{self.span}: {self.reason}" if self.span else self.reason
