"""What the page shows of a report, put in order: plain values for the templates."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gslverify.finding import Verdict
from gslverify.project import parted
from gslverify.report.details import block_lines
from gslverify.report.documents import (
    FindingDocument,
    ReportDocument,
    RuleDocument,
    StageDocument,
    TimingDocument,
)
from gslverify.report.html.anchors import anchors
from gslverify.report.html.picture import Side, sides
from gslverify.report.html.problems import Problem, problems_of
from gslverify.report.html.sketch import Sketch
from gslverify.report.reading import as_finding
from gslverify.report.record import QUIET
from gslverify.report.style import Style
from gslverify.report.values import table_lines

WORDS = {
    "fail": "failed",
    "vacuous": "vacuous",
    "error": "error",
    "inconclusive": "inconclusive",
    "known": "known failures",
    "xfail": "failed as expected",
    "untested": "passed, values not compared",
    "tested": "passed, only tested",
    "equal": "passed, equal for all inputs",
    "partly": "passed, proved in part",
    "proved": "passed, proved",
}
"""Kinds of rules, worst first, as the headings and counts of the page call them."""

STRENGTHS = {
    "proved": "proved",
    "proved in part": "partly",
    "equal for all inputs": "equal",
    "tested": "tested",
}
"""Kinds of rules that pass, by the word of their strength."""

MANY = 1000
"""A page of more rules has one line for each that is as it should be."""

MOST_UNFOLDED = 200
"""So many problems of such a page are shown as usual; others are blocks of text."""

NOWHERE = Sketch()


@dataclass(frozen=True, slots=True)
class Stage:
    """A row of the table of stages; `start` and `share` are percentages of the rule's time."""

    name: str
    status: str
    said: str
    seconds: float
    start: float
    share: float


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the source text, and the codes of the findings that point at it."""

    number: int
    text: str
    codes: str


@dataclass(frozen=True, slots=True)
class RuleView:
    """Everything shown of one rule."""

    anchor: str
    file: str
    name: str
    verdict: str
    kind: str
    strength: str
    flags: Sequence[str]
    known: str
    expected: str
    expected_reason: str
    codes: Sequence[str]
    assurance: Sequence[str]
    seconds: float
    sketch: Sketch
    sides: Sequence[Side]
    lines: Sequence[Line]
    stages: Sequence[Stage]
    problems: Sequence[Problem]
    is_line: bool = False
    block: str = ""

    @property
    def paragraphs(self) -> list[str]:
        """Why the rule holds, as its author says."""
        return [part for part in self.sketch.reason.split("\n\n") if part.strip()]

    @property
    def stage_lines(self) -> list[str]:
        """The stages as lines of text below a heading: a page of many rules needs few elements."""
        rows = [(s.name, s.status, f"{s.seconds:.2f} s", s.said) for s in self.stages]
        rows.insert(0, ("stage", "result", "time", "counts"))
        return table_lines(rows)

    @property
    def words(self) -> str:
        """What the filter looks at, in small letters."""
        texts = (self.file, self.name, *self.codes, *self.sketch.tags, self.sketch.equation)
        return " ".join(texts).lower()


@dataclass(frozen=True, slots=True)
class Group:
    """The rules of one kind."""

    kind: str
    word: str
    rules: Sequence[RuleView]


@dataclass(frozen=True, slots=True)
class Page:
    """Everything on the page; `bars` are kind, start and share in percent."""

    total: int
    groups: Sequence[Group]
    bars: Sequence[tuple[str, float, float]]
    facts: Sequence[tuple[str, str]]
    command: str
    stop_reason: str
    is_short: bool = False


def page_model(report: ReportDocument, sketches: Mapping[str, Sketch], *, everything: bool) -> Page:
    """Return what the page of a report shows.

    Args:
        report: what the run has to report.
        sketches: drawings and texts by rule id, as far as they are known.
        everything: draw the rules without problems, too.
    """
    places = anchors(rule.id for rule in report.rules)
    views = [
        _rule(rule, places[rule.id], sketches.get(rule.id, NOWHERE), report.timing, everything)
        for rule in report.rules
    ]
    is_short = len(views) > MANY and not everything
    if is_short:
        views = list(_shortened(views, report.rules))
    groups = [
        Group(kind, word, [view for view in views if view.kind == kind])
        for kind, word in WORDS.items()
    ]
    present = [group for group in groups if group.rules]
    run = report.run
    return Page(
        total=len(views),
        groups=present,
        bars=_bars([(group.kind, float(len(group.rules))) for group in present]),
        facts=_facts(report),
        command=shlex.join(["gslverify", *run.argv]) if run.argv else "",
        stop_reason="" if run.stop_reason == "completed" else run.stop_reason,
        is_short=is_short,
    )


def _shortened(views: Sequence[RuleView], rules: Sequence[RuleDocument]) -> Iterator[RuleView]:
    """Yield what is shown of each of many rules, so that a browser opens the page at once."""
    room = MOST_UNFOLDED
    for view, rule in zip(views, rules, strict=True):
        if rule.verdict in QUIET or view.known:
            yield replace(view, is_line=True)
        else:
            yield view if room > 0 else replace(view, block=_block(rule))
            room -= 1


def _block(rule: RuleDocument) -> str:
    """Return what was found about a rule as the terminal shows it."""
    findings = rule.findings
    if not findings:
        return ""
    lines = [one.source_line for one in findings]
    found = list(map(as_finding, findings))
    return "\n".join(block_lines(rule.id, found, findings[0].repro, Style(), lines))


def drawing_model(rule_id: str, sketch: Sketch) -> RuleView:
    """Return what a page shows of a rule that was not verified."""
    file, name = parted(rule_id)
    return RuleView(
        anchor="",
        file=file,
        name=name,
        verdict="",
        kind="",
        strength="",
        flags=(),
        known="",
        expected="",
        expected_reason="",
        codes=(),
        assurance=(),
        seconds=0.0,
        sketch=sketch,
        sides=sides(sketch),
        lines=_lines(sketch, file, ()),
        stages=(),
        problems=(),
    )


def _bars(amounts: Sequence[tuple[str, float]]) -> list[tuple[str, float, float]]:
    total = sum(amount for _, amount in amounts) or 1.0
    bars, start = [], 0.0
    for name, amount in amounts:
        bars.append((name, round(100 * start / total, 3), round(100 * amount / total, 3)))
        start += amount
    return bars


def _facts(report: ReportDocument) -> list[tuple[str, str]]:
    run = report.run
    facts = {
        "paths": " ".join(run.paths),
        "stages": ", ".join(run.stages),
        "graphs": f"{run.max_examples} per rule, at least {run.min_examples}",
        "seed": run.seed,
        "profile": run.profile,
        "budget": run.budget_s,
        "time": f"{report.timing.total_s:.1f} s",
        "exit code": run.exit_code,
        "versions": ", ".join(f"{name} {version}" for name, version in report.tool.items()),
    }
    return [(name, str(value)) for name, value in facts.items() if value not in (None, "")]


def _rule(
    rule: RuleDocument, anchor: str, sketch: Sketch, timing: TimingDocument, everything: bool
) -> RuleView:
    file, name = parted(rule.id)
    drawn = everything or rule.verdict not in QUIET
    findings, known = rule.findings, _known(rule)
    passed = rule.verdict is Verdict.PASS
    return RuleView(
        anchor=anchor,
        file=file,
        name=name or file,
        verdict=rule.verdict.lower(),
        kind=_kind(rule, known),
        strength=rule.strength.text if passed else "",
        flags=rule.strength.flags if passed else (),
        known=known,
        expected=rule.expected or "",
        expected_reason=rule.expected_reason or "",
        codes=list(dict.fromkeys(finding.code for finding in findings)),
        assurance=list(map(str, rule.assurance)),
        seconds=timing.rules.get(rule.id, 0.0),
        sketch=sketch,
        sides=sides(sketch) if drawn else [],
        lines=_lines(sketch, file, findings),
        stages=_stages(rule.stages, timing.stages.get(rule.id, {})),
        problems=list(problems_of(findings)),
    )


def _kind(rule: RuleDocument, known: str) -> str:
    """Return under which heading of the page a rule stands."""
    if known:
        return "known"
    passed = rule.verdict is Verdict.PASS
    return STRENGTHS.get(rule.strength.word, "untested") if passed else rule.verdict.lower()


def _known(rule: RuleDocument) -> str:
    """Return why a failure is known; the empty string if something about it is not."""
    reasons = [one.known for one in rule.findings if one.level != "warning"]
    return str(reasons[0]) if reasons and all(reasons) else ""


def _lines(sketch: Sketch, file: str, findings: Sequence[FindingDocument]) -> list[Line]:
    if sketch.excerpt is None:
        return []
    codes: dict[int, list[str]] = {}
    for finding in findings:
        span = finding.span
        if span is not None and span.file == file:
            codes.setdefault(span.line, []).append(finding.code)
    return [
        Line(number, text, " ".join(dict.fromkeys(codes.get(number, []))))
        for number, text in enumerate(sketch.excerpt.lines, sketch.excerpt.first)
    ]


def _stages(stages: Sequence[StageDocument], seconds: Mapping[str, float]) -> list[Stage]:
    times = [(stage.name, seconds.get(stage.name, 0.0)) for stage in stages]
    return [
        Stage(stage.name, stage.status, _said(stage), taken, start, share)
        for stage, (_, taken), (_, start, share) in zip(stages, times, _bars(times), strict=True)
    ]


def _said(stage: StageDocument) -> str:
    counts = [f"{number} {name}" for name, number in stage.counts.items()]
    return ", ".join([*([stage.reason] if stage.reason else []), *counts])
