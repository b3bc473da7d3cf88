"""Cases drawn, examined in children, and of those that fail alike the smallest."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from time import monotonic
from typing import Any, Protocol

from gslverify.networks.choices import Choices, NothingDrawnError, Tape
from gslverify.passes.isolation import run_each
from gslverify.passes.smaller import simplest
from gslverify.passes.verdicts import Ending, Verdict, verdict_of

MOST_ATTEMPTS = 60
"""Smaller cases that are tried for one finding."""

SECONDS_TO_SHRINK = 6.0
BATCH = 50
MOST_HANGING = 3
"""Cases that do not end, after which no more of an experiment are tried."""

MOST_DRAWS = 6
"""Draws for each case that is wanted, after which a source has no more."""


class Experiment(Protocol):
    """Draws cases and examines them."""

    @property
    def name(self) -> str:
        """What it is called in reports."""

    def draw(self, choices: Choices) -> Any:
        """Return a case; raises NothingDrawnError where choices lead to none."""

    def examine(self, case: Any) -> Verdict:
        """Return the verdict about a case; runs in a child, which may end in it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with a rewriter: the smallest case of those that fail alike, and how many.

    The choices that were `taken` lead the experiment to the case.
    """

    verdict: Verdict
    experiment: str
    count: int = 1
    taken: tuple[int, ...] = field(default=(), compare=False)


@dataclass(slots=True)
class Exploration:
    """What came of all cases: how many fared how, findings, and why cases could not be drawn."""

    endings: Counter[Ending] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    undecided: Counter[str] = field(default_factory=Counter)


Shrunk = tuple[Sequence[int], Verdict]
"""Choices and the verdict about what they lead to."""


@dataclass(slots=True)
class _Failure:
    experiment: Experiment
    taken: Sequence[int]
    verdict: Verdict
    count: int = 0


def explore(
    experiments: Sequence[Experiment], count: int, seed: int, seconds: float, rounds: int = 1
) -> Exploration:
    """Examine `count` cases, equally many of each experiment; `seconds` are for one case.

    Further `rounds` of as many follow as long as fewer than `count` were changed.
    """
    result = Exploration()
    failures: dict[tuple[str, Ending, str], _Failure] = {}
    each = -(-count // max(1, len(experiments)))
    for experiment in experiments:
        random = Random(f"{seed} {experiment.name}")
        for taken, verdict in _in_rounds(experiment, each, random, seconds, rounds, result):
            result.endings[verdict.ending] += 1
            if verdict.ending is Ending.UNDECIDED:
                result.undecided[_kind(verdict)] += 1
            if verdict.is_finding:
                key = (experiment.name, verdict.ending, _kind(verdict))
                first = _Failure(experiment, list(taken), verdict)
                known = failures.setdefault(key, first)
                known.count += 1
                if len(taken) < len(known.taken):
                    known.taken, known.verdict = list(taken), verdict
    for failure in failures.values():
        choices, smallest = _shrunk(failure, seconds)
        name = failure.experiment.name
        result.findings.append(Finding(smallest, name, failure.count, tuple(choices)))
    return result


def _in_rounds(
    experiment: Experiment,
    count: int,
    random: Random,
    seconds: float,
    rounds: int,
    result: Exploration,
) -> Iterator[tuple[list[int], Verdict]]:
    """Examine cases until `count` of them were changed, or the rounds are over."""
    changed = hung = 0
    for _ in range(rounds):
        drawn = list(_drawn(experiment, count, random, result.refused))
        for taken, verdict in _verdicts(experiment, drawn, seconds):
            changed += verdict.ending is not Ending.UNCHANGED
            hung += verdict.ending is Ending.HANGS
            yield taken, verdict
            if hung == MOST_HANGING:
                return
        if changed >= count:
            return


def _drawn(
    experiment: Experiment, count: int, random: Random, refused: Counter[str]
) -> Iterator[tuple[list[int], Any]]:
    made = 0
    for _ in range(count * MOST_DRAWS):
        if made == count:
            return
        tape = Tape((), random)
        try:
            case = experiment.draw(tape)
        except NothingDrawnError as error:
            refused[str(error)] += 1
            continue
        made += 1
        yield tape.taken, case


def _verdicts(
    experiment: Experiment, drawn: Sequence[tuple[list[int], Any]], seconds: float
) -> Iterator[tuple[list[int], Verdict]]:
    for start in range(0, len(drawn), BATCH):
        batch = drawn[start : start + BATCH]
        tasks = [_task(experiment, case) for _, case in batch]
        for (taken, case), answer in zip(batch, run_each(tasks, seconds), strict=True):
            yield taken, _told(experiment, case, verdict_of(answer))


def _told(experiment: Experiment, case: Any, verdict: Verdict) -> Verdict:
    """Return the verdict with the case it is about, where the child could not say it."""
    describe: Callable[[Any, Verdict], Verdict] | None = getattr(experiment, "describe", None)
    if verdict.before or not verdict.is_finding or describe is None:
        return verdict
    return describe(case, verdict)


def _task(experiment: Experiment, case: Any) -> Callable[[], Verdict]:
    return lambda: experiment.examine(case)


def _shrunk(failure: _Failure, seconds: float) -> tuple[Sequence[int], Verdict]:
    """Return the choices of, and the verdict about, the smallest case that fails alike."""
    experiment, attempts, until = failure.experiment, 0, monotonic() + SECONDS_TO_SHRINK
    wanted = failure.verdict.ending, _kind(failure.verdict)

    def attempt(given: Sequence[int]) -> tuple[Sequence[int], Shrunk] | None:
        nonlocal attempts
        attempts += 1
        if attempts > MOST_ATTEMPTS or monotonic() > until:
            return None
        tape = Tape(given)
        try:
            case = experiment.draw(tape)
        except NothingDrawnError:
            return None
        ((_, verdict),) = _verdicts(experiment, [(tape.taken, case)], seconds)
        alike = (verdict.ending, _kind(verdict)) == wanted
        return (tape.taken, (tape.taken, verdict)) if alike else None

    first: Shrunk = failure.taken, failure.verdict
    if failure.verdict.ending is Ending.HANGS:
        return first
    return simplest(failure.taken, first, attempt)


def _kind(verdict: Verdict) -> str:
    """Return what verdicts about the same have in common: messages without their numbers."""
    message = verdict.message
    if verdict.kind or not message:
        return verdict.kind
    if verdict.ending in (Ending.DIFFERS, Ending.OTHER_TYPES):
        return ""
    plain = re.sub(r"0x[0-9a-f]+|-?\d+(\.\d+)?(e[-+]?\d+)?", "#", message)
    plain = re.sub(r"\[[^\]]*\]|\([#, ]*\)", "[]", plain)
    return plain[:80]
