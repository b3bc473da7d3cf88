"""The registry of formats: names and the functions that make a report, loaded when called."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gslverify.report.record import Report

Render = Callable[["Report"], str]

FORMATS = {
    "full": "gslverify.report.text:full",
    "text": "gslverify.report.text:full",
    "concise": "gslverify.report.concise:concise",
    "json": "gslverify.report.json:json_text",
    "jsonl": "gslverify.report.jsonl:jsonl",
    "sarif": "gslverify.report.sarif:sarif",
    "junit": "gslverify.report.junit:junit",
    "github": "gslverify.report.github:github",
    "gitlab": "gslverify.report.gitlab:gitlab",
    "markdown": "gslverify.report.markdown:markdown",
    "html": "gslverify.report.html.page:html",
}
"""Where the function of each format is, as "module:function"; each takes a Report."""

EXTRAS = {"html": ("jinja2", "report")}
"""Formats that need a package, and the extra of this distribution that has it."""

STREAMED = ("full", "text")
"""Formats that are written while the run goes on; others replace them on standard output."""


def lacking(name: str) -> str:
    """Return what to do before a format can be made; empty if nothing is missing."""
    package, extra = EXTRAS.get(name, ("", ""))
    if not package or find_spec(package) is not None:
        return ""
    return (
        f"the format `{name}` needs the package {package}, which is not installed; "
        f"install gslverify[{extra}]"
    )


def render(name: str, report: Report) -> str:
    """Return a report in the format of that name."""
    module, _, function = FORMATS[name].partition(":")
    make: Render = getattr(import_module(module), function)
    return make(report)
