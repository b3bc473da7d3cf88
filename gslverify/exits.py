"""Exit codes of the command line (findings outrank everything else)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gslverify.codes.corpus import NO_RULES, PATH_MISSING, RULE_MISSING
from gslverify.endings import Exit as Exit
from gslverify.events import INTERRUPTED, RunDone
from gslverify.finding import RuleResult, Verdict
from gslverify.settings import Settings

GRAVEST_FIRST = (Exit.INTERRUPTED, Exit.FINDINGS, Exit.INTERNAL, Exit.USAGE, Exit.NO_RULES)
"""Which exit code a run has whose parts have several."""


def exit_code(done: RunDone, settings: Settings | None = None) -> Exit:
    """Return the exit code of a run; settings say which verdicts are failures.

    INCONCLUSIVE is none unless they name it.
    """
    fail_on = (settings or Settings()).fail_on
    if done.interrupted:
        return Exit.INTERRUPTED
    return gravest(_reason(result.verdict, _errors(result), fail_on) for result in done.results)


def exit_code_of_report(report: Mapping[str, Any], fail_on: tuple[str, ...]) -> Exit:
    """Return the exit code of the run that a JSON report is of, had it had other `fail_on`."""
    if report["run"]["stop_reason"] == INTERRUPTED:
        return Exit.INTERRUPTED
    rules = report["rules"]
    return gravest(_reason(Verdict(r["verdict"].upper()), _told(r), fail_on) for r in rules)


def gravest(reasons: Iterable[Exit]) -> Exit:
    """Return how a run ends, given how it would end with each rule alone."""
    different = set(reasons)
    if different <= {Exit.NO_RULES}:
        return Exit.NO_RULES
    # Where something was verified, a path without rules is a mistake like one that leads nowhere.
    worst = next((reason for reason in GRAVEST_FIRST if reason in different), Exit.CLEAN)
    return Exit.USAGE if worst is Exit.NO_RULES else worst


def excused(code: Exit, settings: Settings) -> Exit:
    """Return an exit code in which findings do not count where settings say so."""
    return Exit.CLEAN if settings.exit_zero and code is Exit.FINDINGS else code


def _errors(result: RuleResult) -> list[str]:
    return [f.code.id for f in result.findings if f.code.verdict is Verdict.ERROR]


def _told(rule: Mapping[str, Any]) -> list[str]:
    """Return the same as `_errors` for a rule of a report."""
    return [f["code"] for f in rule["findings"] if f["verdict"] == Verdict.ERROR.lower()]


def _reason(verdict: Verdict, errors: Sequence[str], fail_on: tuple[str, ...]) -> Exit:
    counts = verdict.lower() in fail_on
    if verdict is not Verdict.ERROR:
        return Exit.FINDINGS if counts else Exit.CLEAN
    reason = _error_reason(errors[0])
    return reason if counts or reason in (Exit.USAGE, Exit.NO_RULES) else Exit.CLEAN


def _error_reason(code: str) -> Exit:
    if code in (PATH_MISSING.id, RULE_MISSING.id):
        return Exit.USAGE
    if code == NO_RULES.id:
        return Exit.NO_RULES
    return Exit.INTERNAL if code.startswith("GSL9") else Exit.FINDINGS
