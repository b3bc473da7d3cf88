"""The stage "examples": graphs that the author of a rule names match, and others do not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gsl.engine.fixpoint import apply
from gsl.engine.record import Record
from gsl.errors import GslError, described
from gsl.text.listing import listing
from gsl.workload import Workload
from gslverify.codes.author import MUST_MATCH, MUST_NOT_MATCH, NOT_A_GRAPH
from gslverify.corpus.containment import contained
from gslverify.finding import Finding
from gslverify.stage import Count, Outcome, Question, Stage
from gslverify.workloads import closest, matching, workload_of


def examine(question: Question) -> Iterator[Outcome]:
    """Try the rule on every graph; say of each that disappoints why."""
    rule = question.rule
    for name, graphs, judge in (
        ("must_match", rule.must_match, _missed),
        ("must_not_match", rule.must_not_match, _matched),
    ):
        for number, written in enumerate(graphs):
            subject = f"{name}[{number}]"
            workload = _read(question, subject, written)
            if isinstance(workload, Finding):
                yield workload
            else:
                yield from judge(question, subject, workload)
        yield Count(name, len(graphs))


def _read(question: Question, subject: str, written: Any) -> Workload | Finding:
    try:
        with contained():
            return workload_of(written)
    except GslError as error:
        message = f"{subject}: {error}"
    except Exception as error:
        message = f"{subject}: the function raises {described(error)}"
    cure = "write a Workload, an expression, a list of expressions, or a function of these"
    return Finding(NOT_A_GRAPH, message, question.rule.span, cure, subject=subject)


def _missed(question: Question, subject: str, workload: Workload) -> Iterator[Finding]:
    subst, record = question.subst, Record()
    span = question.rule.span
    if not matching(subst, workload):
        message = f"the source matches nowhere in {subject}"
        details = (*str(closest(subst, workload)).splitlines(), *_lines(workload))
        cure = "weaken what stops the match, or correct the graph"
        yield Finding(MUST_MATCH, message, span, cure, details, subject=subject)
        return
    try:
        apply(workload, [subst], record=record)
    except GslError as error:
        message = f"the source matches in {subject}, but the graph cannot be rewritten: {error}"
        yield Finding(MUST_MATCH, message, span, details=_lines(workload), subject=subject)
        return
    if not record.total and record.refused:
        refusal = record.refused[0].error
        message = f"the source matches in {subject}, but the target cannot be built: {refusal}"
        yield Finding(MUST_MATCH, message, span, details=_lines(workload), subject=subject)


def _matched(question: Question, subject: str, workload: Workload) -> Iterator[Finding]:
    subst = question.subst
    if matching(subst, workload):
        message = f"the source matches in {subject}"
        details = (*str(closest(subst, workload)).splitlines(), *_lines(workload))
        cure = "add the condition that tells this graph from those that are meant"
        yield Finding(MUST_NOT_MATCH, message, question.rule.span, cure, details, subject=subject)


def _lines(workload: Workload) -> tuple[str, ...]:
    return tuple(listing(workload.outputs))


EXAMPLES = Stage("examples", examine)
