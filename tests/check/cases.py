"""Cases of the semantic check: a rule that has a code, at the exact place, and one that has not."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from tests.rule_text import findings, place_in, underlined


class Case(NamedTuple):
    """Rule text, what the finding underlines in it, a word of its message, and the silent twin.

    The twin differs from the bad rule only in what the code is about.
    """

    code: str
    bad: str
    underlined: str
    message: str
    good: str

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


X = "x = pat.Wildcard()\n"
XY = "x, y = pat.Wildcard(), pat.Wildcard()\n"
FAN = X + "w = pat.Variable()\nfield = op.Add(x, w)\n"
FAN_SOURCE = FAN + "src = pat.Variadic(field, templates=[field, w])\ni = attr.Symbol()\n"


def fires_at_its_place(case: Case, folder: Path) -> bool:
    """Assert that the bad rule has the code once, exactly where it should."""
    found = [one for one in findings(case.bad, folder) if one.code == case.code]

    assert len(found) == 1
    assert case.message in found[0].message
    span = found[0].span
    assert underlined(span) == case.underlined
    assert (span.line, span.column) == place_in(case.bad, case.underlined)
    return found[0].warning is (case.code in ("GSL140", "GSL145", "GSL147"))


def stays_silent(case: Case, folder: Path) -> bool:
    """Tell whether the twin does not have the code."""
    return case.code not in [one.code for one in findings(case.good, folder)]
