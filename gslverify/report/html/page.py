"""The whole page as text, made from the templates beside this module."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from gslverify.corpus.declaration import CollectedRule
from gslverify.report.documents import ReportDocument
from gslverify.report.html.model import drawing_model, page_model
from gslverify.report.html.sketch import Sketch, sketch_of, sketches_of
from gslverify.report.json import report_document
from gslverify.report.record import Report

TEMPLATES = Path(__file__).parent / "templates"

COLOURS = {
    "fail": "#b3261e",
    "vacuous": "#7b3fa0",
    "error": "#8f1d4f",
    "inconclusive": "#8a5a00",
    "known": "#59636e",
    "xfail": "#3d6b57",
    "untested": "#8a5a00",
    "tested": "#8a5a00",
    "equal": "#0f6d7a",
    "partly": "#0f6d7a",
    "proved": "#1a7040",
}
"""Colours of kinds of rules in a page without styles; words always stand beside them."""


def html(report: Report) -> str:
    """Return a report as a page."""
    sketches = sketches_of(report.collected)
    document, everything = report_document(report), report.everything
    return html_page(document, sketches, everything=everything, remarks=report.remarks)


def html_page(
    report: ReportDocument,
    sketches: Mapping[str, Sketch] | None = None,
    *,
    everything: bool = False,
    remarks: Sequence[str] = (),
) -> str:
    """Return the page of a report; equal arguments give equal text.

    Args:
        report: what the run has to report.
        sketches: drawings and texts of the rules by their ids; without them there are none.
        everything: draw the rules without problems, too.
        remarks: what else there is to say about the run, such as what the gate says.
    """
    script = _file("page.js")
    return _rendered(
        "page.html",
        page=page_model(report, sketches or {}, everything=everything),
        colours=COLOURS,
        remarks="\n".join(remarks),
        script=script,
        script_hash=_hash(script),
    )


def drawing_page(item: CollectedRule) -> str:
    """Return a page of one rule that says nothing about whether it is right."""
    return _rendered("drawing.html", rule=drawing_model(item.rule_id, sketch_of(item)))


def _rendered(template: str, **values: Any) -> str:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["with_code"] = _with_code
    text = environment.get_template(template).render(style=_file("page.css"), **values)
    # Names of files may hold what no encoding has.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _with_code(text: str) -> Markup:
    """Return text in which what stands between backticks is code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return Markup.escape(text)
    shown = [Markup("<code>{}</code>").format(p) if i % 2 else p for i, p in enumerate(parts)]
    return Markup("").join(shown)


def _file(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """Return the hash by which the page allows this one script and no other."""
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
