"""Matching as many outputs as there are: sources with one variadic output.

The outputs found are a set to which none can be added. Candidates are taken in order and given up
only where that may let in others; thesis, end of section 4.2, describes the order but neither
what conflicts mean nor how to decide between them (see docs/explanation/matching.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gsl.attr.term import free_symbols
from gsl.graph import Graph, Node, reverse_post_order
from gsl.match.bindings import Bindings, Frame, Mismatch
from gsl.match.climb import candidates
from gsl.match.multi import Finish, RuleSearch
from gsl.match.single import Agenda, Item, Match, prepend
from gsl.match.whole import cycle, escaping, hopeless, output_nodes
from gsl.pat import Alt, Variadic
from gsl.subst import Subst


@dataclass(frozen=True, slots=True)
class Start:
    """Agenda item: field 0 has matched `root`; collect the candidates for all others."""

    root: Node


@dataclass(frozen=True, slots=True)
class Admit:
    """Agenda item: check what has been bound since `mark` for field `index`."""

    index: int
    mark: int


@dataclass(frozen=True, slots=True)
class Fields:
    """Agenda item: find nodes for the fields `index` and on among `nodes`."""

    index: int
    nodes: tuple[Node, ...]


class VariadicSearch(RuleSearch):
    """A search for a largest set of outputs of a variadic source.

    With `required`, only sets of more outputs than these that contain them are found; with
    `closed`, only the set of just these.
    """

    def __init__(
        self,
        subst: Subst,
        graph: Graph,
        variadic: Variadic,
        required: frozenset[Node] = frozenset(),
        closed: bool = False,
    ) -> None:
        super().__init__(subst, graph)
        self.variadic = variadic
        self.required = required
        self.closed = closed
        self.least = max(variadic.minimum, len(required) + (not closed))
        self._conflicts = 0
        self._entered = 0

    def matches(self, root: Node) -> Iterator[Bindings]:
        """Yield a match for every largest set of outputs that begins with `root`."""
        agenda = prepend([*self._field(0, root), Start(root), Finish()], None)
        seen: list[frozenset[Node]] = []
        for bindings in self.solutions(agenda):
            outputs = frozenset(output_nodes(self.subst, bindings))
            if any(outputs <= earlier for earlier in seen):
                continue
            largest = bindings if self.required else self._largest(root, outputs, bindings)
            seen.append(frozenset(output_nodes(self.subst, largest)))
            yield largest

    def _largest(self, root: Node, outputs: frozenset[Node], found: Bindings) -> Bindings:
        if not self._order_matters and not self._has_alternatives:
            return found
        larger: Bindings | None = found
        while larger is not None:
            outputs = frozenset(output_nodes(self.subst, larger))
            larger = self._first(root, outputs, closed=False)
        return self._first(root, outputs, closed=True) or found

    def _first(self, root: Node, required: frozenset[Node], closed: bool) -> Bindings | None:
        search = VariadicSearch(self.subst, self.graph, self.variadic, required, closed)
        return next(search.matches(root), None)

    @property
    def _order_matters(self) -> bool:
        symbol = self.variadic.symbol
        patterns = reverse_post_order([self.variadic.field])
        return any(symbol in free_symbols(term) for p in patterns for term in p.terms())

    @property
    def _has_alternatives(self) -> bool:
        return any(isinstance(p, Alt) for p in reverse_post_order([self.variadic.field]))

    def step(self, item: Item, rest: Agenda) -> Agenda | Mismatch | Iterator[Agenda]:
        """Work off one item, those of variadic outputs included."""
        match item:
            case Start(root=root):
                return prepend([Fields(1, self._candidates(root))], rest)
            case Fields():
                return self._fields(item, rest)
            case Admit(index=index, mark=mark):
                mismatch = self._admit(index, mark)
                return rest if mismatch is None else mismatch
            case _:
                return super().step(item, rest)

    def finish(self) -> Mismatch | None:
        """Return why what is bound is not a match although all its parts fit."""
        # Fewer fields cannot mend an escape, but they may satisfy a condition.
        mismatch = super().finish()
        if mismatch is not None and mismatch.term is not None:
            self._conflicts += 1
        return mismatch

    def _field(self, index: int, node: Node) -> tuple[Item, ...]:
        mark = self.mark
        self.record(self.bindings.lengths, (self.variadic, ()), index + 1)
        return Match(self.variadic.field, Frame(self.variadic, index), node), Admit(index, mark)

    def _candidates(self, root: Node) -> tuple[Node, ...]:
        field = self.variadic.field
        found = candidates(self, self.graph, field, Frame(self.variadic, 1))
        others = [node for node in found if node is not root]
        if self.closed:
            others = [node for node in others if node in self.required]
        others.sort(key=lambda node: node not in self.required)
        return tuple(others if self._order_matters else filter(self._fits_alone, others))

    def _fits_alone(self, node: Node) -> bool:
        mark = self.mark
        fits = any(True for _ in self.solutions(prepend(self._field(1, node), None)))
        self.undo(mark)
        return fits

    def _fields(self, item: Fields, rest: Agenda) -> Agenda | Mismatch | Iterator[Agenda]:
        self._entered += 1
        if item.index + len(item.nodes) < self.least:
            reason = f"fewer than {self.least} outputs can be matched"
            return Mismatch(reason, self.variadic)
        if not item.nodes:
            return rest
        return self._in_any_order(item, rest) if self._order_matters else self._in_order(item, rest)

    def _in_any_order(self, item: Fields, rest: Agenda) -> Iterator[Agenda]:
        for node in item.nodes:
            others = tuple(other for other in item.nodes if other is not node)
            yield self._with(node, Fields(item.index + 1, others), rest)
        if self.required.isdisjoint(item.nodes):
            yield prepend([Fields(item.index, ())], rest)

    def _in_order(self, item: Fields, rest: Agenda) -> Iterator[Agenda]:
        node, others = item.nodes[0], item.nodes[1:]
        conflicts, entered = self._conflicts, self._entered
        yield self._with(node, Fields(item.index + 1, others), rest)
        if self._entered == entered:
            self._conflicts += 1
        if self._conflicts > conflicts and node not in self.required:
            yield prepend([Fields(item.index, others)], rest)

    def _with(self, node: Node, fields: Fields, rest: Agenda) -> Agenda:
        return prepend([*self._field(fields.index - 1, node), fields], rest)

    def _admit(self, index: int, mark: int) -> Mismatch | None:
        scope = self.scope(None)
        for term in self.subst.where:
            if hopeless(term, self.variadic, scope):
                return Mismatch("a condition of the rule does not hold", term=term)
        outputs = output_nodes(self.subst, self.bindings)
        place = (self.variadic, index)
        own = [n for n in self.claimed_since(mark) if self.taken[n][1][:1] == (place,)]
        return next(escaping(own, self.taken, outputs), cycle(self.taken, outputs))
