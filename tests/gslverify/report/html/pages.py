"""Reports of made-up runs over rules that really exist, and the pages of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gslverify.corpus.collect import collect
from gslverify.documents import read
from gslverify.events import RunDone
from gslverify.finding import RuleResult, StageResult, Verdict
from gslverify.report.documents import ReportDocument
from gslverify.report.html.page import html_page
from gslverify.report.html.sketch import sketches_of
from gslverify.report.json import document, dumps
from gslverify.report.record import Report
from gslverify.settings import Settings
from tests.gslverify.results import crashed, expected, failing, passing, undecided

RULES = '''
from gsl import Subst, op, pat, rule


@rule(tags={"conv"}, origin="a paper")
def two_conv_add() -> Subst:
    """conv(x, w1) + conv(y, w2)  =>  conv(concat(x, y), concat(w1, w2))

    It holds for <b>one</b> group.
    """
    x, y, w1, w2 = pat.Wildcard(), pat.Wildcard(), pat.Variable(), pat.Variable()
    conv1 = op.Conv2D(x, w1)
    conv2 = op.Conv2D(y, w2, **pat.same_attr(conv1))
    both = op.Conv2D(
        op.Concatenate((x, y), axis=1), op.Concatenate((w1, w2), axis=1), **pat.same_attr(conv1)
    )
    return Subst(conv1 + conv2, both, where=[x.shape[0] == y.shape[0]])


@rule()
def diamond() -> Subst:
    """relu(relu(x))  =>  relu(x)"""
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x))
'''

HOSTILE = "<script>window.hacked = 1</script>\"'><img src=x onerror=hacked=1>.py::x"


def report_of(results: Sequence[RuleResult], stop_reason: str = "") -> ReportDocument:
    """Return the report of a run with these results, as it is read again."""
    return read(ReportDocument, json.loads(dumps(document(record_of(results, stop_reason)))))


def record_of(results: Sequence[RuleResult], stop_reason: str = "", **fields: Any) -> Report:
    """Return the record of a run with these results."""
    done = RunDone(tuple(results), 12.3, stop_reason)
    argv = ("check", "conv.py", "--seed", "3")
    return Report(done, Settings(seed=3), ("conv.py",), 1, argv, **fields)


def results_in(folder: Path) -> list[RuleResult]:
    """Return one result of every verdict but VACUOUS; the first two are of rules in a file."""
    results = [failing(folder), passing(folder), undecided(), crashed(), expected()]
    (folder / "conv.py").write_text(RULES, encoding="utf-8")
    return results


def hostile() -> RuleResult:
    """Return the result of a rule whose file has markup for a name."""
    return RuleResult(HOSTILE, None, (StageResult("static", Verdict.PASS),))


def page_of(folder: Path, *more: RuleResult, everything: bool = False) -> str:
    """Return the page of all kinds of results; `folder` is the working directory."""
    results = [*results_in(folder), *more]
    sketches = sketches_of(collect(["conv.py"]))
    return html_page(report_of(results), sketches, everything=everything)


def many_rules(count: int, everything: bool) -> str:
    """Return a page of `count` rules, every tenth of which fails with a counterexample."""
    folder = Path.cwd()
    good, bad = passing(folder), failing(folder)
    (folder / "conv.py").write_text(RULES, encoding="utf-8")
    known = sketches_of(collect(["conv.py"]))
    results, sketches = [], {}
    for number in range(count):
        one = bad if number % 10 == 0 else good
        name = f"{one.rule_id}_{number}"
        sketches[name] = known[one.rule_id]
        results.append(RuleResult(name, one.span, one.stages))
    return html_page(report_of(results), sketches, everything=everything)
