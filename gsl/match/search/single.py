"""Matching from an output towards the inputs (thesis, algorithm "single-output matching").

The search works off an agenda instead of recursing, so neither the depth of a graph nor that of a
pattern is a limit. Alternatives are choice points; what a failed choice has bound is undone.
Attributes of a pattern are checked after its operands, that is in reverse post-order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from gsl.attr.evaluate import satisfies
from gsl.attr.term import ANYTHING, Access, Term
from gsl.errors import EvaluationError
from gsl.expr import Call as CallExpr
from gsl.expr import Const as ConstExpr
from gsl.expr import Proj as ProjExpr
from gsl.expr import Tuple as TupleExpr
from gsl.expr import Var as VarExpr
from gsl.expr import attribute_of
from gsl.graph import Node
from gsl.match.bindings import Bindings, Frame, Key, Mismatch, Scope, frame_of
from gsl.match.reads import comparison
from gsl.operators import Operator
from gsl.pat import (
    INPUTS,
    Alt,
    Call,
    Const,
    GetItem,
    Pattern,
    SameOperator,
    Trait,
    Tuple,
    Variable,
    Variadic,
    Wildcard,
)

_ABSENT = object()

SHARED = "another pattern already stands for this"
"""Why a tensor is refused that an input stands for already."""


@dataclass(frozen=True, slots=True)
class Match:
    """Agenda item: `pattern`, seen from `frame`, must match `node`."""

    pattern: Pattern
    frame: Frame | None
    node: Node


@dataclass(frozen=True, slots=True)
class Check:
    """Agenda item: the attributes of `node` must satisfy the constraints of `pattern`."""

    pattern: Pattern
    frame: Frame | None
    node: Node


Item = Any
Agenda = tuple[Item, Any] | None
"""A linked list, so that choice points share what they have in common."""


def prepend(items: Iterable[Item], agenda: Agenda) -> Agenda:
    """Return `agenda` with `items` before it, in their order."""
    for item in reversed(list(items)):
        agenda = (item, agenda)
    return agenda


class Search:
    """A backtracking search over one work graph; it holds all match state.

    Patterns in `aliased` may stand for one node; `taken` has the first of them.
    `mismatch` is the one that came closest to a match, and `furthest` what was bound then, if
    `traced`.
    """

    def __init__(self, aliased: frozenset[Pattern] = frozenset()) -> None:
        self._aliased = aliased
        self.traced = False
        self.furthest = Bindings({}, {}, {})
        self.bindings = Bindings({}, {}, {})
        self.taken: dict[Node, Key] = {}
        self._trail: list[tuple[dict[Any, Any], Any, Any]] = []
        self.mismatch = Mismatch("the pattern was not tried")
        self._deepest: float = -1

    def solutions(self, agenda: Agenda) -> Iterator[Bindings]:
        """Yield the bindings once for every way to work off the agenda."""
        choices: list[tuple[int, Iterator[Agenda]]] = []
        base = len(self._trail)
        while True:
            outcome = self._advance(agenda) if agenda is not None else self.bindings
            if isinstance(outcome, Bindings):
                yield outcome
            elif isinstance(outcome, Mismatch):
                self.note(outcome, len(self._trail))
            else:
                choices.append((len(self._trail), iter(outcome)))
            resumed = self._resume(choices)
            if resumed is None:
                self.undo(base)
                return
            agenda = resumed[0]

    def _advance(self, agenda: Agenda) -> Bindings | Mismatch | Iterator[Agenda]:
        while agenda is not None:
            item, rest = agenda
            outcome = self.step(item, rest)
            if isinstance(outcome, Mismatch) or not isinstance(outcome, tuple | None):
                return outcome
            agenda = outcome
        return self.bindings

    def _resume(self, choices: list[tuple[int, Iterator[Agenda]]]) -> tuple[Agenda] | None:
        while choices:
            mark, options = choices[-1]
            self.undo(mark)
            for option in options:
                return (option,)
            choices.pop()
        return None

    def note(self, mismatch: Mismatch, depth: float) -> Mismatch:
        """Remember the mismatch that came closest to a match."""
        if depth > self._deepest:
            self._deepest = depth
            self.mismatch = mismatch
            if self.traced:
                self.furthest = self.bindings.copy()
        return mismatch

    @property
    def mark(self) -> int:
        """The present point of the search, for `undo`."""
        return len(self._trail)

    def undo(self, mark: int) -> None:
        """Forget what was bound since `mark`."""
        while len(self._trail) > mark:
            table, key, before = self._trail.pop()
            if before is _ABSENT:
                del table[key]
            else:
                table[key] = before

    def record(self, table: dict[Any, Any], key: Any, value: Any) -> None:
        """Bind `key` in `table` until undone."""
        self._trail.append((table, key, table.get(key, _ABSENT)))
        table[key] = value

    def claimed_since(self, mark: int) -> list[Node]:
        """Return the nodes claimed since `mark`."""
        return [key for table, key, _ in self._trail[mark:] if table is self.taken]

    def claim(self, key: Key, node: Node) -> None:
        """Bind a pattern instance to a node that is free for it."""
        self.record(self.bindings.nodes, key, node)
        if node not in self.taken:
            self.record(self.taken, node, key)

    def _is_free(self, node: Node, pattern: Pattern) -> bool:
        """Tell whether `pattern` may stand for a node as far as others do (injectivity)."""
        if node not in self.taken or isinstance(pattern, Alt):
            return True
        return pattern in self._aliased and self.taken[node][0] in self._aliased

    def scope(self, frame: Frame | None) -> Scope:
        """Return the environment in which terms of `frame` are evaluated."""
        return Scope(self.bindings, frame)

    def step(self, item: Item, rest: Agenda) -> Agenda | Mismatch | Iterator[Agenda]:
        """Work off one item: return the agenda left, a choice of agendas, or a mismatch."""
        match item:
            case Match():
                return self._match(item, rest)
            case Check(pattern=pattern, frame=frame, node=node):
                mismatch = self._check(pattern, frame, node)
                return rest if mismatch is None else mismatch
        raise TypeError(f"not an agenda item: {item!r}")

    def _match(self, item: Match, rest: Agenda) -> Agenda | Mismatch | Iterator[Agenda]:
        node = item.node
        try:
            key = self.bindings.locate(item.pattern, self.scope(item.frame))
        except EvaluationError as error:
            return Mismatch(str(error), item.pattern, node.expr)
        bound = self.bindings.nodes.get(key)
        if bound is not None:
            if bound is node:
                return rest
            return Mismatch("the pattern already stands for something else", key[0], node.expr)
        if not self._is_free(node, key[0]):
            return Mismatch(SHARED, key[0], node.expr)
        return self._match_new(key, frame_of(key[1]), node, rest)

    def _match_new(
        self, key: Key, frame: Frame | None, node: Node, rest: Agenda
    ) -> Agenda | Mismatch | Iterator[Agenda]:
        pattern = key[0]
        if isinstance(pattern, Alt):
            return self._alternatives(key, frame, node, rest)
        mismatch = self._kind_mismatch(pattern, frame, node)
        if mismatch is not None:
            return mismatch
        self.claim(key, node)
        operands = self._operand_items(key, frame, node)
        if isinstance(operands, Mismatch):
            return operands
        return prepend([*operands, Check(pattern, frame, node)], rest)

    def _alternatives(
        self, key: Key, frame: Frame | None, node: Node, rest: Agenda
    ) -> Iterator[Agenda]:
        for arm, alternative in enumerate(key[0].operands):
            self.record(self.bindings.nodes, key, node)
            self.record(self.bindings.arms, key, arm)
            yield prepend([Match(alternative, frame, node)], rest)

    def _operand_items(self, key: Key, frame: Frame | None, node: Node) -> list[Match] | Mismatch:
        pattern = key[0]
        if isinstance(pattern, Variadic):
            return self._field_items(key, pattern, frame, node)
        if isinstance(pattern, INPUTS):
            return []
        pairs = zip(pattern.operands, node.operands, strict=True)
        return [Match(operand, frame, below) for operand, below in pairs]

    def _field_items(
        self, key: Key, pattern: Variadic, frame: Frame | None, node: Node
    ) -> list[Match] | Mismatch:
        count = len(node.operands)
        if count < pattern.minimum:
            return Mismatch(f"{count} fields are fewer than {pattern.minimum}", pattern, node.expr)
        self.record(self.bindings.lengths, key, count)
        return [
            Match(pattern.field, Frame(pattern, index, frame), below)
            for index, below in enumerate(node.operands)
        ]

    def _kind_mismatch(self, pattern: Pattern, frame: Frame | None, node: Node) -> Mismatch | None:
        expr = node.expr
        if isinstance(pattern, Call):
            return self._call_mismatch(pattern, frame, node)
        if isinstance(pattern, Wildcard):
            return None
        expected = _KINDS.get(type(pattern))
        if expected is None:
            return Mismatch(f"{pattern!r} cannot be matched", pattern, expr)
        if not isinstance(expr, expected):
            return Mismatch(f"expected a {expected.__name__}, found {expr!r}", pattern, expr)
        if isinstance(pattern, Tuple) and len(pattern.operands) != len(node.operands):
            found, wanted = len(node.operands), len(pattern.operands)
            return Mismatch(f"expected {wanted} fields, found {found}", pattern, expr)
        return None

    def _call_mismatch(self, pattern: Call, frame: Frame | None, node: Node) -> Mismatch | None:
        expr = node.expr
        if not isinstance(expr, CallExpr):
            return Mismatch(f"expected {pattern!r}, found {expr!r}", pattern, expr)
        if not self.accepts(pattern, frame, expr.operator):
            return Mismatch(f"expected {pattern!r}, found {expr.operator}", pattern, expr)
        if len(pattern.operands) != len(node.operands):
            return Mismatch("another number of operands", pattern, expr)
        return None

    def accepts(self, pattern: Call, frame: Frame | None, operator: Operator) -> bool:
        """Tell whether a call pattern may stand for a call of `operator`, as far as is known."""
        match pattern.callee:
            case Operator() as wanted:
                return operator is wanted
            case Trait(name=name):
                return name in operator.traits
            case SameOperator(call=other):
                return self._known_operator(other, frame) in (None, operator)

    def _known_operator(self, call: Call, frame: Frame | None) -> Operator | None:
        try:
            return self.bindings.operator(call, self.scope(frame))
        except EvaluationError:
            return None

    def _check(self, pattern: Pattern, frame: Frame | None, node: Node) -> Mismatch | None:
        for name, term in pattern.constraints.items():
            mismatch = self._violated(name, term, pattern, frame, node)
            if mismatch is not None:
                return mismatch
        if isinstance(pattern, Call):
            return self._differs(pattern, frame, node)
        return None

    def _violated(
        self, name: str, term: Term, pattern: Pattern, frame: Frame | None, node: Node
    ) -> Mismatch | None:
        if term is ANYTHING:
            return None
        try:
            value = attribute_of(node.expr, name)
            if satisfies(term, value, self.scope(frame), comparison(node.expr, name)) is True:
                return None
            reason = f"attribute `{name}` is {value!r}, which the rule does not allow"
        except AttributeError:
            reason = f"{node.expr!r} has no attribute `{name}`"
        except EvaluationError as error:
            reason = f"attribute `{name}` cannot be compared: {error}"
        return Mismatch(reason, pattern, node.expr, term)

    def _differs(self, pattern: Call, frame: Frame | None, node: Node) -> Mismatch | None:
        """Compare with the call whose operator or attributes `pattern` has to share."""
        if isinstance(pattern.callee, SameOperator):
            term = Access(pattern.callee.call, "operator", pattern.origin)
            mismatch = self._violated("operator", term, pattern, frame, node)
            if mismatch is not None:
                return mismatch
        if pattern.attributes_of is None:
            return None
        assert isinstance(node.expr, CallExpr)
        for name in node.expr.attributes:
            term = Access(pattern.attributes_of, name, pattern.origin)
            mismatch = self._violated(name, term, pattern, frame, node)
            if mismatch is not None:
                return mismatch
        return None


_KINDS: dict[type[Pattern], type[Any]] = {
    Const: ConstExpr,
    Variable: VarExpr,
    Tuple: TupleExpr,
    Variadic: TupleExpr,
    GetItem: ProjExpr,
}
