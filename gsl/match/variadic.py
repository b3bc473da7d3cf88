"""Matching as many outputs as there are: sources with one variadic output.

The outputs found are a set to which none can be added. Candidates are taken in order and given up
only where that may let in others; the thesis (end of section 4.2) gives the order, but says
neither what conflicts mean nor how to decide between them (see docs/explanation/matching.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from gsl.attr.term import free_symbols
from gsl.graph import Graph, Node, reverse_post_order
from gsl.match.bindings import Bindings, Frame, Mismatch
from gsl.match.climb import candidates
from gsl.match.conditions import hopeless
from gsl.match.multi import Finish, RuleSearch
from gsl.match.single import Agenda, Item, Match, prepend
from gsl.match.whole import OUTSIDE, cycle, escaping
from gsl.pat import INPUTS, Alt, Variadic
from gsl.subst import Subst

Nodes = tuple[Node, ...]


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
    nodes: Nodes


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
        self.outputs: dict[Node, int] = {}
        inside = reverse_post_order([variadic.field])
        symbols = {s for pattern in inside for term in pattern.terms() for s in free_symbols(term)}
        self._order_matters = variadic.symbol in symbols
        self._has_choices = any(isinstance(pattern, Alt) for pattern in inside)
        self._last_taker: dict[Node, int] = {}
        self._candidate_count = 0
        self._conflicts = 0
        self._entered = 0

    def matches(self, root: Node) -> Iterator[Bindings]:
        """Yield a match for every largest set of outputs that begins with `root`."""
        agenda = prepend([*self._field(0, root), Start(root), Finish()], None)
        seen: list[frozenset[Node]] = []
        for bindings in self.solutions(agenda):
            outputs = frozenset(self.outputs)
            if any(outputs <= earlier for earlier in seen):
                continue
            if self._order_matters or self._has_choices:
                outputs, bindings = self._largest(root, outputs, bindings)
            seen.append(outputs)
            yield bindings

    def _largest(
        self, root: Node, outputs: frozenset[Node], found: Bindings
    ) -> tuple[frozenset[Node], Bindings]:
        """Add outputs as long as that is possible, then bring them into the order of candidates."""
        if self.required:
            return outputs, found
        while (larger := self._search(outputs, closed=False)).finds(root):
            outputs = frozenset(larger.outputs)
        ordered = self._search(outputs, closed=True)
        return outputs, next(ordered.matches(root), found)

    def _search(self, required: frozenset[Node], closed: bool) -> VariadicSearch:
        return VariadicSearch(self.subst, self.graph, self.variadic, required, closed)

    def finds(self, root: Node) -> bool:
        """Tell whether there is a match; if so, `bindings` and `outputs` show the first one."""
        return any(True for _ in self.matches(root))

    def step(self, item: Item, rest: Agenda) -> Agenda | Mismatch | Iterator[Agenda]:
        """Work off one item, those of variadic outputs included."""
        match item:
            case Start(root=root):
                fields = Fields(1, self._candidates(root))
                lost = self._lost(0)
                return prepend([fields], rest) if lost is None else self.note(lost, inf)
            case Fields():
                return self._fields(item, rest)
            case Admit(index=index, mark=mark):
                mismatch = self._admit(index, mark)
                return rest if mismatch is None else mismatch
            case _:
                return super().step(item, rest)

    def finish(self) -> Mismatch | None:
        """Return why what is bound is not a match although all its parts fit."""
        mismatch = super().finish()
        # Fewer fields may satisfy a condition. They cannot mend an escape of what all fields share,
        # but one of what only some alternatives have.
        if mismatch is not None and (mismatch.term is not None or self._has_choices):
            self._conflicts += 1
        return mismatch

    def _field(self, index: int, node: Node) -> tuple[Match, Admit]:
        mark = self.mark
        self.record(self.bindings.lengths, (self.variadic, ()), index + 1)
        self.record(self.outputs, node, index)
        return Match(self.variadic.field, Frame(self.variadic, index), node), Admit(index, mark)

    def _admit(self, index: int, mark: int) -> Mismatch | None:
        failing = self._hopeless(inf)
        if failing is not None:
            return failing
        place = (self.variadic, index)
        own = [n for n in self.claimed_since(mark) if self.taken[n][1][:1] == (place,)]
        return next(
            escaping(own, self.taken, self.outputs), cycle(self.graph, self.taken, self.outputs)
        )

    def _hopeless(self, more: float) -> Mismatch | None:
        for term in self.subst.where:
            if hopeless(term, self.variadic, self.scope(None), more):
                return Mismatch("a condition of the rule does not hold", term=term)
        return None

    def _candidates(self, root: Node) -> Nodes:
        field = self.variadic.field
        found = candidates(self, self.graph, field, Frame(self.variadic, 1))
        others = [node for node in found if node is not root]
        if self.closed:
            others = [node for node in others if node in self.required]
        others.sort(key=lambda node: node not in self.required)
        return tuple(others) if self._order_matters else self._fitting(others)

    def _fitting(self, nodes: list[Node]) -> Nodes:
        """Return those of `nodes` that fit as field 1, and note what each may then take."""
        self._last_taker = {}
        fitting: list[Node] = []
        for node in nodes:
            mark = self.mark
            taken: list[Node] = []
            for _ in self.solutions(prepend(self._field(1, node), None)):
                taken += [node, *self.claimed_since(mark)]
            self.undo(mark)
            if taken:
                self._last_taker.update(dict.fromkeys(taken, len(fitting)))
                fitting.append(node)
        self._candidate_count = len(fitting)
        return tuple(fitting)

    def _lost(self, position: int) -> Mismatch | None:
        """Decline when no candidate from `position` on can take a user of what fields share."""
        if self._order_matters:
            return None
        for node, (pattern, path) in self.taken.items():
            if isinstance(pattern, INPUTS) or path or node in self.outputs:
                continue
            if node.output_count:
                return Mismatch(OUTSIDE, pattern, node.expr)
            for user in node.users:
                if user not in self.taken and self._last_taker.get(user, -1) < position:
                    return Mismatch(OUTSIDE, pattern, node.expr)
        return None

    def _fields(self, item: Fields, rest: Agenda) -> Agenda | Mismatch | Iterator[Agenda]:
        self._entered += 1
        if item.index + len(item.nodes) < self.least:
            return Mismatch(f"fewer than {self.least} outputs can be matched", self.variadic)
        failing = self._hopeless(len(item.nodes))
        if failing is None and self._has_choices:  # it may share more than the first field
            failing = self._lost(self._candidate_count - len(item.nodes))
        if failing is not None:
            self._conflicts += 1
            return failing
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
        position = self._candidate_count - len(others)
        helps = self._conflicts > conflicts and node not in self.required
        if helps and self._lost(position) is None:
            yield prepend([Fields(item.index, others)], rest)

    def _with(self, node: Node, fields: Fields, rest: Agenda) -> Agenda:
        return prepend([*self._field(fields.index - 1, node), fields], rest)
