"""Where a rewrite may have made matches possible, so that nodes have to be examined again.

A new match contains a node that was made or that has a new operand, or it contains an interior
node that was used from outside before; inputs and outputs may be used by anybody. So from each of
these, every place in a rule where such a node may stand leads to nodes that may be the root: mostly
a few steps up along users, for rules with several outputs also down to what the outputs share and
up again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from gsl.attr.term import free_symbols
from gsl.engine.index import Heads, Memo, heads_of, root_of
from gsl.graph import Graph, Head, Node, reverse_post_order
from gsl.pat import INPUTS, Alt, GetInst, Pattern, Variadic
from gsl.subst import Subst

LONGEST_WAY = 50
"""For patterns that are further from the root the root is looked for anywhere."""

FEW = 8
"""So many users of a shared node are visited at once; more are put off, to be visited once."""


@dataclass(frozen=True, slots=True)
class Up:
    """A step to the users of a node, of which it has at most so many in a match (None: any)."""

    most: int | None
    heads: Heads


@dataclass(frozen=True, slots=True)
class Down:
    """A step to one operand of a node, or to all of them."""

    position: int | None


@dataclass(frozen=True, slots=True)
class Anywhere:
    """A step to all nodes of some heads, from patterns too far from the root to find a way."""

    heads: Heads


Step = Up | Down | Anywhere
Way = tuple[Step, ...]


class Ways:
    """Ways from nodes of one head to roots, with what they have in common at first once.

    The last steps come first in `_up`, by how many users there are at most, and in `_down`, by
    position. `finish` sets them when all ways are known.
    """

    __slots__ = ("_anywhere", "_down", "_to_crowd", "_up", "arrived", "steps")

    def __init__(self) -> None:
        self.arrived = False
        self.steps: dict[Step, Ways] = {}
        self._anywhere: list[Anywhere] = []
        self._to_crowd = False
        self._up: list[tuple[int | None, Memo[Head, Ways | None]]] = []
        self._down: list[tuple[int | None, Ways]] = []

    def add(self, way: Way) -> None:
        """Add a way."""
        ways = self
        for step in way:
            ways = ways.steps.setdefault(step, Ways())
        ways.arrived = True

    def finish(self) -> None:
        """Prepare to follow these ways and what lies further on them."""
        pending = [self]
        for ways in pending:
            pending += ways.steps.values()
            steps = [*reversed(ways.steps)]
            most = dict.fromkeys(step.most for step in ways.steps if type(step) is Up)
            ways._up = [(m, Memo(partial(ways._to_users, m))) for m in reversed(most)]
            ways._to_crowd = None in most
            ways._down = [(s.position, ways.steps[s]) for s in steps if type(s) is Down]
            ways._anywhere = [step for step in ways.steps if type(step) is Anywhere]

    def _to_users(self, most: int | None, head: Head) -> Ways | None:
        """Return the ways on from users of a head, all as one."""
        merged = Ways()
        for step, ways in self.steps.items():
            if type(step) is Up and step.most == most and head in step.heads:
                merged._take_in(ways)
        merged.finish()
        return merged if merged.arrived or merged.steps else None

    def _take_in(self, other: Ways) -> None:
        self.arrived = self.arrived or other.arrived
        for step, ways in other.steps.items():
            self.steps.setdefault(step, Ways())._take_in(ways)

    def follow(self, node: Node, found: list[Reached]) -> None:
        """Add to `found` where the ways lead from a node.

        Recursion goes no deeper than a way is long.
        """
        if self.arrived:
            found.append(node)
        if self._anywhere:
            found += self._anywhere
        users, operands = node.users, node.operands
        count = len(users)
        if self._to_crowd and count > FEW:
            found += self._put_off(node)
        for most, ways_to in self._up:
            if count <= FEW if most is None else count <= most and not node.output_count:
                for user in reversed(users):
                    ways = ways_to[user.head]
                    if ways is not None:
                        if ways.steps:
                            ways.follow(user, found)
                        else:
                            found.append(user)
        for position, ways in self._down:
            if position is None:
                for operand in reversed(operands):
                    ways.follow(operand, found)
            elif position < len(operands):
                ways.follow(operands[position], found)

    def _put_off(self, node: Node) -> list[PutOff]:
        steps = self.steps.items()
        return [PutOff(node, s.heads, w) for s, w in steps if type(s) is Up and s.most is None]


@dataclass(frozen=True, slots=True)
class PutOff:
    """Users of a node that are too many to be visited after every rewrite beside them."""

    node: Node
    heads: Heads
    ways: Ways


Reached = Node | PutOff | Anywhere
"""What a way leads to: a node that may be a root, or a way on that is put off."""


@lru_cache(maxsize=16)
def neighbourhood_of(rules: tuple[Subst, ...]) -> Neighbourhood:
    """Return the neighbourhood for a set of rules, the same one for the same rules."""
    return Neighbourhood(rules)


class Neighbourhood:
    """Finds the roots of matches that a node may be part of, for a set of rules.

    `ways_from` has the ways from nodes of a head, or None if they are in no match but as inputs,
    `ways_from_interior` those of nodes that are neither inputs nor outputs.
    """

    def __init__(self, rules: Sequence[Subst]) -> None:
        self._ways = [entry for rule in rules for entry in rule.derived(_ways_of)]
        self.ways_from = Memo[Head, Ways | None](partial(self._from_head, interior=False))
        self.ways_from_interior = Memo[Head, Ways | None](partial(self._from_head, interior=True))

    def roots(self, node: Node) -> list[Reached]:
        """Return the nodes that may be the root of a match with `node` in it."""
        found: list[Reached] = []
        ways = self.ways_from[node.head]
        if ways is not None:
            ways.follow(node, found)
        return found

    def further(self, put_off: PutOff | Anywhere, graph: Graph) -> list[Reached]:
        """Return what lies further on a way that was put off."""
        if isinstance(put_off, Anywhere):
            return [node for node in graph if node.head in put_off.heads]
        found: list[Reached] = []
        for user in put_off.node.users:
            if user.head in put_off.heads:
                put_off.ways.follow(user, found)
        return found

    def _from_head(self, head: Head, interior: bool) -> Ways | None:
        ways = Ways()
        for start in self._ways:
            if head in start.heads and (start.interior or not interior):
                ways.add(start.way)
        ways.finish()
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
    found = [places.start(p, way) for p, way in ways.items() if not isinstance(p, INPUTS)]
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
