from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from gslverify.report.formats import lacking, render
from gslverify.report.html import model, page
from gslverify.report.html.page import html_page
from tests.gslverify.report.html.pages import (
    HOSTILE,
    hostile,
    many_rules,
    page_of,
    record_of,
    report_of,
)

VOID = {"meta", "link", "input", "rect", "path"}


class Structure(HTMLParser):
    """Checks that elements are closed in order; collects ids and links."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids += [given["id"] or ""] if "id" in given else []
        self.links += [given["href"] or ""] if "href" in given else []
        self.links += [given["src"] or ""] if "src" in given else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in VOID, tag

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def structure(text: str) -> Structure:
    found = Structure()
    found.feed(text)
    assert found.open == []
    return found


def test_page_is_well_formed_and_ids_are_unique(folder: Path) -> None:
    found = structure(page_of(folder, hostile(), everything=True))

    assert len(found.ids) == len(set(found.ids))
    assert "conv.py::two_conv_add" in found.ids


def test_links_lead_to_places_on_the_page(folder: Path) -> None:
    found = structure(page_of(folder, hostile()))

    assert {link for link in found.links if not link.startswith("#")} == {"data:,"}
    assert {link[1:] for link in found.links if link.startswith("#")} <= set(found.ids)


def test_equal_reports_have_equal_bytes(folder: Path) -> None:
    assert page_of(folder, everything=True) == page_of(folder, everything=True)


def test_bytes_do_not_depend_on_hash_seeds(folder: Path) -> None:
    code = (
        "from pathlib import Path\n"
        "from tests.gslverify.report.html.pages import page_of\n"
        "print(page_of(Path('.'), everything=True))"
    )
    root = Path(page.__file__).parents[3]
    pages = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=folder,
            env={"PYTHONPATH": str(root), "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }

    assert len(pages) == 1


def test_markup_in_names_and_texts_is_escaped(folder: Path) -> None:
    text = page_of(folder, hostile())

    assert HOSTILE not in text
    assert "<script>window" not in text
    assert "It holds for &lt;b&gt;one&lt;/b&gt; group." in text


def test_names_that_no_encoding_has_are_written(folder: Path) -> None:
    report = report_of([])
    odd = replace(report, run=replace(report.run, paths=("\udc80.py",)))

    assert "\\udc80.py" in html_page(odd)


def test_passing_rules_are_drawn_on_request(folder: Path) -> None:
    assert page_of(folder).count('class="drawing"') == 2
    assert page_of(folder, everything=True).count('class="drawing"') == 4


def test_five_hundred_rules_are_below_five_megabytes(folder: Path) -> None:
    assert len(many_rules(500, everything=False).encode()) < 5_000_000


def test_page_is_a_format_of_reports(folder: Path) -> None:
    text = render("html", record_of([]))

    assert text.startswith("<!DOCTYPE html>\n")
    assert text.endswith("</html>\n")
    assert "nothing was verified" in text


def test_what_the_gate_says_is_shown(folder: Path) -> None:
    text = render("html", record_of([], remarks=("baseline: 1 REGRESSION", "  a <b>")))

    assert "baseline: 1 REGRESSION\n  a &lt;b&gt;</pre>" in text
    assert 'class="remarks"' not in page_of(folder).replace('<dl class="remarks">', "")


def test_templates_that_are_missing_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lacking("html") == ""
    monkeypatch.setattr("gslverify.report.formats.find_spec", lambda name: None)

    assert lacking("json") == ""
    assert lacking("html").endswith("install gslverify[report]")


def test_pages_of_very_many_rules_are_short(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "MANY", 50)
    monkeypatch.setattr(model, "MOST_UNFOLDED", 2)

    short, whole = many_rules(60, everything=False), many_rules(60, everything=True)

    assert len(re.findall('class="rule line"[^>]* data-kind="tested"', short)) == 54
    assert short.count('<details class="rule fail"') == 6
    assert short.count('<article class="finding fail">') == 2
    assert "FAIL conv.py::two_conv_add_20" in short  # as text, like in a terminal
    assert "--report-full" in short
    assert 'class="rule line' not in whole
    assert whole.count('<article class="finding fail">') == 6
