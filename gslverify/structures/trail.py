"""What a build of a source has bound, in order, so that the next one goes on from there.

Structures are enumerated by changing the last choice that can change. Everything that was bound
before that choice is bound again in the next structure, and need not be taken apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gsl.match.bindings import Key
from gsl.pat import Alt, Wildcard
from gsl.span import Origin
from gslverify.structures.choices import Replay, Told
from gslverify.structures.instance import Instance


@dataclass(frozen=True, slots=True)
class _Mark:
    """A binding, and how far the build had come with it, and at what place it was."""

    table: dict[Key, Any]
    key: Key
    choices: int
    claims: int
    names: int
    exhaustive: bool
    place: Origin | None


_START = _Mark({}, (Wildcard(), ()), 0, 0, 0, True, None)


class Trail:
    """The bindings of an instance in the making, the latest last."""

    def __init__(self, instance: Instance, told: Told) -> None:
        self._instance = instance
        self._told = told
        self._marks: list[_Mark] = []

    def bind(
        self, table: dict[Key, Any], key: Key, value: Any, choices: int, place: Origin | None
    ) -> None:
        """Bind a key in one of the tables of the bindings, after a number of choices."""
        table[key] = value
        claims, names = len(self._told.claims), len(self._instance.names)
        exhaustive = self._told.exhaustive
        self._marks.append(_Mark(table, key, choices, claims, names, exhaustive, place))

    def rewind(self, last: Replay | None, choose: Replay) -> Origin | None:
        """Undo what other choices than the last ones may change; make those that stay.

        Returns the place that the build had reached, None when nothing is left of it.
        """
        shared = 0 if last is None else _shared(last, choose)
        while self._marks and self._marks[-1].choices > shared:
            self._undo(self._marks.pop())
        mark = self._marks[-1] if self._marks else _START
        choose.back_to(mark.choices)
        del self._told.claims[mark.claims :]
        while len(self._instance.names) > mark.names:
            self._instance.names.popitem()
        self._told.exhaustive = mark.exhaustive
        return mark.place

    def _undo(self, mark: _Mark) -> None:
        value = mark.table.pop(mark.key)
        if mark.table is self._instance.bindings.nodes and not isinstance(mark.key[0], Alt):
            self._instance.graph.take_back(value)


def _shared(last: Replay, choose: Replay) -> int:
    """Return how many choices are the same as the last ones, and make these and the next."""
    for number, (made, count) in enumerate(zip(last.made, last.open, strict=True)):
        if choose.pick(count) != made:
            return number
    return len(last.made)
