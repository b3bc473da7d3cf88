"""One rule through stages: run them, skip what has become pointless, survive a crash."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf
from typing import Any

from gsl.errors import described, printable
from gsl.subst import Rule
from gslverify.codes.internal import INTERNAL_ERROR, NESTED_TOO_DEEPLY
from gslverify.corpus.declaration import LoadedRule
from gslverify.engine.deadline import PROCESSOR, OutOfTimeError, ended_after
from gslverify.engine.raising_operators import by_operator
from gslverify.events import Found, Notify, Progress, StageStarted
from gslverify.finding import FAILURES, REFUTING, Finding, StageResult, Verdict
from gslverify.settings import NO_FLAG, Settings
from gslverify.stage import Question
from gslverify.stage_names import STAGES
from gslverify.stages import Wave, load_hints, load_stage, load_values
from gslverify.stages.static import write_down

SHARE_OF_SEARCH = 0.96
"""Of the time for hints; what is at work when it is over needs the rest to come to its end."""
MOST_WAITING = 4
"""So many times the time of the processor a search may take on a machine that others use, too."""

MANY_PATTERNS = 100
"""Rules of fewer patterns are followed to the end; one that is not is a fault of the stage."""


def with_flags(rule: Rule, settings: Settings) -> Rule:
    """Return a rule with the flags of its library, unless it says itself what it needs."""
    if not settings.flags or rule.declared is not None or rule.nan == "same":
        return rule
    return replace(rule, flags=frozenset(settings.flags) - {NO_FLAG})


class Examination:
    """The examination of one rule; what stages remember is shared by those that follow."""

    def __init__(
        self,
        item: LoadedRule,
        settings: Settings,
        notify: Notify,
        plan: tuple[Any, ...] = (),
    ) -> None:
        kept = settings.examples_folder
        rule = with_flags(item.rule, settings)
        self.question = Question(item.rule_id, rule, settings, plan=plan, examples=kept)
        self.notify = notify
        self.refuted_by = ""
        self.found: StageResult | None = None

    def run(self, name: str, location: str) -> StageResult:
        """Return the result of a stage, given where to load it from.

        An exception of the stage becomes finding GSL901, one of the rule GSL102, one of the
        declaration of an operator GSL125. Stages after one
        that `stops` are skipped. While a stage runs, `found` is what it would come to if it were
        ended now.
        """
        if self.refuted_by:
            return skipped(name, f"{self.refuted_by} refuted the rule")
        question, rule_id, notify = self.question, self.question.rule_id, self.notify
        self.found = None
        notify(StageStarted(rule_id, name))
        question.progress = lambda text: notify(Progress(rule_id, name, text))
        question.found = lambda one: self._tell(StageResult(name, one.code.verdict, (one,)))
        try:
            result = load_stage(location).run(question)
        except RecursionError as error:
            result = too_deep(name) if is_deep(question) else crashed(name, error)
        except Exception as error:
            result = self._unwritten(name) or by_operator(name, error) or crashed(name, error)
        result = self._with_hints(self._with_values(result))
        self.found = None
        self.note(result)
        return result

    def _unwritten(self, name: str) -> StageResult | None:
        """Return the result for a rule that was written down once and cannot be again."""
        written = write_down(self.question)
        if not isinstance(written, Finding):
            return None
        return StageResult(name, written.code.verdict, (written,))

    def _tell(self, result: StageResult) -> None:
        """Note what a stage has found, if that is its first."""
        result = replace(result, plan=self.question.plan)
        self.found = result
        self.notify(Found(self.question.rule_id, result))

    def _with_values(self, result: StageResult) -> StageResult:
        """Look for wrong values where types are; whatever happens there, the refutation stays."""
        wanted = result.stage == "shape" and "numeric" in self.question.settings.stages
        if not wanted or not wants_hints(result, self.question):
            return result
        self._tell(result)
        known = self.found
        try:
            with ended_after(self.question.settings.hint_budget):
                return load_values()(self.question, result)
        except OutOfTimeError:
            found = (
                self.found.findings if self.found is not None and self.found is not known else ()
            )
            return replace(result, findings=(*found, *result.findings))
        except Exception as error:
            note = f"no values were compared: {described(error)}"
            return replace(result, notes=(*result.notes, note))

    def _with_hints(self, result: StageResult) -> StageResult:
        """Look for what a refuted rule lacks; whatever happens there, the refutation stays."""
        if not wants_hints(result, self.question):
            return result
        self._tell(result)
        started, known = time.perf_counter(), self.found
        budget = self.question.settings.hint_budget
        searching = SHARE_OF_SEARCH * budget
        try:
            with ended_after(MOST_WAITING * budget), ended_after(searching, PROCESSOR):
                result = with_hints(result, self.question, self._improve)
        except OutOfTimeError:
            if self.found is not known and self.found is not None:
                result = self.found
            else:
                note = f"no condition was found in {budget:g} s; --hint-budget gives it more"
                result = replace(result, notes=(*result.notes, note))
        except Exception as error:
            note = f"no condition was looked for: {described(error)}"
            result = replace(result, notes=(*result.notes, note))
        return replace(result, hint_seconds=time.perf_counter() - started)

    def _improve(self, result: StageResult) -> None:
        """Note a result that is better than the one that was told."""
        self.found = replace(result, plan=self.question.plan)

    def note(self, result: StageResult) -> None:
        """Take a result as that of a stage, as one of an earlier run."""
        if stops(result, self.question.settings):
            self.refuted_by = result.stage


def wants_hints(result: StageResult, question: Question) -> bool:
    """Tell whether there is time to look for what a refuted rule lacks, and somebody who asks."""
    settings = question.settings
    limits = [settings.timeout_of(result.stage), settings.rule_budget or inf]
    return (
        settings.hints
        and not question.rule.expect
        and result.verdict is Verdict.FAIL
        and result.seconds + settings.hint_budget < min(limits)
        and any(finding.counterexample is not None for finding in result.findings)
    )


def with_hints(
    result: StageResult, question: Question, tell: Callable[[StageResult], None]
) -> StageResult:
    """Look for what a refuted rule lacks; where it is nested too deeply for that, leave it."""
    try:
        return load_hints()(question, result, tell)
    except RecursionError:
        if is_deep(question):
            return result
        raise


def is_deep(question: Question) -> bool:
    """Tell whether a rule has so many patterns that recursion over them may not end in time."""
    subst = question.subst
    return len(subst.source_patterns) + len(subst.target_patterns) >= MANY_PATTERNS


def stops(result: StageResult, settings: Settings) -> bool:
    """Tell whether later stages are pointless; none can do without a well-formed rule."""
    if result.stage == STAGES[0]:
        return result.verdict in FAILURES
    return result.verdict in REFUTING and not settings.keep_going


def examine(
    item: LoadedRule,
    wave: Wave,
    settings: Settings,
    notify: Notify,
    plan: tuple[Any, ...] = (),
) -> Iterator[StageResult]:
    """Yield the result of every stage of a wave for one rule, given the plan of earlier stages.

    How long that takes is watched by who has started it.
    """
    examination = Examination(item, settings, notify, plan)
    for name, location in wave.items():
        yield examination.run(name, location)


def crashed(stage: str, error: Exception) -> StageResult:
    """Return the result of a stage that raised `error`; the details hold the traceback."""
    message = f"stage {stage} raised {described(error)}"
    lines = printable("".join(traceback.format_exception(error))).splitlines()
    finding = Finding(
        INTERNAL_ERROR,
        message,
        cure="please report the rule and the traceback, which -v prints",
        details=tuple(lines),
        subject=stage,
    )
    return StageResult(stage, INTERNAL_ERROR.verdict, (finding,))


def too_deep(stage: str) -> StageResult:
    """Return the result of a stage that could not follow what is nested in a rule."""
    message = f"operators are nested more deeply than stage {stage} follows"
    finding = Finding(NESTED_TOO_DEEPLY, message, subject=stage)
    return StageResult(stage, NESTED_TOO_DEEPLY.verdict, (finding,))


def skipped(stage: str, reason: str) -> StageResult:
    """Return the result of a stage that was not run."""
    return StageResult(stage, Verdict.INCONCLUSIVE, skipped=reason)
