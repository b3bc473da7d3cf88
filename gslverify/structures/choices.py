"""Ways of choosing, and what the same choices have led to before."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from gsl.attr.term import Access, subterms
from gsl.errors import GslError
from gsl.expr import Expr
from gsl.pat import Alt, Call, GetInst, Pattern, SameOperator, Variadic
from gslverify.structures.instance import Claim, InfeasibleError


class Replay:
    """Chooses by a given prefix, then always the first option, and notes what it could choose."""

    def __init__(self, prefix: Sequence[int]) -> None:
        self.prefix = prefix
        self.made: list[int] = []
        self.open: list[int] = []

    def __call__(self, options: Sequence[Any]) -> Any:
        """Return the option that the prefix says, or the first one."""
        return options[self.pick(len(options))]

    def pick(self, count: int) -> int:
        """Return the number of one of `count` options; raise InfeasibleError if there are none."""
        if not count:
            raise InfeasibleError("there is nothing to choose from")
        chosen = self.chosen(len(self.made), count)
        self.made.append(chosen)
        self.open.append(count)
        return chosen

    def chosen(self, position: int, count: int) -> int:
        """Return what is chosen at a position, however often that is asked."""
        return self.prefix[position] if position < len(self.prefix) else 0

    def back_to(self, position: int) -> None:
        """Forget the choices from a position on; they will be the same again."""
        del self.made[position:], self.open[position:]


class Sample(Replay):
    """Chooses at random, and notes what it chose."""

    def __init__(self, generator: random.Random) -> None:
        super().__init__(())
        self.generator = generator
        self._drawn: list[int] = []

    def chosen(self, position: int, count: int) -> int:
        """Return any option."""
        if position == len(self._drawn):
            self._drawn.append(self.generator.randrange(count))
        return self._drawn[position]


@dataclass(slots=True)
class _Step:
    """What a pattern becomes after some choices: an expression with claims, or an error.

    Before that `count` says how many options the next choice has, and `after` where each leads.
    """

    count: int = 0
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

    def expr(self, cause: Hashable, replay: Replay, make: Callable[[], Expr], told: Told) -> Expr:
        """Return what `make` returns, with the same effects on `told`; raises what it raises.

        The `cause` has everything that the result depends on, beside the choices made meanwhile.
        """
        start = len(replay.made)
        first = self.known.get(cause)
        if first is None:
            first = self.known[cause] = _Step()
        step = first
        while step.count:
            chosen = replay.pick(step.count)
            if chosen not in step.after:
                break
            step = step.after[chosen]
        if step.is_end:
            return told.take(step)
        replay.back_to(start)
        return _recorded(first, replay, make, told)


def _mentioned(pattern: Pattern) -> Iterator[Pattern]:
    for part in (part for term in pattern.terms() for part in subterms(term)):
        if isinstance(part, Access):
            yield part.pattern
    if isinstance(pattern, Call):
        if pattern.attributes_of is not None:
            yield pattern.attributes_of
        if isinstance(pattern.callee, SameOperator):
            yield pattern.callee.call


class Told:
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


def _recorded(first: _Step, replay: Replay, make: Callable[[], Expr], told: Told) -> Expr:
    start, before, exhaustive = len(replay.made), len(told.claims), told.exhaustive
    told.exhaustive = True
    end = _Step()
    try:
        end.expr = make()
        return end.expr
    except GslError as error:
        end.error = error
        raise
    finally:
        end.claims, end.exhaustive = tuple(told.claims[before:]), told.exhaustive
        told.exhaustive &= exhaustive
        if end.is_end:
            _insert(first, replay.made[start:], replay.open[start:], end)


def _insert(first: _Step, made: Sequence[int], counts: Sequence[int], end: _Step) -> None:
    step = first
    for number, (chosen, count) in enumerate(zip(made, counts, strict=True)):
        step.count = count
        is_last = number + 1 == len(made)
        step = step.after.setdefault(chosen, end if is_last else _Step())
    if not made:
        first.expr, first.claims = end.expr, end.claims
        first.exhaustive, first.error = end.exhaustive, end.error
