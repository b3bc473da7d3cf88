"""What a build of a source has bound, in order, so that the next one goes on from there.

The search for structures changes the last decision that may help. Everything that was bound before
it is bound again in the next structure, and need not be taken apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from gsl.match.bindings import Key
from gsl.pat import Alt, Wildcard
from gsl.span import Origin
from gslverify.structures.choices import BuildRecord, Positions, Replay
from gslverify.structures.instance import Instance


@dataclass(slots=True)
class _Mark:
    """A binding, and how far the build had come with it, and at what place it was.

    `undo` takes back what else followed from the binding, the last first.
    """

    table: dict[Key, Any]
    key: Key
    choices: int
    place: Origin | None
    claims: int = 0
    names: int = 0
    exhaustive: bool = True
    undo: list[Callable[[], object]] = field(default_factory=list)


class Trail:
    """The bindings of an instance in the making, the latest last.

    `causes` says on which decisions every binding depends, by the identity of its table.
    """

    def __init__(self, instance: Instance, record: BuildRecord) -> None:
        self._instance = instance
        self._record = record
        self._start = _Mark({}, (Wildcard(), ()), 0, None)
        self._marks: list[_Mark] = []
        self.causes: dict[tuple[int, Key], Positions] = {}

    def bind(
        self, table: dict[Key, Any], key: Key, value: Any, choices: int, place: Origin | None
    ) -> None:
        """Bind a key in one of the tables of the bindings, after a number of choices."""
        table[key] = value
        self._marks.append(_Mark(table, key, choices, place))
        self.settle()

    def settle(self) -> None:
        """Note how far the build has come since the last binding."""
        mark = self._last()
        mark.claims, mark.names = len(self._record.claims), len(self._instance.names)
        mark.exhaustive = self._record.exhaustive

    def on_undo(self, action: Callable[[], object]) -> None:
        """Have something else taken back together with the last binding."""
        self._last().undo.append(action)

    def _last(self) -> _Mark:
        return self._marks[-1] if self._marks else self._start

    def rewind(self, last: Replay | None, choose: Replay) -> Origin | None:
        """Undo what other choices than the last ones may change; make those that stay.

        Returns the place that the build had reached, None when nothing is left of it.
        """
        shared = 0 if last is None else _shared(last, choose)
        while self._marks and self._marks[-1].choices > shared:
            self._undo(self._marks.pop())
        mark = self._last()
        choose.back_to(mark.choices)
        del self._record.claims[mark.claims :]
        while len(self._instance.names) > mark.names:
            self._instance.names.popitem()
        self._record.exhaustive = mark.exhaustive
        return mark.place

    def take_back(self) -> None:
        """Undo the last binding, which was refused."""
        self._undo(self._marks.pop())

    def _undo(self, mark: _Mark) -> None:
        for action in reversed(mark.undo):
            action()
        value = mark.table.pop(mark.key)
        self.causes.pop((id(mark.table), mark.key), None)
        if mark.table is self._instance.bindings.nodes and not isinstance(mark.key[0], Alt):
            self._instance.graph.take_back(value)


def _shared(last: Replay, choose: Replay) -> int:
    """Return how many choices are the same as the last ones, and make these and the next."""
    for number, (made, count) in enumerate(zip(last.made, last.open, strict=True)):
        if choose.pick(last.decisions[number], count) != made:
            return number
    return len(last.made)
