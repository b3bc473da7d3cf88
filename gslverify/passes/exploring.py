"""Cases drawn, examined in children, and of those that fail alike the smallest."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from time import monotonic
from typing import Any, Protocol

from gslverify.networks.choices import Choices, NothingDrawnError, Tape
from gslverify.passes.isolation import run_each
from gslverify.passes.smaller import simplest
from gslverify.passes.verdicts import Ending, Verdict, verdict_of

MOST_ATTEMPTS = 60
"""Smaller cases that are tried for one finding."""

MOST_CAUSES = 3
"""Findings that are told of cases which fail alike."""

SECONDS_TO_SHRINK = 6.0
BATCH = 50
MOST_HANGING = 3
"""Cases that do not end, after which no more of an experiment are tried."""

HOPELESS = 500
"""Cases of an experiment of which none is changed, after which no more are tried."""

MOST_ALIKE = 20
"""Cases that all raise alike, after which no more are tried: it is not the graphs then."""

CHANGES = (1, 1, 2, 3)
"""How many choices differ between a case that was rewritten and one like it."""

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
    """What came of all cases: how many fared how, findings, and why cases could not be drawn.

    Cases of so many experiments are `left`.
    """

    left: int = 0
    endings: Counter[Ending] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    undecided: Counter[str] = field(default_factory=Counter)


Shrunk = tuple[Sequence[int], Verdict]
"""Choices and the verdict about what they lead to."""


@dataclass(slots=True)
class _Failure:
    """Cases of an experiment that fail alike."""

    experiment: Experiment
    cases: list[Shrunk] = field(default_factory=list)
    number: int = 0
    """Of all cases, those of other experiments among them; 0 where there are none."""


def explore(
    experiments: Sequence[Experiment], count: int, seed: int, seconds: float, rounds: int = 1
) -> Exploration:
    """Examine `count` cases, equally many of each experiment; `seconds` are for one case.

    Further `rounds` of as many follow as long as fewer than `count` were changed.
    """
    last = deque(explored(experiments, count, seed, seconds, rounds), maxlen=1)
    return last.pop() if last else Exploration()


def explored(
    experiments: Sequence[Experiment], count: int, seed: int, seconds: float, rounds: int = 1
) -> Iterator[Exploration]:
    """Yield one exploration after each experiment that has added to it; see `explore`."""
    result, shown = Exploration(), 0
    failures: dict[tuple[str, Ending, str], _Failure] = {}
    each = -(-count // max(1, len(experiments)))
    for number, experiment in enumerate(experiments, 1):
        random = Random(f"{seed} {experiment.name}")
        for taken, verdict in _in_rounds(experiment, each, random, seconds, rounds, result):
            result.endings[verdict.ending] += 1
            if verdict.ending is Ending.UNDECIDED:
                result.undecided[_kind(verdict)] += 1
            if verdict.is_finding:
                key = (experiment.name, verdict.ending, _kind(verdict))
                known = failures.setdefault(key, _Failure(experiment))
                known.cases.append((taken, verdict))
        all_alike = _all_raise_alike(result, failures)
        is_over = all_alike and len(failures) > 1 and result.endings.total() >= MOST_ALIKE
        result.left = 0 if is_over else len(experiments) - number
        if all_alike and result.left:
            continue  # whether it is the graphs is seen by what follows
        if is_over:
            failures = {key: _all_of(failures) for key in list(failures)[:1]}
        for failure in list(failures.values())[shown:]:
            result.findings += _causes(failure, seconds)
        shown = len(failures)
        yield result
        if is_over:
            return


def _all_raise_alike(
    result: Exploration, failures: Mapping[tuple[str, Ending, str], object]
) -> bool:
    """Tell whether every case so far has raised one exception."""
    alike = {(ending, kind) for _, ending, kind in failures}
    return len(alike) == 1 and result.endings.keys() == {Ending.RAISES}


def _all_of(failures: Mapping[tuple[str, Ending, str], _Failure]) -> _Failure:
    """Return as one what fails alike with all experiments: what they draw does not matter."""
    first = next(iter(failures.values()))
    cases = [case for failure in failures.values() for case in failure.cases]
    return _Failure(first.experiment, first.cases, len(cases))


def _causes(failure: _Failure, seconds: float) -> Iterator[Finding]:
    """Yield the smallest case, then those of cases that lack something which is in it.

    What all have to have that fail for one reason is in the smallest of them.
    """
    pending = sorted(failure.cases, key=lambda case: len(case[0]))
    seen: list[frozenset[str]] = []
    for _ in range(MOST_CAUSES):
        choices, smallest = _shrunk(failure.experiment, *pending[0], seconds)
        needed = _features(smallest)
        alike = [case for case in pending if needed <= _features(case[1])] or pending[:1]
        if needed not in seen:
            if failure.number:
                smallest = replace(smallest, message=f"{smallest.message}; so do all other graphs")
            number = failure.number or len(alike)
            yield Finding(smallest, failure.experiment.name, number, tuple(choices))
        seen.append(needed)
        pending = [case for case in pending if case not in alike]
        if not pending or failure.number:
            return


def _features(verdict: Verdict) -> frozenset[str]:
    """Return the words in the text of a graph: operators, attributes, dtypes; not short names."""
    return frozenset(re.findall(r"[A-Za-z_]{3,}", " ".join(verdict.before)))


def _in_rounds(
    experiment: Experiment,
    count: int,
    random: Random,
    seconds: float,
    rounds: int,
    result: Exploration,
) -> Iterator[tuple[list[int], Verdict]]:
    """Examine cases until `count` of them were changed, or the rounds are over.

    After the first round come some more each time that are like those which were changed well.
    """
    hung, found, idle = 0, 0, 0
    rewritten: list[list[int]] = []
    for _ in range(rounds):
        anew = list(_drawn(experiment, count, random, result.refused))
        like = list(_drawn(experiment, count // 2, random, result.refused, rewritten))
        for place, (taken, verdict) in enumerate(_verdicts(experiment, [*anew, *like], seconds)):
            is_rewritten = verdict.ending is not Ending.UNCHANGED
            rewritten += [taken] if is_rewritten and not verdict.is_finding else []
            found += is_rewritten and place < len(anew)
            idle += not is_rewritten
            hung += verdict.ending is Ending.HANGS
            yield taken, verdict
            if hung == MOST_HANGING:
                return
        if found >= count or (not rewritten and not found and idle >= HOPELESS):
            return


def _drawn(
    experiment: Experiment,
    count: int,
    random: Random,
    refused: Counter[str],
    like: Sequence[Sequence[int]] | None = None,
) -> Iterator[tuple[list[int], Any]]:
    """Draw cases; those `like` some others have a few choices that are made anew."""
    made = 0
    for _ in range(0 if like == [] else count * MOST_DRAWS):
        if made == count:
            return
        tape = Tape(_varied(random.choice(like), random) if like else (), random)
        try:
            case = experiment.draw(tape)
        except NothingDrawnError as error:
            refused[str(error)] += 1
            continue
        made += 1
        yield tape.taken, case


def _varied(taken: Sequence[int], random: Random) -> list[int | None]:
    """Return choices of which a few are to be made anew."""
    varied: list[int | None] = list(taken)
    for _ in range(random.choice(CHANGES)):
        if varied:
            varied[random.randrange(len(varied))] = None
    return varied


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


def _shrunk(
    experiment: Experiment, taken: Sequence[int], verdict: Verdict, seconds: float
) -> Shrunk:
    """Return the choices of, and the verdict about, the smallest case that fails alike."""
    attempts, until = 0, monotonic() + SECONDS_TO_SHRINK
    wanted = verdict.ending, _kind(verdict)

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
        ((_, other),) = _verdicts(experiment, [(tape.taken, case)], seconds)
        alike = (other.ending, _kind(other)) == wanted
        return (tape.taken, (tape.taken, other)) if alike else None

    first: Shrunk = taken, verdict
    return first if verdict.ending is Ending.HANGS else simplest(taken, first, attempt)


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
