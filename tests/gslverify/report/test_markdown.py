from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gslverify.corpus.collect import collect
from gslverify.report.markdown import (
    MARKER,
    MOST_CHARACTERS,
    code_span,
    fenced,
    fitting,
    inline,
    markdown,
    table,
)
from tests.gslverify.report.making import report_of, report_of_everything
from tests.gslverify.results import crashed, failing, passing
from tests.gslverify.rule_files import write_rules


def test_comment_has_marker_counts_and_a_row_for_each_problem(folder: Path) -> None:
    lines = markdown(report_of_everything(folder)).splitlines()

    assert lines[:8] == [
        MARKER,
        "### gslverify: 6 rules: 1 pass, 2 fail, 1 inconclusive, 1 error, 1 expected to fail  "
        "(profile dev, seed 3)",
        "",
        "Passed: 1 tested.",
        "",
        "| verdict | rule | code |",
        "|---|---|---|",
        "| FAIL | `conv.py::two_conv_add` | GSL401 output y: 2 of 4 elements differ |",
    ]
    folded = lines.index("<details><summary>1 rule only tested</summary>")
    assert "diamond" not in "\n".join(lines[:folded])


def test_good_run_is_a_heading_and_what_it_is_worth(folder: Path) -> None:
    lines = markdown(report_of(passing(folder))).splitlines()

    assert lines[3] == "Passed: 1 tested."
    assert "| `conv.py::diamond` | tested |" in lines


def test_details_have_drawing_block_and_command(folder: Path) -> None:
    write_rules(folder, ["two_conv_add"], "conv.py")
    collected = tuple(collect(["conv.py"]))
    result = failing(folder)
    write_rules(folder, ["two_conv_add"], "conv.py")

    text = markdown(report_of(result, collected=collected))

    assert "<details><summary>two_conv_add: FAIL</summary>\n\n```mermaid\nflowchart TD\n" in text
    assert "subgraph source" in text
    assert "```sh\ngslverify check conv.py::two_conv_add --seed 3\n```" in text


def test_run_that_was_cut_short_says_so(folder: Path) -> None:
    text = markdown(report_of(passing(folder), stop_reason="interrupted"))

    assert "The run is not complete: interrupted." in text


def test_details_end_where_a_comment_is_full() -> None:
    block = ["<details>", "x" * 29_000, "</details>"]

    assert list(fitting([block])) == block
    assert list(fitting([block, block])) == [*block, *block]
    shortened = list(fitting([block] * 4))
    assert shortened == [*block, *block, "for details of 2 more rules see the full report", ""]
    line, _ = fitting([["x" * MOST_CHARACTERS]])
    assert line == "for details of 1 more rule see the full report"


def test_at_most_twenty_rows() -> None:
    lines = list(table(("rule",), [(str(number),) for number in range(23)]))

    assert len([line for line in lines if line.startswith("| ")]) == 21
    assert lines[-2] == "and 3 more, which the full report lists"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a|b", "a\\|b"),
        ("<script>", "&lt;script&gt;"),
        ("*a* _b_ [c](d) `e` #1 ~x~", r"\*a\* \_b\_ \[c\](d) \`e\` \#1 \~x\~"),
        ("two\nlines", "two lines"),
        ("\x1b[0m", "\\\\x1b\\[0m"),
    ],
)
def test_text_is_shown_as_it_is(text: str, shown: str) -> None:
    assert inline(text) == shown


def test_code_ends_where_it_should() -> None:
    assert code_span("a") == "`a`"
    assert code_span("a`b``c") == "```a`b``c```"
    assert code_span("`a") == "`` `a ``"
    assert fenced(["a", "````"]) == ["`````", "a", "````", "`````"]


def test_hostile_name_of_a_rule_is_text() -> None:
    result = replace(crashed(), rule_id="a.py::<script>alert(1)</script>")

    text = markdown(report_of(result))

    assert "<summary>&lt;script&gt;alert(1)&lt;/script&gt;: ERROR</summary>" in text
    assert "\n<script>" not in text
