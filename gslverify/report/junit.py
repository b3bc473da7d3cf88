"""The report for test dashboards: JUnit XML, a suite for each file and a case for each stage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree

from gsl.errors import printable
from gslverify.finding import REFUTING, Finding, RuleResult, StageResult, Verdict
from gslverify.project import in_project, parted
from gslverify.report.details import rule_block
from gslverify.report.record import Report
from gslverify.report.strength import strength_of

REMARKS = "declaration"
"""Name of the case of what a rule declares about itself, where that is not met."""


def junit(report: Report) -> str:
    """Return the report as XML; INCONCLUSIVE is "skipped", ERROR is "error"."""
    root = ElementTree.Element("testsuites", name="gslverify")
    for file, results in groupby(report.done.results, lambda r: parted(r.rule_id)[0]):
        suite = ElementTree.SubElement(root, "testsuite", name=_clean(file))
        for result in results:
            suite.extend(_cases(report, result))
        _count(suite, suite)
    _count(root, root.iter("testsuite"))
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _clean(text: str) -> str:
    """Return text without the characters that XML cannot hold."""
    return printable(text).encode("utf-8", "backslashreplace").decode()


def _count(element: ElementTree.Element, parts: Iterable[ElementTree.Element]) -> None:
    cases = [case for part in parts for case in ([part] if part.tag == "testcase" else part)]
    kinds = [child.tag for case in cases for child in case]
    element.set("tests", str(len(cases)))
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(name, str(kinds.count(tag)))
    element.set("time", f"{sum(float(case.get('time', 0)) for case in cases):.3f}")


def _cases(report: Report, result: RuleResult) -> Iterator[ElementTree.Element]:
    for stage in result.stages:
        yield _case(report, result, stage)
    findings = tuple(remark for remark in result.remarks if not remark.code.is_warning)
    if findings:
        verdict = result.plain_verdict
        yield _case(report, result, StageResult(REMARKS, verdict, findings))


def _case(report: Report, result: RuleResult, stage: StageResult) -> ElementTree.Element:
    file, name = parted(result.rule_id)
    case = ElementTree.Element(
        "testcase",
        classname=_clean(file),
        name=_clean(f"{name or file}[{stage.stage}]"),
        time=f"{stage.seconds:.3f}",
        file=_clean(in_project(Path(result.span.file)) if result.span else file),
        line=str(result.span.line if result.span else 1),
    )
    found = [finding for finding in stage.findings if not finding.code.is_warning]
    if reason := stage.skipped or (stage.open if not found else ""):
        ElementTree.SubElement(case, "skipped", message=_clean(reason))
    elif result.verdict is Verdict.XFAIL and any(f.code.id == result.expect for f in found):
        because = f": {result.expect_reason}" if result.expect_reason else ""
        message = f"refuted by {result.expect} as expected{because}"
        ElementTree.SubElement(case, "skipped", message=_clean(message))
    elif found and all(report.known_failures.reason(result, one) for one in found):
        reason = report.known_failures.reason_of(result)
        message = f"known: {found[0].code} {found[0].message} ({reason})"
        ElementTree.SubElement(case, "skipped", message=_clean(message))
    elif found:
        case.append(_problem(report, result, stage, found))
    if result.verdict is Verdict.PASS:
        case.insert(0, _properties(result, stage))
    return case


def _properties(result: RuleResult, stage: StageResult) -> ElementTree.Element:
    """Return what a PASS is worth, the flags that the rule needs, and what the stage assures."""
    listed = ElementTree.Element("properties")
    strength = strength_of(result.assurances)
    said = [("strength", strength.text)]
    said += [("flags", " ".join(strength.flags))] if strength.flags else []
    said += [("assurance", str(one)) for one in stage.assurances]
    for name, value in said:
        ElementTree.SubElement(listed, "property", name=name, value=_clean(value))
    return listed


def _problem(
    report: Report, result: RuleResult, stage: StageResult, found: list[Finding]
) -> ElementTree.Element:
    first = found[0]
    verdicts = {finding.code.verdict for finding in found}
    tag = "failure" if verdicts & REFUTING else "error" if Verdict.ERROR in verdicts else "skipped"
    problem = ElementTree.Element(tag, message=_clean(f"{first.code} {first.message}"))
    if tag != "skipped":
        problem.set("type", first.code.id)
    block = rule_block(result, found, report.settings, report.style)
    problem.text = _clean("\n".join(block))
    return problem
