from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import ClassVar

import pytest

from gsl.span import Span
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.corpus.collect import collect
from gslverify.engine.loop import verify
from gslverify.engine.pool import Outcome, Task
from gslverify.engine.writing import write_down
from gslverify.events import (
    Event,
    Live,
    Progress,
    RuleDone,
    RunDone,
    RunStarted,
    StageDone,
    StagesEnded,
    StageStarted,
)
from gslverify.exits import Exit, exit_code
from gslverify.finding import Counterexample, Finding, StageResult, Verdict
from gslverify.settings import Settings
from tests.gslverify.fake_stages import WAVES
from tests.gslverify.rule_files import write_rule, write_rules
from tests.gslverify.runs import codes, events_of, run, verdicts


def rule_name(rule_id: str) -> str:
    return rule_id.partition("::")[2]


def test_all_rules_go_through_a_wave_before_the_next(folder: Path) -> None:
    events = events_of(folder, ["one", "two"])

    stages = [(e.result.stage, rule_name(e.rule_id)) for e in events if isinstance(e, StageDone)]
    assert stages == [
        ("static", "one"),
        ("static", "two"),
        ("satisfiable", "one"),
        ("satisfiable", "two"),
        ("numeric", "one"),
        ("numeric", "two"),
    ]


def test_a_run_starts_with_its_plan_and_ends_with_its_results(folder: Path) -> None:
    first, *_, last = events_of(folder, ["one", "two"], seed=3)

    assert isinstance(first, RunStarted)
    assert first.rule_ids == ("rules.py::one", "rules.py::two")
    assert first.stages == ("static", "satisfiable", "numeric")
    assert first.settings.seed == 3
    assert isinstance(last, RunDone)
    assert [result.rule_id for result in last.results] == list(first.rule_ids)
    assert last.stop_reason == ""
    assert last.seconds > 0


def test_rules_are_done_in_the_order_of_the_source(folder: Path) -> None:
    """A rule that is refuted early waits for those before it."""
    events = events_of(folder, ["one", "early", "two"])

    done = [rule_name(e.result.rule_id) for e in events if isinstance(e, RuleDone)]
    assert done == ["one", "early", "two"]
    last_stage = max(i for i, e in enumerate(events) if isinstance(e, StageDone))
    first_done = min(i for i, e in enumerate(events) if isinstance(e, RuleDone))
    assert first_done < last_stage


def test_refuted_rule_skips_later_stages(folder: Path, diary: Path) -> None:
    done = run(folder, ["early"])

    (result,) = done.results
    assert [(stage.stage, stage.skipped) for stage in result.stages] == [
        ("static", ""),
        ("satisfiable", ""),
        ("numeric", "satisfiable refuted the rule"),
    ]
    assert diary.read_text("utf-8").split() == ["cheap", "early"]


def test_keep_going_runs_them(folder: Path) -> None:
    (result,) = run(folder, ["early"], keep_going=True).results

    assert not any(stage.skipped for stage in result.stages)
    assert result.verdict is Verdict.FAIL


def test_malformed_rule_skips_them_all_the_same(folder: Path, diary: Path) -> None:
    write_rule(folder, "return None")

    *_, done = verify(collect(["rules.py"]), Settings(keep_going=True), WAVES)

    assert isinstance(done, RunDone)
    assert [stage.skipped for stage in done.results[0].stages] == [
        "",
        "static refuted the rule",
        "static refuted the rule",
    ]
    assert diary.read_text("utf-8") == ""


def test_undecided_stage_does_not_stop_a_rule(folder: Path) -> None:
    done = run(folder, ["unclear"])

    assert verdicts(done) == {"unclear": "INCONCLUSIVE"}
    assert exit_code(done) is Exit.CLEAN


def test_crash_of_a_stage_is_a_finding_of_its_rule(folder: Path) -> None:
    done = run(folder, ["one", "raises", "two"])

    assert verdicts(done) == {"one": "PASS", "raises": "ERROR", "two": "PASS"}
    (finding,) = done.results[1].findings
    assert finding.code.id == "GSL901"
    assert finding.message == "stage numeric raised ZeroDivisionError: no such luck"
    assert finding.details[0] == "Traceback (most recent call last):"
    assert any("fake_stages.py" in line for line in finding.details)
    assert exit_code(done) is Exit.INTERNAL


def test_findings_outrank_crashes(folder: Path) -> None:
    assert exit_code(run(folder, ["raises", "wrong"])) is Exit.FINDINGS


def test_stage_that_cannot_be_loaded_is_a_crash(folder: Path) -> None:
    write_rules(folder, ["one"])
    waves = (WAVES[0], {"numeric": "gslverify.nowhere:STAGE"})

    *_, done = verify(collect(["rules.py"]), Settings(), waves)

    assert isinstance(done, RunDone)
    assert codes(done) == {"one": ["GSL901"]}


def test_only_the_stages_of_the_settings_run(folder: Path) -> None:
    done = run(folder, ["early", "wrong"], stages=("satisfiable",))

    assert verdicts(done) == {"early": "FAIL", "wrong": "PASS"}
    assert [stage.stage for stage in done.results[1].stages] == ["static", "satisfiable"]


def test_static_always_runs(folder: Path) -> None:
    write_rule(folder, "return None")

    *_, done = verify(collect(["rules.py"]), Settings(stages=("numeric",)), WAVES)

    assert isinstance(done, RunDone)
    assert codes(done) == {"example": ["GSL104"]}


def test_counts_and_assurances_are_kept(folder: Path) -> None:
    (result,) = run(folder, ["one"]).results

    assert result.stages[-1].counts == {"graphs": 7}
    assert [str(assurance) for assurance in result.assurances] == ["exact, 7 graphs"]


def test_live_events_tell_what_is_going_on(folder: Path) -> None:
    write_rules(folder, ["one"])
    seen: list[Live] = []

    list(verify(collect(["rules.py"]), Settings(), WAVES, seen.append))

    assert seen == [
        StageStarted("rules.py::one", "static"),
        StagesEnded("rules.py::one", ("static",), over=False),
        StageStarted("rules.py::one", "satisfiable"),
        StagesEnded("rules.py::one", ("satisfiable",), over=False),
        StageStarted("rules.py::one", "numeric"),
        Progress("rules.py::one", "numeric", "half way"),
        StagesEnded("rules.py::one", ("numeric",), over=True),
    ]


def test_a_refuted_rule_is_over_when_that_is_known(folder: Path) -> None:
    write_rules(folder, ["early"])
    seen: list[Live] = []

    list(verify(collect(["rules.py"]), Settings(), WAVES, seen.append))

    assert seen[-1] == StagesEnded("rules.py::early", ("satisfiable",), over=True)


class Backwards:
    """Workers that finish the last rule first."""

    deadline = inf

    def __enter__(self) -> Backwards:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[int, Outcome]]:
        for task in reversed(list(tasks)):
            yield task.number, tuple(StageResult(name, Verdict.PASS) for name in task.wave)


def test_the_end_of_stages_is_live_before_it_is_told_in_order(folder: Path) -> None:
    write_rules(folder, ["one", "two"])
    order: list[str] = []

    def notify(live: Live) -> None:
        if isinstance(live, StagesEnded) and live.over:
            order.append(f"over {live.rule_id}")

    for event in verify(collect(["rules.py"]), Settings(), WAVES, notify, workers=Backwards()):
        if isinstance(event, RuleDone):
            order.append(f"told {event.result.rule_id}")

    assert order == [
        "over rules.py::two",
        "over rules.py::one",
        "told rules.py::one",
        "told rules.py::two",
    ]


def test_no_rules_is_a_run_without_results() -> None:
    *_, done = verify([], Settings(), WAVES)

    assert isinstance(done, RunDone)
    assert done.results == ()
    assert exit_code(done) is Exit.NO_RULES


@pytest.mark.parametrize(
    ("names", "limit", "finished"),
    [
        (["wrong_a", "b", "c"], 1, ["wrong_a"]),
        (["a", "wrong_b", "c"], 1, ["a", "wrong_b"]),
        (["a", "early", "c"], 1, ["early"]),
        (["wrong_a", "wrong_b", "c"], 2, ["wrong_a", "wrong_b"]),
        (["wrong_a", "b"], 2, ["wrong_a", "b"]),
    ],
)
@pytest.mark.parametrize("jobs", [0, 2])
def test_a_run_stops_after_enough_failures(
    names: list[str], limit: int, finished: list[str], jobs: int, folder: Path
) -> None:
    done = run(folder, names, max_failures=limit, jobs=jobs)

    assert list(verdicts(done)) == finished
    stopped = len(finished) < len(names)
    assert bool(done.stop_reason) is stopped
    assert exit_code(done) is Exit.FINDINGS


def interrupt_at(moment: Callable[[Live], bool]) -> Callable[[Live], None]:
    def notify(live: Live) -> None:
        if moment(live):
            raise KeyboardInterrupt

    return notify


def test_interrupt_keeps_what_is_finished(folder: Path) -> None:
    write_rules(folder, ["one", "sleeps", "three"])
    notify = interrupt_at(lambda live: live == StageStarted("rules.py::sleeps", "numeric"))

    *_, done = verify(collect(["rules.py"]), Settings(), WAVES, notify)

    assert isinstance(done, RunDone)
    assert list(verdicts(done)) == ["one"]
    assert done.interrupted
    assert exit_code(done) is Exit.INTERRUPTED


def test_interrupt_tells_of_finished_rules_behind_unfinished_ones(folder: Path) -> None:
    write_rules(folder, ["sleeps", "early"])
    notify = interrupt_at(lambda live: live == StageStarted("rules.py::sleeps", "numeric"))

    events: list[Event] = list(verify(collect(["rules.py"]), Settings(), WAVES, notify))

    told = [rule_name(e.result.rule_id) for e in events if isinstance(e, RuleDone)]
    assert told == ["early"]


class Interrupted:
    """Workers that finish one task behind others before Ctrl-C strikes."""

    deadline: float | None = None
    unfinished: ClassVar[dict[int, Outcome]] = {}

    def __enter__(self) -> Interrupted:
        return self

    def __exit__(self, *error: object) -> None: ...

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[int, Outcome]]:
        late = list(tasks)[-1]
        span = Span(str(late.path), 4)
        example = Counterexample({}, ("return x",), ("return x",))
        finding = Finding(OUTPUTS_DIFFER, "they differ", span, counterexample=example)
        yield late.number, tuple(StageResult(n, Verdict.FAIL, (finding,)) for n in late.wave)
        raise KeyboardInterrupt


def test_interrupt_keeps_what_is_finished_behind_what_is_not(folder: Path) -> None:
    write_rules(folder, ["one", "two", "wrong"])
    kept: list[str] = []

    def keep(rule_id: str, rule_hash: str, finding: Finding) -> Finding:
        kept.append(rule_id)
        return replace(finding, stored="kept.json")

    collected, waves = collect(["rules.py"], write=write_down), [WAVES[0], WAVES[-1]]
    events = verify(collected, Settings(), waves, keep=keep, workers=Interrupted())
    *_, done = list(events)

    assert isinstance(done, RunDone)
    assert done.interrupted
    assert verdicts(done) == {"wrong": "FAIL"}
    assert kept == ["rules.py::wrong"]
    assert done.results[0].findings[0].stored == "kept.json"
