"""Rules by what tells them apart at first sight: the head of the root and those of its operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from gsl.expr import Const as ConstExpr
from gsl.expr import Proj as ProjExpr
from gsl.expr import Tuple as TupleExpr
from gsl.expr import Var as VarExpr
from gsl.graph import Head, Node
from gsl.match.find import First, first_of
from gsl.operators import Operator
from gsl.pat import Alt, Call, Const, GetItem, Pattern, Trait, Tuple, Variable, Variadic
from gsl.subst import Subst

_KINDS: dict[type[Pattern], Head] = {
    Variable: VarExpr,
    Const: ConstExpr,
    Tuple: TupleExpr,
    Variadic: TupleExpr,
    GetItem: ProjExpr,
}


Finder = tuple[Subst, First]
"""A rule and what finds its first match at a node."""

Key = TypeVar("Key")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Heads:
    """A set of heads: those in `known`, or those with a trait, or all when both are None."""

    known: frozenset[Head] | None = None
    trait: str | None = None

    def __contains__(self, head: Head) -> bool:
        if self.known is not None:
            return head in self.known
        return self.trait is None or (isinstance(head, Operator) and self.trait in head.traits)


def heads_of(pattern: Pattern) -> Heads:
    """Return the heads of the nodes that `pattern` may stand for."""
    match pattern:
        case Call(callee=Operator() as operator):
            return Heads(frozenset((operator,)))
        case Call(callee=Trait(name=name)):
            return Heads(trait=name)
        case Alt(operands=arms):
            parts = [heads_of(arm).known for arm in arms]
            known = [part for part in parts if part is not None]
            return Heads(frozenset().union(*known) if len(known) == len(parts) else None)
        case _ if type(pattern) in _KINDS:
            return Heads(frozenset((_KINDS[type(pattern)],)))
        case _:
            return Heads()


def root_of(subst: Subst) -> Pattern:
    """Return the pattern of the first output, of field 0 if there are as many as there are."""
    first = subst.source[0]
    return first.first_of(first.field) if isinstance(first, Variadic) else first


class _Entry:
    """A rule with the heads that its root and the operands of its root may have."""

    def __init__(self, rule: Subst) -> None:
        root = root_of(rule)
        self.rule = rule
        self.first = first_of(rule)
        self.root = heads_of(root)
        fixed = isinstance(root, Call | GetItem | Tuple)
        self._operands = [heads_of(operand) for operand in root.operands] if fixed else None

    def admits(self, operands: Sequence[Head]) -> bool:
        """Tell whether the operands of a node may be those of the root."""
        expected = self._operands
        return expected is None or (
            len(expected) == len(operands)
            and all(head in heads for head, heads in zip(operands, expected, strict=True))
        )


WIDE = 8
"""For nodes with more operands it is not remembered which rules may match."""


@lru_cache(maxsize=16)
def index_of(rules: tuple[Subst, ...]) -> RuleIndex:
    """Return the index of some rules, the same one for the same rules."""
    return RuleIndex(rules)


class Memo(dict[Key, Value]):
    """A function that is looked up: `memo[key]` is computed when it is first asked for."""

    def __init__(self, function: Callable[[Key], Value]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, key: Key) -> Value:
        value = self[key] = self._function(key)
        return value


class RuleIndex:
    """Finds the rules that may match at a node, in the order in which they were given.

    `has_root` tells of a head whether some rule may match at its nodes, `only` has the rules for
    those heads that have so few that looking at operands as well does not pay.
    """

    def __init__(self, rules: Sequence[Subst]) -> None:
        self._entries = [rule.derived(_Entry) for rule in rules]
        self._rooted = Memo[Head, list[_Entry]](self._entries_of)
        self.only = Memo[Head, tuple[Finder, ...] | None](self._only_of)
        self.has_root = Memo[Head, bool](lambda head: bool(self._rooted[head]))
        self._choices: dict[tuple[Head, ...], tuple[Finder, ...]] = {}

    def _only_of(self, head: Head) -> tuple[Finder, ...] | None:
        entries = self._rooted[head]
        return None if len(entries) > 1 else tuple([(one.rule, one.first) for one in entries])

    def rules_at(self, node: Node) -> tuple[Subst, ...]:
        """Return the rules that may match at `node`."""
        return tuple([rule for rule, _ in self.finders_at(node)])

    def _entries_of(self, head: Head) -> list[_Entry]:
        return [entry for entry in self._entries if head in entry.root]

    def finders_at(self, node: Node) -> tuple[Finder, ...]:
        """Return the rules that may match at `node`, with their matchers."""
        operands = node.operands
        if len(operands) == 1:
            heads: tuple[Head, ...] = (node.head, operands[0].head)
        elif len(operands) == 2:
            heads = (node.head, operands[0].head, operands[1].head)
        else:
            heads = (node.head, *[operand.head for operand in operands])
        found = self._choices.get(heads)
        return self._choose(heads) if found is None else found

    def _choose(self, heads: tuple[Head, ...]) -> tuple[Finder, ...]:
        head, *operands = heads
        entries = [entry for entry in self._rooted[head] if entry.admits(operands)]
        found = tuple([(entry.rule, entry.first) for entry in entries])
        if len(heads) <= WIDE:
            self._choices[heads] = found
        return found
