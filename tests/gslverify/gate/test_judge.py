"""The table of the regression gate, line by line."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from gslverify.finding import Level
from gslverify.gate.entry import Entry
from gslverify.gate.judge import Change, Kind, Policy, judge
from tests.gslverify.gate.reports import failing, passing

TODAY = date(2027, 1, 1)
LENIENT, STRICT = Policy(today=TODAY), Policy(strict=True, today=TODAY)
UNSURE = Entry("inconclusive", ("GSL490",), "sha256:1")


def one(before: Entry | None, now: Entry | None, policy: Policy = LENIENT) -> Change:
    records = [{} if entry is None else {"a.py::r": entry} for entry in (before, now)]
    (change,) = judge(records[0], records[1], policy)
    return change


@pytest.mark.parametrize(
    ("before", "now", "kind", "lenient", "strict"),
    [
        (passing(), failing(), Kind.REGRESSION, True, True),
        (passing(), failing("GSL201", verdict="vacuous"), Kind.REGRESSION, True, True),
        (passing(), failing("GSL901", verdict="error"), Kind.REGRESSION, True, True),
        (passing(), UNSURE, Kind.REGRESSION, True, True),
        (Entry("xfail"), failing("GSL601"), Kind.REGRESSION, True, True),
        (passing(), passing(assurance={"shape": Level.PROVED}), Kind.WEAKER, False, False),
        (
            passing(),
            passing(assurance={"shape": Level.TESTED, "values": Level.EXACT}),
            Kind.WEAKER,
            False,
            False,
        ),
        (passing(examples=50), passing(examples=24), Kind.WEAKER, False, False),
        (passing(examples=50), passing(examples=25), Kind.UNCHANGED, False, False),
        (failing(), failing(), Kind.KNOWN, False, False),
        (failing("GSL401", "GSL301"), failing("GSL301"), Kind.KNOWN, False, False),
        (failing(), failing("GSL301"), Kind.REGRESSION, True, True),
        (failing(), failing("GSL301", "GSL401"), Kind.REGRESSION, True, True),
        (failing(), failing(expires=None), Kind.KNOWN, False, False),
        (failing(expires=date(2026, 12, 31)), failing(), Kind.EXPIRED, True, True),
        (failing(expires=TODAY), failing(), Kind.KNOWN, False, False),
        (failing(), passing(), Kind.FIXED, False, True),
        (failing(), UNSURE, Kind.KNOWN, False, False),
        (UNSURE, UNSURE, Kind.KNOWN, False, False),
        (UNSURE, passing(), Kind.BETTER, False, False),
        (UNSURE, failing(), Kind.REGRESSION, True, True),
        (None, passing(), Kind.NEW, False, False),
        (None, Entry("xfail"), Kind.NEW, False, False),
        (None, failing(), Kind.NEW_FAILURE, True, True),
        (None, UNSURE, Kind.NEW, False, False),
        (passing(), None, Kind.REMOVED, False, True),
        (failing(), None, Kind.REMOVED, False, True),
        (passing(), Entry("xfail", ("GSL401",), "sha256:1"), Kind.WEAKER, False, False),
        (passing(), passing(), Kind.UNCHANGED, False, False),
        (passing(examples=5), passing(examples=50), Kind.BETTER, False, False),
    ],
)
def test_every_change(
    before: Entry | None, now: Entry | None, kind: Kind, lenient: bool, strict: bool
) -> None:
    change = one(before, now)

    assert change.kind is kind
    assert LENIENT.fails(change) is lenient
    assert STRICT.fails(change) is strict


def test_inconclusive_may_be_allowed_or_forbidden() -> None:
    allowed = replace(LENIENT, allow_inconclusive=True)
    assert one(passing(), UNSURE, allowed).kind is Kind.UNCHANGED
    assert one(passing(), failing(), allowed).kind is Kind.REGRESSION

    forbidden = replace(LENIENT, inconclusive_fails=True)
    assert one(None, UNSURE, forbidden).kind is Kind.NEW_FAILURE


@pytest.mark.parametrize(
    ("before", "now", "words"),
    [
        (passing(), failing("GSL301", "GSL401"), "GSL301 GSL401"),
        (
            passing(),
            passing(assurance={}),
            "shape: proved, now nothing; values: exact, now nothing",
        ),
        (passing(examples=50), passing(examples=2), "examples: 50, now 2"),
        (failing(reason="issue 12"), failing(), "issue 12"),
        (failing(), failing(rule_hash="sha256:2"), "the rule has changed since"),
        (failing(), failing("GSL301"), "another failure: GSL301"),
        (failing(), passing(), "run: gslverify baseline update"),
        (
            failing(reason="soon", expires=date(2026, 1, 1)),
            failing(),
            "accepted until 2026-01-01: soon",
        ),
    ],
)
def test_changes_are_explained(before: Entry, now: Entry, words: str) -> None:
    assert one(before, now).detail == words


def test_a_renamed_rule_is_recognised_by_its_meaning() -> None:
    before = {"a.py::old": passing(), "a.py::other": passing(rule_hash="sha256:2")}
    now = {"b.py::new": passing(), "a.py::other": passing(rule_hash="sha256:2")}

    renamed, unchanged = judge(before, now, LENIENT)

    assert (renamed.kind, renamed.rule_id, renamed.detail) == (
        Kind.RENAMED,
        "b.py::new",
        "was a.py::old",
    )
    assert unchanged.kind is Kind.UNCHANGED
    assert STRICT.fails(renamed)
    assert not LENIENT.fails(renamed)


@pytest.mark.parametrize(
    ("before", "now", "kind"),
    [
        (failing(), failing(), Kind.RENAMED),
        (failing(), failing("GSL301"), Kind.REGRESSION),
        (passing(), failing(), Kind.REGRESSION),
        (failing(expires=date(2026, 1, 1)), failing(), Kind.EXPIRED),
    ],
)
def test_what_was_known_of_a_renamed_rule_counts_on(before: Entry, now: Entry, kind: Kind) -> None:
    (change,) = judge({"a.py::old": before}, {"a.py::new": now}, LENIENT)

    assert change.kind is kind
    assert "was a.py::old" in change.detail


def test_two_rules_of_one_meaning_are_two_rules() -> None:
    before = {"a::1": passing(), "a::2": passing()}

    kinds = [change.kind for change in judge(before, {"a::3": passing()}, LENIENT)]

    assert kinds == [Kind.RENAMED, Kind.REMOVED]
    unknown = judge({"a::1": passing(rule_hash="")}, {"a::2": passing(rule_hash="")}, LENIENT)
    assert [change.kind for change in unknown] == [Kind.REMOVED, Kind.NEW]


def test_rules_that_were_not_looked_at_are_not_gone() -> None:
    policy = replace(STRICT, covers=lambda rule_id: rule_id.startswith("a"))

    changes = judge({"a::1": passing(), "b::1": passing()}, {}, policy)

    assert [change.rule_id for change in changes] == ["a::1"]


def test_the_gravest_comes_first() -> None:
    before = {"a::1": passing(), "a::2": failing(), "a::3": passing(rule_hash="x")}
    now = {"a::1": passing(), "a::2": passing(), "a::4": failing(rule_hash="y")}

    kinds = [change.kind for change in judge(before, now, LENIENT)]

    assert kinds == [Kind.NEW_FAILURE, Kind.FIXED, Kind.REMOVED, Kind.UNCHANGED]
    assert [change.code for change in judge(before, now, LENIENT)] == [
        "GSL621",
        "GSL624",
        "GSL626",
        "",
    ]
