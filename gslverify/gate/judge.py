"""What a run changes about what was known, rule by rule, and whether that may pass the gate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum

from gslverify.codes import gate
from gslverify.gate.entry import Entry


class Kind(StrEnum):
    """How a rule differs from what was known about it; the order is that of the report."""

    REGRESSION = "REGRESSION"
    NEW_FAILURE = "NEW FAILURE"
    EXPIRED = "EXPIRED"
    WEAKER = "weaker"
    FIXED = "fixed"
    RENAMED = "renamed"
    REMOVED = "removed"
    KNOWN = "known"
    NEW = "new"
    BETTER = "better"
    UNCHANGED = "unchanged"


FATAL = frozenset({Kind.REGRESSION, Kind.NEW_FAILURE, Kind.EXPIRED})
"""Changes that fail the gate."""

STALE = frozenset({Kind.FIXED, Kind.RENAMED, Kind.REMOVED})
"""Changes that leave the baseline out of date, and fail a strict gate."""

CODES = {
    Kind.REGRESSION: gate.REGRESSION,
    Kind.NEW_FAILURE: gate.NEW_FAILURE,
    Kind.EXPIRED: gate.EXPIRED,
    Kind.WEAKER: gate.WEAKER,
    Kind.FIXED: gate.STALE,
    Kind.RENAMED: gate.RENAMED,
    Kind.REMOVED: gate.REMOVED,
}


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one rule; `before` or `now` is None for one that is new or gone."""

    kind: Kind
    rule_id: str
    before: Entry | None
    now: Entry | None
    detail: str = ""

    @property
    def code(self) -> str:
        """The code whose page explains the change; empty where there is nothing to explain."""
        return CODES[self.kind].id if self.kind in CODES else ""


@dataclass(frozen=True, slots=True)
class Policy:
    """How strict the gate is.

    Attributes:
        strict: whether entries that are out of date fail it, too.
        allow_inconclusive: whether a rule that passed may become inconclusive.
        inconclusive_fails: whether a new rule that is inconclusive counts as a failure.
        today: the day by which exceptions expire.
        covers: tells whether a rule that is gone would have been seen.
    """

    strict: bool = False
    allow_inconclusive: bool = False
    inconclusive_fails: bool = False
    today: date = date.min
    covers: Callable[[str], bool] = lambda rule_id: True

    def fails(self, change: Change) -> bool:
        """Tell whether a change fails the gate."""
        return change.kind in FATAL or (self.strict and change.kind in STALE)


def judge(before: Mapping[str, Entry], now: Mapping[str, Entry], policy: Policy) -> list[Change]:
    """Compare two records; one change for every rule of either, the gravest first."""
    renamed = dict(_renamed(before, now, policy))
    changes = []
    for rule_id, entry in now.items():
        old = before.get(renamed.get(rule_id, rule_id))
        change = (
            _new(rule_id, entry, policy) if old is None else _changed(rule_id, old, entry, policy)
        )
        if rule_id in renamed:
            detail = f"was {renamed[rule_id]}{f'; {change.detail}' if change.detail else ''}"
            calm = change.kind not in FATAL
            change = replace(change, detail=detail, kind=Kind.RENAMED if calm else change.kind)
        changes.append(change)
    for rule_id, old in before.items():
        if rule_id not in now and rule_id not in renamed.values() and policy.covers(rule_id):
            changes.append(
                Change(Kind.REMOVED, rule_id, old, None, "there is no such rule any more")
            )
    order = list(Kind)
    return sorted(changes, key=lambda change: (order.index(change.kind), change.rule_id))


def _renamed(
    before: Mapping[str, Entry], now: Mapping[str, Entry], policy: Policy
) -> Iterator[tuple[str, str]]:
    """Yield new and old name of rules that say the same; each name is used once."""
    gone: dict[str, list[str]] = {}
    for rule_id, entry in before.items():
        if rule_id not in now and entry.rule_hash and policy.covers(rule_id):
            gone.setdefault(entry.rule_hash, []).append(rule_id)
    for rule_id, entry in now.items():
        if rule_id not in before and gone.get(entry.rule_hash):
            yield rule_id, gone[entry.rule_hash].pop(0)


def _new(rule_id: str, entry: Entry, policy: Policy) -> Change:
    fails = entry.is_bad or (policy.inconclusive_fails and not entry.is_good)
    kind = Kind.NEW_FAILURE if fails else Kind.NEW
    return Change(kind, rule_id, None, entry, _codes(entry))


def _changed(rule_id: str, old: Entry, entry: Entry, policy: Policy) -> Change:
    def change(kind: Kind, detail: str = "") -> Change:
        return Change(kind, rule_id, old, entry, detail)

    if entry.is_bad:
        return _now_bad(old, entry, policy, change)
    if not entry.is_good:
        if not old.is_good:
            return change(Kind.KNOWN, _noted(old, entry))
        return change(Kind.UNCHANGED if policy.allow_inconclusive else Kind.REGRESSION)
    if old.is_bad:
        return change(Kind.FIXED, "run: gslverify baseline update")
    if not old.is_good:
        return change(Kind.BETTER)
    weaker = list(_weaker(old, entry))
    if weaker:
        return change(Kind.WEAKER, "; ".join(weaker))
    return change(Kind.BETTER if list(_weaker(entry, old)) else Kind.UNCHANGED)


def _now_bad(
    old: Entry, entry: Entry, policy: Policy, change: Callable[[Kind, str], Change]
) -> Change:
    if not old.is_bad:
        return change(Kind.REGRESSION, _codes(entry))
    if old.expires is not None and old.expires < policy.today:
        return change(Kind.EXPIRED, f"accepted until {old.expires}: {old.reason}")
    new = sorted(set(entry.codes) - set(old.codes))
    if new or (entry.verdict != old.verdict and not set(entry.codes) & set(old.codes)):
        return change(Kind.REGRESSION, f"another failure: {' '.join(new) or entry.verdict}")
    return change(Kind.KNOWN, _noted(old, entry))


def _noted(old: Entry, entry: Entry) -> str:
    changed = "the rule has changed since" if old.rule_hash != entry.rule_hash else ""
    return "; ".join(part for part in (old.reason, changed) if part)


def _weaker(old: Entry, entry: Entry) -> Iterator[str]:
    """Say what an entry assures less than another."""
    for subject, level in sorted(old.assurance.items()):
        now = entry.assurance.get(subject)
        if now is None or now < level:
            said = "nothing" if now is None else now.name.lower()
            yield f"{subject}: {level.name.lower()}, now {said}"
    if 2 * entry.examples < old.examples:
        yield f"examples: {old.examples}, now {entry.examples}"


def _codes(entry: Entry) -> str:
    return " ".join(entry.codes)
