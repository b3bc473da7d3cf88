"""Where a rewrite may have made matches possible, so that nodes have to be examined again.

A new match contains a node that was made or that has a new operand, or it contains an interior
node that was used from outside before; inputs and outputs may be used by anybody. So from each of
these, every place in a rule where such a node may stand leads to nodes that may be the root: mostly
a few steps up along users, for rules with several outputs also down to what the outputs share and
up again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from gsl.attr.term import free_symbols
from gsl.engine.index import Heads, heads_in, heads_of, root_of
from gsl.engine.ways import Anywhere, Down, PutOff, Reached, Step, Up, Way, Ways
from gsl.graph import Graph, Head, Node, reverse_post_order
from gsl.pat import INPUTS, Alt, GetInst, Pattern, Variadic
from gsl.subst import Subst

LONGEST_WAY = 50
"""For patterns that are further from the root the root is looked for anywhere."""


@lru_cache(maxsize=16)
def neighbourhood_of(rules: tuple[Subst, ...]) -> Neighbourhood:
    """Return the neighbourhood for a set of rules, the same one for the same rules."""
    return Neighbourhood(rules)


class Neighbourhood:
    """Finds the roots of matches that a node may be part of, for a set of rules.

    `ways_from` has the ways from nodes of a head, or None if they are in no match but as inputs;
    they have `arrived` when the node may be a root itself. `ways_from_interior` has those of nodes
    that are neither inputs nor outputs, and `has_interior` tells if there are such at all. Both
    know the heads that they were told of by `learn`.
    """

    def __init__(self, rules: Sequence[Subst]) -> None:
        self._ways = [entry for rule in rules for entry in rule.derived(_ways_of)]
        self.ways_from: dict[Head, Ways | None] = {}
        self.ways_from_interior: dict[Head, Ways | None] = {}
        self.has_interior = any(start.interior for start in self._ways)
        self.learn(heads_in(rules))

    def learn(self, heads: Iterable[Head]) -> None:
        """Find the ways from nodes of some heads; those of all heads of the rules are known."""
        for head in set(heads) - self.ways_from.keys():
            self.ways_from_interior[head] = self._from_head(head, interior=True)
            self.ways_from[head] = self._from_head(head, interior=False)  # last, for other threads

    def roots(self, node: Node) -> list[Reached]:
        """Return the nodes that may be the root of a match with `node` in it."""
        self.learn((node.head,))
        found: list[Reached] = []
        ways = self.ways_from[node.head]
        if ways is not None:
            ways.lead(node, found)
        return found

    def further(self, put_off: PutOff | Anywhere, graph: Graph) -> list[Reached]:
        """Return what lies further on a way that was put off."""
        if isinstance(put_off, Anywhere):
            return [node for node in graph if node.head in put_off.heads]
        found: list[Reached] = []
        for user in put_off.node.users:
            if user.head in put_off.heads:
                put_off.ways.lead(user, found)
        return found

    def _from_head(self, head: Head, interior: bool) -> Ways | None:
        ways = Ways()
        for start in self._ways:
            if head in start.heads and (start.interior or not interior):
                ways.add(start.way)
        return ways if ways.arrived or ways.steps else None


@dataclass(frozen=True, slots=True)
class _Start:
    """The heads of a pattern that is no input, whether it is no output, and a way to the root."""

    heads: Heads
    interior: bool
    way: Way


def _ways_of(rule: Subst) -> list[_Start]:
    """Return where matches may begin to exist, for every pattern of a rule that is no input."""
    places = _Places(rule)
    ways = {**places.ways_to_root(upwards=False), **places.ways_to_root(upwards=True)}
    around = places.around()
    found = [places.start(p, w) for p, w in ways.items() if not w or not isinstance(p, INPUTS)]
    found += [replace(start, way=start.way + around) for start in found if around]
    far = set(rule.source_patterns) - ways.keys() if places.has_far else ()
    anywhere = Anywhere(heads_of(root_of(rule)))
    return found + [places.start(p, (anywhere,)) for p in far if not isinstance(p, INPUTS)]


class _Places:
    """The patterns of a source that stand for nodes, and the steps between them."""

    def __init__(self, rule: Subst) -> None:
        self.has_far = False
        self._root = root_of(rule)
        self._variadic = rule.variadic
        fields = () if self._variadic is None else (self._variadic.field,)
        self._outputs = frozenset((*rule.source, self._root, *fields))
        self._users: dict[Pattern, list[tuple[Pattern, int | None]]] = {}
        self._repeated: dict[Pattern, set[Variadic]] = {}
        for pattern in rule.source_patterns:
            self._note(pattern)

    def start(self, pattern: Pattern, way: Way) -> _Start:
        """Return the start of a way from `pattern`; an arm of an output counts as interior."""
        return _Start(heads_of(pattern), pattern not in self._outputs, way)

    def _note(self, pattern: Pattern) -> None:
        if isinstance(pattern, Variadic):
            for template in pattern.templates:
                self._repeated.setdefault(template, set()).add(pattern)
        if pattern is self._variadic or isinstance(pattern, Alt):
            return
        for position, operand in enumerate(pattern.operands):
            place = None if isinstance(pattern, Variadic) else position
            for below in standing(operand):
                self._users.setdefault(below, []).append((pattern, place))

    def ways_to_root(self, upwards: bool) -> dict[Pattern, Way]:
        """Return the shortest way from every pattern to the root, along users only if `upwards`.

        None is longer than LONGEST_WAY; `has_far` tells if that leaves out patterns.
        """
        found: dict[Pattern, Way] = dict.fromkeys(standing(self._root), ())
        pending = deque(found)
        while pending:
            pattern = pending.popleft()
            if len(found[pattern]) == LONGEST_WAY:
                self.has_far = True
                continue
            for other, step in self._steps_to(pattern, upwards):
                if other not in found:
                    found[other] = (step, *found[pattern])
                    pending.append(other)
        return found

    def _steps_to(self, pattern: Pattern, upwards: bool) -> Iterator[tuple[Pattern, Step]]:
        for operand in pattern.operands:
            for below in standing(operand):
                yield below, self._up(below, pattern)
        if not upwards:
            for user, position in self._users.get(pattern, ()):
                yield user, Down(position)

    def _up(self, pattern: Pattern, user: Pattern) -> Up:
        return Up(self._most_users(pattern), heads_of(user))

    def _most_users(self, pattern: Pattern) -> int | None:
        """Return how many users a node of `pattern` has at most in a match; None is any number."""
        users = [user for user, _ in self._users[pattern]]
        repeated = self._repeated.get(pattern, set())
        shared = any(not self._repeated.get(user, set()) <= repeated for user in users)
        free = isinstance(pattern, INPUTS) or pattern in self._outputs or shared
        return None if free else len(users)

    def around(self) -> Way:
        """Return the way from a field to any other, empty when field 0 may be any of them."""
        variadic = self._variadic
        if variadic is None or variadic.first:
            return ()
        inside = reverse_post_order([variadic.field])
        if all(variadic.symbol not in free_symbols(t) for p in inside for t in p.terms()):
            return ()
        ways: deque[tuple[Pattern, Way, Way]] = deque(
            [(pattern, (), ()) for pattern in standing(variadic.field)]
        )
        while ways:
            pattern, down, up = ways.popleft()
            if pattern not in variadic.templates:
                return down + up
            for position, operand in enumerate(pattern.operands):
                for below in standing(operand):
                    further = (self._up(below, pattern), *up)
                    ways.append((below, (*down, Down(position)), further))
        return ()


def standing(pattern: Pattern) -> list[Pattern]:
    """Return the patterns that a node stands for where `pattern` is written: an alternative's arms.

    Nothing for an instance, because its template is found elsewhere.
    """
    found, stack = [], [pattern]
    while stack:
        current = stack.pop()
        if isinstance(current, Alt):
            stack.extend(reversed(current.operands))
        elif not isinstance(current, GetInst):
            found.append(current)
    return found
