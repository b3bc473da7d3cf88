"""Apply rules to a workload until none of them matches anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gsl.check import require_well_formed
from gsl.errors import RewriteError
from gsl.expr import Call as CallExpr
from gsl.expr import Expr
from gsl.graph import Graph, Node
from gsl.match import match_at
from gsl.match.bindings import Mismatch
from gsl.operators import Operator
from gsl.pat import Alt, Call, Pattern, Variadic
from gsl.rewrite import rewrite
from gsl.subst import Subst
from gsl.workload import Workload

DEFAULT_REWRITES_PER_NODE = 20


@dataclass(slots=True)
class Record:
    """What an application did: rewrites per rule, and matches whose target was refused.

    `roots` has what each rewrite replaced, the first output of the match as it was made.
    """

    counts: dict[Subst, int] = field(default_factory=dict)
    roots: dict[Subst, list[Expr]] = field(default_factory=dict)
    refused: list[tuple[Subst, RewriteError]] = field(default_factory=list)

    @property
    def total(self) -> int:
        """The number of rewrites."""
        return sum(self.counts.values())


def apply(
    workload: Workload,
    rules: Sequence[Subst],
    *,
    max_rewrites: int | None = None,
    record: Record | None = None,
) -> Workload:
    """Return `workload` rewritten by `rules` until none matches.

    Nodes are visited in reverse post-order and rules tried in the given order, sweep after sweep
    until a sweep changes nothing. What no rule touches stays the very same object. A match whose
    target cannot be built is left alone and noted in `record`.

    Raises RuleError for a rule that is not well formed, and RewriteError when more than
    `max_rewrites` are needed (default: 20 per node, at least 1000), which means that the rules
    feed each other.
    """
    for rule in rules:
        require_well_formed(rule)
    graph = Graph(workload.outputs)
    if max_rewrites is None:
        max_rewrites = max(1000, DEFAULT_REWRITES_PER_NODE * len(graph))
    run = _Run(graph, rules, Record() if record is None else record, max_rewrites)
    while run.sweep():
        pass
    return workload.with_outputs(graph.to_exprs()) if run.rewrites else workload


class _Run:
    """One application of rules to a work graph."""

    def __init__(self, graph: Graph, rules: Sequence[Subst], record: Record, limit: int) -> None:
        self.graph = graph
        self.rules = [(rule, root_operators(rule)) for rule in rules]
        self.record = record
        self.limit = limit
        self.rewrites = 0
        self._refused: set[tuple[Subst, Node]] = set()

    def sweep(self) -> bool:
        """Visit every node, those made meanwhile too; tell whether anything was rewritten."""
        before = self.rewrites
        for node in self.graph.order():
            pending = [node]
            while pending:
                current = pending.pop()
                if current in self.graph:
                    pending.extend(reversed(self._apply_at(current)))
        return self.rewrites > before

    def _apply_at(self, node: Node) -> list[Node]:
        """Apply the first rule that matches at `node`; return the nodes that it made."""
        for rule, operators in self.rules:
            if not _may_root(operators, node):
                continue
            bindings = match_at(rule, self.graph, node)
            if isinstance(bindings, Mismatch):
                continue
            try:
                added = rewrite(rule, bindings, self.graph)
            except RewriteError as error:
                self._refuse(rule, node, error)
                continue
            self.rewrites += 1
            if self.rewrites > self.limit:
                raise RewriteError(f"no end after {self.limit} rewrites; the rules feed each other")
            self.record.counts[rule] = self.record.counts.get(rule, 0) + 1
            self.record.roots.setdefault(rule, []).append(node.expr)
            return added
        return []

    def _refuse(self, rule: Subst, node: Node, error: RewriteError) -> None:
        if (rule, node) not in self._refused:
            self._refused.add((rule, node))
            self.record.refused.append((rule, error))


def root_operators(rule: Subst) -> frozenset[Operator] | None:
    """Return the operators that the first output of a rule may have; None is any expression."""
    first = rule.source[0]
    return _operators(first.first_of(first.field) if isinstance(first, Variadic) else first)


def _operators(pattern: Pattern) -> frozenset[Operator] | None:
    match pattern:
        case Call(callee=Operator() as operator):
            return frozenset((operator,))
        case Alt(operands=alternatives):
            parts = [_operators(alternative) for alternative in alternatives]
            known = [part for part in parts if part is not None]
            return frozenset().union(*known) if len(known) == len(parts) else None
        case _:
            return None


def _may_root(operators: frozenset[Operator] | None, node: Node) -> bool:
    expr = node.expr
    return operators is None or (isinstance(expr, CallExpr) and expr.operator in operators)


def matches(rule: Subst, workload: Workload) -> Iterator[tuple[Node, Graph]]:
    """Yield the root and the work graph of every place where `rule` matches, changing nothing."""
    require_well_formed(rule)
    graph = Graph(workload.outputs)
    operators = root_operators(rule)
    for node in graph.order():
        if _may_root(operators, node) and not isinstance(match_at(rule, graph, node), Mismatch):
            yield node, graph
