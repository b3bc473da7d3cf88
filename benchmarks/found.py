"""The page of defects beside what was found: `python benchmarks/found.py REPORT...`.

Each REPORT is one that `gslverify adapt ... --report json=REPORT` has written. Rows of the page
about a rule or pass in it that nothing found shows, and findings that no row is about, are told and
make the exit code 1. A kind of graph is named in place of an optimiser as a whole.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "found.md"

OTHER_VALUES = "GSL801"
WORDS: Mapping[str, tuple[str, ...]] = {
    r"SIGSEGV|process ends": ("GSL805",),
    r"Error|assertion|refused for|exception": ("GSL804", "GSL803"),
    r"refuse|fails|wrong length": ("GSL803", "GSL804"),
    r"dtype|float32|shape|sizes?\b|rank|\baxes|\baxis|type|part of": ("GSL802", "GSL803"),
}
"""Codes of findings, by words about what happens; without any of them, values are others."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the page: patterns of names, and the codes of which a finding has one."""

    names: tuple[str, ...]
    codes: frozenset[str]
    text: str

    def is_about(self, name: str) -> bool:
        """Tell whether a rule, a pass or a kind of graph is one of the row."""
        return any(fnmatch(name, pattern) for pattern in self.names)


@dataclass(frozen=True, slots=True)
class Found:
    """A finding of a report: the names of what it is about, its code and message."""

    names: tuple[str, ...]
    code: str
    message: str


def rows() -> list[Row]:
    """Return the rows of the page about rules and passes."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    cells = [[one.strip() for one in line.split(" | ")] for line in lines if line[:2] == "| "]
    return [_row(one) for one in cells if len(one) == 4 and one[3] != "known |"]


def _row(cells: Sequence[str]) -> Row:
    written = re.sub(r"\(.*?\)|^\| |^\| \w+: |, alone$", "", cells[0])
    names = re.sub(r"^\w+: ", "", written.strip()).split(",")
    codes = [code for words, some in WORDS.items() if re.search(words, cells[2]) for code in some]
    is_of_values = not codes or re.search(r"values|another product", cells[2])
    known = frozenset((*codes, *((OTHER_VALUES,) if is_of_values else ())))
    return Row(tuple(one.strip() for one in names), known, " | ".join(cells[:3]))


def findings(report: Mapping[str, Any]) -> Iterator[Found]:
    """Yield what a report says about passes and rules as black boxes."""
    for rule in report["rules"]:
        name = rule["id"].rpartition("::")[2]
        for one in rule["findings"]:
            if one["code"][:5] == "GSL80":
                kind = re.search(r"graphs of (\S+)\)$", one["message"])
                names = (name, kind[1]) if kind else (name,)
                yield Found(names, one["code"], one["message"])


def not_explained(found: Sequence[Found]) -> list[Found]:
    """Return findings that no row of the page is about."""
    known = rows()
    return [one for one in found if not any(_explains(row, one) for row in known)]


def not_shown(found: Sequence[Found]) -> list[Row]:
    """Return rows about what has findings, of which none fares as the row says."""
    about = [(row, [one for one in found if any(map(row.is_about, one.names))]) for row in rows()]
    return [row for row, some in about if some and not any(one.code in row.codes for one in some)]


def _explains(row: Row, found: Found) -> bool:
    return found.code in row.codes and any(map(row.is_about, found.names))


def main() -> int:
    """Compare the page with the reports that the command line names; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("reports", nargs="+", type=Path, metavar="REPORT", help="a JSON report")
    reports = parser.parse_args().reports
    seen = [
        one
        for report in reports
        for one in findings(json.loads(report.read_text(encoding="utf-8")))
    ]
    unexplained, unseen = not_explained(seen), not_shown(seen)
    for one in unexplained:
        print("no row:", *one.names, one.code, one.message[:80])
    for row in unseen:
        print("not shown:", row.text, *sorted(row.codes))
    print(f"{len(seen)} findings, {len(unexplained)} without a row; {len(unseen)} rows not shown")
    return int(bool(unexplained or unseen))


if __name__ == "__main__":
    sys.exit(main())
