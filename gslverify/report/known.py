"""Failures that a baseline knows: they are shown as known wherever findings are shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from gslverify.finding import Finding, RuleResult
from gslverify.report.documents import ReportDocument, RuleDocument

ACCEPTED = "it is in the baseline"
"""Why a failure is known for which no reason was given."""


@dataclass(frozen=True, slots=True)
class Known:
    """What speaks against rules and is known, by rule and code, with the reason; empty if none."""

    reasons: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def why(self, rule_id: str, code: str) -> str | None:
        """Return why a code of a rule is known; None for one that is not."""
        found = self.reasons.get((rule_id, code))
        return None if found is None else found or ACCEPTED

    def reason(self, result: RuleResult, finding: Finding) -> str:
        """Return why a finding is known; the empty string for one that is not."""
        return self.why(result.rule_id, finding.code.id) or ""

    def covers(self, result: RuleResult) -> bool:
        """Tell whether everything is known that speaks against a rule."""
        errors = [one for one in result.findings if not one.code.is_warning]
        return bool(errors) and all(self.reason(result, one) for one in errors)

    def reason_of(self, result: RuleResult) -> str:
        """Return why a rule is known to fail."""
        reasons = (self.reason(result, finding) for finding in result.findings)
        return next((reason for reason in reasons if reason), "")


NOTHING = Known()


def marked(report: ReportDocument, known: Known) -> ReportDocument:
    """Return a report whose findings say why they are known."""

    def one(rule: RuleDocument) -> RuleDocument:
        findings = (replace(f, known=known.why(rule.id, f.code)) for f in rule.findings)
        return replace(rule, findings=tuple(findings))

    return replace(report, rules=tuple(map(one, report.rules)))
