"""The structural variants of a rule, enumerated by replaying choices."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from gsl.errors import GslError
from gsl.subst import Subst
from gslverify.structures.choices import Replay, Sample, Steps
from gslverify.structures.instance import USUAL, Extent, InfeasibleError, Instance
from gslverify.structures.source_builder import SourceBuilder, build_instance


@dataclass(frozen=True, slots=True)
class Variant:
    """The choices that lead to one structural variant of a rule."""

    choices: tuple[int, ...]
    extent: Extent = USUAL
    steps: Steps | None = field(default=None, compare=False, repr=False)

    def instance(self, subst: Subst) -> Instance:
        """Build the instance anew, but for what is known of the `steps` to it."""
        return build_instance(subst, Replay(self.choices), self.extent, self.steps)


@dataclass(frozen=True, slots=True)
class Enumeration:
    """The structural variants of a rule.

    The search was `complete` when every choice was tried, and `exhaustive` when no attribute has
    forms beside those that can be chosen. `undecided` says which structures could not be examined,
    `obstacles` on what the choices that came furthest without success failed.
    """

    variants: tuple[Variant, ...]
    complete: bool
    exhaustive: bool = True
    undecided: tuple[str, ...] = ()
    obstacles: tuple[InfeasibleError, ...] = ()


class _Enumerator:
    """Builds instances for choices and keeps what became of them."""

    def __init__(self, subst: Subst, extent: Extent) -> None:
        self.subst = subst
        self.extent = extent
        self.steps = Steps()
        self.builder = SourceBuilder(subst, extent, self.steps)
        self.exhaustive = True
        self.variants: dict[tuple[int, ...], Variant] = {}
        self.undecided: dict[str, None] = {}
        self.obstacles: list[InfeasibleError] = []

    def furthest(self) -> tuple[InfeasibleError, ...]:
        """Return on what the choices failed that came furthest, every reason once."""
        reasons = {str(error): error for error in reversed(self.obstacles)}
        return tuple(reversed(reasons.values()))

    def _failed(self, error: InfeasibleError) -> None:
        most = max((other.progress for other in self.obstacles[:1]), default=0)
        if error.progress > most:
            self.obstacles.clear()
        if error.progress >= most:
            error.__cause__ = error.__context__ = None  # they keep every frame of the build alive
            self.obstacles.append(error.with_traceback(None))

    def attempt(self, replay: Replay) -> None:
        """Build the instance that `replay` chooses, if there is one."""
        try:
            instance = self.builder.build(replay)
            made = tuple(replay.made)
            self.variants[made] = Variant(made, self.extent, self.steps)
            self.exhaustive &= instance.exhaustive
        except InfeasibleError as error:
            # A form that was not tried might have led to a structure.
            self.exhaustive &= self.builder.told.exhaustive
            self._failed(error)
        except GslError as error:
            self.undecided[str(error)] = None


def enumerate_variants(subst: Subst, extent: Extent = USUAL, most_runs: int = 4000) -> Enumeration:
    """Return the structurally possible variants of a rule within an extent.

    Found by backtracking over choices; when `most_runs` do not reach the end, a quarter as many
    random choices follow, so that the last patterns are not the only ones that vary.
    """
    enumerator = _Enumerator(subst, extent)
    prefix: list[int] | None = []
    for _ in range(most_runs):
        if prefix is None:
            break
        replay = Replay(prefix)
        enumerator.attempt(replay)
        prefix = _next_prefix(replay)
    complete = prefix is None
    generator = random.Random(0)
    for _ in range(0 if complete else most_runs // 4):
        enumerator.attempt(Sample(generator))
    variants = tuple(enumerator.variants.values())
    return Enumeration(
        variants,
        complete,
        enumerator.exhaustive,
        tuple(enumerator.undecided),
        enumerator.furthest(),
    )


def some_variants(
    subst: Subst, extent: Extent, fits: Callable[[Instance], bool], most: int, most_runs: int
) -> list[Variant]:
    """Return up to `most` structures within an extent that fit, tried in a mixed order.

    Every second choice is the next by backtracking, the others are random.
    """
    generator = random.Random(0)
    found: dict[tuple[int, ...], Variant] = {}
    steps = Steps()
    builder = SourceBuilder(subst, extent, steps)
    prefix: list[int] | None = []
    for run in range(most_runs):
        if len(found) == most or prefix is None:
            break
        systematic = run % 2 == 0
        replay = Replay(prefix) if systematic else Sample(generator)
        with suppress(GslError):
            if fits(builder.build(replay)):
                found[tuple(replay.made)] = Variant(tuple(replay.made), extent, steps)
        if systematic:
            prefix = _next_prefix(replay)
    return list(found.values())


def _next_prefix(replay: Replay) -> list[int] | None:
    made, limits = list(replay.made), replay.open
    while made and made[-1] + 1 >= limits[len(made) - 1]:
        made.pop()
    if not made:
        return None
    made[-1] += 1
    return made
