"""Values of attribute expressions that are remembered while the target of a match is built.

Thesis, section on memoisation: expressions are the same when they are the same object; one
without free symbols has one value in the whole match, others have one in every field.
"""

from __future__ import annotations

from gsl.attr.term import Access, Symbol, Term, Value, free_symbols, subterms
from gsl.match.bindings import Frame, Path, instance_of
from gsl.pat import GetInst


class MatchMemory:
    """What is known in a match; `at` gives what is known in one of its fields."""

    def __init__(self) -> None:
        self.values: dict[Term, Value] = {}
        self.free: dict[Term, frozenset[Symbol]] = {}
        self._fields: dict[Path, FieldMemory] = {}

    def at(self, frame: Frame | None) -> FieldMemory:
        """Return what is known in `frame`, None being outside of all fields."""
        path = () if frame is None else frame.path
        return self._fields.setdefault(path, FieldMemory(self, frame, path))


class FieldMemory:
    """What is known in one field and in the match around it."""

    def __init__(self, match: MatchMemory, frame: Frame | None, path: Path) -> None:
        self._match = match
        self._frame = frame
        self._symbols = frozenset(variadic.symbol for variadic, _ in path)
        self._values: dict[Term, Value] = {}

    def __contains__(self, term: Term) -> bool:
        return term in self._match.values or term in self._values

    def __getitem__(self, term: Term) -> Value:
        return (self._match.values if term in self._match.values else self._values)[term]

    def __setitem__(self, term: Term, value: Value) -> None:
        """Remember a value, unless it depends on a symbol that an expression binds itself."""
        free = self._match.free.get(term)
        if free is None:
            free = self._match.free[term] = free_symbols(term)
        if free <= self._symbols:
            varies = free or any(map(self._is_local, subterms(term)))
            (self._values if varies else self._match.values)[term] = value

    def _is_local(self, term: Term) -> bool:
        if not isinstance(term, Access):
            return False
        pattern = term.pattern
        owner = pattern.variadic if isinstance(pattern, GetInst) else pattern
        return bool(instance_of(pattern, self._frame)[1] or instance_of(owner, self._frame)[1])
