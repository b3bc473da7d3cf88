"""Apply rules to a workload until none of them matches anywhere."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from gsl.attr.writer import UNDECIDED
from gsl.check import require_well_formed
from gsl.collector import collector_paused
from gsl.engine.affected import neighbourhood_of
from gsl.engine.history import Noted, explanation
from gsl.engine.index import index_of
from gsl.engine.record import Record, Refusal
from gsl.engine.value_numbering import repeated
from gsl.engine.ways import Anywhere, PutOff, Reached
from gsl.errors import MisuseError, RewriteError
from gsl.expr import Expr, Var
from gsl.flags import known_flags
from gsl.graph import Graph, Node
from gsl.match.bindings import Bindings
from gsl.match.find import Found, find, matches_at, nodes_of, searched
from gsl.rewrite.builder import rewrite
from gsl.subst import Rule, Subst
from gsl.workload import Workload

DEFAULT_REWRITES_PER_NODE = 20

OTHERS_PER_NODE = 10
"""So many matches are tried for each node of a network because another one was refused."""


def apply(
    workload: Workload,
    rules: Sequence[Subst],
    *,
    max_rewrites: int | None = None,
    record: Record | None = None,
    flags: Iterable[str] | None = None,
    merge: bool = False,
) -> Workload:
    """Return `workload` rewritten by `rules` until none matches.

    Nodes are examined operands first, in reverse post-order, and at each the rules are tried in
    the given order; the first match is replaced. After a rewrite the nodes that it made come
    next, in the order in which they were made, then the root if it is still there. Nodes that may
    have become the root of a match are examined again after all others. Of overlapping matches
    the one found first wins. Therefore the result depends on nothing but the arguments.

    With `flags`, what a compiler may assume and change about floating point (`gsl.flags`), only the
    rules are used that need no other ones; by default all. With `merge` common subexpressions are
    computed once before.

    What no rule touches stays the very same object, and so does the workload if nothing matches.
    Outputs, inputs and parameters keep their order; parameters that are not used any more go. A
    match whose target cannot be built is left alone, and the next one at its root is tried; the
    first of a rule at a root is noted in `record`. So many are tried in all that the time stays
    linear: 10 for a node of the network, at least 1000.

    Raises MisuseError for what is no workload, no list of rules that are written down, no limit or
    no flag, RuleError for a rule that is not well formed, GraphError for a graph with a cycle, and
    RewriteError when more than `max_rewrites` are needed (default: 20 per node, at least 1000),
    mostly because rules feed each other; it names those that do.
    """
    _require_kinds(workload, rules)
    _require_options(max_rewrites, record)
    for rule in rules:
        rule.derived(require_well_formed)
    if flags is not None:
        granted = known_flags(flags)
        rules = [rule for rule in rules if rule.flags <= granted]
    with collector_paused():  # a graph is made of cycles, and none of them is garbage
        if max_rewrites is None:
            max_rewrites = max(1000, DEFAULT_REWRITES_PER_NODE * len(workload.order))
        record = Record() if record is None else record
        return _rewritten(workload, rules, record, max_rewrites, merge)


def _rewritten(
    workload: Workload, rules: Sequence[Subst], record: Record, limit: int, merge: bool
) -> Workload:
    same = repeated(workload.order) if merge else {}
    graph = Graph(workload.outputs, workload.order, same)
    run = _Run(graph, rules, record, limit)
    try:
        rewrites = run.to_fixpoint()
    finally:
        outputs = graph.to_exprs()
        run.note_rewrites()
    if not same and not rewrites:
        graph.dissolve()
        return workload
    nodes = graph if workload.parameters else ()
    used = [node.expr for node in nodes if isinstance(node.expr, Var)]
    graph.dissolve()
    return workload.with_outputs(outputs, used)


def _require_kinds(workload: object, rules: object) -> None:
    if not isinstance(workload, Workload):
        raise MisuseError(f"rules apply to a Workload, not to {workload!r}; write Workload(...)")
    if not isinstance(rules, Sequence):
        raise MisuseError(f"the rules are not a list but {rules!r}; write [rule]")
    for rule in rules:
        if isinstance(rule, Rule):
            raise MisuseError(f"`{rule.name}` is not written down yet; write {rule.name}()")
        if not isinstance(rule, Subst):
            raise MisuseError(f"{rule!r} is no rule; rules are made by Subst(source, target)")


def _require_options(max_rewrites: object, record: object) -> None:
    if max_rewrites is not None and (type(max_rewrites) is not int or max_rewrites < 0):
        wanted = "a whole number of at least 0 or None"
        raise MisuseError(f"max_rewrites is {wanted}, not {max_rewrites!r}")
    if record is not None and not isinstance(record, Record):
        raise MisuseError(f"the record is no Record: {record!r}")


class _Run:
    """One application of rules to a work graph.

    `_pending` are the nodes to be examined, and `_put_off` the crowds of users that are to be
    visited when there are none.
    """

    def __init__(self, graph: Graph, rules: Sequence[Subst], record: Record, limit: int) -> None:
        self.graph = graph
        self.record = record
        self.limit = limit
        self.rewrites = 0
        self._history: list[Noted] = []
        self._index = index_of(tuple(rules))
        self._neighbourhood = neighbourhood_of(tuple(rules))
        self._put_off: dict[PutOff | Anywhere, None] = {}
        self._unblocked_at = 0
        self._roots: defaultdict[Subst, list[Expr]] = defaultdict(list)
        self._refused: set[tuple[Subst, Node]] = set()
        self._others_left: int | None = None  # known when the first match is refused
        try:
            self._pending = self._with_roots()
        except KeyError:
            self._learn()
            self._pending = self._with_roots()

    def _with_roots(self) -> deque[Node]:
        """Return the nodes where some rule may match; raise KeyError when a head is new."""
        has_root = self._index.has_root
        if has_root.keys() != self._neighbourhood.ways_from.keys():
            raise KeyError
        return deque([node for node in self.graph if has_root[node.head]])

    def _learn(self) -> None:
        """Have all heads known that there are; rewriting brings no others but those of rules."""
        index, neighbourhood = self._index, self._neighbourhood
        heads = {node.head for node in self.graph} | index.has_root.keys()
        index.learn(heads | neighbourhood.ways_from.keys())
        neighbourhood.learn(index.has_root)

    def to_fixpoint(self) -> int:
        """Rewrite until nothing matches; return the number of rewrites."""
        pending, graph = self._pending, self.graph
        only, finders_at = self._index.only, self._index.finders_at
        unary, binary = self._index.unary, self._index.binary
        while pending or self._more():
            node = pending.popleft()
            node.waiting = False
            if node.level < 0:
                continue
            head, operands = node.head, node.operands
            finders = only[head]
            if finders is None:  # what `finders_at` says, without a call for most nodes
                try:
                    if len(operands) == 1:
                        (one,) = operands
                        finders = unary[head][one.head][len(one.users) > 1]
                    else:
                        one, two = operands
                        by_sharing = binary[head][one.head][two.head]
                        finders = by_sharing[len(one.users) > 1][len(two.users) > 1]
                except (KeyError, ValueError):
                    finders = finders_at(node)
            for rule, first in finders:
                try:
                    found = first(node, graph)
                except UNDECIDED:
                    found = searched(rule, node, graph)
                if found is not None and (
                    self._rewrite(rule, node, found) or self._rewrite_other(rule, node)
                ):
                    break
        return self.rewrites

    def _more(self) -> bool:
        """Fill up `_pending` with what was put off; tell whether there was something."""
        while self._put_off and not self._pending:
            put_off = next(iter(self._put_off))
            del self._put_off[put_off]
            self._await(self._neighbourhood.further(put_off, self.graph))
        if not self._pending and self.rewrites > self._unblocked_at:
            self._unblocked_at = self.rewrites
            blocked, self.graph.blocked = self.graph.blocked, {}
            self._await(blocked)
        return bool(self._pending)

    def _await(self, nodes: Iterable[Reached]) -> None:
        has_root = self._index.has_root
        for node in nodes:
            if not isinstance(node, Node):
                self._put_off[node] = None
            elif not node.waiting and node.level >= 0 and has_root[node.head]:
                node.waiting = True
                self._pending.append(node)

    def _rewrite(self, rule: Subst, node: Node, found: Found | Bindings) -> bool:
        """Replace a match with `node` as its root; tell whether its target could be built."""
        root = node.expr
        try:
            added = rewrite(rule, found, self.graph)
        except RewriteError as error:
            self._refuse(rule, node, error)
            return False
        self.rewrites += 1
        if self.rewrites > self.limit // 2:
            self._remember(rule, found, added)
        self._roots[rule].append(root)
        self._go_on(node, added)
        return True

    def _rewrite_other(self, rule: Subst, node: Node) -> bool:
        """Replace the first match behind a refused one that can be; tell whether there is one."""
        if self._others_left is None:
            self._others_left = max(1000, OTHERS_PER_NODE * len(self.graph))
        others = islice(matches_at(rule, self.graph, node), 1, 1 + self._others_left)
        for bindings in [other.copy() for other in others]:  # trying one changes who uses what
            self._others_left -= 1
            if self._rewrite(rule, node, bindings):
                return True
        return False

    def _remember(self, rule: Subst, found: Found | Bindings, added: Sequence[Node]) -> None:
        """Note a rewrite when there may be no end; raise RewriteError when there is none."""
        self._history.append((rule, nodes_of(found), added))
        if self.rewrites > self.limit:
            why = explanation(self._history)
            cure = "leave one out, give it a condition, or allow more with max_rewrites"
            raise RewriteError(f"not done after {self.limit} rewrites; {why} ({cure})")

    def _go_on(self, root: Node, added: Sequence[Node]) -> None:
        """Have what was made examined next, and what it may have made possible after all others."""
        graph, neighbourhood = self.graph, self._neighbourhood
        ways_from = neighbourhood.ways_from
        first: list[Node] = []
        found: list[Reached] = []
        for node in added:
            ways = ways_from[node.head]
            if ways is not None:
                if ways.arrived:
                    first.append(node)
                    node.waiting = True
                follow = ways.follow
                follow(node, found)
        changed = [(graph.affected, ways_from)]
        if neighbourhood.has_interior:
            changed.append((graph.released, neighbourhood.ways_from_interior))
        for touched, ways_of in changed:
            for node in touched:
                ways = ways_of[node.head]
                if ways is not None and node.level >= 0:
                    if ways.arrived:
                        found.append(node)
                    follow = ways.follow
                    follow(node, found)
        if root.level >= 0 and self._index.has_root[root.head]:
            first.append(root)
            root.waiting = True
        if first:
            self._pending.extendleft(reversed(first))
        if found:
            self._await(found)

    def note_rewrites(self) -> None:
        """Have the record tell what was rewritten."""
        for rule, roots in self._roots.items():
            self.record.note(rule, roots)

    def _refuse(self, rule: Subst, node: Node, error: RewriteError) -> None:
        if (rule, node) not in self._refused:
            self._refused.add((rule, node))
            self.record.refused.append(Refusal(rule, node.expr, error))


def matches(rule: Subst, workload: Workload) -> Iterator[tuple[Node, Graph]]:
    """Yield the root and the work graph of every place where `rule` matches, changing nothing."""
    rule.derived(require_well_formed)
    graph = Graph(workload.outputs)
    index = index_of((rule,))
    for node in graph:
        if index.rules_at(node) and find(rule, graph, node) is not None:
            yield node, graph
