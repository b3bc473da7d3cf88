"""A campaign: break rules in every known way and see how much is noticed."""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace

from gslverify.corpus.collect import Collected, CollectedRule
from gslverify.engine.cache import Memory
from gslverify.engine.loop import ignore, verify
from gslverify.engine.pool import Workers
from gslverify.events import Event, Notify, RuleDone, RunDone
from gslverify.mutation.collect import mutants_in, rule_id_of
from gslverify.mutation.mutants import Mutant
from gslverify.mutation.normal import normal_form
from gslverify.mutation.score import Fate, Judged, fate_of
from gslverify.settings import Settings
from gslverify.stages import WAVES, Wave


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
    ) -> Campaign:
        """Make the mutants of `rules` by the `operators` with these ids, by default all.

        With a `number`, only those that have it.

        With a `sample`, so many are drawn from those that are not stillborn or equivalent; the
        same seed draws the same.
        """
        judged: list[Judged] = []
        waiting: list[tuple[Mutant, CollectedRule]] = []
        for rule in rules:
            form = normal_form(rule.rule())
            for mutant, item in mutants_in(rule):
                if operators and mutant.operator.id not in operators:
                    continue
                if number not in ("", mutant.number):
                    continue
                if item is None or mutant.subst is None:
                    reason = mutant.stillborn
                    judged.append(Judged(rule.rule_id, mutant, Fate.STILLBORN, reason))
                elif normal_form(mutant.subst) == form:
                    reason = "says the same"
                    judged.append(Judged(rule.rule_id, mutant, Fate.EQUIVALENT, reason))
                else:
                    waiting.append((mutant, item))
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
        self,
        settings: Settings,
        waves: Sequence[Wave] = WAVES,
        notify: Notify = ignore,
        watch: Callable[[Event], None] = lambda event: None,
        memory: Memory | None = None,
        workers: Workers | None = None,
    ) -> Generator[Judged, None, RunDone]:
        """Verify the mutants that wait; yield each with its fate, return how the run ended.

        `watch` sees the events of the run. Refutations do not end it, as they are what is hoped
        for, and no hints are looked for: results that a `memory` keeps are kept without them.
        """
        mutants = {item.rule_id: mutant for mutant, item in self.waiting}
        items: list[Collected] = [item for _, item in self.waiting]
        done = RunDone((), 0.0)
        settings = replace(settings, hints=False, max_failures=0)
        for event in verify(items, settings, waves, notify, memory=memory, workers=workers):
            watch(event)
            if isinstance(event, RuleDone):
                result = event.result
                mutant = mutants[result.rule_id]
                yield Judged(rule_id_of(result.rule_id), mutant, *fate_of(mutant, result))
            elif isinstance(event, RunDone):
                done = event
        return done
