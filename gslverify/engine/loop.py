"""The only loop: rules times stages to a stream of events.

All rules go through the cheap stages before the first goes through an expensive one. Results are
taken up in the order of the source whatever the number of workers, so that the same input gives
the same report.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import chain

from gslverify.codes.ignores import RULE_BUDGET_SPENT
from gslverify.corpus.declaration import Collected, CollectedRule, Unusable
from gslverify.engine.budget import STOPPED, Budget, rule_is_over, run_is_over
from gslverify.engine.cache import Forgetful, Memory
from gslverify.engine.cache.holding import has_cases
from gslverify.engine.conclusion import Keep, kept, rule_result, unusable_result
from gslverify.engine.examination import skipped, stops
from gslverify.engine.pool import Outcome, Pool, Task, Workers
from gslverify.engine.waves import chosen_waves, may_be_remembered, special_waves
from gslverify.engine.writing import written_here
from gslverify.events import (
    INTERRUPTED,
    Event,
    Live,
    Notify,
    RuleDone,
    RulesJoined,
    RunDone,
    RunStarted,
    StageDone,
    StagesEnded,
)
from gslverify.finding import FAILURES, Finding, RuleResult, StageResult
from gslverify.settings import Settings
from gslverify.stages import WAVES, Wave

Late = Callable[[], Sequence[Collected]]


def ignore(live: Live) -> None:
    """Take no notice of live events."""


def forget(rule_id: str, rule_hash: str, finding: Finding) -> Finding:
    """Put a counterexample nowhere."""
    return finding


def verify(
    collected: Sequence[Collected],
    settings: Settings,
    waves: Sequence[Wave] = WAVES,
    notify: Notify = ignore,
    keep: Keep = forget,
    memory: Memory | None = None,
    workers: Workers | None = None,
    first: Collection[str] = (),
    late: Late | None = None,
) -> Generator[Event, None, None]:
    """Verify what was collected; yield events, RunDone last.

    `keep` is given every finding that has a counterexample and was not expected, with the id and
    the hash of the rule, and returns it with the place where it was put. `memory` is asked before
    stages are run, and told what they found out. `workers` stand for processes of this machine.
    The rules whose ids are in `first` are worked on before others; that changes no result. Those
    that `late` returns, who may have to wait for them, are verified when all others have been.

    The first wave always runs, since no other stage can do without a well-formed rule, unless the
    rules have been written down when they were collected; of the others those stages run that the
    settings name. All of them run in other processes, as what rule files do may end these. Ctrl-C
    ends the run early: RunDone then says so and has the results that are complete.
    """
    chosen = chosen_waves(waves, settings)
    run = _Run(collected, settings, chosen, notify, keep, memory or Forgetful(), workers)
    run.first = first
    run.late = late
    started = time.perf_counter()
    yield RunStarted(tuple(item.rule_id for item in collected), run.stage_names, settings)
    reason = ""
    try:
        reason = yield from run.events()
    except KeyboardInterrupt:
        reason = INTERRUPTED
        yield from run.take_early()
        yield from run.take_unfinished()
    run.memory.close()
    yield from run.flush(everything=True)
    yield RunDone(tuple(run.results()), time.perf_counter() - started, reason)


@dataclass(slots=True)
class _State:
    """How far the verification of one rule has come."""

    item: Collected
    stages: list[StageResult] = field(default_factory=list)
    result: RuleResult | None = None
    reported: bool = False


class _Run:
    """The state of one run."""

    def __init__(
        self,
        collected: Sequence[Collected],
        settings: Settings,
        waves: Sequence[Wave],
        notify: Notify,
        keep: Keep,
        memory: Memory,
        workers: Workers | None,
    ) -> None:
        self.keep = keep
        self.workers = workers
        self.memory = memory
        self.settings = settings
        self.budget = Budget(settings)
        self.usual_waves = waves
        self.notify = notify
        self.first: Collection[str] = ()
        self.early: dict[int, Outcome] = {}
        self.pool: Workers | None = None
        self.wave_number = 0
        self.late: Late | None = None
        self.states: list[_State] = []
        self._join(collected)
        self.stage_names = tuple(name for wave in self.waves for name in wave)

    def _join(self, collected: Sequence[Collected]) -> None:
        """Take up rules, and the waves that concern any that are there."""
        for item in collected:
            result = unusable_result(item) if isinstance(item, Unusable) else None
            self.states.append(_State(item, result=result))
        self.special = {
            tuple(wave): {n for n, state in enumerate(self.states) if concerns(state.item)}
            for wave, concerns in special_waves(self.settings)
        }
        special = [wave for wave, _ in special_waves(self.settings) if self.special[tuple(wave)]]
        self.waves = [self.usual_waves[0], *special, *self.usual_waves[1:]]

    def results(self) -> list[RuleResult]:
        """Return the results that are complete."""
        return [state.result for state in self.states if state.result is not None]

    def flush(self, *, everything: bool = False) -> Iterator[Event]:
        """Tell of finished rules in the order of the source, up to the first unfinished one."""
        for state in self.states:
            if state.result is None:
                if everything:
                    continue
                return
            if not state.reported:
                state.reported = True
                yield RuleDone(state.result)

    def events(self) -> Generator[Event, None, str]:
        """Verify all rules, late ones last; return why the run stopped early, if it did."""
        with ExitStack() as stack:
            reason = yield from self._through_waves(stack)
            if reason in ("", STOPPED) and self.late is not None:
                items = self.late()
                self._join(items)
                yield RulesJoined(tuple(item.rule_id for item in items))
                reason = yield from self._through_waves(stack)
        return reason

    def _through_waves(self, stack: ExitStack) -> Generator[Event, None, str]:
        """Run wave after wave of what has no result; return why the run stopped early."""
        yield from self.flush()
        for number, wave in enumerate(self.waves):
            last = number == len(self.waves) - 1
            for index in self._without(wave):
                yield from self._take(self.states[index], (), number, last=last)
            tasks = self._tasks(wave)
            begun = sorted(tasks, key=lambda task: task.rule_id not in self.first)
            outcomes = self._outcomes(begun, number, stack)
            for index, outcome in self._in_order(tasks, outcomes, number):
                yield from self._take(self.states[index], outcome, number, last=last)
                if self._too_many_failures():
                    count = self.settings.max_failures
                    return f"stopped after {count} failure{'s' if count > 1 else ''}"
            if self.budget.is_spent:
                yield from self._give_up()
                return STOPPED
        return ""

    def _outcomes(
        self, tasks: Sequence[Task], wave_number: int, stack: ExitStack
    ) -> Iterator[tuple[int, Outcome] | None]:
        """Yield what tasks come to, except for those that are known already, which are noted.

        What is known is found out while processes are at work on what is not. None is yielded
        before these begin, as what is known by then may end the run.
        """
        new = self._unknown(tasks, wave_number)
        first = next(new, None)
        if first is None:
            return
        yield None
        if self.pool is None:
            self.pool = self._open_pool(stack)
        yield from self.pool.run(chain([first], new))

    def _unknown(self, tasks: Sequence[Task], wave_number: int) -> Iterator[Task]:
        for task in tasks:
            known = self._recalled(task) if wave_number else self._written(task)
            if known is not None and has_cases(known):
                yield replace(task, recalled=known)
                continue
            if known is None and task.seconds <= 0:
                known = self._out_of_time(task)
            if known is None:
                yield task
            else:
                self._put_early(task.number, known)

    def _written(self, task: Task) -> Outcome | None:
        """Return the result of the first wave, if the rule has been written down already."""
        item = self.states[task.number].item
        assert isinstance(item, CollectedRule)
        return None if item.written is None else (item.written.result,)

    def _put_early(self, number: int, outcome: Outcome) -> None:
        """Keep an outcome until it is its turn to be told."""
        is_last = self.wave_number == len(self.waves) - 1
        over = is_last or any(stops(result, self.settings) for result in outcome)
        names = tuple(result.stage for result in outcome)
        self.early[number] = outcome
        self.notify(StagesEnded(self.states[number].item.rule_id, names, over))

    def _in_order(
        self,
        tasks: Sequence[Task],
        outcomes: Iterator[tuple[int, Outcome] | None],
        wave_number: int,
    ) -> Iterator[tuple[int, Outcome]]:
        """Yield outcomes in the order of their tasks, as far as there are any."""
        self.early, self.wave_number = {}, wave_number
        for task in tasks:
            while task.number not in self.early:
                try:
                    one = next(outcomes)
                except StopIteration:
                    break
                if one is not None:
                    self._put_early(*one)
            if task.number in self.early:
                yield task.number, self.early.pop(task.number)

    def take_early(self) -> Iterator[Event]:
        """Take what is known although rules before it are not finished, and never will be."""
        last = self.wave_number == len(self.waves) - 1
        for index, outcome in sorted(self.early.items()):
            yield from self._take(self.states[index], outcome, self.wave_number, last=last)

    def take_unfinished(self) -> Iterator[Event]:
        """Take what refutes rules that were under examination when the run was interrupted."""
        last = self.wave_number == len(self.waves) - 1
        found = self.pool.unfinished if self.pool is not None else {}
        for index, outcome in sorted(found.items()):
            if self.states[index].result is None:
                yield from self._take(self.states[index], outcome, self.wave_number, last=last)

    def _give_up(self) -> Iterator[Event]:
        """Conclude the rules for which the run has no time left."""
        for index, state in enumerate(self.states):
            if state.result is None:
                done = {stage.stage for stage in state.stages}
                own = [w for w in self.waves if index in self.special.get(tuple(w), {index})]
                names = [name for wave in own for name in wave if name not in done]
                state.stages += run_is_over(names, self.settings)
                assert isinstance(state.item, CollectedRule)
                state.result = rule_result(state.item, tuple(state.stages), self.settings)
        yield from self.flush()

    def _out_of_time(self, task: Task) -> Outcome:
        """Return the results of stages for which a rule has no time left; that is told once."""
        is_reported = any(f.code is RULE_BUDGET_SPENT for f in self._findings(task.number))
        if is_reported:
            return tuple(skipped(name, "there was no time left") for name in task.wave)
        return rule_is_over(task.wave, self.settings)

    def _findings(self, number: int) -> Iterator[Finding]:
        for stage in self.states[number].stages:
            yield from stage.findings

    def _open_pool(self, stack: ExitStack) -> Workers:
        """Return processes for all rules that are left."""
        if self.workers is not None:
            self.workers.deadline = self.budget.deadline
            return stack.enter_context(self.workers)
        deadline = self.budget.deadline
        left = sum(state.result is None for state in self.states)
        jobs = max(self.settings.jobs, 1)
        size = jobs if self.late is not None else min(jobs, left)
        return stack.enter_context(Pool(size, self.settings, self.notify, deadline=deadline))

    def _tasks(self, wave: Wave) -> list[Task]:
        return [
            Task(
                index,
                state.item.rule_id,
                state.item.path,
                wave,
                self.budget.left_for(state.stages),
                next((stage.plan for stage in reversed(state.stages) if stage.plan), ()),
            )
            for index, state in enumerate(self.states)
            if state.result is None and index in self.special.get(tuple(wave), {index})
        ]

    def _without(self, wave: Wave) -> list[int]:
        """Return the rules that have nothing to do in a wave."""
        if tuple(wave) not in self.special:
            return []
        concerned = self.special[tuple(wave)]
        states = enumerate(self.states)
        return [n for n, state in states if state.result is None and n not in concerned]

    def _recalled(self, task: Task) -> Outcome | None:
        state = self.states[task.number]
        assert isinstance(state.item, CollectedRule)
        if not may_be_remembered(task.wave):
            return None
        return self.memory.recall(state.item, task.wave)

    def _take(
        self, state: _State, outcome: Outcome, wave_number: int, *, last: bool
    ) -> Iterator[Event]:
        assert isinstance(state.item, CollectedRule)
        if not wave_number:
            state.item = state.item if state.item.written else written_here(state.item, outcome[0])
        elif may_be_remembered(self.waves[wave_number]):
            self._note(state, outcome)
        rule_hash = next((one.rule_hash for one in state.stages if one.rule_hash), "")
        outcome = tuple(kept(state.item, rule_hash, one, self.keep) for one in outcome)
        state.stages.extend(outcome)
        for result in outcome:
            yield StageDone(state.item.rule_id, result)
        stop = next((result for result in outcome if stops(result, self.settings)), None)
        if stop is not None:
            later = [name for wave in self.waves[wave_number + 1 :] for name in wave]
            state.stages.extend(skipped(name, f"{stop.stage} refuted the rule") for name in later)
        if stop is not None or last:
            assert isinstance(state.item, CollectedRule)
            state.result = rule_result(state.item, tuple(state.stages), self.settings)
        yield from self.flush()

    def _note(self, state: _State, outcome: Outcome) -> None:
        assert isinstance(state.item, CollectedRule)
        for result in outcome if state.stages else ():
            self.memory.remember(state.item, result)

    def _too_many_failures(self) -> bool:
        limit = self.settings.max_failures
        return 0 < limit <= sum(result.verdict in FAILURES for result in self.results())
