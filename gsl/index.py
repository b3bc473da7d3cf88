"""Rules by what tells them apart at first sight: the head of the root and those of its operands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gsl.expr import Const as ConstExpr
from gsl.expr import Proj as ProjExpr
from gsl.expr import Tuple as TupleExpr
from gsl.expr import Var as VarExpr
from gsl.graph import Head, Node
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
        self.root = heads_of(root)
        fixed = isinstance(root, Call | GetItem | Tuple)
        self._operands = [heads_of(operand) for operand in root.operands] if fixed else None

    def admits(self, operands: tuple[Head, ...]) -> bool:
        """Tell whether the operands of a node may be those of the root."""
        expected = self._operands
        return expected is None or (
            len(expected) == len(operands)
            and all(head in heads for head, heads in zip(operands, expected, strict=True))
        )


class RuleIndex:
    """Finds the rules that may match at a node, in the order in which they were given."""

    def __init__(self, rules: Sequence[Subst]) -> None:
        self._entries = [rule.derived(_Entry) for rule in rules]
        self._by_head: dict[Head, dict[tuple[Head, ...], tuple[Subst, ...]] | None] = {}

    def has_root(self, head: Head) -> bool:
        """Tell whether some rule may match at nodes of this head."""
        return self._choices(head) is not None

    def rules_at(self, node: Node) -> tuple[Subst, ...]:
        """Return the rules that may match at `node`."""
        choices = self._choices(node.head)
        if choices is None:
            return ()
        operands = tuple([operand.head for operand in node.operands])
        rules = choices.get(operands)
        if rules is None:
            rules = choices[operands] = tuple(
                entry.rule
                for entry in self._entries
                if node.head in entry.root and entry.admits(operands)
            )
        return rules

    def _choices(self, head: Head) -> dict[tuple[Head, ...], tuple[Subst, ...]] | None:
        if head not in self._by_head:
            rooted = any(head in entry.root for entry in self._entries)
            self._by_head[head] = {} if rooted else None
        return self._by_head[head]
