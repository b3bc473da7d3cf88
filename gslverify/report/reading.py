"""Findings out of a JSON report, for those who have the report and not the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gsl.span import Span
from gslverify.finding import CODES, Code, Counterexample, Difference, Finding, Tensor, Verdict

Document = Mapping[str, Any]


def finding_of(written: Document) -> Finding:
    """Return a finding as `gslverify.report.json.finding_document` wrote it, without its graphs.

    What was added to reports later may be missing. Raises KeyError, TypeError or ValueError for
    what it cannot have written.
    """
    return Finding(
        _code(written),
        written["message"],
        _span(written["span"]),
        written["cure"],
        tuple(written["details"]),
        _counterexample(written["counterexample"]),
        stored=written.get("stored") or "",
        condition=written.get("condition") or "",
    )


def _code(written: Document) -> Code:
    """Return the code, also one that only another release knows."""
    verdict = Verdict(written["verdict"].upper())
    return CODES.get(written["code"]) or Code(written["code"], "", "", verdict, "")


def _span(written: Document | None) -> Span | None:
    if written is None:
        return None
    ends = (written["end_line"], written["end_column"])
    return Span(written["file"], written["line"], written["column"], *ends)


def _counterexample(written: Document | None) -> Counterexample | None:
    if written is None:
        return None
    return Counterexample(
        {name: _tuples(value) for name, value in written["attrs"].items()},
        tuple(written["source_ssa"]),
        tuple(written["target_ssa"]),
        tuple(map(_tensor, written["inputs"])),
        tuple(map(_difference, written["outputs"])),
        tuple(written["notes"]),
        tuple(written.get("source_values", ())),
        tuple(written.get("target_values", ())),
        written.get("divergence", ""),
        tuple(written.get("matters", ())),
        tuple(written.get("same_for_any", ())),
    )


def _tensor(written: Document) -> Tensor:
    shape = tuple(written["shape"])
    return Tensor(written["name"], written["dtype"], shape, written["values"])


def _difference(written: Document) -> Difference:
    return Difference(
        written["name"],
        written["mismatched"],
        written["total"],
        written["max_abs"],
        tuple((tuple(one["index"]), one["source"], one["target"]) for one in written["worst"]),
        written["sentence"],
    )


def _tuples(value: Any) -> Any:
    """Return an attribute with tuples where JSON has lists."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
