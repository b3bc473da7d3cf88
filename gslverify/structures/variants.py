"""The structures of a rule, found by a depth-first search over decisions.

Decisions are made in the order in which patterns are built. Where a refusal does not depend on a
decision, its other options are refused as well and are not tried (conflict-directed backjumping),
so decisions that nothing relates are not multiplied.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gsl.attr.term import Term
from gsl.errors import GslError
from gsl.pat import Pattern
from gsl.subst import Subst
from gslverify.structures.choices import ALL_POSITIONS, Chance, Decision, Positions, Replay, Steps
from gslverify.structures.instance import USUAL, Claim, Extent, InfeasibleError, Instance
from gslverify.structures.sources.assembly import SourceBuilder, build_instance
from gslverify.structures.sources.source_builder import SIZES_ARE_POSITIVE

MOST_RUNS = 20_000
"""Builds of a source after which the search is given up, of a rule with few patterns."""

MOST_PATTERNS = 240_000
"""Patterns built in all after which the search is given up, those that were known before too."""

STRUCTURES_DRAWN, MOST_REPAIRS, FIRST_FOUND = 400, 200, 20
"""Structures drawn where not all can be tried, builds to find each, and so many beside them."""

HOPELESS = 4
"""Where this part of what is drawn has no structure, the rest is not drawn."""

MOST_CHOICES = 512
"""Choices of a structure that are made by chance; of those after them the first is made."""


@dataclass(frozen=True, slots=True)
class Variant:
    """The choices that lead to one structural variant of a rule."""

    choices: tuple[int, ...]
    extent: Extent = USUAL
    steps: Steps | None = field(default=None, compare=False, repr=False)

    def instance(self, subst: Subst) -> Instance:
        """Build the instance anew, but for what is known of the `steps` to it."""
        made = build_instance(subst, Replay(self.choices), self.extent, self.steps)
        made.choices = self.choices
        return made


@dataclass(frozen=True, slots=True)
class Open:
    """A structure of which it is not known whether some graph has it, or what it is.

    `decisions` are those made, each with what was chosen; `claims` hold in it, as far as it goes.
    """

    reason: str
    decisions: tuple[Decision, ...] = ()
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True)
class Enumeration:
    """The structural variants of a rule.

    The search was `complete` when nothing within the extent is left; else `unsearched` has the
    decisions that are left open. It was `exhaustive` when no attribute has forms beside those that
    can be chosen. `undecided` are structures that could not be built, `obstacles` on what the
    choices that came furthest without success failed; some `lack_elements`, whatever the sizes that
    are not given. The variants stand for so many `structures`; the source was built so many times,
    in `runs`.
    """

    variants: tuple[Variant, ...]
    complete: bool
    exhaustive: bool = True
    undecided: tuple[Open, ...] = ()
    obstacles: tuple[InfeasibleError, ...] = ()
    lack_elements: bool = False
    unsearched: tuple[Decision, ...] = ()
    structures: int = 0
    runs: int = 0


class Search:
    """A search for the structures of a rule within an extent, one build after the other.

    The `steps` are those of an earlier search through the same structures, if there was one. Only
    those are found in which all that is `wanted` may be true.
    """

    def __init__(
        self,
        subst: Subst,
        extent: Extent = USUAL,
        steps: Steps | None = None,
        wanted: Sequence[Term] = (),
    ) -> None:
        self.extent = extent
        self.steps = steps or Steps()
        self.builder = SourceBuilder(subst, extent, self.steps, wanted)
        self.exhaustive = True
        self.undecided: dict[str, Open] = {}
        self.obstacles: list[InfeasibleError] = []
        self.lack_elements = False
        self.last = Replay(())
        self.prefix: list[int] | None = []
        self.found: list[Variant] = []
        self.runs = 0
        self._most_runs = MOST_PATTERNS // (len(subst.source_patterns) or 1)
        self._conflicts: list[Positions] = []

    @property
    def is_sure(self) -> bool:
        """Whether no structure was left out so far, as undecided or in a form that is not tried."""
        return self.exhaustive and not self.undecided

    def variants(self, most_runs: int = MOST_RUNS) -> Iterator[tuple[Variant, Instance]]:
        """Yield structures with their instances, each of which lasts until the next is asked for.

        The search has come to its end when `prefix` is None afterwards.
        """
        most_runs = min(most_runs, self._most_runs)
        while self.prefix is not None and self.runs < most_runs:
            self.runs += 1
            replay = self.last = Replay(self.prefix)
            conflict, instance = self._attempt(replay)
            self.prefix = self._next(replay, conflict)
            if instance is not None:
                self.found.append(Variant(tuple(replay.made), self.extent, self.steps))
                yield self.found[-1], instance

    def again(self, start: int = 0) -> Iterator[tuple[Variant, Instance]]:
        """Yield the structures that were found from number `start` on, as `variants` did."""
        for variant in self.found[start:]:
            yield variant, self.builder.build(Replay(variant.choices))

    def has_more_after(self, most_runs: int) -> bool:
        """Go on with the search; tell whether more builds than these are needed for its end."""
        for _ in self.variants(most_runs):
            pass
        return self.prefix is not None

    def selection(self, most: int, others: Iterable[Variant] = ()) -> Enumeration:
        """Return the first of the structures that were found, `others`, and some that are drawn.

        The search cannot be gone on with afterwards.
        """
        found = [*self.found[:FIRST_FOUND], *others, *self.drawn(most, seed=0)]
        return self.enumeration(list(dict.fromkeys(found)))

    def drawn(self, number: int, seed: int) -> Iterator[Variant]:
        """Yield structures from everywhere, where not all can be tried.

        Each begins with choices by chance, of which those are changed that clash. Fewer are drawn
        where no structure is found for long.
        """
        draw, found = random.Random(seed), 0
        for drawn in range(number):
            if not found and HOPELESS * drawn >= number:
                return
            replay: Replay = Chance([draw.randrange(2**16) for _ in range(MOST_CHOICES)])
            self._conflicts.clear()
            for _ in range(MOST_REPAIRS):
                conflict, instance = self._attempt(replay)
                if instance is not None:
                    found += 1
                    yield Variant(tuple(replay.made), self.extent, self.steps)
                    break
                choices = self._next(replay, conflict)
                if choices is None:
                    break
                replay = Replay(choices)

    def furthest(self) -> tuple[InfeasibleError, ...]:
        """Return on what the choices failed that came furthest, every reason once."""
        reasons = {str(error): error for error in reversed(self.obstacles)}
        return tuple(reversed(reasons.values()))

    def unsearched(self) -> tuple[Decision, ...]:
        """Return the decisions that the search has not tried in every way."""
        if self.prefix is None:
            return ()
        made = zip(self.last.made, self.last.open, self.last.decisions, strict=True)
        return tuple(decision for chosen, count, decision in made if chosen + 1 < count)

    def enumeration(self, variants: Sequence[Variant], structures: int = 0) -> Enumeration:
        """Return what was found: variants that stand for all `structures`, or for themselves."""
        return Enumeration(
            tuple(variants),
            self.prefix is None,
            self.exhaustive,
            tuple(self.undecided.values()),
            self.furthest(),
            self.lack_elements,
            self.unsearched(),
            structures or len(variants),
            self.runs,
        )

    def _attempt(self, replay: Replay) -> tuple[Positions, Instance | None]:
        """Build what `replay` chooses; return the decisions that other ones may be tried of."""
        try:
            instance = self.builder.build(replay)
            self.exhaustive &= instance.exhaustive
            return ALL_POSITIONS, instance
        except InfeasibleError as error:
            # A form that was not tried might have led to a structure.
            self.exhaustive &= self.builder.record.exhaustive
            self._failed(error)
            return error.positions, None
        except GslError as error:
            claims = tuple(self.builder.instance.claims)
            self.undecided.setdefault(str(error), Open(str(error), tuple(replay.decisions), claims))
            return ALL_POSITIONS, None

    def _failed(self, error: InfeasibleError) -> None:
        self.lack_elements |= str(error) == SIZES_ARE_POSITIVE
        most = max((other.progress for other in self.obstacles[:1]), default=0)
        if error.progress > most:
            self.obstacles.clear()
        if error.progress >= most:
            error.__cause__ = error.__context__ = None  # they keep every frame of the build alive
            self.obstacles.append(error.with_traceback(None))

    def _next(self, replay: Replay, conflict: Positions) -> list[int] | None:
        """Return the choices to go on with: those that may repair what depends on a conflict."""
        made, counts, conflicts = list(replay.made), replay.open, self._conflicts
        del conflicts[len(made) :]
        conflicts += [0] * (len(made) - len(conflicts))
        while made:
            place = len(made) - 1
            if conflict >> place & 1 or conflicts[place] == ALL_POSITIONS:
                conflict |= conflicts[place]
                if made[-1] + 1 < counts[place]:
                    conflicts[place] = conflict
                    made[-1] += 1
                    return made
            made.pop()
            conflicts.pop()
        return None


def enumerate_variants(
    subst: Subst, extent: Extent = USUAL, most_runs: int = MOST_RUNS
) -> Enumeration:
    """Return the structurally possible variants of a rule within an extent."""
    search = Search(subst, extent)
    search.has_more_after(most_runs)
    return search.enumeration(search.found)


def described(decisions: Sequence[Decision], names: Mapping[Pattern, str]) -> str:
    """Return what is decided as text, every decision about a pattern once."""
    described = (f"the {one.what} of {names[one.key[0]]}" for one in decisions)
    return ", ".join(dict.fromkeys(described))


def some_variants(
    subst: Subst, extent: Extent, fits: Callable[[Instance], bool], most: int, most_runs: int
) -> list[Variant]:
    """Return up to `most` structures within an extent that fit, drawn from all that were built."""
    found = [variant for variant, one in Search(subst, extent).variants(most_runs) if fits(one)]
    return random.Random(0).sample(found, most) if len(found) > most else found
