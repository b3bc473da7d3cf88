"""The report for pull requests: Markdown with a table, and drawings of refuted rules in Mermaid."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from gsl.drawing.show import sides_mermaid
from gsl.errors import counted, printable
from gslverify.codes.corpus import is_rule
from gslverify.finding import RuleResult, Verdict
from gslverify.report.details import command_for, rule_block
from gslverify.report.drawings import drawn_for
from gslverify.report.known import Known
from gslverify.report.record import QUIET, Report
from gslverify.report.strength import WEAK, counted_strengths, strength_of
from gslverify.report.text import counts_text

MARKER = "<!-- gslverify -->"
"""First line, by which a bot finds the comment that it has to replace."""

MOST_ROWS = 20
MOST_CHARACTERS = 60_000
"""Of a comment; GitHub takes 65,536."""


def markdown(report: Report) -> str:
    """Return counts, a table of what needs attention, and details that can be unfolded."""
    known = report.known_failures
    problems = [result for result in report.done.results if result.verdict not in QUIET]
    troubled = [result for result in problems if not known.covers(result)]
    settings = report.settings
    facts = f"profile {inline(settings.profile)}, seed {settings.seed}"
    lines = [MARKER, f"### gslverify: {counts_text(report.done)}  ({facts})", ""]
    if report.done.stop_reason:
        lines += [f"The run is not complete: {inline(report.done.stop_reason)}.", ""]
    lines += _strengths(report.done.results)
    if troubled:
        lines += table(("verdict", "rule", "code"), [_row(result) for result in troubled])
    rules = [result for result in troubled if is_rule(result)][:MOST_ROWS]
    lines += fitting(details(report, result) for result in rules)
    lines += _only_tested(report.done.results)
    lines += _known([result for result in problems if known.covers(result)], known)
    lines += [inline(remark) for remark in report.remarks]
    return "".join(f"{line}\n" for line in lines)


def _strengths(results: Iterable[RuleResult]) -> Iterator[str]:
    """Yield what the rules that pass are worth."""
    passed = [result for result in results if result.verdict is Verdict.PASS]
    counts = [f"{number} {word}" for word, number in counted_strengths(passed).items()]
    if counts:
        yield from (f"Passed: {', '.join(counts)}.", "")


def _only_tested(results: Iterable[RuleResult]) -> Iterator[str]:
    """Yield the rules of which no more is known than that graphs were tried, folded."""
    passed = [result for result in results if result.verdict is Verdict.PASS]
    strengths = ((one, strength_of(one.assurances)) for one in passed)
    weak = [(one, strength) for one, strength in strengths if strength.word in WEAK]
    if weak:
        yield f"<details><summary>{counted(len(weak), 'rule')} only tested</summary>"
        yield ""
        rows = [(name_of(one.rule_id), inline(str(strength))) for one, strength in weak]
        yield from table(("rule", "strength"), rows)
        yield from ("</details>", "")


def _known(results: list[RuleResult], known: Known) -> Iterator[str]:
    """Yield the failures that a baseline knows, folded, with the reasons."""
    if results:
        yield f"<details><summary>{counted(len(results), 'known failure')}</summary>"
        yield ""
        rows = [(*_row(result), inline(known.reason_of(result))) for result in results]
        yield from table(("verdict", "rule", "code", "known because"), rows)
        yield from ("</details>", "")


def fitting(blocks: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield blocks of lines while they fit into a comment, then how many do not."""
    room, left_out = MOST_CHARACTERS, 0
    for block in blocks:
        lines = list(block)
        room -= sum(len(line) + 1 for line in lines)
        if room >= 0:
            yield from lines
        left_out += room < 0
    if left_out:
        yield f"for details of {counted(left_out, 'more rule')} see the full report"
        yield ""


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a table of at most 20 rows, and how many are left out."""
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows[:MOST_ROWS]:
        yield f"| {' | '.join(row)} |"
    if len(rows) > MOST_ROWS:
        yield ""
        yield f"and {len(rows) - MOST_ROWS} more, which the full report lists"
    yield ""


def _row(result: RuleResult) -> tuple[str, ...]:
    errors = [finding for finding in result.findings if not finding.code.is_warning]
    said = "; ".join(dict.fromkeys(f"{finding.code} {finding.message}" for finding in errors))
    return result.verdict.value, name_of(result.rule_id), inline(said)


def name_of(rule_id: str) -> str:
    """Return the id of a rule as code."""
    return code_span(rule_id.replace("|", "\\|"))


def code_span(text: str) -> str:
    """Return text between as many backticks as it needs."""
    plain = printable(" ".join(text.split()))
    ticks = "`" * (_longest_run(plain) + 1)
    space = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{ticks}{space}{plain}{space}{ticks}"


def inline(text: str) -> str:
    """Return text that Markdown shows as it is, on one line and in one cell."""
    plain = printable(" ".join(text.split()))
    return re.sub(r"([\\`*_\[\]|~#])", r"\\\1", escape(plain, quote=False))


def fenced(lines: list[str], language: str = "") -> list[str]:
    """Return lines as a block of code that they cannot end themselves."""
    fence = "`" * max(3, _longest_run("\n".join(lines)) + 1)
    return [f"{fence}{language}", *map(printable, lines), fence]


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)


def details(report: Report, result: RuleResult) -> Iterator[str]:
    """Yield what can be unfolded about a rule: its drawing, its findings, how to run it again."""
    name = result.rule_id.rpartition("::")[2]
    yield f"<details><summary>{escape(printable(name))}: {result.verdict.value}</summary>"
    yield ""
    drawings = drawn_for(report.collected, result)
    if drawings is not None:
        yield from fenced(sides_mermaid(drawings.source, drawings.target), "mermaid")
    findings = [f for f in result.findings if not f.code.is_warning]
    yield from fenced(rule_block(result, findings, report.settings, report.style))
    if "::" in result.rule_id:
        yield from fenced([command_for(result, report.settings)], "sh")
    yield "</details>"
    yield ""
