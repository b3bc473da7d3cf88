"""Failures that a baseline knows: they are shown as known wherever findings are shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gslverify.finding import Finding, RuleResult

ACCEPTED = "it is in the baseline"
"""Why a failure is known for which no reason was given."""


@dataclass(frozen=True, slots=True)
class Known:
    """What speaks against rules and is known, by rule and code, with the reason; empty if none."""

    reasons: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def reason(self, result: RuleResult, finding: Finding) -> str:
        """Return why a finding is known; the empty string for one that is not."""
        found = self.reasons.get((result.rule_id, finding.code.id))
        return "" if found is None else found or ACCEPTED

    def covers(self, result: RuleResult) -> bool:
        """Tell whether everything is known that speaks against a rule."""
        errors = [one for one in result.findings if not one.code.is_warning]
        return bool(errors) and all(self.reason(result, one) for one in errors)

    def reason_of(self, result: RuleResult) -> str:
        """Return why a rule is known to fail."""
        reasons = (self.reason(result, finding) for finding in result.findings)
        return next((reason for reason in reasons if reason), "")


NOTHING = Known()


def mark(report: Mapping[str, Any], known: Known) -> None:
    """Write into the findings of a JSON report why they are known."""
    for rule in report["rules"]:
        for finding in rule["findings"]:
            found = known.reasons.get((rule["id"], finding["code"]))
            finding["known"] = None if found is None else found or ACCEPTED
