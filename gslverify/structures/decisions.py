"""Ways through what sizes decide: every combination of the conditions that stay open."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, TypeVar

from gsl.attr.cases import Cases
from gsl.attr.term import Constant, Operation, Term, bottom_up, operation
from gsl.errors import UndecidedError
from gsl.rewrite.builder import known

MOST_PATHS = 64

Made = TypeVar("Made")


class Decisions:
    """Takes one of the ways and remembers what it assumes.

    A condition that was decided before is not asked again, in whatever place of a rule it is. Those
    that were `asked` are in order, each by a number that is the same on all ways.
    """

    def __init__(self, prefix: Sequence[bool] = (), forms: Forms | None = None) -> None:
        self.prefix = prefix
        self.taken: list[bool] = []
        self.path: list[Term] = []
        self.asked: dict[int, Term] = {}
        self._forms = Forms() if forms is None else forms
        self._decided: dict[Hashable, bool] = {}

    def __call__(self, condition: Any) -> bool:
        """Decide a condition: as it is known, or as the path says."""
        if not isinstance(condition, Term):
            return known(condition)
        form = self._forms.of(condition)
        if form not in self._decided:
            position = len(self.taken)
            chosen = self.prefix[position] if position < len(self.prefix) else True
            self.taken.append(chosen)
            self.path.append(condition if chosen else operation("not", condition))
            self.asked[form] = condition
            self._decided[form] = chosen
        return self._decided[form]

    def pick(self, cases: Cases) -> Any:
        """Return one of some cases, which are asked for one at a time; the last is left."""
        *others, last = cases
        return next((one for one in others if self(cases[one])), last)

    def following(self) -> list[bool] | None:
        """Return the beginning of the next path, or None after the last."""
        taken = list(self.taken)
        while taken and not taken[-1]:
            taken.pop()
        return [*taken[:-1], False] if taken else None


def every_way(make: Callable[[Decisions], Made]) -> Iterator[tuple[Made, tuple[Term, ...]]]:
    """Yield what is made in each of the ways, with what it assumes.

    Raises UndecidedError when there are too many.
    """
    prefix: list[bool] | None = []
    forms = Forms()
    for _ in range(MOST_PATHS):
        if prefix is None:
            return
        decisions = Decisions(prefix, forms)
        made = make(decisions)
        yield made, tuple(decisions.path)
        prefix = decisions.following()
    if prefix is not None:
        raise UndecidedError(f"sizes decide in more than {MOST_PATHS} ways")


class Forms:
    """Numbers of terms, which are the same for terms that are written alike."""

    def __init__(self) -> None:
        self._of_term: dict[Term, int] = {}
        self._of_node: dict[Hashable, int] = {}

    def of(self, term: Term) -> int:
        """Return the number of a term."""
        for part in bottom_up(term):
            if part not in self._of_term:
                self._of_term[part] = self._of_node.setdefault(self._node(part), len(self._of_node))
        return self._of_term[term]

    def _node(self, part: Term) -> Hashable:
        match part:
            case Operation(head=head, operands=operands):
                return head, *(self._of_term[operand] for operand in operands)
            case Constant(value=value):
                return type(value), repr(value)
            case _:
                return part
