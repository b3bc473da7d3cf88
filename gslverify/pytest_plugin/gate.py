"""The regression gate in a session: what is known to fail is no failure, what got worse is one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from gsl.errors import counted
from gslverify.finding import Finding, RuleResult
from gslverify.gate.baseline import Baseline, BaselineError
from gslverify.gate.conclusion import (
    known_results,
    policy_of,
    record_of,
    tightened,
    why_dirty,
)
from gslverify.gate.entry import Entry
from gslverify.gate.judge import Change, Policy, judge
from gslverify.gate.lines import change_line, gate_lines
from gslverify.pytest_plugin.configure import session_settings
from gslverify.report.json import report_document
from gslverify.report.record import Report
from gslverify.settings import Settings

BASELINE = pytest.StashKey[Baseline | None]()


def baseline_of(config: pytest.Config) -> Baseline | None:
    """Return the known results that a session is compared with, if there are any.

    Raises UsageError for a file that cannot be used.
    """
    if BASELINE not in config.stash:
        try:
            config.stash[BASELINE] = known_results(session_settings(config))
        except BaselineError as error:
            raise pytest.UsageError(f"gslverify: {error}") from None
    return config.stash[BASELINE]


def known_entry(config: pytest.Config, rule_id: str) -> Entry | None:
    """Return what the baseline says of a rule."""
    baseline = baseline_of(config)
    return None if baseline is None else baseline.rules.get(rule_id)


def why_known(config: pytest.Config, rule_id: str, findings: Sequence[Finding]) -> str:
    """Return why findings are no failures: the baseline has them all, and accepts them still."""
    entry = known_entry(config, rule_id)
    if entry is None or not entry.is_bad or not findings:
        return ""
    if entry.expires is not None and entry.expires < date.today():
        return ""
    if not {finding.code.id for finding in findings} <= set(entry.codes):
        return ""
    return f"known: {entry.reason or ' '.join(entry.codes)}"


def has_become_undecided(config: pytest.Config, rule_id: str) -> bool:
    """Tell whether an undecided rule passed before, and has to."""
    entry = known_entry(config, rule_id)
    may = session_settings(config).allow_inconclusive
    return entry is not None and entry.is_good and not may


class Gate:
    """Compares the rules of a session of which every stage was run; others are passed over."""

    def __init__(self, baseline: Baseline, settings: Settings) -> None:
        self.baseline = baseline
        self.settings = settings
        self.policy: Policy = policy_of(settings, lambda rule_id: False)

    def lines(self, report: Report) -> tuple[bool, list[str]]:
        """Return whether the session fails because of what has changed, and what to say."""
        changes = self._changes(report)
        name = f"baseline {self.settings.baseline}"
        lines = list(gate_lines(changes, name, strict=self.policy.strict))
        return any(self.policy.fails(change) for change in changes), lines

    def _changes(self, report: Report) -> list[Change]:
        now = record_of(report_document(self._complete(report)))
        before = {rule_id: e for rule_id, e in self.baseline.rules.items() if rule_id in now}
        return judge(before, now, self.policy)

    def update(self, report: Report) -> Iterator[str]:
        """Ask for what rules reach now, never for less; yield what was done."""
        complete = report_document(self._complete(report))
        path = Path(self.settings.baseline)
        if why := why_dirty(complete):
            yield f"{path} is not updated: {why}"
            return
        made, left = tightened(self.baseline, complete)
        try:
            made.write(path)
        except BaselineError as error:
            yield str(error)
            return
        yield f"{path}: {counted(len(made.rules), 'rule')}"
        yield from (f"{change_line(change)}; it stays as it was" for change in left)

    def _complete(self, report: Report) -> Report:
        """Return a report of the rules that went through all stages."""
        results = tuple(r for r in report.done.results if _is_complete(r, self.settings))
        return replace(report, done=replace(report.done, results=results))


def _is_complete(result: RuleResult, settings: Settings) -> bool:
    ran = {stage.stage for stage in result.stages}
    return {name for name in settings.stages if name != "examples"} <= ran
