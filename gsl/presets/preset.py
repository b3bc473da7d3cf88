"""Rules in phases: each is applied until nothing changes, before the next one begins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from gsl.collector import collector_paused
from gsl.engine.record import Record
from gsl.engine.rounds import settle
from gsl.engine.value_numbering import merge_common_subexpressions
from gsl.errors import RuleFileError
from gsl.flags import known_flags
from gsl.fold import FoldRecord
from gsl.rule_files.collect import load_rules, written
from gsl.subst import Rule, Subst
from gsl.workload import Workload

CORPUS = Path(__file__).resolve().parents[2] / "rule_corpus" / "sound"
"""Where the rules of presets are written down and verified."""


@dataclass(frozen=True)
class Phase:
    """Rules that are applied together; earlier ones come first where several match.

    Attributes:
        name: what it is for.
        rules: for each file of the corpus, without its ending, the names of rules.
    """

    name: str
    rules: tuple[tuple[str, str], ...]

    def load(self) -> dict[Subst, str]:
        """Return the substitutions of the rules, with their names.

        Raises RuleFileError where the corpus is not installed or has no rule of the name.
        """
        found = [rule for file, names in self.rules for rule in _named(file, names.split())]
        return written(found)


@dataclass(frozen=True)
class Preset:
    """A library of verified rules in the order in which models need them.

    Attributes:
        name: what the command line calls it.
        phases: applied one after the other, each until nothing changes.
    """

    name: str
    phases: tuple[Phase, ...]

    @cached_property
    def loaded(self) -> tuple[dict[Subst, str], ...]:
        """The substitutions of each phase, with their names; loaded when first asked for."""
        return tuple(phase.load() for phase in self.phases)

    @property
    def rules(self) -> dict[Subst, str]:
        """All substitutions with their names, in the order of the phases."""
        return {subst: name for phase in self.loaded for subst, name in phase.items()}

    def apply(
        self,
        workload: Workload,
        *,
        fold: bool = True,
        max_rewrites: int | None = None,
        record: Record | None = None,
        left: FoldRecord | None = None,
        flags: Iterable[str] | None = None,
    ) -> Workload:
        """Return the workload after all phases, with common subexpressions computed once.

        Args:
            workload: what is rewritten; it stays as it is.
            fold: whether what depends on parameters alone becomes a parameter.
            max_rewrites: how many rewrites a phase may do between two foldings; no limit if None.
            record: counts the rewrites of each rule.
            left: lists what could not be folded in the last phase.
            flags: only rules are used that need no other ones (`gsl.flags`); all if None.

        Raises RuleFileError as `Phase.load` does, and RewriteError where there is no end.
        """
        granted = None if flags is None else known_flags(flags)
        phases = self.loaded
        settled: Workload | None = None
        with collector_paused():
            for every in phases:
                named = {
                    rule: name
                    for rule, name in every.items()
                    if granted is None or rule.flags <= granted
                }
                before, merge = workload, workload is not settled
                workload = settle(
                    workload,
                    named,
                    fold=fold,
                    merge=merge,
                    max_rewrites=max_rewrites,
                    record=record,
                    left=left,
                )
                settled = workload if workload is before else None
            return workload if settled is workload else merge_common_subexpressions(workload)


def _named(file: str, names: list[str]) -> Iterator[Rule]:
    path = CORPUS / f"{file}.py"
    if not path.exists():
        raise RuleFileError(f"the rule corpus is not installed: there is no `{path.name}`")
    known = {rule.name: rule for rule in load_rules(str(path))}
    for name in names:
        if name not in known:
            raise RuleFileError(f"there is no rule `{name}` in `{path}`")
        yield known[name]
