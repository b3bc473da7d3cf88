"""Changes between two runs as a comment for a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from gsl.errors import printable
from gslverify.gate.judge import FATAL, Change
from gslverify.gate.lines import SILENT, counts_text, verdict_text
from gslverify.report.markdown import MOST_ROWS, fenced, inline, name_of, table

MARKER = "<!-- gslverify compare -->"
"""First line, by which a bot finds the comment that it has to replace."""


def comparison(changes: Sequence[Change], new: Mapping[str, Any], slower: Sequence[str]) -> str:
    """Return counts, a table of what differs, and details of what fails, from the newer report."""
    told = [change for change in changes if change.kind not in SILENT]
    run = new["run"]
    facts = f"profile {inline(str(run.get('profile', 'dev')))}, seed {run['seed']}"
    lines = [MARKER, f"### gslverify: {counts_text(changes)}  ({facts})", ""]
    if told:
        lines += table(("", "rule", "before", "now", ""), [_row(change) for change in told])
    rules = {rule["id"]: rule for rule in new["rules"]}
    for change in [one for one in told if one.kind in FATAL][:MOST_ROWS]:
        lines += _details(rules[change.rule_id])
    if slower:
        lines += [f"slower: {inline(', '.join(slower))}"]
    return "".join(f"{line}\n" for line in lines)


def _row(change: Change) -> tuple[str, ...]:
    before, now = verdict_text(change.before), verdict_text(change.now)
    return str(change.kind), name_of(change.rule_id), before, now, inline(change.detail)


def _details(rule: Mapping[str, Any]) -> Iterator[str]:
    """Yield what can be unfolded: the findings with both sides and the command to run them."""
    yield f"<details><summary>{escape(printable(rule['id'].rpartition('::')[2]))}</summary>"
    yield ""
    for finding in rule["findings"]:
        if finding["level"] == "error":
            lines = [f"{finding['code']} {finding['message']}"]
            example = finding["counterexample"] or {"source_ssa": [], "target_ssa": []}
            for side in ("source", "target"):
                lines += [f"{side}:", *(f"  {line}" for line in example[f"{side}_ssa"])]
            yield from fenced(lines)
            yield from fenced([finding["repro"]], "sh")
    yield "</details>"
    yield ""
