"""Why a rule does not match in a graph: the best partial match, and what said no first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gsl.attr.evaluate import evaluate
from gsl.attr.term import Access, Term, subterms
from gsl.check import require_well_formed
from gsl.drawing.vertices import drawing_of_graph, kind_of
from gsl.engine.index import heads_of, root_of
from gsl.errors import EvaluationError, RewriteError
from gsl.expr import Call, Const, Expr, Var
from gsl.graph import Graph, Node, reverse_post_order
from gsl.match import Trace, trace
from gsl.match.bindings import Key, Mismatch, Scope
from gsl.match.find import find
from gsl.match.search.single import SHARED
from gsl.match.whole import OUTSIDE
from gsl.pat import INPUTS, Alt, GetItem, Pattern
from gsl.rewrite.builder import rewrite
from gsl.subst import Subst
from gsl.text.listing import text_over
from gsl.text.naming import pattern_names
from gsl.text.terms import pattern_text, term_text
from gsl.workload import Workload
from gslverify.report.details import span_lines

MOST_PLACES = 5


@dataclass(frozen=True, slots=True)
class Attempt:
    """How far a rule came with its first output at `root`."""

    root: Node
    trace: Trace

    @property
    def bound(self) -> int:
        """How many patterns stand for something."""
        return len(self.trace.bindings.nodes)


def why(rule_id: str, subst: Subst, workload: Workload) -> Iterator[str]:
    """Yield where a rule matches in a graph, or how far it came where it came furthest.

    A match whose target cannot be built is told with the reason; the engine leaves it alone.
    Raises RuleError for a rule that is not well formed.
    """
    subst.derived(require_well_formed)
    graph = Graph(workload.outputs)
    heads = heads_of(root_of(subst))
    attempts = [Attempt(node, trace(subst, graph, node)) for node in graph if node.head in heads]
    said = _Words(subst, workload)
    matched = [attempt for attempt in attempts if attempt.trace.mismatch is None]
    yield f"{rule_id} {'matches' if matched else 'does not match'} in this graph"
    yield f"  {said.counts()}"
    yield ""
    if matched:
        yield from _matches(matched, said, subst, workload)
    elif attempts:
        yield from _closest(max(attempts, key=lambda attempt: attempt.bound), said)
    else:
        yield from _nowhere(said, subst)


def _matches(
    matched: list[Attempt], said: _Words, subst: Subst, workload: Workload
) -> Iterator[str]:
    for attempt in matched[:MOST_PLACES]:
        yield f"at {said.expr(attempt.root.expr)}"
        refused = _refusal(subst, workload, attempt.root.expr)
        if refused:
            yield f"  but its target cannot be built there: {refused}"
    if len(matched) > MOST_PLACES:
        yield f"and at {len(matched) - MOST_PLACES} more places"
    yield ""
    yield from said.bound(matched[0].trace)


def _refusal(subst: Subst, workload: Workload, root: Expr) -> str:
    graph = Graph(workload.outputs)
    node = next(node for node in graph if node.expr is root)
    found = find(subst, graph, node)
    try:
        if found is not None:
            rewrite(subst, found, graph)
    except RewriteError as error:
        return " ".join(str(error).split())
    return ""


def _closest(attempt: Attempt, said: _Words) -> Iterator[str]:
    mismatch = attempt.trace.mismatch
    assert mismatch is not None
    if attempt.bound:
        yield f"it comes closest at {said.expr(attempt.root.expr)}:"
        yield ""
        yield from said.bound(attempt.trace)
        yield ""
    at = "" if mismatch.pattern is None else f" at `{said.pattern(mismatch.pattern)}`"
    yield f"it stops{at}: {mismatch.reason}"
    yield from said.refusal(mismatch, attempt.trace)
    yield from span_lines(mismatch.span)
    if mismatch.reason == SHARED and isinstance(mismatch.pattern, INPUTS):
        yield "  hint     if two inputs may be one tensor, say so: Subst(..., aliases=True)"


def _nowhere(said: _Words, subst: Subst) -> Iterator[str]:
    root = below = root_of(subst)
    kinds = [kind_of(root, said.names)]
    while isinstance(below, GetItem):
        below = below.operands[0]
        kinds.append(kind_of(below, said.names))
    kind = " of ".join(kinds)
    yield f"nothing in it can be `{said.pattern(root)}`, with which a match begins: {kind}"
    yield from span_lines(Mismatch("", root).span)


class _Words:
    """What patterns and expressions are called: as in the rule, and as in pictures of the graph."""

    def __init__(self, subst: Subst, workload: Workload) -> None:
        order = reverse_post_order(workload.outputs)
        self.outputs = frozenset(workload.outputs)
        self.calls = Counter(expr.operator.name for expr in order if isinstance(expr, Call))
        self.patterns = len([p for p in subst.source_patterns if not isinstance(p, Alt)])
        self.names = pattern_names(subst)
        self.exprs: Mapping[Expr, str] = {
            expr: vertex.name
            for expr, vertex in zip(order, drawing_of_graph(workload.outputs).vertices, strict=True)
        }

    def counts(self) -> str:
        """Return which operators the graph has."""
        listed = ", ".join(f"{name} x{count}" for name, count in sorted(self.calls.items()))
        return f"operators: {listed}" if listed else "it has no operators"

    def expr(self, expr: Expr) -> str:
        """Return an expression as a statement."""
        name = self.exprs[expr]
        if isinstance(expr, Var):
            return f"{name}: {expr.type}"
        text = text_over(expr, [self.exprs[operand] for operand in expr.operands])
        kind = f": {expr.type}" if isinstance(expr, Call | Const) else ""
        return f"{name} = {text}{kind}"

    def pattern(self, pattern: Pattern) -> str:
        """Return the name of a pattern."""
        return pattern_text(pattern, self.names)

    def key(self, key: Key) -> str:
        """Return the name of a pattern, with the fields in which it stands."""
        return self.pattern(key[0]) + "".join(f"[{index}]" for _, index in key[1])

    def bound(self, trace: Trace) -> Iterator[str]:
        """Yield what each pattern stands for."""
        rows = [
            (self.key(key), self.expr(node.expr))
            for key, node in trace.bindings.nodes.items()
            if not isinstance(key[0], Alt)
        ]
        width = max(len(name) for name, _ in rows)
        for name, text in rows:
            yield f"  {name:<{width}}  is  {text}"

    def refusal(self, mismatch: Mismatch, trace: Trace) -> Iterator[str]:
        """Yield what was held against what, and the values in the constraint that said no."""
        if mismatch.expr is not None:
            yield f"  found    {self.expr(mismatch.expr)}"
        if mismatch.reason == OUTSIDE:
            yield from self._users_outside(mismatch, trace)
        if mismatch.term is not None:
            yield f"  allowed  {term_text(mismatch.term, self.names)}"
            for line in self._values(mismatch.term, trace):
                yield f"  where    {line}"

    def _users_outside(self, mismatch: Mismatch, trace: Trace) -> Iterator[str]:
        matched = {
            node.expr
            for (pattern, _), node in trace.bindings.nodes.items()
            if not isinstance(pattern, INPUTS)
        }
        for user in self.exprs:
            if mismatch.expr in user.operands and user not in matched:
                yield f"  used by  {self.expr(user)}"
        if mismatch.expr in self.outputs:
            yield "  used as  an output of the graph"

    def _values(self, term: Term, trace: Trace) -> Iterator[str]:
        scope = Scope(trace.bindings)
        for access in dict.fromkeys(part for part in subterms(term) if isinstance(part, Access)):
            try:
                value = repr(evaluate(access, scope))
            except EvaluationError as error:
                value = f"not known: {error}"
            yield f"{term_text(access, self.names)} = {value}"
