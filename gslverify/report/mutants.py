"""The report of a campaign: survivors first, then a table of mutation operators, then the score."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gsl.errors import counted
from gsl.span import Span
from gslverify.mutation.mutants import operators
from gslverify.mutation.score import Fate, Judged, Score, by_operator, by_rule, killed_by
from gslverify.project import from_here
from gslverify.report.style import BOLD, Style

COUNTED = (Fate.KILLED, Fate.SURVIVED)
WORTH_A_LOOK = (Fate.SURVIVED, Fate.GENERAL)
COLUMNS = (
    Fate.KILLED,
    Fate.SURVIVED,
    Fate.EQUIVALENT,
    Fate.GENERAL,
    Fate.DECLINED,
    Fate.PERFORMANCE,
    Fate.STILLBORN,
    Fate.UNJUDGED,
)
SCHEMA_VERSION = 1
STRICTER = "holds too: the rule is stricter than it must be"
OR_THE_SAME = ", unless nothing else can match"


def campaign_lines(
    judged: Sequence[Judged], left_out: int, style: Style, fail_under: float = 0.0
) -> Iterator[str]:
    """Yield what is worth knowing about a campaign; of a verbose one, all mutants."""
    others = [fate for fate in Fate if fate not in WORTH_A_LOOK]
    for fate in (*WORTH_A_LOOK, *(others if style.verbosity > 0 else ())):
        for one in judged:
            if one.fate is fate:
                yield from mutant_lines(one, style)
    if style.verbosity >= 0 and judged:
        yield from _tables(judged, style)
    yield f"{score_line(judged, left_out)}{_limit(judged, fail_under)}"
    if any(one.fate is Fate.UNJUDGED for one in judged):
        yield "there was no time to judge all of them; `--budget 0` takes as long as it needs"


def _tables(judged: Sequence[Judged], style: Style) -> Iterator[str]:
    """Yield a table of rules, by default of those with survivors, and one of operators."""
    rules = {
        rule: score
        for rule, score in by_rule(judged).items()
        if style.verbosity > 0 or score.counts[Fate.SURVIVED]
    }
    if rules:
        yield ""
        yield from _table("rule", rules, {}, style)
    yield ""
    meanings = {name: found.meaning for name, found in operators().items()}
    yield from _table("operator", by_operator(judged), meanings, style)
    yield ""
    stages = ", ".join(f"{count} by {stage}" for stage, count in killed_by(judged).items())
    if stages:
        yield f"killed: {stages}"


def mutant_lines(one: Judged, style: Style) -> Iterator[str]:
    """Yield what a mutant is, what was seen of it, and how to look at it."""
    mutant = one.mutant
    place = f" ({_place(mutant.span)})" if mutant.span else ""
    head = "GENERALISATION" if one.fate is Fate.GENERAL else one.fate.upper()
    yield f"{style.paint(head, BOLD)} {one.rule_id} {mutant.number}: {mutant.description}{place}"
    stricter = f"{STRICTER}{OR_THE_SAME if mutant.elsewhere else ''}"
    said = stricter if one.fate is Fate.GENERAL else one.by
    yield f"         {style.plain(said)}"
    if one.fate in WORTH_A_LOOK:
        words = ["gslverify", "check", one.rule_id, "--mutant", mutant.number, "-n", "200"]
        yield f"         try: {shlex.join(words)}"


def _place(span: Span) -> str:
    return f"{from_here(Path(span.file))}:{span.line}"


def _table(
    title: str, scores: Mapping[str, Score], remarks: Mapping[str, str], style: Style
) -> Iterator[str]:
    width = max([len(title), *map(len, scores)])
    used = [fate for fate in COLUMNS if any(score.counts[fate] for score in scores.values())]
    heads = "  ".join(f"{fate.value:>{len(fate.value)}}" for fate in used)
    yield style.paint(f"{title:<{width}}  {heads}   score", BOLD)
    for name, score in scores.items():
        cells = "  ".join(f"{score.counts[fate]:>{len(fate.value)}}" for fate in used)
        percent = f"{score.percent:5.1f}%" if any(score.counts[f] for f in COUNTED) else "     -"
        yield f"{name:<{width}}  {cells}  {percent}  {remarks.get(name, '')}".rstrip()


def score_line(judged: Sequence[Judged], left_out: int) -> str:
    """Return the sum of a campaign in one line."""
    score = Score.of(judged)
    rules = len({one.rule_id for one in judged})
    parts = [f"{score.counts[fate]} {fate.value}" for fate in COLUMNS if score.counts[fate]]
    said = f"{counted(score.generated, 'mutant')} of {counted(rules, 'rule')}"
    rest = f"; {left_out} not verified" if left_out else ""
    return f"{said}: {', '.join(parts) or 'none'}{rest}    score {score.percent:.1f}%"


def _limit(judged: Sequence[Judged], fail_under: float) -> str:
    """Say whether a score is as high as it has to be, if it has to."""
    if not fail_under:
        return ""
    score = Score.of(judged)
    said = "ok" if score.least >= fail_under else "too low"
    if score.percent >= fail_under > score.least:
        said = f"too low if none of the unjudged is killed, {score.least:.1f}%"
    return f"  (fail-under {fail_under:g}: {said})"


def campaign_document(
    judged: Sequence[Judged], left_out: int, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a campaign as plain values; equal campaigns give equal documents."""
    return {
        "schema_version": SCHEMA_VERSION,
        "run": dict(settings),
        "score": round(Score.of(judged).percent, 2),
        "left_out": left_out,
        "summary": _counts(Score.of(judged)),
        "operators": {name: _counts(score) for name, score in by_operator(judged).items()},
        "rules": {name: _counts(score) for name, score in by_rule(judged).items()},
        "killed_by": killed_by(judged),
        "mutants": [_record(one) for one in judged],
    }


def _counts(score: Score) -> dict[str, int]:
    return {fate.value: number for fate, number in sorted(score.counts.items())}


def _record(one: Judged) -> dict[str, Any]:
    mutant = one.mutant
    return {
        "rule": one.rule_id,
        "mutant": mutant.number,
        "operator": mutant.operator.id,
        "change": mutant.description,
        "line": mutant.span.line if mutant.span else None,
        "fate": one.fate.value,
        "by": one.by,
    }


def campaign_json(document: Mapping[str, Any]) -> str:
    """Return the text of a document."""
    return json.dumps(document, indent=2, sort_keys=True) + "\n"
