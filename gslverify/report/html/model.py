"""What the page shows of a report, put in order: plain values for the templates."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from gslverify.finding import CODES, Tensor
from gslverify.project import parted
from gslverify.report.html.anchors import anchors
from gslverify.report.html.picture import Side, sides
from gslverify.report.html.sketch import Sketch
from gslverify.report.values import attribute_texts, nested_text, number_text, tensor_text

WORDS = {
    "fail": "failed",
    "vacuous": "vacuous",
    "error": "error",
    "inconclusive": "inconclusive",
    "xfail": "failed as expected",
    "pass": "passed",
}
"""The verdicts, worst first, as the headings and counts of the page call them."""

CALM = frozenset({"pass", "xfail"})
"""Verdicts of rules that are only drawn when everything is asked for."""

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
class Example:
    """A counterexample: the network before and after, the model, what went in and came out.

    Each row of `statements` has those of source and target, with what they compute behind them.
    """

    statements: Sequence[tuple[str, str, str, str]]
    model_title: str
    attributes: Sequence[Sequence[str]]
    inputs: Sequence[str]
    outputs: Sequence[Mapping[str, Any]]
    remarks: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Problem:
    """A finding with the title of its code."""

    code: str
    title: str
    level: str
    place: str
    message: str
    details: Sequence[str]
    cure: str
    repro: str
    stored: str
    example: Example | None


@dataclass(frozen=True, slots=True)
class RuleView:
    """Everything shown of one rule."""

    anchor: str
    file: str
    name: str
    verdict: str
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

    @property
    def paragraphs(self) -> list[str]:
        """Why the rule holds, as its author says."""
        return [part for part in self.sketch.reason.split("\n\n") if part.strip()]

    @property
    def stage_lines(self) -> list[str]:
        """The stages as lines of text below a heading: a page of many rules needs few elements."""
        rows = [(s.name, s.status, f"{s.seconds:.2f} s", s.said) for s in self.stages]
        rows.insert(0, ("stage", "result", "time", "counts"))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return [
            f"{name:{widths[0]}}  {status:{widths[1]}}  {time:>{widths[2]}}  {said}".rstrip()
            for name, status, time, said in rows
        ]

    @property
    def words(self) -> str:
        """What the filter looks at, in small letters."""
        texts = (self.file, self.name, *self.codes, *self.sketch.tags, self.sketch.equation)
        return " ".join(texts).lower()


@dataclass(frozen=True, slots=True)
class Group:
    """The rules of one verdict."""

    verdict: str
    word: str
    rules: Sequence[RuleView]


@dataclass(frozen=True, slots=True)
class Page:
    """Everything on the page; `bars` are verdict, start and share in percent."""

    total: int
    groups: Sequence[Group]
    bars: Sequence[tuple[str, float, float]]
    facts: Sequence[tuple[str, str]]
    command: str
    stop_reason: str


def page_model(
    report: Mapping[str, Any], sketches: Mapping[str, Sketch], *, everything: bool
) -> Page:
    """Return what the page of a report shows.

    Args:
        report: the document that `gslverify.report.json` makes.
        sketches: drawings and texts by rule id, as far as they are known.
        everything: draw the rules without problems, too.
    """
    places = anchors(rule["id"] for rule in report["rules"])
    views = [
        _rule(rule, places[rule["id"]], sketches.get(rule["id"], NOWHERE), report, everything)
        for rule in report["rules"]
    ]
    groups = [
        Group(verdict, word, [view for view in views if view.verdict == verdict])
        for verdict, word in WORDS.items()
    ]
    present = [group for group in groups if group.rules]
    run = report["run"]
    return Page(
        total=len(views),
        groups=present,
        bars=_bars([(group.verdict, float(len(group.rules))) for group in present]),
        facts=_facts(report),
        command=shlex.join(["gslverify", *run["argv"]]) if run["argv"] else "",
        stop_reason="" if run["stop_reason"] == "completed" else run["stop_reason"],
    )


def drawing_model(rule_id: str, sketch: Sketch) -> RuleView:
    """Return what a page shows of a rule that was not verified."""
    file, name = parted(rule_id)
    return RuleView(
        anchor="",
        file=file,
        name=name,
        verdict="",
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


def _facts(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    run, timing = report["run"], report["timing"]
    facts = {
        "paths": " ".join(run["paths"]),
        "stages": ", ".join(run["stages"]),
        "graphs": f"{run['max_examples']} per rule, at least {run['min_examples']}",
        "seed": run["seed"],
        "profile": run.get("profile"),
        "budget": run.get("budget_s"),
        "time": f"{timing['total_s']:.1f} s",
        "exit code": run["exit_code"],
        "versions": ", ".join(f"{name} {version}" for name, version in report["tool"].items()),
    }
    return [(name, str(value)) for name, value in facts.items() if value not in (None, "")]


def _rule(
    rule: Mapping[str, Any],
    anchor: str,
    sketch: Sketch,
    report: Mapping[str, Any],
    everything: bool,
) -> RuleView:
    file, name = parted(rule["id"])
    timing = report["timing"]
    drawn = everything or rule["verdict"] not in CALM
    findings = rule["findings"]
    return RuleView(
        anchor=anchor,
        file=file,
        name=name or file,
        verdict=rule["verdict"],
        expected=rule["expected"] or "",
        expected_reason=rule.get("expected_reason") or "",
        codes=list(dict.fromkeys(finding["code"] for finding in findings)),
        assurance=[f"{a['subject']} {a['text']}".strip() for a in rule["assurance"]],
        seconds=timing["rules"].get(rule["id"], 0.0),
        sketch=sketch,
        sides=sides(sketch) if drawn else [],
        lines=_lines(sketch, file, findings),
        stages=_stages(rule["stages"], timing.get("stages", {}).get(rule["id"], {})),
        problems=sorted(map(_problem, findings), key=lambda problem: problem.level == "warning"),
    )


def _lines(sketch: Sketch, file: str, findings: Sequence[Mapping[str, Any]]) -> list[Line]:
    if sketch.excerpt is None:
        return []
    told: dict[int, list[str]] = {}
    for finding in findings:
        span = finding["span"]
        if span is not None and span["file"] == file:
            told.setdefault(span["line"], []).append(finding["code"])
    return [
        Line(number, text, " ".join(dict.fromkeys(told.get(number, []))))
        for number, text in enumerate(sketch.excerpt.lines, sketch.excerpt.first)
    ]


def _stages(stages: Sequence[Mapping[str, Any]], seconds: Mapping[str, float]) -> list[Stage]:
    times = [(stage["name"], seconds.get(stage["name"], 0.0)) for stage in stages]
    return [
        Stage(stage["name"], stage["status"], _said(stage), taken, start, share)
        for stage, (_, taken), (_, start, share) in zip(stages, times, _bars(times), strict=True)
    ]


def _said(stage: Mapping[str, Any]) -> str:
    counts = [f"{number} {name}" for name, number in stage["counts"].items()]
    return ", ".join([*([stage["reason"]] if stage["reason"] else []), *counts])


def _problem(finding: Mapping[str, Any]) -> Problem:
    code, span, example = finding["code"], finding["span"], finding["counterexample"]
    return Problem(
        code=code,
        title=CODES[code].title if code in CODES else "",
        level="warning" if finding["level"] == "warning" else finding["verdict"],
        place=f"{span['file']}:{span['line']}:{span['column']}" if span else "",
        message=finding["message"],
        details=finding["details"],
        cure=finding["cure"],
        repro=finding["repro"],
        stored=shlex.join(["gslverify", "repro", finding["stored"]]) if finding["stored"] else "",
        example=None if example is None else _example(example, code),
    )


def _example(example: Mapping[str, Any], code: str) -> Example:
    sides = [_valued(example, side) for side in ("source", "target")]
    rows = zip_longest(*sides, fillvalue=("", ""))
    return Example(
        statements=[(*source, *target) for source, target in rows],
        model_title="model found by z3" if code.startswith("GSL3") else "attributes and sizes",
        attributes=[text.split(" = ", 1) for text in attribute_texts(example["attrs"])],
        inputs=[_input(tensor) for tensor in example["inputs"]],
        outputs=[_output(output) for output in example["outputs"]],
        remarks=list(_remarks(example)),
    )


def _valued(example: Mapping[str, Any], side: str) -> list[tuple[str, str]]:
    """Return the statements of one side, each with what it computes as far as that is known."""
    values = [
        "" if value is None else nested_text(value) for value in example.get(f"{side}_values") or ()
    ]
    statements = example[f"{side}_ssa"]
    return list(zip_longest(statements, values[: len(statements)], fillvalue=""))


def _remarks(example: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what was found out about the counterexample, each with a word for what it is."""
    if example.get("divergence"):
        yield "diverges", example["divergence"]
    if example.get("matters"):
        yield "matters", "; ".join(example["matters"])
    if example.get("same_for_any"):
        yield "same for any", ", ".join(example["same_for_any"])
    for note in example["notes"]:
        yield "note", note


def _input(tensor: Mapping[str, Any]) -> str:
    shape = tuple(tensor["shape"])
    return tensor_text(Tensor(tensor["name"], tensor["dtype"], shape, tensor["values"]))


def _output(output: Mapping[str, Any]) -> dict[str, Any]:
    rows = [
        (
            "[" + ", ".join(map(str, element["index"])) + "]",
            number_text(element["source"]),
            number_text(element["target"]),
        )
        for element in output["worst"]
    ]
    return {**output, "rows": rows}
