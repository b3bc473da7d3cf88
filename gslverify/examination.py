"""One rule in one wave of stages: run them, skip what has become pointless, survive a crash."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from functools import partial

from gslverify.codes.internal import INTERNAL_ERROR
from gslverify.corpus import CollectedRule
from gslverify.events import Notify, Progress, StageStarted
from gslverify.finding import Finding, StageResult, Verdict
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages import Wave, load_stage

REFUTING = frozenset({Verdict.FAIL, Verdict.VACUOUS})


def examine(
    item: CollectedRule, wave: Wave, settings: Settings, notify: Notify
) -> Iterator[StageResult]:
    """Yield the result of every stage of a wave for one rule.

    An exception of a stage becomes finding GSL901. After a stage that refutes the rule the others
    are skipped, unless the settings say to keep going.
    """
    question = Question(item.rule_id, item.rule, settings)
    refuted_by = ""
    for name, location in wave.items():
        if refuted_by:
            yield skipped(name, f"{refuted_by} refuted the rule")
            continue
        notify(StageStarted(item.rule_id, name))
        question.progress = partial(_report, notify, item.rule_id, name)
        result = _guarded(name, location, question)
        yield result
        if result.verdict in REFUTING and not settings.keep_going:
            refuted_by = name


def _report(notify: Notify, rule_id: str, stage: str, text: str) -> None:
    notify(Progress(rule_id, stage, text))


def _guarded(name: str, location: str, question: Question) -> StageResult:
    try:
        return load_stage(location).run(question)
    except Exception as error:
        return crashed(name, error)


def crashed(stage: str, error: Exception) -> StageResult:
    """Return the result of a stage that raised `error`; the details hold the traceback."""
    message = f"stage {stage} raised {type(error).__name__}: {error}"
    lines = "".join(traceback.format_exception(error)).splitlines()
    finding = Finding(
        INTERNAL_ERROR,
        message,
        cure="please report the rule and the traceback, which -v prints",
        details=tuple(lines),
        subject=stage,
    )
    return StageResult(stage, INTERNAL_ERROR.verdict, (finding,))


def skipped(stage: str, reason: str) -> StageResult:
    """Return the result of a stage that was not run."""
    return StageResult(stage, Verdict.INCONCLUSIVE, skipped=reason)
