"""Matching as many outputs as there are: sources with one variadic output.

The outputs found are a set to which none can be added. Candidates are taken in order and given up
only where that may let in others; the thesis (end of section 4.2) gives the order, but says
neither what conflicts mean nor how to decide between them (see docs/explanation/matching.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

from gsl.attr.term import free_symbols
from gsl.graph import Graph, Node, reverse_post_order
from gsl.match.bindings import Bindings, Frame, Mismatch
from gsl.match.conditions import hopeless
from gsl.match.search.candidates import candidates
from gsl.match.search.multi import Finish, RuleSearch, nearest_independent
from gsl.match.search.single import Agenda, Item, Match, prepend
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
    """Agenda item: find nodes for the fields `index` and on among `nodes`.

    What was bound since `mark` is for the field before.
    """

    index: int
    nodes: Nodes
    mark: int


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
        known = reverse_post_order([variadic.first_of(variadic.field)])
        further = {*inside} - {*known, *variadic.templates}  # shared, but not by the first field
        self._has_choices = bool(further) or any(isinstance(pattern, Alt) for pattern in inside)
        self._last_taker: dict[Node, int] = {}
        self._passed: dict[int, list[Node]] = {}
        self._positions: dict[Node, int] = {}
        self._definite: set[Node] = set()
        self._refused: Node | None = None
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
                fields = Fields(1, self._candidates(root), self.mark)
                lost = self._lost(0)
                return (
                    prepend([fields], rest) if lost is None else self.note(self._escape(lost), inf)
                )
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
        found = self._independent(
            root, candidates(self, self.graph, field, Frame(self.variadic, 1))
        )
        others = [node for node in found if node is not root]
        if self.closed:
            others = [node for node in others if node in self.required]
        others.sort(key=lambda node: node not in self.required)
        return tuple(others) if self._order_matters else self._fitting(others)

    def _independent(self, root: Node, nodes: Sequence[Node]) -> Sequence[Node]:
        """Return `nodes`, where fields share nothing only those independent of field 0."""
        return nodes if self.variadic.shared else nearest_independent(self.graph, [root], nodes)

    def _fitting(self, nodes: list[Node]) -> Nodes:
        """Return those of `nodes` that fit as field 1, and note what each may then take.

        The definite ones fit in one way only.
        """
        self._last_taker, self._passed, self._positions = {}, {}, {}
        fitting: list[Node] = []
        for node in nodes:
            mark = self.mark
            taken: list[Node] = []
            ways = 0
            for _ in self.solutions(prepend(self._field(1, node), None)):
                taken += [node, *self.claimed_since(mark)]
                ways += 1
            self.undo(mark)
            if ways == 1:
                self._definite.add(node)
            if taken:
                self._last_taker.update(dict.fromkeys(taken, len(fitting)))
                self._positions[node] = len(fitting)
                fitting.append(node)
        for taker, position in self._last_taker.items():
            self._passed.setdefault(position, []).append(taker)
        self._candidate_count = len(fitting)
        return tuple(fitting)

    def _lost(self, position: int) -> Node | None:
        """Return what fields share if no candidate from `position` on can take a user of it."""
        if self._order_matters:
            return None
        return next((node for node in self.taken if self._is_lost(node, position)), None)

    def _is_lost(self, node: Node, position: int) -> bool:
        """Tell whether what fields share escapes, and is no output among further ones either."""
        if not self._is_shared(node) or self._positions.get(node, -1) >= position:
            return False
        return bool(node.output_count) or any(
            user not in self.taken and self._last_taker.get(user, -1) < position
            for user in node.users
        )

    def _is_shared(self, node: Node) -> bool:
        if node in self.outputs:
            return False
        pattern, path = self.taken[node]
        return not path and not isinstance(pattern, INPUTS)

    def _lost_at(self, position: int, mark: int) -> Node | None:
        """Return what `_lost` does, when nothing was lost one position before.

        Then it is new, or the candidate that was passed was the last for one of its users.
        """
        for node in self.claimed_since(mark):
            if self._is_lost(node, position):
                return node
        for user in self._passed.get(position - 1, ()):
            for node in user.operands if user not in self.taken else ():
                if node in self.taken and self._is_lost(node, position):
                    return node
        return None

    def _escape(self, node: Node) -> Mismatch:
        return Mismatch(OUTSIDE, self.taken[node][0], node.expr)

    def _fields(self, item: Fields, rest: Agenda) -> Agenda | Mismatch | Iterator[Agenda]:
        self._entered += 1
        if item.index + len(item.nodes) < self.least:
            return Mismatch(f"fewer than {self.least} outputs can be matched", self.variadic)
        failing = self._hopeless(len(item.nodes))
        if failing is not None:
            self._conflicts += 1
            return failing
        if self._has_choices and not self._order_matters:
            # A field may share more than the first one does.
            lost = self._lost_at(self._candidate_count - len(item.nodes), item.mark)
            if lost is not None:
                self._blame(lost, item)
                return self._escape(lost)
        if not item.nodes:
            return rest
        return self._in_any_order(item, rest) if self._order_matters else self._in_order(item, rest)

    def _in_any_order(self, item: Fields, rest: Agenda) -> Iterator[Agenda]:
        for node in item.nodes:
            others = tuple(other for other in item.nodes if other is not node)
            yield self._with(node, item.index, others, rest)
        if self.required.isdisjoint(item.nodes):
            yield prepend([Fields(item.index, (), self.mark)], rest)

    def _in_order(self, item: Fields, rest: Agenda) -> Iterator[Agenda]:
        node, others = item.nodes[0], item.nodes[1:]
        conflicts, entered = self._conflicts, self._entered
        self._refused = None
        yield self._with(node, item.index, others, rest)
        if self._entered == entered:
            self._conflicts += 1
        conflicting = self._conflicts > conflicts or self._refused is node
        if not conflicting or node in self.required:
            return
        if self._has_choices or self._lost(self._candidate_count - len(others)) is None:
            yield prepend([Fields(item.index, others, self.mark)], rest)

    def _blame(self, lost: Node, item: Fields) -> None:
        """Note that a field was in vain, only it if it alone took what is lost, in its one way."""
        last = next(reversed(self.outputs))
        if last in self._definite and lost in self.claimed_since(item.mark):
            self._refused = last
        else:
            self._conflicts += 1

    def _with(self, node: Node, index: int, others: Nodes, rest: Agenda) -> Agenda:
        fields = Fields(index + 1, others, self.mark)
        return prepend([*self._field(index, node), fields], rest)
