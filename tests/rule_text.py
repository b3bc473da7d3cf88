"""Rules given as text, so that tests can say exactly where something was written."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

from gsl.check import check
from gsl.errors import RuleError
from gsl.span import Span

HEADER = "from gsl import Subst, attr, op, pat\n"

_numbers = count()


def run(text: str, folder: Path) -> dict[str, Any]:
    """Write rule text to a file of its own and execute it; return its names."""
    file = folder / f"rule_{next(_numbers)}.py"
    file.write_text(HEADER + text, encoding="utf-8")
    names: dict[str, Any] = {"__name__": "rule_file"}
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), names)
    return names


def findings(text: str, folder: Path) -> list[RuleError]:
    """Return what is wrong with the Subst called `rule`, or what forbids to write it down."""
    try:
        names = run(text, folder)
    except RuleError as error:
        return [error]
    return check(names["rule"])


def underlined(span: Span | None) -> str:
    """Return the source text of a span: what the carets of a report point at."""
    assert span is not None
    lines = Path(span.file).read_text(encoding="utf-8").splitlines()[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return "\n".join(lines)


def place_in(text: str, part: str) -> tuple[int, int]:
    """Return line and column of the only occurrence of `part` in rule text."""
    whole = HEADER + text
    assert whole.count(part) == 1, f"{part!r} must occur once"
    before = whole[: whole.index(part)]
    return before.count("\n") + 1, len(before) - before.rfind("\n")
