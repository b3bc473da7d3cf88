"""Values of terms that are remembered while one environment is asked.

Thesis, section on memoisation: expressions are the same when they are the same object. What depends
on the number of a field of a tuple or sum has a value for each number, and everything else one.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Self

from gsl.attr.term import Symbol, Term, Value, free_symbols


class Memory:
    """What is known in an environment; `inside` gives what is known in a field of a tuple or sum.

    Attributes:
        values: what is known, by terms with the numbers of fields on which they depend.
    """

    def __init__(self) -> None:
        self.values: dict[Hashable, Value] = {}
        self._bound: Mapping[Symbol, Value] = {}

    def __contains__(self, term: Term) -> bool:
        return self.key(term) in self.values

    def __getitem__(self, term: Term) -> Value:
        return self.values[self.key(term)]

    def __setitem__(self, term: Term, value: Value) -> None:
        key = self.key(term)
        if key is not None:
            self.values[key] = value

    def inside(self, symbol: Symbol, number: Value) -> Self:
        """Return what is known where `symbol` is bound to `number`, sharing what does not vary."""
        inner = object.__new__(type(self))
        inner.__dict__.update(self.__dict__)
        inner._bound = {**self._bound, symbol: number}
        return inner

    def key(self, term: Term) -> Hashable:
        """Return under what the value of a term is known; None where it is not to be remembered."""
        if not self._bound:
            return term
        free = free_symbols(term)
        if not free:
            return term
        return (term, *[part for one in self._bound.items() if one[0] in free for part in one])
