"""The patterns of a source that stand for nodes, and the ways from them to the root.

Which way there is depends on the arms that a match takes of alternatives: what is below several of
them leads upwards through the one that is taken. So a pattern has a way for each choice of arms,
and one of them is there in every match.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import product
from typing import NamedTuple

from gsl.engine.index import heads_of, root_of
from gsl.engine.ways import Anywhere, Down, Step, Up, Way
from gsl.match.conditions import fields_are_numbered
from gsl.pat import INPUTS, Alt, GetInst, Pattern, Variadic
from gsl.subst import Subst

LONGEST_WAY = 50
"""For patterns that are further from the root the root is looked for anywhere."""

MOST_WAYS = 16
"""For patterns with more ways, by different arms, the root is looked for anywhere."""


class Choice(NamedTuple):
    """An arm that a match takes of an alternative.

    Of one in a template every field takes an arm. There a way may go up in one field and down in
    another, which are two choices.
    """

    alternative: Pattern
    arm: Pattern
    upwards: bool = True


Choices = frozenset[Choice]

Ways = dict[Choices, Way]
"""Ways between two places, each in all matches that have made its choices."""

Standing = tuple[Pattern, Choices]


Next = tuple[Pattern, Step, Choices]
"""A pattern, a step from or to it, and the choices that a match with this step has made."""


class Link(NamedTuple):
    """An operand or a user of a pattern, the position of that operand, and the arms between."""

    other: Pattern
    position: int | None
    choices: Choices


class Places:
    """The patterns of a source that stand for nodes, and the steps between them.

    `has_far` tells if ways were left out because they are too long or too many.
    """

    def __init__(self, rule: Subst) -> None:
        self.has_far = False
        self._rule = rule
        self._root = root_of(rule)
        variadic = rule.variadic
        self._outputs = rule.source if variadic is None else (self._root, variadic.field)
        self._free = self._used_by_anything()
        self._operands: dict[Pattern, list[Link]] = {}
        self._users: defaultdict[Pattern, list[Link]] = defaultdict(list)
        self._repeated: dict[Pattern, set[Variadic]] = {}
        for pattern in rule.source_patterns:
            self._note(pattern)

    def _note(self, pattern: Pattern) -> None:
        if isinstance(pattern, Variadic):
            for template in pattern.templates:
                self._repeated.setdefault(template, set()).add(pattern)
        if pattern is self._rule.variadic or isinstance(pattern, Alt | GetInst):
            return
        self._operands[pattern] = _links(pattern)
        for below, position, choices in self._operands[pattern]:
            self._users[below].append(Link(pattern, position, choices))

    def _used_by_anything(self) -> frozenset[Pattern]:
        """Return what may be an output, and templates that are used beside their own field."""
        used = [*self._outputs]
        for pattern in self._rule.source_patterns:
            if isinstance(pattern, GetInst):
                used += pattern.template, pattern.variadic.first_of(pattern.template)
        return frozenset([below for pattern in used for below, _ in standing(pattern)])

    def is_interior(self, pattern: Pattern) -> bool:
        """Tell whether `pattern` may be no output; an arm of an output may."""
        return pattern not in self._outputs

    def ways(self) -> dict[Pattern, Ways]:
        """Return the ways from every pattern to the root: along users only, or the shortest."""
        upwards = self._ways_to_root(upwards=True)
        shortest = self._ways_to_root(upwards=False)
        return {
            pattern: _without_needless([*upwards.get(pattern, {}).items(), *ways.items()])
            for pattern, ways in shortest.items()
        }

    def far(self, ways: dict[Pattern, Ways]) -> list[Pattern]:
        """Return the patterns from which there may be none of `ways` in a match.

        They are those without one that all matches have, if ways were left out or if arms that a
        match may take do not connect an output with the root.
        """
        if not self.has_far and all(self._is_connected(output, ways) for output in self._outputs):
            return []
        return [pattern for pattern in self._operands if frozenset() not in ways.get(pattern, {})]

    def _is_connected(self, output: Pattern, ways: dict[Pattern, Ways]) -> bool:
        starts = standing(output)
        found = [arms | choices for below, arms in starts for choices in ways.get(below, {})]
        return not starts or cover(found)

    def _ways_to_root(self, upwards: bool) -> dict[Pattern, Ways]:
        """Return the shortest ways to the root, along users only if `upwards`.

        A way up to a user and down again needs what it takes for that user to be in the match.
        """
        outputs = [end for output in self._outputs for end in standing(output)]
        present = {} if upwards else self._explored(outputs, self._steps_up)

        def steps_to(pattern: Pattern, way: Way) -> Iterator[Next]:
            is_peak = bool(way) and type(way[0]) is Down
            for needed in present.get(pattern, {}) if is_peak else (frozenset[Choice](),):
                for below, step, choices in self._steps_up(pattern, way):
                    yield below, step, choices | needed
            if not upwards:
                for user, position, choices in self._users[pattern]:
                    yield user, Down(position), self._downwards(choices)

        return self._explored(standing(self._root), steps_to)

    def _steps_up(self, pattern: Pattern, _: Way) -> Iterator[Next]:
        for below, _position, choices in self._operands[pattern]:
            yield below, self._up(below, pattern), choices

    def _downwards(self, choices: Choices) -> Choices:
        """Return the choices of a way down where those of a way up are `choices`."""
        return frozenset([c._replace(upwards=c.alternative not in self._repeated) for c in choices])

    def _explored(
        self,
        ends: Iterable[Standing],
        steps_to: Callable[[Pattern, Way], Iterable[Next]],
    ) -> dict[Pattern, Ways]:
        """Return the shortest ways to `ends`, none longer than LONGEST_WAY.

        `steps_to` has the steps to a pattern from which a way leads on.
        """
        found: dict[Pattern, Ways] = {}
        pending: deque[tuple[Pattern, Choices, Way]] = deque((*end, ()) for end in ends)
        while pending:
            pattern, choices, way = pending.popleft()
            ways = found.setdefault(pattern, {})
            if not _add(ways, choices, way):
                continue
            if len(way) == LONGEST_WAY or len(ways) > MOST_WAYS:
                self.has_far = True
                continue
            for other, step, needed in steps_to(pattern, way):
                pending.append((other, choices | needed, (step, *way)))
        return found

    def _up(self, pattern: Pattern, user: Pattern) -> Up:
        return Up(self._most_users(pattern), heads_of(user))

    def _most_users(self, pattern: Pattern) -> int | None:
        """Return how many users a node of `pattern` has at most in a match; None is any number."""
        users = [user for user, _, _ in self._users[pattern]]
        repeated = self._repeated.get(pattern, set())
        shared = any(not self._repeated.get(user, set()) <= repeated for user in users)
        free = isinstance(pattern, INPUTS) or pattern in self._free or shared
        return None if free else len(users)

    def around(self) -> list[Way]:
        """Return the ways from a field to any other, none when field 0 may be any of them."""
        variadic = self._rule.variadic
        if variadic is None or variadic.first or not fields_are_numbered(self._rule, variadic):
            return []
        ways = _without_needless(self._across(variadic))
        if len(ways) > MOST_WAYS or not cover(ways):
            return [(Anywhere(heads_of(variadic.field)),)]
        return [*ways.values()]

    def _across(self, variadic: Variadic) -> Iterator[tuple[Choices, Way]]:
        """Yield ways from a field down to what fields share and up to another one."""

        def steps_down(pattern: Pattern, _: Way) -> Iterator[Next]:
            for below, position, choices in self._operands[pattern]:
                if pattern in variadic.templates:
                    yield below, Down(position), self._downwards(choices)

        field = [(below, self._downwards(arms)) for below, arms in standing(variadic.field)]
        downs, ups = self._explored(field, steps_down), self._ways_to_root(upwards=True)
        for shared in [below for below in downs if below not in variadic.templates]:
            for (here, down), (there, up) in product(downs[shared].items(), ups[shared].items()):
                yield here | there, (*reversed(down), *up)


def standing(pattern: Pattern) -> list[Standing]:
    """Return the patterns that a node stands for where `pattern` is written, and the arms chosen.

    Of alternatives these are their arms. Nothing for an instance, because its template is found
    elsewhere.
    """
    found: list[Standing] = []
    stack: list[Standing] = [(pattern, frozenset())]
    while stack:
        current, choices = stack.pop()
        if isinstance(current, Alt):
            arms = reversed(current.operands)
            stack.extend((arm, choices | {Choice(current, arm)}) for arm in arms)
        elif not isinstance(current, GetInst):
            found.append((current, choices))
    return found


def cover(choices: Collection[Choices]) -> bool:
    """Tell whether every match has made all of some `choices`, whatever arms it takes."""
    if not choices or frozenset() in choices:
        return bool(choices)
    passed = next(choice for made in choices for choice in made)
    every = frozenset([passed._replace(arm=arm) for arm in passed.alternative.operands])
    return all(
        cover([made - {taken} for made in choices if made.isdisjoint(every - {taken})])
        for taken in every
    )


def _links(pattern: Pattern) -> list[Link]:
    """Return the operands of a pattern; that a tuple has more than field 0 is a choice, too."""
    found = []
    for position, operand in enumerate(pattern.operands):
        is_further = isinstance(pattern, Variadic) and position >= pattern.minimum
        own = frozenset([Choice(pattern, operand)] if is_further else ())
        place = None if isinstance(pattern, Variadic) else position
        found += [Link(below, place, arms | own) for below, arms in standing(operand)]
    return found


def _without_needless(ways: Iterable[tuple[Choices, Way]]) -> Ways:
    """Return the ways that are there in a match that has none of the ways before."""
    found: Ways = {}
    for choices, way in ways:
        _add(found, choices, way)
    return found


def _add(ways: Ways, choices: Choices, way: Way) -> bool:
    """Add a way, unless one of `ways` is there wherever it is; tell whether it was added."""
    needed = not any(earlier <= choices for earlier in ways)
    if needed:
        ways[choices] = way
    return needed
