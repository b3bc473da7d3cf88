"""Apply rules to a workload until none of them matches anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gsl.check import require_well_formed
from gsl.errors import RewriteError
from gsl.expr import Call as CallExpr
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
    """What an application did: rewrites per rule, and matches whose target was refused."""

    counts: dict[Subst, int] = field(default_factory=dict)
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

    Raises RuleError for a rule that is not well formed, and RewriteError after `max_rewrites`
    (default: 20 per node, at least 1000), which means that the rules feed each other.
    """
    for rule in rules:
        require_well_formed(rule)
    graph = Graph(workload.outputs)
    done = Record() if record is None else record
    limit = max_rewrites or max(1000, DEFAULT_REWRITES_PER_NODE * len(graph))
    while _sweep(graph, rules, done, limit):
        pass
    return workload.with_outputs(graph.to_exprs()) if done.total else workload


def _sweep(graph: Graph, rules: Sequence[Subst], record: Record, limit: int) -> bool:
    before = record.total
    for node in graph.order():
        pending = [node]
        while pending:
            current = pending.pop()
            if current in graph:
                pending.extend(reversed(_apply_at(current, graph, rules, record, limit)))
    return record.total > before


def _apply_at(
    node: Node, graph: Graph, rules: Sequence[Subst], record: Record, limit: int
) -> list[Node]:
    for rule in rules:
        if not may_root(rule, node):
            continue
        bindings = match_at(rule, graph, node)
        if isinstance(bindings, Mismatch):
            continue
        try:
            added = rewrite(rule, bindings, graph)
        except RewriteError as error:
            record.refused.append((rule, error))
            continue
        record.counts[rule] = record.counts.get(rule, 0) + 1
        if record.total >= limit:
            raise RewriteError(f"no end after {limit} rewrites; the rules feed each other")
        return added
    return []


def may_root(rule: Subst, node: Node) -> bool:
    """Tell cheaply whether the first output of a rule may match `node`."""
    operators = _root_operators(_first_output(rule))
    expr = node.expr
    return operators is None or (isinstance(expr, CallExpr) and expr.operator in operators)


def _first_output(rule: Subst) -> Pattern:
    first = rule.source[0]
    return first.first_of(first.field) if isinstance(first, Variadic) else first


def _root_operators(pattern: Pattern) -> frozenset[Operator] | None:
    match pattern:
        case Call(callee=Operator() as operator):
            return frozenset((operator,))
        case Alt(operands=alternatives):
            parts = [_root_operators(alternative) for alternative in alternatives]
            known = [part for part in parts if part is not None]
            return frozenset().union(*known) if len(known) == len(parts) else None
        case _:
            return None


def matches(rule: Subst, workload: Workload) -> Iterator[tuple[Node, Graph]]:
    """Yield the root and the work graph of every place where `rule` matches, changing nothing."""
    require_well_formed(rule)
    graph = Graph(workload.outputs)
    for node in graph.order():
        if may_root(rule, node) and not isinstance(match_at(rule, graph, node), Mismatch):
            yield node, graph
