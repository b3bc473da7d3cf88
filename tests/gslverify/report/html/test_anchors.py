from __future__ import annotations

import re

import pytest

from gslverify.report.html.anchors import anchors

PLAIN = "rules/conv.py::two_conv_add"


def test_plain_ids_are_their_own_anchors() -> None:
    assert anchors([PLAIN]) == {PLAIN: PLAIN}


@pytest.mark.parametrize(
    "rule_id",
    ["my rules/a.py::b", "<script>", '"', "a%20b", "a#b", "\udc80.py", "page-count", "\x00", ""],
)
def test_others_are_made_usable(rule_id: str) -> None:
    anchor = anchors([rule_id])[rule_id]

    assert re.fullmatch(r"rule-[\w./:@+~-]*", anchor)


def test_anchors_differ_and_stay_the_same() -> None:
    ids = ["a b", "a-b", "a\tb", "a%b"]

    assert len(set(anchors(ids).values())) == 4
    assert anchors(ids) == anchors(reversed(ids))


def test_letters_of_all_languages_are_usable() -> None:
    assert anchors(["règles/é.py::x"]) == {"règles/é.py::x": "règles/é.py::x"}
