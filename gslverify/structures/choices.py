"""Decisions about a structure, ways of making them, and what the same ones have led to before."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from gsl.attr.term import Access, subterms
from gsl.errors import GslError
from gsl.expr import Expr
from gsl.match.bindings import Key
from gsl.pat import Alt, Call, GetInst, Pattern, SameOperator, Variadic
from gslverify.structures.instance import Claim, InfeasibleError


@dataclass(frozen=True, slots=True)
class Decision:
    """What is decided of which pattern: its rank, its axes, how many fields it has.

    The key tells fields of a variadic pattern apart.
    """

    what: str
    key: Key


Positions = int
"""A set of decisions of one build by their places in order, as the bits of a number."""

ALL_POSITIONS: Positions = -1
"""Every decision, also those that are not known yet."""


class Replay:
    """Chooses by a given prefix, then always the first option, and notes what it could choose.

    `decisions` says what was chosen each time.
    """

    def __init__(self, prefix: Sequence[int]) -> None:
        self.prefix = prefix
        self.made: list[int] = []
        self.open: list[int] = []
        self.decisions: list[Decision] = []

    def __call__(self, decision: Decision, options: Sequence[Any]) -> Any:
        """Return the option that the prefix says, or the first one."""
        return options[self.pick(decision, len(options))]

    def pick(self, decision: Decision, count: int) -> int:
        """Return the number of one of `count` options; raise InfeasibleError if there are none."""
        if not count:
            raise InfeasibleError("there is nothing to choose from")
        chosen = self.chosen(len(self.made), count)
        self.made.append(chosen)
        self.open.append(count)
        self.decisions.append(decision)
        return chosen

    def chosen(self, position: int, count: int) -> int:
        """Return what is chosen at a position, however often that is asked."""
        return self.prefix[position] if position < len(self.prefix) else 0

    def positions_of(self, *what: str) -> Positions:
        """Return the decisions about some properties."""
        every = enumerate(self.decisions)
        return sum(1 << number for number, decision in every if decision.what in what)

    def back_to(self, position: int) -> None:
        """Forget the choices from a position on; they will be the same again."""
        del self.made[position:], self.open[position:], self.decisions[position:]


class Chance(Replay):
    """Chooses by numbers of any size, as many options as there are."""

    def chosen(self, position: int, count: int) -> int:
        """Return what is chosen at a position, however often that is asked."""
        return self.prefix[position] % count if position < len(self.prefix) else 0


@dataclass(slots=True)
class _Step:
    """What a pattern becomes after some choices: an expression with claims, or an error.

    Before that `count` says how many options the next `decision` has, and `after` where each leads.
    """

    count: int = 0
    decision: Decision | None = None
    after: dict[int, _Step] = field(default_factory=dict)
    expr: Expr | None = None
    claims: tuple[Claim, ...] = ()
    exhaustive: bool = True
    error: GslError | None = None

    @property
    def is_end(self) -> bool:
        """Whether there is nothing left to choose."""
        return self.expr is not None or self.error is not None


@dataclass(slots=True)
class Steps:
    """What the patterns of one rule became in one extent, by what they are made of.

    A build takes over what earlier ones have made. Enumerated structures differ in a few choices,
    so most of every build is known.
    """

    known: dict[Hashable, _Step] = field(default_factory=dict)
    _read: dict[Pattern, tuple[Pattern, ...] | None] = field(default_factory=dict)

    def read_by(self, pattern: Pattern) -> tuple[Pattern, ...] | None:
        """Return the patterns whose expressions the attributes of a pattern depend on.

        None where lengths, arms or positions of fields may play a part.
        """
        if pattern not in self._read:
            read = tuple(dict.fromkeys(_mentioned(pattern)))
            located = any(isinstance(other, Variadic | Alt | GetInst) for other in read)
            self._read[pattern] = None if located else read
        return self._read[pattern]

    def expr(
        self, cause: Hashable, replay: Replay, make: Callable[[], Expr], record: BuildRecord
    ) -> Expr:
        """Return what `make` returns, with the same effects on `record`; raises what it raises.

        The `cause` has everything that the result depends on, beside the choices made meanwhile.
        """
        start = len(replay.made)
        first = self.known.get(cause)
        if first is None:
            first = self.known[cause] = _Step()
        step = first
        while step.decision is not None:
            chosen = replay.pick(step.decision, step.count)
            if chosen not in step.after:
                break
            step = step.after[chosen]
        if step.is_end:
            return record.take(step)
        replay.back_to(start)
        return _recorded(first, replay, make, record)


def _mentioned(pattern: Pattern) -> Iterator[Pattern]:
    for part in (part for term in pattern.terms() for part in subterms(term)):
        if isinstance(part, Access):
            yield part.pattern
    if isinstance(pattern, Call):
        if pattern.attributes_of is not None:
            yield pattern.attributes_of
        if isinstance(pattern.callee, SameOperator):
            yield pattern.callee.call


class BuildRecord:
    """What the making of an expression says beside it: claims, and whether all forms were tried."""

    def __init__(self, claims: list[Claim]) -> None:
        self.claims = claims
        self.exhaustive = True

    def take(self, step: _Step) -> Expr:
        """Say what a step has said, and return its expression or raise its error."""
        self.exhaustive &= step.exhaustive
        if step.expr is None:
            assert step.error is not None
            raise step.error.with_traceback(None)
        self.claims.extend(step.claims)
        return step.expr


def _recorded(first: _Step, replay: Replay, make: Callable[[], Expr], record: BuildRecord) -> Expr:
    start, before, exhaustive = len(replay.made), len(record.claims), record.exhaustive
    record.exhaustive = True
    end = _Step()
    try:
        end.expr = make()
        return end.expr
    except GslError as error:
        end.error = error
        raise
    finally:
        end.claims, end.exhaustive = tuple(record.claims[before:]), record.exhaustive
        record.exhaustive &= exhaustive
        if end.is_end:
            _insert(first, replay, start, end)


def _insert(first: _Step, replay: Replay, start: int, end: _Step) -> None:
    step, last = first, len(replay.made) - 1
    for place in range(start, last + 1):
        step.count, step.decision = replay.open[place], replay.decisions[place]
        step = step.after.setdefault(replay.made[place], end if place == last else _Step())
    if start > last:
        first.expr, first.claims = end.expr, end.claims
        first.exhaustive, first.error = end.exhaustive, end.error
