"""What was found about rules and passes of other libraries, as the results of a run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import repeat

from gsl.span import Span
from gslverify.adapters.foreign import Lifted, Options, PassFinding, PassResult, Replayed
from gslverify.codes import foreign as codes
from gslverify.finding import (
    REFUTING,
    Assurance,
    Code,
    Counterexample,
    Finding,
    Level,
    RuleResult,
    StageResult,
    Verdict,
)
from gslverify.stage import verdict_of

BLACK_BOX, LIFTING, REPLAY = "black-box", "lifting", "replay"
"""What is asked of rules and passes of other libraries beside the usual stages."""

CODES: Mapping[str, Code] = {
    "other values": codes.OTHER_VALUES,
    "other types": codes.OTHER_TYPES,
    "no graph any more": codes.ILL_FORMED,
    "changes its argument": codes.MUTATES,
    "another result each time": codes.RANDOM,
    "an exception": codes.RAISES,
    "ends the process": codes.ENDS_PROCESS,
    "does not end": codes.HANGS,
}
"""The code of a finding by the value of its `gslverify.passes.Ending`."""

UNTOLD = (codes.NOTHING_REWRITTEN, codes.NOTHING_COMPARED)

MOST_LINES = 24
"""Lines of a graph that a report shows."""


def identity(name: str, place: str) -> str:
    """Return the id of a rule or pass in reports: "FILE::NAME", or its name alone."""
    file = re.sub(r":\d+$", "", place).removesuffix(f":{name}")
    return f"{file}::{name}" if file and file != name else name


def span_of(place: str) -> Span | None:
    """Return the file and line of a place, None for one that is no file."""
    found = re.fullmatch(r"(.+):(\d+)", place)
    return None if found is None else Span(found[1], int(found[2]))


def command_of(library: str, targets: Sequence[str], options: Options) -> str:
    """Return the command that adapts targets again."""
    usual = Options()
    words = ["gslverify", "adapt", library, *targets]
    for name in ("graphs", "seed", "sources", "level"):
        given = getattr(options, name)
        words += [f"--{name}", str(given)] if given != getattr(usual, name) else []
    return shlex.join(words)


def tried(result: PassResult, scripts: Sequence[str] = ()) -> StageResult:
    """Return what came of trying a pass; `scripts` are the files of its findings."""
    span = span_of(result.place)
    counts = {"graphs": result.tried, "rewritten": result.rewritten}
    notes = [f"{number} not compared: {why}" for why, number in sorted(result.untold.items())]
    notes += [f"not tried: {result.left} further kinds of graphs"] if result.left else []
    findings = [
        _finding(one, span, script)
        for one, script in zip(result.findings, scripts or repeat(""), strict=False)
    ]
    assurances: tuple[Assurance, ...] = ()
    compared = result.rewritten - sum(result.untold.values())
    if result.failure:
        findings = [Finding(codes.NOT_TRIED, result.failure, span)]
    elif result.left and not findings:
        message = f"{result.tried} graphs were tried, none of {result.left} further kinds"
        findings = [Finding(codes.NOT_TRIED, message, span)]
    elif not result.rewritten:
        message = f"{result.tried} graphs were tried{_why_no_more(result)}"
        findings = [Finding(codes.NOTHING_REWRITTEN, message, span)]
    elif not findings and not compared:
        message = f"{result.rewritten} of {result.tried} graphs were rewritten"
        findings = [Finding(codes.NOTHING_COMPARED, message, span)]
    elif not findings:
        text = f"tested, {compared} of {result.tried} graphs rewritten and compared"
        assurances = (Assurance(BLACK_BOX, Level.TESTED, text),)
    return StageResult(
        BLACK_BOX,
        verdict_of(findings),
        tuple(findings),
        assurances,
        counts,
        0.0 if result.cached else result.seconds,
        cached=result.cached,
        notes=tuple(notes),
    )


def _why_no_more(result: PassResult) -> str:
    """Return the usual reason why further graphs could not be drawn."""
    if not result.refused:
        return ""
    why = max(result.refused, key=lambda reason: result.refused[reason])
    return f"; {result.refused[why]} more could not be drawn: {why}"


def _finding(one: PassFinding, span: Span | None, script: str) -> Finding:
    message = f"{one.message} ({one.graphs} graphs of {one.source})"
    before, after = (_shortened(lines) for lines in (one.before, one.after))
    return Finding(
        CODES[one.ending],
        message,
        span,
        details=(f"script: {script}",) if script else (),
        counterexample=Counterexample({}, before, after) if before else None,
        subject=f"{one.ending} {one.source}",
    )


def _shortened(lines: Sequence[str]) -> tuple[str, ...]:
    left_out = len(lines) - MOST_LINES
    return (*lines[:MOST_LINES], *([f"... {left_out} more lines"] if left_out > 0 else []))


def not_lifted(rule: Lifted) -> StageResult:
    """Return that a rule cannot be written as a rule of gsl, and why."""
    finding = Finding(codes.NOT_LIFTED, rule.reason, span_of(rule.place))
    return StageResult(LIFTING, Verdict.INCONCLUSIVE, (finding,))


def is_refuted(stages: Sequence[StageResult]) -> bool:
    """Tell whether a stage refutes a rule."""
    return any(stage.verdict in REFUTING for stage in stages)


def replayed(
    stages: Sequence[StageResult], rule: Lifted, answer: Replayed, script: str = ""
) -> tuple[StageResult, ...]:
    """Return the stages of a refuted rule, given what the library does on its counterexample.

    A refutation that the library does not show is no finding about the library.
    """
    if answer.is_shown:
        shown = [f"script: {script}"] if script else []
        note = StageResult(
            REPLAY, Verdict.PASS, notes=(answer.message,), assurances=(_shown(answer.message),)
        )
        return (*(_with_details(stage, shown) for stage in stages), note)
    refutations = [f for stage in stages for f in stage.findings if f.code.verdict in REFUTING]
    first = refutations[0]
    finding = Finding(
        codes.DOES_NOT_REPLAY,
        f"does not replay: {answer.message}",
        span_of(rule.place),
        details=(f"the lifted rule: {first.code} {first.message}",),
        counterexample=first.counterexample,
        stored=first.stored,
    )
    kept = tuple(_without_refutations(stage) for stage in stages)
    return (*kept, StageResult(REPLAY, Verdict.INCONCLUSIVE, (finding,)))


def _shown(message: str) -> Assurance:
    return Assurance(REPLAY, Level.TESTED, f"the library does the same: {message}")


def _with_details(stage: StageResult, lines: Sequence[str]) -> StageResult:
    findings = [
        replace(one, details=(*one.details, *lines)) if one.code.verdict in REFUTING else one
        for one in stage.findings
    ]
    return replace(stage, findings=tuple(findings)) if lines else stage


def _without_refutations(stage: StageResult) -> StageResult:
    """Return a stage that has found nothing, where it refuted a rule that nobody ships."""
    if stage.verdict not in REFUTING:
        return stage
    kept = tuple(one for one in stage.findings if one.code.verdict not in REFUTING)
    return replace(stage, verdict=Verdict.INCONCLUSIVE, findings=kept)


def without_doubt(stages: Sequence[StageResult]) -> tuple[StageResult, ...]:
    """Return stages in which nothing but trying graphs says that none was rewritten or compared.

    A rule that was lifted was seen to rewrite some, so that says nothing about it.
    """
    if len(stages) < 2 or any(stage.stage == LIFTING for stage in stages):
        return tuple(stages)
    return tuple(
        replace(stage, verdict=Verdict.PASS, findings=())
        if any(one.code in UNTOLD for one in stage.findings)
        else stage
        for stage in stages
    )


def summary(results: Sequence[RuleResult]) -> Iterator[str]:
    """Yield how many rules were lifted and have a verdict, and how many refutations replay."""
    rules = [one for one in results if any(s.stage != BLACK_BOX for s in one.stages)]
    if not rules:
        return
    codes_of = [{finding.code for finding in one.findings} for one in rules]
    without = sum(codes.NOT_LIFTED in found for found in codes_of)
    lost = sum(codes.DOES_NOT_REPLAY in found for found in codes_of)
    shown = sum(any(s.stage == REPLAY and s.assurances for s in one.stages) for one in rules)
    decided = sum(one.verdict in (Verdict.PASS, *REFUTING) for one in rules)
    yield (
        f"{len(rules)} rule{'s' * (len(rules) != 1)}: "
        f"{len(rules) - without} lifted, {decided} with a verdict; "
        f"{shown} refutation{'s' * (shown != 1)} replayed by the library, {lost} not"
    )
