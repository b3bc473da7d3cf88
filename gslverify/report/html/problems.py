"""Findings as the page shows them: place, counterexample, hint, commands."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from gsl.span import Span
from gslverify.finding import CODES, Tensor
from gslverify.report.details import span_lines
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


def problem_of(finding: Mapping[str, Any]) -> Problem:
    """Return what the page shows of a finding of a JSON report."""
    code, span, example = finding["code"], finding["span"], finding["counterexample"]
    return Problem(
        code=code,
        title=CODES[code].title if code in CODES else "",
        level="warning" if finding["level"] == "warning" else finding["verdict"],
        place=f"{span['file']}:{span['line']}:{span['column']}" if span else "",
        message=finding["message"],
        excerpt=_excerpt(span, finding.get("source_line", "")),
        details=finding["details"],
        cure=finding["cure"],
        repro=finding["repro"],
        stored=shlex.join(["gslverify", "repro", finding["stored"]]) if finding["stored"] else "",
        example=None if example is None else _example(example, code),
    )


def _excerpt(span: Mapping[str, Any] | None, line: str) -> list[str]:
    """Return the line that a finding points at, with carets below what it means."""
    if span is None:
        return []
    ends = (span["end_line"], span["end_column"])
    return span_lines(Span(span["file"], span["line"], span["column"], *ends), line)[2:]


def _example(example: Mapping[str, Any], code: str) -> Example:
    sides = [_valued(example, side) for side in ("source", "target")]
    rows = zip_longest(*sides, fillvalue=("", ""))
    return Example(
        statements=[(*source, *target) for source, target in rows],
        model_title="model found by z3" if code.startswith("GSL3") else "attributes and sizes",
        attributes=[text.split(" = ", 1) for text in attribute_texts(example["attrs"])],
        inputs=[_input(tensor) for tensor in example["inputs"]],
        outputs=[_output(output) for output in example["outputs"]],
        remarks=list(_remarks(example)),
    )


def _valued(example: Mapping[str, Any], side: str) -> list[tuple[str, str]]:
    """Return the statements of one side, each with what it computes as far as that is known."""
    values = [
        "" if value is None else nested_text(value) for value in example.get(f"{side}_values") or ()
    ]
    statements = example[f"{side}_ssa"]
    return list(zip_longest(statements, values[: len(statements)], fillvalue=""))


def _remarks(example: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what was found out about the counterexample, each with a word for what it is."""
    if example.get("divergence"):
        yield "diverges", example["divergence"]
    if example.get("matters"):
        yield "matters", "; ".join(example["matters"])
    if example.get("same_for_any"):
        yield "same for any", ", ".join(example["same_for_any"])
    for note in example["notes"]:
        yield "note", note


def _input(tensor: Mapping[str, Any]) -> str:
    shape = tuple(tensor["shape"])
    return tensor_text(Tensor(tensor["name"], tensor["dtype"], shape, tensor["values"]))


def _output(output: Mapping[str, Any]) -> dict[str, Any]:
    rows = [
        (
            "[" + ", ".join(map(str, element["index"])) + "]",
            *pair_text(element["source"], element["target"]),
        )
        for element in output["worst"]
    ]
    return {**output, "rows": rows}
