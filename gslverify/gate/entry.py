"""What is recorded about one rule: no times, no places, nothing that changes by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from gslverify.finding import Level, Verdict
from gslverify.settings import STAGES

BAD = frozenset({"fail", "vacuous", "error"})
GOOD = frozenset({"pass", "xfail"})
VERDICTS = frozenset(verdict.value.lower() for verdict in Verdict)
LEVELS = {level.name.lower(): level for level in Level}
KEYS = {"verdict", "codes", "ir", "assurance", "examples", "reason", "expires"}
VALUES = "values"
"""The subject of an assurance that names none: what source and target compute."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A rule as a run has left it.

    Attributes:
        verdict: its verdict in small letters.
        codes: the codes that speak against it, sorted; no warnings.
        rule_hash: the hash of what it says.
        assurance: the highest level for every subject.
        examples: graphs that were run.
        reason: why a failure is accepted; empty where none is.
        expires: the day after which it no longer is.
    """

    verdict: str
    codes: tuple[str, ...] = ()
    rule_hash: str = ""
    assurance: Mapping[str, Level] = field(default_factory=dict)
    examples: int = 0
    reason: str = ""
    expires: date | None = None

    @property
    def is_good(self) -> bool:
        """Whether the rule is as it should be."""
        return self.verdict in GOOD

    @property
    def is_bad(self) -> bool:
        """Whether something speaks against the rule."""
        return self.verdict in BAD

    def plain(self) -> dict[str, Any]:
        """Return the entry as it stands in a baseline."""
        parts: dict[str, Any] = {"verdict": self.verdict}
        if self.codes:
            parts["codes"] = list(self.codes)
        if self.rule_hash:
            parts["ir"] = self.rule_hash
        if self.assurance:
            levels = sorted(self.assurance.items())
            parts["assurance"] = {subject: level.name.lower() for subject, level in levels}
        if self.examples:
            parts["examples"] = self.examples
        if self.reason:
            parts["reason"] = self.reason
        if self.expires is not None:
            parts["expires"] = self.expires.isoformat()
        return parts


def entry_of_plain(parts: Any) -> Entry:
    """Return what `Entry.plain` wrote; raise ValueError that says what is wrong."""
    if not isinstance(parts, dict):
        raise ValueError("an entry is an object")
    unknown = parts.keys() - KEYS
    if unknown:
        raise ValueError(f"an entry has no `{min(unknown)}`")
    if str(parts.get("verdict")) not in VERDICTS:
        raise ValueError(f"{parts.get('verdict')!r} is not a verdict")
    codes, assurance = parts.get("codes", []), parts.get("assurance", {})
    if not isinstance(codes, list) or not all(isinstance(code, str) for code in codes):
        raise ValueError("`codes` are not a list of codes")
    if not isinstance(assurance, dict) or not set(map(str, assurance.values())) <= LEVELS.keys():
        raise ValueError(f"`assurance` gives subjects one of {', '.join(LEVELS)}")
    if type(parts.get("examples", 0)) is not int:
        raise ValueError("`examples` is not a number")
    return Entry(
        parts["verdict"],
        tuple(sorted(codes)),
        str(parts.get("ir", "")),
        {subject: LEVELS[level] for subject, level in assurance.items()},
        parts.get("examples", 0),
        str(parts.get("reason", "")),
        _date(parts.get("expires")),
    )


def _date(text: Any) -> date | None:
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except (TypeError, ValueError) as error:
        raise ValueError(f"`expires` is {text!r}, not a day such as 2027-03-01") from error


def entry_of_report(rule: Mapping[str, Any]) -> Entry:
    """Return the entry for a rule of a JSON report."""
    assurance: dict[str, Level] = {}
    for one in rule["assurance"]:
        subject = one["subject"] or VALUES
        assurance[subject] = max(Level(one["level"]), assurance.get(subject, Level.TESTED))
    numeric = [stage for stage in rule["stages"] if stage["name"] in STAGES and stage["examples"]]
    errors = {finding["code"] for finding in rule["findings"] if finding["level"] == "error"}
    return Entry(
        rule["verdict"],
        tuple(sorted(errors)),
        rule["ir_hash"] or "",
        assurance,
        max((stage["examples"]["run"] or 0 for stage in numeric), default=0),
    )
