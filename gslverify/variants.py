"""The structural variants of a rule, enumerated by replaying choices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gsl.errors import GslError
from gsl.subst import Subst
from gslverify.instance import InfeasibleError, Instance, build_instance


class Replay:
    """Chooses by a given prefix, then always the first option, and notes what it could choose."""

    def __init__(self, prefix: Sequence[int]) -> None:
        self.prefix = prefix
        self.made: list[int] = []
        self.open: list[int] = []

    def __call__(self, options: Sequence[Any]) -> Any:
        """Return the option that the prefix says, or the first one."""
        position = len(self.made)
        chosen = self.prefix[position] if position < len(self.prefix) else 0
        if not options:
            raise InfeasibleError("there is nothing to choose from")
        self.made.append(chosen)
        self.open.append(len(options))
        return options[chosen]


@dataclass(frozen=True, slots=True)
class Variant:
    """The choices that lead to one structural variant of a rule."""

    choices: tuple[int, ...]

    def instance(self, subst: Subst) -> Instance:
        """Build the instance anew."""
        return build_instance(subst, Replay(self.choices))


@dataclass(frozen=True, slots=True)
class Enumeration:
    """The structural variants of a rule, and whether they are all.

    `undecided` says which structures could not be examined, `obstacle` what the choices that came
    furthest without success failed on.
    """

    variants: tuple[Variant, ...]
    complete: bool
    undecided: tuple[str, ...] = ()
    obstacle: InfeasibleError | None = None


def enumerate_variants(subst: Subst, most_runs: int = 4000) -> Enumeration:
    """Return the structurally possible variants of a rule, found by backtracking over choices."""
    variants: list[Variant] = []
    undecided: dict[str, None] = {}
    prefix: list[int] | None = []
    obstacle: InfeasibleError | None = None
    runs = 0
    while prefix is not None and runs < most_runs:
        runs += 1
        replay = Replay(prefix)
        try:
            build_instance(subst, replay)
            variants.append(Variant(tuple(replay.made)))
        except InfeasibleError as error:
            if obstacle is None or error.progress > obstacle.progress:
                obstacle = error
        except GslError as error:
            undecided[str(error)] = None
        prefix = _next_prefix(replay)
    return Enumeration(tuple(variants), prefix is None, tuple(undecided), obstacle)


def _next_prefix(replay: Replay) -> list[int] | None:
    made, limits = list(replay.made), replay.open
    while made and made[-1] + 1 >= limits[len(made) - 1]:
        made.pop()
    if not made:
        return None
    made[-1] += 1
    return made
