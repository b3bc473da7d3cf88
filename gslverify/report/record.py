"""What a report is made of: the end of a run with everything that was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gslverify.corpus.declaration import Collected
from gslverify.events import Event, RuleDone, RunDone, RunStarted
from gslverify.finding import Finding, RuleResult, Verdict
from gslverify.report.known import NOTHING, Known
from gslverify.report.style import Style
from gslverify.settings import Settings

QUIET = frozenset({Verdict.PASS, Verdict.XFAIL})
"""Verdicts of rules that are as they should be."""


@dataclass(frozen=True, slots=True)
class Report:
    """A finished run; every format is a function of one of these.

    Attributes:
        done: the results, and why the run ended early if it did.
        settings: what was verified how.
        selectors: the paths and rules that were named.
        exit_code: the exit code of the run.
        argv: the arguments of the command.
        style: how text is laid out.
        remarks: lines for the end of a text that other parts of the program have to say.
        collected: the rules, for formats that draw them.
        everything: draw the rules without problems, too.
        known: what the baseline knows to speak against rules; None without one.
        expression: what -k says about rules; empty for all.
    """

    done: RunDone
    settings: Settings
    selectors: tuple[str, ...] = ()
    exit_code: int = 0
    argv: tuple[str, ...] = ()
    style: Style = field(default_factory=Style)
    remarks: tuple[str, ...] = ()
    collected: tuple[Collected, ...] = ()
    everything: bool = False
    known: Known | None = None
    expression: str = ""

    @property
    def known_failures(self) -> Known:
        """What is known to speak against rules."""
        return NOTHING if self.known is None else self.known

    @property
    def findings(self) -> Iterator[tuple[RuleResult, Finding]]:
        """All findings with their rules, in the order of the source."""
        for result in self.done.results:
            for finding in result.findings:
                yield result, finding

    def events(self) -> Iterator[Event]:
        """Yield the events of the run again, as far as they follow from its end."""
        ids = tuple(result.rule_id for result in self.done.results)
        yield RunStarted(ids, self.settings.stages, self.settings)
        for result in self.done.results:
            yield RuleDone(result)
        yield self.done
