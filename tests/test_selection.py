"""Folders are passed over only where no test in them can be selected."""

from __future__ import annotations

import pytest

from tests.selection import may_select


@pytest.mark.parametrize(
    ("expression", "selects"),
    [
        ("", True),
        ("tvm", True),
        ("slow", True),
        ("not slow", True),
        ("tvm or not tvm", True),
        ("not tvm", False),
        ("not tvm and not slow and not seeds", False),
        ("slow and not (tvm or smt)", False),
    ],
)
def test_a_marker_may_be_selected(expression: str, selects: bool) -> None:
    assert may_select("tvm", expression) is selects
