"""Exit codes of the command line (findings outrank everything else)."""

from __future__ import annotations

from gslverify.codes.corpus import NO_RULES, PATH_MISSING, RULE_MISSING
from gslverify.endings import Exit as Exit
from gslverify.events import RunDone
from gslverify.finding import Code, RuleResult, Verdict
from gslverify.settings import Settings


def exit_code(done: RunDone, settings: Settings | None = None) -> Exit:
    """Return the exit code of a run; settings say which verdicts are failures.

    INCONCLUSIVE is none unless they name it.
    """
    fail_on = (settings or Settings()).fail_on
    if done.interrupted:
        return Exit.INTERRUPTED
    reasons = {_reason(result, fail_on) for result in done.results} or {Exit.NO_RULES}
    if reasons == {Exit.NO_RULES}:
        return Exit.NO_RULES
    # Where something was verified, a path without rules is a mistake like one that leads nowhere.
    order = (Exit.FINDINGS, Exit.INTERNAL, Exit.USAGE, Exit.NO_RULES)
    worst = next((reason for reason in order if reason in reasons), Exit.CLEAN)
    return Exit.USAGE if worst is Exit.NO_RULES else worst


def excused(code: Exit, settings: Settings) -> Exit:
    """Return an exit code in which findings do not count where settings say so."""
    return Exit.CLEAN if settings.exit_zero and code is Exit.FINDINGS else code


def _reason(result: RuleResult, fail_on: tuple[str, ...]) -> Exit:
    counts = result.verdict.lower() in fail_on
    if result.verdict is not Verdict.ERROR:
        return Exit.FINDINGS if counts else Exit.CLEAN
    errors = [f.code for f in result.findings if f.code.verdict is Verdict.ERROR]
    reason = _error_reason(errors[0])
    return reason if counts or reason in (Exit.USAGE, Exit.NO_RULES) else Exit.CLEAN


def _error_reason(code: Code) -> Exit:
    if code in (PATH_MISSING, RULE_MISSING):
        return Exit.USAGE
    if code == NO_RULES:
        return Exit.NO_RULES
    return Exit.INTERNAL if code.id.startswith("GSL9") else Exit.FINDINGS
