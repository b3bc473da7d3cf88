"""What an application of rules did: what was rewritten, and what was left alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gsl.errors import RewriteError
from gsl.expr import Expr
from gsl.subst import Subst


@dataclass(frozen=True, slots=True)
class Refusal:
    """A match that was left alone: its rule, its root and why its target cannot be built."""

    rule: Subst
    root: Expr
    error: RewriteError


@dataclass(slots=True)
class Record:
    """Rewrites per rule, and matches whose target was refused.

    `roots` has what each rewrite replaced, the first output of the match as it was made. A
    refused match is left as it is; the first of a rule at a root is listed.
    """

    counts: dict[Subst, int] = field(default_factory=dict)
    roots: dict[Subst, list[Expr]] = field(default_factory=dict)
    refused: list[Refusal] = field(default_factory=list)

    @property
    def total(self) -> int:
        """The number of rewrites."""
        return sum(self.counts.values())

    def note(self, rule: Subst, roots: Sequence[Expr]) -> None:
        """Count rewrites."""
        self.counts[rule] = self.counts.get(rule, 0) + len(roots)
        self.roots.setdefault(rule, []).extend(roots)
