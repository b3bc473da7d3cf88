"""Conditions that nobody would write, because they only single out a match.

The grammar has none of them; a condition made of several parts may still come to one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

NUMBER = r"-?\d+(\.\d+)?(e-?\d+)?"

FORMS: Sequence[tuple[str, str]] = (
    (rf"\.value == {NUMBER}", "a constant is one number"),
    (rf"\.shape\[-?\d+\] == {NUMBER}", "an axis has one size"),
    (rf"\.shape\[-?\d+\] (<|<=) {NUMBER}", "an axis is short"),
    (rf"\.end\[-?\d+\] == {NUMBER}", "a slice ends at one place"),
    (r"\.shape(\[[\d:-]+\])? == \([\d, ]+\)", "a tensor has one shape"),
    (r"% 2\) == 1", "a number is odd"),
    (r"\.axes == \(0, 1(, 2(, 3(, 4)?)?)?\)", "a permutation of one rank that does nothing"),
    (r"\.axis(\[\d+\])? == -?\d+", "an axis has one number"),
    (r"\.axis == \([\d, -]+\)", "the axes of a reduction have these numbers"),
    (r"dtype == '\w+'", "one dtype"),
    (rf"(?P<one>[\w.\[\]]+) >= (?P<at>{NUMBER})\) & \((?P=one) <= (?P=at)\b", "two bounds meet"),
    (rf"(?P<one>[\w.\[\]]+) <= (?P<at>{NUMBER})\) & \((?P=one) >= (?P=at)\b", "two bounds meet"),
)
"""Regular expressions of such conditions, and what they say."""


def is_degenerate(condition: str) -> bool:
    """Tell whether a condition, as Python text, has a part that only singles out a match."""
    return any(re.search(form, condition) for form, _ in FORMS)
