"""The end of a run at the gate: what it changes, its exit code, and what a baseline takes over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

from gslverify.codes.corpus import WITHOUT_RULE
from gslverify.exits import Exit
from gslverify.gate.baseline import Baseline, BaselineError, read
from gslverify.gate.entry import Entry, entry_of_report
from gslverify.gate.judge import FATAL, Change, Kind, Policy, judge
from gslverify.gate.lines import gate_lines
from gslverify.project import parted, selector_in_project
from gslverify.report.documents import COMPLETED, ReportDocument, RunDocument
from gslverify.report.json import report_document
from gslverify.report.known import Known
from gslverify.report.record import Report
from gslverify.settings import Settings
from gslverify.stage_names import USUAL_STAGES


def record_of(report: ReportDocument) -> dict[str, Entry]:
    """Return the entries for all rules of a report."""
    return {rule.id: entry_of_report(rule) for rule in report.rules}


def policy_of(settings: Settings, covers: Callable[[str], bool]) -> Policy:
    """Return how strict the gate is under some settings."""
    return Policy(
        strict=settings.strict_baseline,
        allow_inconclusive=settings.allow_inconclusive,
        inconclusive_fails="inconclusive" in settings.fail_on,
        today=date.today(),
        covers=covers,
    )


def covered(selectors: tuple[str, ...], *, whole: bool) -> Callable[[str], bool]:
    """Return a function that tells whether a run over `selectors` would have met a rule.

    A run over some rules of its files only says nothing about rules that it did not meet.
    """
    places = [selector_in_project(s) for s in selectors if "::" not in s] if whole else []

    def covers(rule_id: str) -> bool:
        file = parted(rule_id)[0]
        return any(place in (".", file) or file.startswith(f"{place}/") for place in places)

    return covers


def known_results(settings: Settings) -> Baseline | None:
    """Return the baseline that a run has to be compared with, if there is one.

    Raises BaselineError for one that cannot be used, before anything is verified.
    """
    if not settings.baseline:
        return None
    path = Path(settings.baseline)
    baseline = read(path)
    baseline.require_fit(path, settings.profile)
    return baseline


def at_the_gate(report: Report, baseline: Baseline | None, *, whole: bool) -> Report:
    """Compare a run with its baseline: known failures no longer fail it, changes do.

    `whole` says that no rule of the files was left out.
    """
    if baseline is None:
        return report
    code, lines = judged(
        report_document(report), report.settings, baseline, Exit(report.exit_code), whole=whole
    )
    return replace(
        report, exit_code=code, remarks=(*report.remarks, *lines), known=known_by(baseline)
    )


def known_failures(baseline: Baseline | None) -> Known | None:
    """Return what a baseline knows to speak against rules, but for exceptions that have expired."""
    return None if baseline is None else known_by(baseline)


def known_by(baseline: Baseline) -> Known:
    """Return the failures of a baseline, with their reasons."""
    today = date.today()
    return Known(
        {
            (rule_id, code): entry.reason
            for rule_id, entry in baseline.rules.items()
            for code in entry.codes
            if not entry.is_good and (entry.expires is None or entry.expires >= today)
        }
    )


def judged(
    report: ReportDocument, settings: Settings, baseline: Baseline, code: Exit, *, whole: bool
) -> tuple[Exit, tuple[str, ...]]:
    """Return the exit code of a report at the gate, given the one without, and what to say."""
    run = report.run
    complete = whole and not left_out(run) and run.stop_reason == COMPLETED and run.shard == "1/1"
    policy = policy_of(settings, covered(run.paths, whole=complete))
    changes = judge(baseline.rules, record_of(report), policy)
    lines = gate_lines(changes, f"baseline {settings.baseline}", strict=policy.strict)
    return gate_code(code, changes, policy), tuple(lines)


def gate_code(code: Exit, changes: list[Change], policy: Policy) -> Exit:
    """Return the exit code of a run whose findings are judged by what they change."""
    if code in (Exit.INTERRUPTED, Exit.USAGE, Exit.NO_RULES):
        return code
    if any(policy.fails(change) for change in changes):
        return Exit.FINDINGS
    return Exit.CLEAN if code is Exit.FINDINGS else code


def left_out(run: RunDocument) -> str:
    """Return which setting has left rules out, else the empty string."""
    if run.changed_since:
        return "--changed-since left rules out"
    if run.tags or any(a.startswith("--tag") for a in run.argv):
        return "--tag left rules out"
    if run.expression or any(a.startswith("-k") for a in run.argv):
        return "-k left rules out"
    return ""


def why_dirty(report: ReportDocument) -> str:
    """Return why a report does not say enough for a baseline, else the empty string."""
    run = report.run
    if run.stop_reason != COMPLETED:
        return f"the run is not complete: {run.stop_reason}"
    if run.shard != "1/1":
        return f"it is shard {run.shard} only; merge all with `gslverify merge`"
    if why := left_out(run):
        return why
    if any("::" in path for path in run.paths):
        return "it names single rules; verify whole files"
    missing = [stage for stage in USUAL_STAGES if stage not in run.stages]
    if missing:
        return f"the stages {', '.join(missing)} were not run"
    if run.exit_code in (Exit.USAGE, Exit.NO_RULES, Exit.INTERRUPTED):
        return "it ended with a usage error, or without rules"
    return ""


def require_clean(report: ReportDocument) -> None:
    """Raise BaselineError for a run that left something out."""
    if why := why_dirty(report):
        raise BaselineError(f"this run cannot become a baseline: {why}")


def new_baseline(report: ReportDocument) -> Baseline:
    """Return a baseline that knows what a run found, failures included."""
    run, version = report.run, report.tool["gslverify"]
    return Baseline(run.profile, run.seed, version, record_of(report))


def tightened(old: Baseline, report: ReportDocument) -> tuple[Baseline, list[Change]]:
    """Return a baseline that asks for more than an older one and never for less.

    Rules that are fixed, new and right, or better are taken over, and those that are gone are
    dropped. What is worse stays as it was and is returned, to be accepted one by one; what the run
    did not look at stays, too.
    """
    covers = covered(report.run.paths, whole=True)
    now = record_of(report)
    changes = judge(old.rules, now, Policy(today=date.today(), covers=covers))
    rules = {r: entry for r, entry in old.rules.items() if r not in now and not covers(r)}
    left = []
    for change in changes:
        if change.kind in FATAL or change.kind is Kind.WEAKER:
            left.append(change)
        rules |= dict(_taken(change))
    return replace(new_baseline(report), rules=rules), left


def _taken(change: Change) -> Iterator[tuple[str, Entry]]:
    before, now = change.before, change.now
    if now is None:
        return
    if change.kind is Kind.NEW_FAILURE or (before is None and not now.is_good):
        return
    if before is None or (now.is_good and change.kind is not Kind.WEAKER):
        yield change.rule_id, _at_least(before, now)
    else:
        yield change.rule_id, before


def _at_least(before: Entry | None, now: Entry) -> Entry:
    """Return a good entry with no less assurance than was recorded, and without exceptions."""
    if before is None or not before.is_good:
        return now
    subjects = {**now.assurance, **before.assurance}
    levels = {s: max(now.assurance.get(s, level), level) for s, level in subjects.items()}
    return replace(now, assurance=levels, examples=max(now.examples, before.examples))


def accepted(
    old: Baseline, report: ReportDocument, rule_id: str, reason: str, expires: date | None
) -> tuple[Baseline, Entry]:
    """Return a baseline that knows a rule as it is now, and why, with the new entry.

    Raises BaselineError for a rule that the run does not know.
    """
    now = record_of(report).get(rule_id)
    missing = {code.id for code in WITHOUT_RULE}
    if now is None or not missing.isdisjoint(now.codes):
        raise BaselineError(f"the run knows no rule `{rule_id}`")
    entry = replace(now, reason=reason, expires=expires)
    return replace(old, rules={**old.rules, rule_id: entry}), entry
