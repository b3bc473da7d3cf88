"""A campaign: break rules in every known way and see how much is noticed."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from gsl.errors import GslError
from gsl.rule_files.guard import Loss
from gslverify.corpus.declaration import Collected, CollectedRule
from gslverify.corpus.guarded import answers
from gslverify.engine.cache import Memory
from gslverify.engine.loop import ignore, verify
from gslverify.engine.pool import Workers
from gslverify.engine.writing import write_down
from gslverify.events import Event, Notify, RuleDone, RunDone
from gslverify.finding import REFUTING, RuleResult
from gslverify.mutation.collect import Drafted, drafted, rule_id_of
from gslverify.mutation.mutants import Mutant
from gslverify.mutation.score import Fate, Judged, fate_of, fate_where_legal
from gslverify.settings import Settings
from gslverify.stages import WAVES, Wave

LEGAL_STAGES = ("static", "satisfiable", "shape", "numeric")
"""What a mutant goes through for the second time; a proof would be about all its matches."""

A_MOMENT = 0.001
"""Seconds of a budget that is spent; 0 would be no limit."""


SECONDS_FOR_MUTANTS = 300.0
"""For making the mutants of a rule and writing them down."""


class LossError(GslError):
    """The mutants of a rule could not be made; the message says why."""


@dataclass(frozen=True, slots=True)
class Means:
    """What a campaign runs with: who is told, what keeps results and what stands for processes.

    `watch` sees the events of each run.
    """

    notify: Notify = ignore
    watch: Callable[[Event], None] = lambda event: None
    memory_of: Callable[[Settings], Memory | None] = lambda settings: None
    workers_of: Callable[[Settings], Workers | None] = lambda settings: None
    waves: Sequence[Wave] = WAVES

    def events(self, items: Sequence[Collected], settings: Settings) -> Iterator[Event]:
        """Yield the events of a run."""
        memory, workers = self.memory_of(settings), self.workers_of(settings)
        run = verify(items, settings, self.waves, self.notify, memory=memory, workers=workers)
        for event in run:
            self.watch(event)
            yield event


@dataclass(frozen=True, slots=True)
class Campaign:
    """The mutants of some rules: those that are judged already, and those to be verified.

    `left_out` is the number of those that were not drawn into the sample.
    """

    judged: tuple[Judged, ...]
    waiting: tuple[tuple[Mutant, CollectedRule], ...]
    left_out: int = 0

    @classmethod
    def of(
        cls,
        rules: Sequence[CollectedRule],
        operators: Sequence[str] = (),
        sample: int | None = None,
        seed: int = 0,
        number: str = "",
        jobs: int = 1,
    ) -> Campaign:
        """Make the mutants of `rules` by the `operators` with these ids, by default all.

        With a `number`, only those that have it. So many `jobs` are done at the same time.

        With a `sample`, so many are drawn from those that are not stillborn or equivalent; the
        same seed draws the same.
        """
        judged: list[Judged] = []
        waiting: list[tuple[Mutant, CollectedRule]] = []
        for rule, drafts in zip(rules, _drafts(rules, jobs), strict=True):
            for draft in drafts:
                mutant = draft.mutant
                if operators and mutant.operator_id not in operators:
                    continue
                if number not in ("", mutant.number):
                    continue
                if draft.item is not None:
                    waiting.append((mutant, draft.item))
                elif mutant.stillborn:
                    reason = mutant.stillborn
                    judged.append(Judged(rule.rule_id, mutant, Fate.STILLBORN, reason))
                else:
                    reason = "says the same"
                    judged.append(Judged(rule.rule_id, mutant, Fate.EQUIVALENT, reason))
        generated = len(waiting)
        if sample is not None and sample < generated:
            chosen = sorted(random.Random(seed).sample(range(len(waiting)), sample))
            waiting = [waiting[number] for number in chosen]
        return cls(tuple(judged), tuple(waiting), generated - len(waiting))

    @property
    def size(self) -> int:
        """How many mutants there are, those left out of the sample too."""
        return len(self.judged) + len(self.waiting) + self.left_out

    def run(
        self, settings: Settings, means: Means | None = None
    ) -> Generator[Judged, None, RunDone]:
        """Verify the mutants that wait; yield each with its fate, return how the run ended.

        Refutations do not end it, as they are what is hoped for; they are neither explained nor
        made simple, and results that a memory keeps are kept like that. Mutants whose targets
        cannot be built for some of what they match are verified once more, with these declined.
        """
        means = means or Means()
        settings = _without_explanations(settings)
        started = time.monotonic()
        mutants = {item.rule_id: mutant for mutant, item in self.waiting}
        declined: set[str] = set()
        done = RunDone((), 0.0)
        for event in means.events([item for _, item in self.waiting], settings):
            if isinstance(event, RuleDone):
                judged = _judged(mutants[event.result.rule_id], event.result, fate_of)
                if judged.fate is Fate.DECLINED:
                    declined.add(event.result.rule_id)
                else:
                    yield judged
            elif isinstance(event, RunDone):
                done = event
        if not declined or done.interrupted:
            return done
        items = [item for _, item in self.waiting if item.rule_id in declined]
        for event in means.events(items, _where_legal(settings, started)):
            if isinstance(event, RuleDone):
                mutant = mutants[event.result.rule_id]
                yield _judged(mutant, event.result, fate_where_legal)
            elif isinstance(event, RunDone):
                done = event
        return done


def _drafts(rules: Sequence[CollectedRule], jobs: int) -> Iterator[list[Drafted]]:
    """Yield the mutants of each rule; raise LossError where making them is lost."""
    questions = ((rule.path, partial(drafted, rule.rule_id, write_down)) for rule in rules)
    found = answers(questions, SECONDS_FOR_MUTANTS, max(1, jobs))
    for rule, drafts in zip(rules, found, strict=True):
        if isinstance(drafts, Loss):
            raise LossError(f"{rule.rule_id} cannot be broken: it {drafts.how}")
        yield drafts


def refuted(
    rules: Sequence[CollectedRule], settings: Settings, means: Means
) -> Iterator[RuleResult]:
    """Yield the results of rules that do not hold themselves: their mutants would tell nothing."""
    for event in means.events(rules, _without_explanations(settings)):
        if isinstance(event, RuleDone) and event.result.verdict in REFUTING:
            yield event.result
        elif isinstance(event, RunDone) and event.interrupted:
            raise KeyboardInterrupt


def _without_explanations(settings: Settings) -> Settings:
    return replace(settings, hints=False, explained=False, max_failures=0)


def _judged(
    mutant: Mutant, result: RuleResult, judge: Callable[[Mutant, RuleResult], tuple[Fate, str]]
) -> Judged:
    return Judged(rule_id_of(result.rule_id), mutant, *judge(mutant, result))


def _where_legal(settings: Settings, started: float) -> Settings:
    """Return the settings for mutants that decline some matches, with the time that is left."""
    stages = tuple(stage for stage in settings.stages if stage in LEGAL_STAGES)
    spent = time.monotonic() - started
    budget = max(settings.budget - spent, A_MOMENT) if settings.budget else 0.0
    return replace(settings, declining=True, stages=stages, budget=budget)
