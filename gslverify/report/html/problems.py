"""Findings as the page shows them: place, counterexample, hint, commands."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from gslverify.documents import written
from gslverify.finding import CODES, Counterexample, Difference
from gslverify.report.details import span_lines
from gslverify.report.documents import FindingDocument
from gslverify.report.values import attribute_texts, nested_text, pair_text, tensor_text


@dataclass(frozen=True, slots=True)
class Example:
    """A counterexample: the network before and after, the model, what went in and came out.

    Each row of `statements` has those of source and target, with what they compute behind them.
    """

    statements: Sequence[tuple[str, str, str, str]]
    model_title: str
    attributes: Sequence[Sequence[str]]
    inputs: Sequence[str]
    outputs: Sequence[Mapping[str, Any]]
    remarks: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Problem:
    """A finding with the title of its code."""

    code: str
    title: str
    level: str
    place: str
    message: str
    excerpt: Sequence[str]
    details: Sequence[str]
    cure: str
    repro: str
    stored: str
    example: Example | None


def problems_of(findings: Iterable[FindingDocument]) -> Iterator[Problem]:
    """Yield what the page shows of the findings about a rule, warnings last.

    A condition that cures several of them is said once.
    """
    said: set[str] = set()
    for finding in sorted(findings, key=lambda one: one.level == "warning"):
        is_said = bool(finding.condition) and finding.cure in said
        yield problem_of(replace(finding, cure="") if is_said else finding)
        said.add(finding.cure)


def problem_of(finding: FindingDocument) -> Problem:
    """Return what the page shows of a finding of a report."""
    code, span, example = finding.code, finding.span, finding.counterexample
    stored = shlex.join(["gslverify", "repro", finding.stored]) if finding.stored else ""
    return Problem(
        code=code,
        title=CODES[code].title if code in CODES else "",
        level="warning" if finding.level == "warning" else finding.verdict.lower(),
        place=str(span) if span else "",
        message=finding.message,
        excerpt=span_lines(span, finding.source_line)[2:] if span else [],
        details=finding.details,
        cure=finding.cure,
        repro=finding.repro,
        stored=stored,
        example=None if example is None else _example(example, code),
    )


def _example(example: Counterexample, code: str) -> Example:
    sides = (
        _valued(example.source, example.source_values),
        _valued(example.target, example.target_values),
    )
    rows = zip_longest(*sides, fillvalue=("", ""))
    return Example(
        statements=[(*source, *target) for source, target in rows],
        model_title="model found by z3" if code.startswith("GSL3") else "attributes and sizes",
        attributes=[text.split(" = ", 1) for text in attribute_texts(example.attributes)],
        inputs=list(map(tensor_text, example.inputs)),
        outputs=list(map(_output, example.outputs)),
        remarks=list(_remarks(example)),
    )


def _valued(statements: Sequence[str], computed: Sequence[Any]) -> list[tuple[str, str]]:
    """Return the statements of one side, each with what it computes as far as that is known."""
    values = ["" if value is None else nested_text(value) for value in computed]
    return list(zip_longest(statements, values[: len(statements)], fillvalue=""))


def _remarks(example: Counterexample) -> Iterator[tuple[str, str]]:
    """Yield what was found out about the counterexample, each with a word for what it is."""
    if example.divergence:
        yield "diverges", example.divergence
    if example.matters:
        yield "matters", "; ".join(example.matters)
    if example.same_for_any:
        yield "same for any", ", ".join(example.same_for_any)
    for note in example.notes:
        yield "note", note


def _output(output: Difference) -> dict[str, Any]:
    rows = [
        ("[" + ", ".join(map(str, one.index)) + "]", *pair_text(one.source, one.target))
        for one in output.worst
    ]
    return {**written(output), "rows": rows}
