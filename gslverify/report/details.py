"""Findings as a block of text: place, source line, counterexample, what to do."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from textwrap import wrap

from gsl.span import Span, source_line
from gslverify.finding import SEVEREST_FIRST, Counterexample, Finding, RuleResult, Verdict
from gslverify.project import from_here
from gslverify.report.style import BOLD, Style
from gslverify.report.trees import trees
from gslverify.report.values import attribute_texts, difference_lines, tensor_text, with_values
from gslverify.settings import Settings, enough_examples

LABEL = 14
"""Columns of the labels in front of the parts of a block."""


MOST_COLUMNS, COLUMNS_BEFORE = 160, 40
"""Of a source line that are shown, and so many of them before the place that is meant."""


def rule_block(
    result: RuleResult, findings: Sequence[Finding], settings: Settings, style: Style
) -> list[str]:
    """Return the lines that describe what was found about a rule, the gravest first."""
    shown = [replace(one, cure=hint_of(one, settings)) for one in findings]
    return block_lines(result.rule_id, shown, command_for(result, settings), style)


def hint_of(finding: Finding, settings: Settings) -> str:
    """Return how a finding is cured, unless nobody wants hints."""
    return finding.cure if settings.hints else ""


def block_lines(
    rule_id: str,
    findings: Sequence[Finding],
    again: str,
    style: Style,
    source_lines: Sequence[str] = (),
) -> list[str]:
    """Return the lines of findings about a rule, given the command that verifies it again.

    The lines that they point at are read from their files where they are not given.
    """
    pairs = list(zip_longest(findings, source_lines))
    pairs.sort(key=lambda pair: SEVEREST_FIRST.index(pair[0].code.verdict))
    lines: list[str] = []
    for number, (finding, line) in enumerate(pairs, 1):
        heading = _further_heading(finding, style) if lines else _heading(rule_id, finding, style)
        lines += [*heading, *_explained(finding, style, line)]
        if not any(_is_cured_alike(finding, later) for later, _ in pairs[number:]):
            lines += _labelled("hint", finding.cure, style)
    stored = [shlex.join(["gslverify", "repro", one.stored]) for one in findings if one.stored]
    codes = dict.fromkeys(finding.code.id for finding, _ in pairs)
    lines += _commands("repro", stored)
    if "::" in rule_id:
        lines += _commands("again" if stored else "repro", [again])
    lines += _commands("explain", [f"gslverify explain {code}" for code in codes])
    return [style.plain(line) for line in lines]


def _explained(finding: Finding, style: Style, source_line: str | None) -> list[str]:
    """Return what there is to say about one finding: place, message, counterexample."""
    lines = span_lines(finding.span, source_line)
    lines += _labelled("", finding.message, style)
    if finding.counterexample is not None:
        lines += counterexample_lines(finding.counterexample, style)
    internal = finding.code.id.startswith("GSL9")
    if not internal or style.verbosity > 0:
        lines += [f"  {line}" for line in finding.details if line not in finding.message]
    return lines


def _is_cured_alike(finding: Finding, other: Finding) -> bool:
    """Tell whether one condition is the hint of both."""
    return bool(finding.condition) and finding.cure == other.cure


def _further_heading(finding: Finding, style: Style) -> list[str]:
    verdict = "warning" if finding.code.is_warning else finding.code.verdict.value
    return ["", *_labelled(verdict, f"{finding.code} {finding.code.title}", style)]


def _heading(rule_id: str, finding: Finding, style: Style) -> list[str]:
    verdict = "warning" if finding.code.is_warning else finding.code.verdict.value
    painted = verdict if finding.code.is_warning else style.verdict(Verdict(verdict))
    title = f"{finding.code} {finding.code.title}"
    subject = f"{painted} {style.paint(rule_id, BOLD)}"
    space = style.width - len(verdict) - 1 - len(rule_id) - len(title)
    if space > 1:
        return [f"{subject}{' ' * space}{title}"]
    return [subject, *wrap(title, style.width, initial_indent="  ", subsequent_indent="  ")]


def source_line_of(span: Span | None) -> str:
    """Return the first line of a place; empty where there is none, as in a pipe."""
    return "" if span is None else source_line(span.file, span.line).rstrip("\n")


def span_lines(span: Span | None, source_line: str | None = None) -> list[str]:
    """Return the place, the source line and carets below it; nothing when there is no place."""
    if span is None:
        return []
    lines = [f"  --> {from_here(Path(span.file))}:{span.line}:{span.column}"]
    text = source_line_of(span) if source_line is None else source_line
    if not text.strip():
        return lines
    number = str(span.line)
    margin = " " * len(number)
    shown, carets = _around(text, _carets(span, text) if span.end_line else "", span.column)
    lines += [f"  {margin} |", f"  {number} | {shown}"]
    return [*lines, f"  {margin} | {carets}"] if carets else lines


def _around(text: str, carets: str, column: int) -> tuple[str, str]:
    """Return a source line and its carets, cut around a column where the line is very long."""
    if len(text) <= MOST_COLUMNS:
        return text, carets
    first = max(0, min(column - 1 - COLUMNS_BEFORE, len(text) - MOST_COLUMNS))
    last = first + MOST_COLUMNS
    before, after = "..." if first else "", "..." if last < len(text) else ""
    shown = f"{before}{text[first:last]}{after}"
    return shown, f"{' ' * len(before)}{carets[first:last]}" if carets else ""


def _carets(span: Span, text: str) -> str:
    end = len(text) + 1 if span.end_line > span.line else span.end_column
    before = text[: span.column - 1]
    indent = "".join("\t" if character == "\t" else " " for character in before)
    return indent + "^" * max(end - span.column, 1)


def _labelled(label: str, text: str, style: Style) -> list[str]:
    if not text:
        return []
    room = style.width - 2 - LABEL
    lines = [part for line in text.splitlines() for part in _fitting(line, room)]
    heads = [label, *[""] * (len(lines) - 1)]
    return [f"  {head:<{LABEL}}{line}" for head, line in zip(heads, lines, strict=True)]


def _commands(label: str, commands: Sequence[str]) -> list[str]:
    """Return commands, each on a line however long it is, since it has to be pasted."""
    heads = [label, *[""] * (len(commands) - 1)]
    return [f"  {head:<{LABEL}}{one}" for head, one in zip(heads, commands, strict=False)]


def _fitting(line: str, room: int) -> list[str]:
    return [line] if len(line) <= room else wrap(line, room)


def counterexample_lines(example: Counterexample, style: Style) -> list[str]:
    """Return attributes, inputs, both listings and the elements that differ."""
    lines = _labelled("attributes", _packed(attribute_texts(example.attributes), style), style)
    if style.trees and example.case is not None:
        sides = trees(example.case, ascii_only=style.ascii_only)
    else:
        sides = _listings(example)
    lines += _side_by_side(*sides, style)
    for label, texts in (
        ("inputs", [tensor_text(tensor) for tensor in example.inputs]),
        ("outputs", [line for out in example.outputs for line in difference_lines(out)]),
        ("diverges", [example.divergence] if example.divergence else []),
        ("matters", list(example.matters)),
        ("same for any", [", ".join(example.same_for_any)] if example.same_for_any else []),
        ("note", list(example.notes)),
    ):
        lines += _labelled(label, "\n".join(texts), style)
    return lines


def _packed(texts: Sequence[str], style: Style) -> str:
    """Put as many texts on a line as it holds, without breaking any."""
    lines = [""]
    for text in texts:
        longer = f"{lines[-1]}   {text}" if lines[-1] else text
        if len(longer) <= style.width - 2 - LABEL or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(text)
    return "\n".join(lines)


def _listings(example: Counterexample) -> tuple[list[str], list[str]]:
    """Return both networks as statements, with what they compute."""
    return (
        with_values(example.source, example.source_values),
        with_values(example.target, example.target_values),
    )


def _side_by_side(statements: Sequence[str], results: Sequence[str], style: Style) -> Iterator[str]:
    bar, dash, cross = ("|", "-", "+") if style.ascii_only else ("│", "─", "┼")
    room = style.width - 7
    left = min(max(map(len, ("source", *statements))), room // 2)
    right = min(max(map(len, ("target", *results))), room - left)
    yield f"    {'source':<{left}} {bar} target"
    yield f"    {dash * (left + 1)}{cross}{dash * (right + 1)}"
    source, target = _folded(statements, left), _folded(results, right)
    for one, other in zip_longest(source, target, fillvalue=""):
        yield f"    {one:<{left}} {bar} {other}".rstrip()


def _folded(statements: Sequence[str], columns: int) -> list[str]:
    return [
        part
        for statement in statements
        for part in wrap(statement, columns, subsequent_indent="     ") or [""]
    ]


def command_for(result: RuleResult, settings: Settings) -> str:
    """Return the command that finds out about a rule again."""
    return result.again or repro_command(result.rule_id, settings)


def repro_command(rule_id: str, settings: Settings) -> str:
    """Return the command that verifies one rule again with the settings that matter."""
    default = Settings()
    words = ["gslverify", "check", rule_id]
    if settings.max_examples != default.max_examples:
        words += ["-n", str(settings.max_examples)]
    if settings.min_examples != enough_examples(settings.max_examples):
        words += ["--min-examples", str(settings.min_examples)]
    if settings.draws != default.draws:
        words += ["--draws", str(settings.draws)]
    if settings.seed != default.seed:
        words += ["--seed", str(settings.seed)]
    if settings.stages != default.stages:
        words += ["--stages", ",".join(settings.stages)]
    words += ["--keep-going"] if settings.keep_going else []
    words += [] if settings.use_tvm else ["--no-tvm"]
    return shlex.join(words)
