from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from gslverify.report.formats import FORMATS, STREAMED, render
from gslverify.report.style import Style
from gslverify.report.text import TextReport
from tests.gslverify.report.making import report_of, report_of_everything
from tests.gslverify.results import passing


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_a_function(name: str) -> None:
    module, _, function = FORMATS[name].partition(":")

    assert callable(getattr(import_module(module), function))


@pytest.mark.parametrize("name", FORMATS)
def test_formats_are_pure(name: str, folder: Path) -> None:
    report = report_of_everything(folder)

    text = render(name, report)

    assert text == render(name, report)
    assert text.endswith("\n")


@pytest.mark.parametrize("name", FORMATS)
def test_run_without_rules_has_a_report(name: str) -> None:
    assert render(name, report_of()).endswith("\n")


@pytest.mark.parametrize("name", FORMATS)
def test_hostile_names_and_control_characters_are_text(name: str, folder: Path) -> None:
    result = replace(passing(folder), rule_id="rules/a.py::<script>alert(1)</script>\x1b[31m\x00")

    assert render(name, report_of(result)).endswith("\n")


def test_streamed_text_is_that_of_the_record(folder: Path) -> None:
    lines: list[str] = []
    report = report_of_everything(folder)
    stream = TextReport(lines.append, Style())
    for event in report.events():
        stream.consume(event)

    assert all(render(name, report) == "".join(f"{line}\n" for line in lines) for name in STREAMED)


def test_remarks_stand_at_the_end(folder: Path) -> None:
    report = report_of(passing(folder), remarks=("baseline: nothing new",))

    assert render("full", report).endswith("\nbaseline: nothing new\n")
    assert render("concise", report).endswith("\nbaseline: nothing new\n")
