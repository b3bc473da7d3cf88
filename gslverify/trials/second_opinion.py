"""TVM's second opinion on graphs that passed on the references, and what it is worth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from gsl.expr import Expr
from gsl.flags import OF_SPECIAL_VALUES
from gslverify.codes.backend import BACKEND_MISSING
from gslverify.codes.numeric import BACKEND_CRASHED, BACKEND_INCOMPLETE
from gslverify.comparison.special import MENUS, has_floats, special_inputs
from gslverify.finding import Assurance, Finding, Level
from gslverify.stage import Count, Note, Outcome, Question
from gslverify.trials import backend
from gslverify.trials.blame import blamed, differences
from gslverify.trials.domains import is_misused
from gslverify.trials.trial import Outcome as Trial
from gslverify.trials.trial import example_of

Item = TypeVar("Item")
SIDES = ("source", "target")
MOST_REPORTED = 3
UNCONFIRMED = "the references agree on it; TVM could not run one side or both"
NETWORKS_WITH_SPECIAL_VALUES = 3


@dataclass(slots=True)
class SecondOpinions:
    """What TVM says about networks and what they were rewritten to.

    `dead_targets` are the failures that ended its process on a target alone.
    """

    confirmed: list[list[Trial]] = field(default_factory=list)
    disagreements: list[Finding] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    dead_targets: tuple[str, ...] = ()
    failed: Trial | None = None
    """The first that TVM could not run, rather one that ended its process."""


def spread(items: Sequence[Item], most: int) -> list[Item]:
    """Return at most `most` items, evenly spread over the order in which they were drawn."""
    if len(items) <= most:
        return list(items)
    return [items[number * len(items) // most] for number in range(most)]


def choose(chosen: list[list[Trial]], passed: Sequence[list[Trial]], most: int) -> None:
    """Choose networks for TVM until there are so many, which it compiles while others are drawn.

    It is not asked about networks with operators that nobody has said in Relax.
    """
    before = set(map(id, chosen))
    known = (trials for trials in passed if id(trials) not in before)
    new = spread([one for one in known if not _beyond_tvm(one)], most - len(chosen))
    backend.anticipate([one for t in new for one in (t[0].network.outputs, t[0].target)])
    chosen += new


def confirm_on_tvm(
    question: Question, passed: Sequence[list[Trial]], asked: Sequence[list[Trial]]
) -> Iterator[Outcome]:
    """Ask TVM about chosen networks; yield what it says, and the assurance that remains."""
    unknown = sorted({reason for trials in passed for reason in _beyond_tvm(trials)})
    for reason in unknown:
        yield Note(f"TVM was not asked about graphs with {reason}")
    if passed and not asked:
        yield from assurances(passed, " on numpy only")
        return
    question.progress(f"TVM runs {len(asked)} graphs")
    span = question.subst.span
    try:
        said = second_opinions(asked)
    except backend.BackendMissingError as error:
        cure = "install gslverify[tvm], or verify with --no-tvm"
        message = f"TVM does not start: {str(error).removeprefix('TVM does not start: ')}"
        yield Finding(BACKEND_MISSING, message, span, cure)
        return
    details = tuple(dict.fromkeys(said.failures))[:3]
    example = None if said.failed is None else example_of(said.failed, UNCONFIRMED)
    yield Count("confirmed", len(said.confirmed))
    yield from said.disagreements
    if question.rule.kept == OF_SPECIAL_VALUES:
        yield from special_deviations(asked)
    if said.dead_targets:
        message = "TVM runs the source of a graph, but dies of its target"
        dead = said.dead_targets[:3]
        yield Finding(BACKEND_CRASHED, message, span, details=dead, counterexample=example)
    elif 2 * len(said.confirmed) < len(asked):
        message = f"TVM confirmed only {len(said.confirmed)} of {len(asked)} graphs"
        yield Finding(BACKEND_CRASHED, message, span, details=details, counterexample=example)
    else:
        if said.failures:
            message = f"TVM confirmed {len(said.confirmed)} of {len(asked)} graphs"
            yield Finding(BACKEND_INCOMPLETE, message, span, details=details)
        yield from assurances(said.confirmed, "")


def _beyond_tvm(trials: list[Trial]) -> set[str]:
    return backend.beyond_tvm((*trials[0].network.outputs, *trials[0].target))


def _telling(trials: list[Trial]) -> list[Trial]:
    """Return the first exact trial of a network and the first that is not exact."""
    exact = [trial for trial in trials if trial.exact]
    return [*exact[:1], *[trial for trial in trials if not trial.exact][:1]]


def second_opinions(passed: Sequence[list[Trial]]) -> SecondOpinions:
    """Run both sides of networks on TVM; blame no more than a few disagreements."""
    asked = [trial for trials in passed for trial in _telling(trials)]
    sides = [one for trial in asked for one in sides_of(trial)]
    opinions = iter(backend.opinions(sides))
    doubtful: set[int] = set()
    said = SecondOpinions()
    for trial in asked:
        about = {side: next(opinions) for side in SIDES}
        if not all(opinion.agrees for opinion in about.values()):
            doubtful.add(id(trial))
        for side, opinion in about.items():
            if opinion.difference and len(said.disagreements) < MOST_REPORTED:
                outputs = _outputs(trial, side)
                said.disagreements.append(blamed(side, outputs, trial.inputs, opinion.difference))
        said.failures += [opinion.failure for opinion in about.values() if opinion.failure]
        source, target = about.values()
        died = source.has_died or target.has_died
        if died or (said.failed is None and (source.failure or target.failure)):
            said.failed = trial
        if target.has_died and not source.failure:
            said.dead_targets += (target.failure,)
    said.confirmed = [t for t in passed if not any(id(trial) in doubtful for trial in t)]
    return said


def sides_of(trial: Trial) -> list[backend.Asked]:
    """Return source and target of a trial, to be run on TVM."""
    both = zip(SIDES, trial.values, strict=True)
    return [backend.Asked(_outputs(trial, side), trial.inputs, known) for side, known in both]


def special_deviations(passed: Sequence[list[Trial]]) -> Iterator[Finding]:
    """Ask TVM about NaN, infinities and signed zeros, every kind of finding once.

    Only for rules that promise to keep them: whoever relies on that should know where TVM differs.
    """
    reported: set[str] = set()
    generator = np.random.default_rng(0)
    usable = [trials[0] for trials in passed if has_floats(trials[0].network.outputs)]
    for trial in usable[:NETWORKS_WITH_SPECIAL_VALUES]:
        for kind in MENUS:
            inputs = special_inputs(trial.network.variables, trial.inputs, kind, generator)
            for side in () if is_misused(trial.network.outputs, inputs) else SIDES:
                found = differences(_outputs(trial, side), inputs)
                if not found:
                    continue
                finding = blamed(side, _outputs(trial, side), inputs, found[0].summary)
                if finding.message not in reported:
                    reported.add(finding.message)
                    yield finding


def _outputs(trial: Trial, side: str) -> tuple[Expr, ...]:
    return trial.network.outputs if side == SIDES[0] else trial.target


def assurances(passed: Sequence[list[Trial]], where: str) -> Iterator[Assurance]:
    """Yield how many networks agree exactly, and how many within the bounds of rounding."""
    exact = sum(any(trial.exact for trial in trials) for trials in passed)
    if exact:
        yield Assurance("", Level.EXACT, f"exact, {exact} graphs{where}")
    if exact < len(passed):
        yield Assurance("", Level.BOUNDED, f"bounded, {len(passed) - exact} graphs{where}")
