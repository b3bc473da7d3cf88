"""Matching several outputs: the bidirectional algorithm (thesis, section 4.2), made complete.

The first output is matched at a given node. For every further output the search climbs from a
pattern that is already bound along a path of the pattern graph to that output, and along the
corresponding users in the work graph. All nodes reached are candidates, and a wrong choice is
taken back, which the published algorithm does not do (see docs/explanation/matching.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gsl.attr.evaluate import evaluate
from gsl.errors import EvaluationError
from gsl.expr import Call as CallExpr
from gsl.expr import Proj as ProjExpr
from gsl.expr import Tuple as TupleExpr
from gsl.graph import Graph, Node
from gsl.match.bindings import Bindings, Frame, Key, Mismatch, Scope, instance_of
from gsl.match.single import Agenda, Item, Match, Search, prepend
from gsl.pat import INPUTS, Alt, Call, GetInst, GetItem, Pattern, Tuple, Variadic
from gsl.subst import Subst


@dataclass(frozen=True, slots=True)
class Step:
    """One edge of a path upwards: `operand` is operand number `position` of `pattern`."""

    pattern: Pattern
    position: int
    frame: Frame | None


@dataclass(frozen=True, slots=True)
class Output:
    """Agenda item: find a node for an output that is not the first."""

    pattern: Pattern


@dataclass(frozen=True, slots=True)
class Fields:
    """Agenda item: find nodes for the fields `index` and on of a variadic output."""

    variadic: Variadic
    index: int


@dataclass(frozen=True, slots=True)
class Finish:
    """Agenda item: check what concerns the match as a whole."""


class RuleSearch(Search):
    """A search for all outputs of the source of a rule."""

    def __init__(self, subst: Subst, graph: Graph) -> None:
        super().__init__()
        self.subst = subst
        self.graph = graph

    def matches(self, root: Node) -> Iterator[Bindings]:
        """Yield every match of the source whose first output is `root`."""
        first = self.subst.source[0]
        agenda: Agenda
        if self.subst.variadic is not None:
            rest = prepend([Fields(self.subst.variadic, 1), Finish()], None)
            agenda = prepend([self._first_field(self.subst.variadic, root)], rest)
        else:
            others = [Output(pattern) for pattern in self.subst.source[1:]]
            agenda = prepend([Match(first, None, root), *others, Finish()], None)
        return self.solutions(agenda)

    def _first_field(self, variadic: Variadic, root: Node) -> Match:
        self.bindings.lengths[(variadic, ())] = 1
        return Match(variadic.field, Frame(variadic, 0), root)

    def step(self, item: Item, rest: Agenda) -> Agenda | Mismatch | Iterator[Agenda]:
        """Work off one item, those of several outputs included."""
        match item:
            case Output(pattern=pattern):
                return self._output(pattern, rest)
            case Fields():
                return self._fields(item, rest)
            case Finish():
                mismatch = self._finish()
                return rest if mismatch is None else mismatch
            case _:
                return super().step(item, rest)

    def _output(self, pattern: Pattern, rest: Agenda) -> Agenda | Iterator[Agenda]:
        if (bound := self.bindings.nodes.get((pattern, ()))) is not None:
            return prepend([Match(pattern, None, bound)], rest)
        candidates = self.candidates(pattern, None)
        return (prepend([Match(pattern, None, node)], rest) for node in candidates)

    def _fields(self, item: Fields, rest: Agenda) -> Agenda | Mismatch | Iterator[Agenda]:
        variadic, index = item.variadic, item.index
        frame = Frame(variadic, index)
        candidates = [n for n in self.candidates(variadic.field, frame) if n not in self.taken]
        if index < variadic.minimum:
            return self._required_field(item, frame, candidates, rest)
        for node in candidates:
            if self._extend(variadic, index, node):
                index += 1
        return rest

    def _required_field(
        self, item: Fields, frame: Frame, candidates: Sequence[Node], rest: Agenda
    ) -> Iterator[Agenda]:
        for node in candidates:
            self._set_length(item.variadic, item.index + 1)
            matched = Match(item.variadic.field, frame, node)
            yield prepend([matched, Fields(item.variadic, item.index + 1)], rest)

    def _set_length(self, variadic: Variadic, length: int) -> None:
        self.record(self.bindings.lengths, (variadic, ()), length)

    def _extend(self, variadic: Variadic, index: int, node: Node) -> bool:
        if node in self.taken:
            return False
        mark = self.mark
        self._set_length(variadic, index + 1)
        attempt = self.solutions(
            prepend([Match(variadic.field, Frame(variadic, index), node)], None)
        )
        for _ in attempt:
            if not any(self._escapes(bound) for bound in self.claimed_since(mark)):
                return True
        self.undo(mark)
        return False

    def candidates(self, pattern: Pattern, frame: Frame | None) -> list[Node]:
        """Return the nodes that may be an output, in a fixed order, found from bound ones."""
        best: list[Node] | None = None
        for anchor, path in self._paths(pattern, frame):
            if best is not None and len(anchor.users) >= len(best):
                continue
            reached = self._climb(anchor, path)
            if best is None or len(reached) < len(best):
                best = reached
        return self.graph.order() if best is None else best

    def _paths(self, top: Pattern, frame: Frame | None) -> Iterator[tuple[Node, list[Step]]]:
        stack: list[tuple[Pattern, Frame | None, list[Step]]] = [(top, frame, [])]
        seen: set[Key] = set()
        while stack:
            pattern, inside, path = stack.pop()
            key = instance_of(pattern, inside)
            if key in seen or isinstance(pattern, GetInst):
                continue
            seen.add(key)
            anchor = self.bindings.nodes.get(key)
            if anchor is not None:
                yield anchor, path
                continue
            for position, operand in enumerate(key[0].operands):
                stack.append((operand, inside, [Step(key[0], position, inside), *path]))

    def _climb(self, anchor: Node, path: Sequence[Step]) -> list[Node]:
        frontier = {anchor: None}
        for step in path:
            if isinstance(step.pattern, Alt):
                continue
            frontier = {
                user: None
                for node in frontier
                for user in node.users
                if self._leads_to(step, node, user)
            }
        return list(frontier)

    def _leads_to(self, step: Step, node: Node, user: Node) -> bool:
        match step.pattern, user.expr:
            case Call() as pattern, CallExpr(operator=operator):
                return _operand_is(user, step.position, node) and self.accepts(
                    pattern, step.frame, operator
                )
            case Tuple(), TupleExpr():
                return _operand_is(user, step.position, node)
            case GetItem(), ProjExpr():
                return True
            case Variadic(), TupleExpr():
                return True
            case _:
                return False

    def _finish(self) -> Mismatch | None:
        for term in self.subst.where:
            try:
                if evaluate(term, Scope(self.bindings)) is not True:
                    return Mismatch("a condition of the rule does not hold", term=term)
            except EvaluationError as error:
                return Mismatch(f"a condition of the rule has no value: {error}", term=term)
        for node in self.taken:
            if self._escapes(node):
                reason = f"{node.expr!r} inside the match is used outside of it"
                return Mismatch(reason, self.taken[node][0], node.expr)
        return self._cyclic()

    def _escapes(self, node: Node) -> bool:
        """Condition 4 of the definition "graph substitution", for one matched node."""
        key = self.taken[node]
        if isinstance(key[0], INPUTS) or self._is_output(key):
            return False
        return node.output_count > 0 or any(map(self._is_outside, node.users))

    def _is_outside(self, user: Node) -> bool:
        key = self.taken.get(user)
        return key is None or isinstance(key[0], INPUTS)

    def _is_output(self, key: Key) -> bool:
        variadic = self.subst.variadic
        if variadic is None:
            return key[0] in self.subst.outputs
        return key[0] is variadic.field or key[0] is variadic.first_of(variadic.field)

    def _cyclic(self) -> Mismatch | None:
        """Decline when an input depends on an output: replacing both would close a cycle."""
        outputs = {node for node, key in self.taken.items() if self._is_output(key)}
        if len(outputs) < 2:
            return None
        lowest = min(node.level for node in outputs)
        stack = [n for n, key in self.taken.items() if isinstance(key[0], INPUTS)]
        seen = set[Node]()
        while stack:
            node = stack.pop()
            if node in outputs:
                return Mismatch(
                    "an input of the match depends on one of its outputs", None, node.expr
                )
            if node not in seen and node.level > lowest:
                seen.add(node)
                stack.extend(node.operands)
        return None


def _operand_is(user: Node, position: int, node: Node) -> bool:
    return position < len(user.operands) and user.operands[position] is node


def matches_at(subst: Subst, graph: Graph, root: Node) -> Iterator[Bindings]:
    """Yield every match of the source of `subst` whose first output is `root`.

    The bindings are only valid until the next one is asked for.
    """
    return RuleSearch(subst, graph).matches(root)


def match_at(subst: Subst, graph: Graph, root: Node) -> Bindings | Mismatch:
    """Return the first match whose first output is `root`, or why there is none."""
    search = RuleSearch(subst, graph)
    for bindings in search.matches(root):
        return bindings
    return search.mismatch
