"""Rules by what tells them apart at first sight: the head of the root and those of its operands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from gsl.expr import Const as ConstExpr
from gsl.expr import Proj as ProjExpr
from gsl.expr import Tuple as TupleExpr
from gsl.expr import Var as VarExpr
from gsl.graph import Head, Node
from gsl.match.find import First, first_of, matcher_of
from gsl.operators import Operator
from gsl.pat import (
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
)
from gsl.subst import Subst

_KINDS: dict[type[Pattern], Head] = {
    Variable: VarExpr,
    Const: ConstExpr,
    Tuple: TupleExpr,
    Variadic: TupleExpr,
    GetItem: ProjExpr,
}


Finders = tuple[tuple[Subst, First], ...]
"""Rules, each with what finds its first match at a node."""

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
    while isinstance(pattern, Call) and isinstance(pattern.callee, SameOperator):
        pattern = pattern.callee.call
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


DEEPEST = 4
"""So many operands below a root are looked at before a search begins."""


def may_stand(pattern: Pattern, node: Node, depth: int = DEEPEST) -> bool:
    """Tell whether heads allow `pattern` to stand for a node, and what is below it, too."""
    if node.head not in heads_of(pattern):
        return False
    if not depth or isinstance(pattern, Alt):
        return True
    if isinstance(pattern, Variadic):
        field = pattern.first_of(pattern.field)
        return not node.operands or may_stand(field, node.operands[0], depth - 1)
    if not isinstance(pattern, Call | GetItem | Tuple):
        return True
    return len(pattern.operands) == len(node.operands) and all(
        may_stand(one, below, depth - 1)
        for one, below in zip(pattern.operands, node.operands, strict=True)
    )


def _first_of(rule: Subst) -> First:
    """Return what finds a first match; before a search it looks at heads, which is much quicker."""
    first, root = first_of(rule), root_of(rule)
    if rule.derived(matcher_of) is not None:
        return first
    return lambda node, graph: first(node, graph) if may_stand(root, node) else None


def root_of(subst: Subst) -> Pattern:
    """Return the pattern of the first output, of field 0 if there are as many as there are."""
    first = subst.source[0]
    return first.first_of(first.field) if isinstance(first, Variadic) else first


class _Entry:
    """A rule with the heads that its root and the operands of its root may have."""

    def __init__(self, rule: Subst) -> None:
        root = root_of(rule)
        self.rule = rule
        self.first = _first_of(rule)
        self.root = heads_of(root)
        fixed = isinstance(root, Call | GetItem | Tuple)
        self._operands = [heads_of(operand) for operand in root.operands] if fixed else None
        self._shared = _shared_operands(rule, root)

    def admits(self, operands: Sequence[Head], shared: Sequence[bool]) -> bool:
        """Tell whether the operands of a node, with several users or one, may be the root's."""
        expected = self._operands
        return expected is None or (
            len(expected) == len(operands)
            and all(head in heads for head, heads in zip(operands, expected, strict=True))
            and all(shared[place] for place in self._shared)
        )


def _shared_operands(rule: Subst, root: Pattern) -> list[int]:
    """Return which operands of the root have several users in every match."""
    variadic = rule.variadic
    if variadic is None:
        if any(isinstance(pattern, Alt | Variadic) for pattern in rule.source_patterns):
            return []
        used = Counter(p for user in rule.source_patterns for p in dict.fromkeys(user.operands))
        return [place for place, p in enumerate(root.operands) if used[p] > 1]
    if isinstance(variadic.field, Alt):  # whose operands are its arms
        return []
    every = frozenset(variadic.field.operands) - frozenset(variadic.templates)
    several = variadic.minimum > 1
    return [place for place, p in enumerate(root.operands) if several and p in every]


def heads_in(rules: Iterable[Subst]) -> set[Head]:
    """Return the heads of all nodes that rules name or make; others are those of matched nodes."""
    found: set[Head] = {*_KINDS.values()}
    for rule in rules:
        for pattern in (*rule.source_patterns, *rule.target_patterns):
            found |= heads_of(pattern).known or frozenset()
    return found


EITHER = (False, True)

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
    those heads that have so few that looking at operands as well does not pay. Both know the heads
    that they were told of by `learn`: they are looked up for every node, and nothing is quicker
    than a plain dictionary. `unary` and `binary` have what `finders_at` has found for nodes with
    one and two operands, by head, heads of operands, and whether anything else uses these.
    """

    def __init__(self, rules: Sequence[Subst]) -> None:
        self._entries = [rule.derived(_Entry) for rule in rules]
        self._rooted = Memo[Head, list[_Entry]](self._entries_of)
        self.only: dict[Head, Finders | None] = {}
        self.has_root: dict[Head, bool] = {}
        self._choices: dict[tuple[Head, ...], Finders] = {}
        self.unary: dict[Head, dict[Head, dict[bool, Finders]]] = {}
        self.binary: dict[Head, dict[Head, dict[Head, dict[bool, dict[bool, Finders]]]]] = {}
        self.learn(heads_in(rules))

    def learn(self, heads: Iterable[Head]) -> None:
        """Have `only` and `has_root` know heads; those of all rules they know already."""
        for head in set(heads) - self.has_root.keys():
            entries = self._rooted[head]
            finders = tuple([(one.rule, one.first) for one in entries])
            self.unary[head], self.binary[head] = {}, {}
            self.only[head] = None if len(entries) > 1 else finders
            self.has_root[head] = bool(entries)  # last: other threads take the rest for known then

    def rules_at(self, node: Node) -> tuple[Subst, ...]:
        """Return the rules that may match at `node`."""
        return tuple([rule for rule, _ in self.finders_at(node)])

    def _entries_of(self, head: Head) -> list[_Entry]:
        return [entry for entry in self._entries if head in entry.root]

    def finders_at(self, node: Node) -> Finders:
        """Return the rules that may match at `node`, with their matchers."""
        self.learn((node.head,))
        heads = tuple([operand.head for operand in node.operands])
        many = [len(operand.users) > 1 for operand in node.operands]
        if len(heads) == 1:
            found = {shared: self._choose(node.head, heads, (shared,)) for shared in EITHER}
            self.unary[node.head][heads[0]] = found
            return found[many[0]]
        if len(heads) == 2:
            both = {a: {b: self._choose(node.head, heads, (a, b)) for b in EITHER} for a in EITHER}
            self.binary[node.head].setdefault(heads[0], {})[heads[1]] = both
            return both[many[0]][many[1]]
        key = (node.head, *heads)
        if key not in self._choices:
            chosen = self._choose(node.head, heads, (True,) * len(heads))
            if len(heads) >= WIDE:
                return chosen
            self._choices[key] = chosen
        return self._choices[key]

    def _choose(self, head: Head, operands: Sequence[Head], shared: Sequence[bool]) -> Finders:
        entries = [entry for entry in self._rooted[head] if entry.admits(operands, shared)]
        return tuple([(entry.rule, entry.first) for entry in entries])
