"""Values of attribute expressions that are remembered while the target of a match is built.

Thesis, section on memoisation: one that refers to nothing in the fields of a variadic pattern has
one value in the whole match, others have one in every field.
"""

from __future__ import annotations

from collections.abc import Hashable

from gsl.attr.memory import Memory
from gsl.attr.term import Access, Term, Value, free_symbols, subterms
from gsl.match.bindings import Frame, Path, instance_of
from gsl.pat import GetInst


class MatchMemory:
    """What is known in a match; `at` gives what is known in one of its fields."""

    def __init__(self) -> None:
        self.values: dict[Hashable, Value] = {}
        self._fields: dict[Path, FieldMemory] = {}

    def at(self, frame: Frame | None) -> FieldMemory:
        """Return what is known in `frame`, None being outside of all fields."""
        path = () if frame is None else frame.path
        if path not in self._fields:
            self._fields[path] = FieldMemory(frame, path)
            self._fields[path].values = self.values
        return self._fields[path]


class FieldMemory(Memory):
    """What is known in one field and in the match around it."""

    def __init__(self, frame: Frame | None, path: Path) -> None:
        super().__init__()
        self._frame = frame
        self._path = path
        self._symbols = frozenset(variadic.symbol for variadic, _ in path)
        self._varies: dict[Term, bool] = {}

    def key(self, term: Term) -> Hashable:
        """Return under what a value is known; None if it depends on what is bound elsewhere."""
        free = free_symbols(term)
        if free and not all(one in self._bound or one in self._symbols for one in free):
            return None
        key = super().key(term)
        if not self._path:
            return key
        if term not in self._varies:
            in_field = not self._symbols.isdisjoint(free)
            self._varies[term] = in_field or any(map(self._is_local, subterms(term)))
        return (self._path, key) if self._varies[term] else key

    def _is_local(self, term: Term) -> bool:
        if not isinstance(term, Access):
            return False
        pattern = term.pattern
        owner = pattern.variadic if isinstance(pattern, GetInst) else pattern
        return bool(instance_of(pattern, self._frame)[1] or instance_of(owner, self._frame)[1])
