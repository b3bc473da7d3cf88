"""Findings out of a JSON report, for those who have the report and not the run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gslverify.finding import CODES, Code, Finding
from gslverify.report.documents import FindingDocument


def as_finding(found: FindingDocument) -> Finding:
    """Return a finding as it stands in a report, without its graphs.

    A code that only another release knows keeps its name and its verdict.
    """
    example = found.counterexample
    if example is not None:
        attributes = {name: _tuples(value) for name, value in example.attributes.items()}
        example = replace(example, attributes=attributes)
    return Finding(
        CODES.get(found.code) or Code(found.code, "", "", found.verdict, ""),
        found.message,
        found.span,
        found.cure,
        found.details,
        example,
        stored=found.stored or "",
        condition=found.condition or "",
    )


def _tuples(value: Any) -> Any:
    """Return an attribute with tuples where JSON has lists."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
