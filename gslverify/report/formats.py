"""The registry of formats: names and the functions that make a report, loaded when called."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from gslverify.report.record import Report

Render = Callable[[Report], str]

FORMATS = {
    "full": "gslverify.report.text:full",
    "text": "gslverify.report.text:full",
    "concise": "gslverify.report.concise:concise",
    "json": "gslverify.report.json:json_text",
    "jsonl": "gslverify.report.jsonl:jsonl",
}
"""Where the function of each format is, as "module:function"; each takes a Report."""

STREAMED = ("full", "text")
"""Formats that are written while the run goes on; others replace them on standard output."""


def render(name: str, report: Report) -> str:
    """Return a report in the format of that name."""
    module, _, function = FORMATS[name].partition(":")
    make: Render = getattr(import_module(module), function)
    return make(report)
