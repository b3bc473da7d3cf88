"""Write the flags that were found out into rule files: `declare_flags.py REPORT.json...`.

The reports are those of `gslverify FOLDER --report json=REPORT.json`, read in the folder in which
they were made. A rule gets `flags=` in its decorator, in the place of `nan="same"` where it has
that. A file in which most rules need the same says that once, as what it assumes. Rules that are
wrong on purpose, and those of which no report knows the flags, stay as they are.
"""

from __future__ import annotations

import argparse
import ast
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gsl.flags import in_order

SHARE = 2 / 3
"""How many rules of a file have to need the same for the file to say it."""

Flags = frozenset[str]
Edit = tuple[int, int, str]
"""A stretch of a text, and what to write there."""


def needed_by(reports: Iterable[Mapping[str, Any]]) -> dict[str, Flags]:
    """Return the flags of every rule that passed and of which all flags are known, by its id."""
    rules = [rule for report in reports for rule in report["rules"]]
    return {
        rule["id"]: frozenset(rule["flags"]["needed"])
        for rule in rules
        if rule["verdict"] == "pass" and rule["flags"] and rule["flags"]["rounding_known"]
    }


def declared(text: str, needed: Mapping[str, Flags]) -> str:
    """Return the text of a rule file with the flags of its rules, which are given by name."""
    written = dict(_decorators(text))
    counted = Counter(needed[name] for name in written if name in needed)
    usual, number = counted.most_common(1)[0] if counted else (frozenset(), 0)
    shared = len(counted) > 0 and number == sum(counted.values()) == len(written)
    shared = shared or (needed.keys() >= written.keys() and number >= SHARE * len(written) > 2)
    edits = [
        edit
        for name, decorator in written.items()
        if name in needed
        for edit in _edits(
            text, decorator, None if shared and needed[name] == usual else needed[name]
        )
    ]
    for first, last, new in sorted(edits, reverse=True):
        text = text[:first] + new + text[last:]
    return _assuming(text, usual) if shared else text


def _decorators(text: str) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names of sound rules with their decorators."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            for one in node.decorator_list:
                called = one.func if isinstance(one, ast.Call) else one
                words = {word.arg for word in one.keywords} if isinstance(one, ast.Call) else set()
                if isinstance(called, ast.Name) and called.id == "rule" and "expect" not in words:
                    yield node.name, one


def _edits(text: str, decorator: ast.expr, flags: Flags | None) -> Iterator[Edit]:
    """Yield what to change about a decorator; flags that its file assumes are left out."""
    new = "" if flags is None else f"flags={_written(flags)}"
    first, last = _place(text, decorator)
    if not isinstance(decorator, ast.Call):
        if new:
            yield last, last, f"({new})"
        return
    old = [word for word in decorator.keywords if word.arg in ("flags", "nan")]
    for number, word in enumerate(old):
        begin, end = _place(text, word)
        while not (new and number == 0) and text[end] in ", \n" and text[end - 1] != ",":
            end += 1
        yield begin, end, new if number == 0 else ""
    if new and not old:
        inside = text[first : last - 1].rstrip()
        comma = "" if inside.endswith((",", "(")) else ", "
        yield first + len(inside), last - 1, f"{comma}{new}"


def _written(flags: Flags) -> str:
    listed = ", ".join(f'"{flag}"' for flag in in_order(flags))
    return f"{{{listed}}}" if flags else "()"


def _assuming(text: str, flags: Flags) -> str:
    """Put what the file assumes behind its imports."""
    listed = ", ".join(f'"{flag}"' for flag in in_order(flags))
    text = text.replace("from gsl import ", "from gsl import assume, ", 1)
    imports = [one for one in ast.parse(text).body if isinstance(one, ast.Import | ast.ImportFrom)]
    _, end = _place(text, imports[-1])
    return f"{text[:end]}\n\nASSUME = [assume.flags({listed})]\n{text[end:]}"


def _place(text: str, node: Any) -> tuple[int, int]:
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def at(line: int, offset: int) -> int:
        begin = starts[line - 1]
        return begin + len(text[begin:].encode()[:offset].decode(errors="ignore"))

    return at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)


def main() -> None:
    """Change the files of all rules in the reports that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("reports", nargs="+", type=Path, metavar="REPORT", help="a JSON report")
    reports = parser.parse_args().reports
    needed = needed_by(json.loads(one.read_text(encoding="utf-8")) for one in reports)
    for file in sorted({name.partition("::")[0] for name in needed}):
        own = {
            name.partition("::")[2]: f for name, f in needed.items() if name.startswith(f"{file}::")
        }
        path = Path(file)
        path.write_text(declared(path.read_text(encoding="utf-8"), own), encoding="utf-8")


if __name__ == "__main__":
    main()
