from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from gslverify.finding import RuleResult
from gslverify.report.junit import junit
from tests.gslverify.report.making import report_of, report_of_everything
from tests.gslverify.results import crashed, expected, failing, passing, undecided, unmet


def cases(*results: RuleResult) -> dict[str, list[str]]:
    root = ElementTree.fromstring(junit(report_of(*results)))
    return {case.get("name", ""): [child.tag for child in case] for case in root.iter("testcase")}


def test_a_case_for_each_stage(folder: Path) -> None:
    assert cases(passing(folder)) == {
        "diamond[static]": ["properties"],
        "diamond[shape]": ["properties"],
        "diamond[numeric]": ["properties"],
    }


def test_cases_say_what_a_pass_is_worth(folder: Path) -> None:
    root = ElementTree.fromstring(junit(report_of(passing(folder))))
    numeric = next(c for c in root.iter("testcase") if "numeric" in c.get("name", ""))
    told = [(one.get("name"), one.get("value")) for one in numeric.iter("property")]

    assert told[0] == ("strength", "tested")
    assert ("assurance", "exact, 31 graphs") in told


def test_outcomes_of_cases(folder: Path) -> None:
    assert cases(failing(folder))["two_conv_add[numeric]"] == ["failure"]
    assert cases(failing(folder))["two_conv_add[static]"] == []
    assert cases(undecided())["undecided[numeric]"] == ["skipped"]
    assert cases(undecided())["undecided[gradient]"] == ["skipped"]
    assert cases(crashed())["crashed[shape]"] == ["error"]
    assert cases(expected())["wrong_on_purpose[numeric]"] == ["skipped"]
    assert 'message="refuted by GSL401 as expected: issue 12 &lt;of 7&gt;"' in junit(
        report_of(expected())
    )
    assert cases(unmet()) == {"mended[numeric]": [], "mended[declaration]": ["failure"]}


def test_suites_are_files_and_count(folder: Path) -> None:
    root = ElementTree.fromstring(junit(report_of_everything(folder)))

    counts = [
        (suite.get("name"), suite.get("tests"), suite.get("failures"), suite.get("errors"))
        for suite in root
    ]
    assert counts == [("conv.py", "5", "1", "0"), ("other.py", "6", "1", "1")]
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("11", "2", "3")


def test_cases_have_file_line_and_the_block(folder: Path) -> None:
    root = ElementTree.fromstring(junit(report_of(failing(folder))))

    case = next(case for case in root.iter("testcase") if len(case))
    assert (case.get("file"), case.get("line"), case.get("time")) == ("conv.py", "4", "2.000")
    assert case[0].get("type") == "GSL401"
    assert "conv1.groups = 2" in (case[0].text or "")


def test_control_characters_cannot_break_the_document(folder: Path) -> None:
    finding = replace(failing(folder).findings[1], message="a\x00b\x1b[31m\ud800<&>")
    result = replace(failing(folder), stages=(), remarks=(finding,))

    root = ElementTree.fromstring(junit(report_of(result)))

    message = next(root.iter("failure")).get("message", "")
    assert message.startswith(r"GSL401 a\x00b\x1b[31m\ud800<&>")
