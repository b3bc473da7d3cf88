"""Exit codes of the command line (findings outrank everything else)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gslverify.codes.corpus import NO_RULES, PATH_MISSING, RULE_MISSING
from gslverify.endings import Exit as Exit
from gslverify.events import RunDone
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
    return gravest(ending(result.verdict, _errors(result), fail_on) for result in done.results)


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


def ending(verdict: Verdict, errors: Sequence[str], fail_on: tuple[str, ...]) -> Exit:
    """Return how a run with one rule alone ends; `errors` are its codes whose verdict is ERROR."""
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
