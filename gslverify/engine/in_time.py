"""Stages that run in this process, and end when their time, their rule's or the run's is over."""

from __future__ import annotations

import time
from collections.abc import Iterator
from math import inf

from gslverify.codes.internal import OUT_OF_TIME
from gslverify.engine.budget import rule_is_over
from gslverify.engine.deadline import OutOfTimeError, ended_after
from gslverify.engine.examination import Examination
from gslverify.finding import Finding, StageResult
from gslverify.stages import Wave


def results_in_time(
    examination: Examination, wave: Wave, seconds: float = inf, run_ends: float = inf
) -> Iterator[StageResult]:
    """Yield the results of stages of a rule that has so many seconds left for them.

    What a stage had found when it was ended counts. Raises OutOfTimeError where it is the run that
    has to end, at `run_ends` on the clock of time.monotonic, and nothing was found.
    """
    end_of_rule = time.monotonic() + seconds
    settings = examination.question.settings
    for number, (name, location) in enumerate(wave.items()):
        now = time.monotonic()
        own, rule, run = settings.timeout_of(name), end_of_rule - now, run_ends - now
        try:
            with ended_after(max(0.0, min(own, rule, run))):
                result = examination.run(name, location)
        except OutOfTimeError:
            if examination.found is not None:
                result = examination.found
            elif run <= min(own, rule):
                raise
            elif rule <= own:
                yield from rule_is_over(dict(list(wave.items())[number:]), settings)
                return
            else:
                result = _out_of_time(name, own)
            examination.note(result)
        yield result


def _out_of_time(stage: str, seconds: float) -> StageResult:
    message = f"stage {stage} did not end within {seconds:g} seconds"
    finding = Finding(OUT_OF_TIME, message, None, "give it more by --stage-timeout", subject=stage)
    return StageResult(stage, finding.code.verdict, (finding,), seconds=seconds)
