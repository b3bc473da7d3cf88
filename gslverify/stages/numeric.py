"""The stage "numeric": generate networks that match, rewrite them, and run both sides.

Networks and their inputs are made of choices, which are made simpler one after the other when both
sides differ. What passes on the NumPy references is confirmed on TVM afterwards, in bulk.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from typing import Any

from gsl.text.listing import listing
from gslverify.codes.numeric import (
    NO_FIXPOINT,
    REFERENCE_CHANGES,
    TOO_FEW_EXAMPLES,
)
from gslverify.coverage.uncovered import Survey, survey, with_corner
from gslverify.finding import Assurance, Finding
from gslverify.inputs.distinguish import distinguish
from gslverify.networks.alike import alike
from gslverify.networks.arrays import inputs_of_a_mixture
from gslverify.networks.choices import Choices, NothingDrawnError, Tape, entropy
from gslverify.networks.empty import empty_networks
from gslverify.networks.network import NOT_APPLICABLE, Network
from gslverify.networks.peaks import peaks, saturated
from gslverify.networks.poles import meetings
from gslverify.networks.strategies import network_from, with_place
from gslverify.networks.totals import totals
from gslverify.networks.wishes import DTYPES, NOTHING_FIXED
from gslverify.stage import Count, Covered, Note, Outcome, Question, Stage, Witness
from gslverify.stages.rounds import (
    ALL_EQUAL,
    RARE_CONTEXTS,
    ROUNDS,
    SHARE_OF_RARE_CONTEXTS,
    Round,
    special_rounds,
    with_short_axes_only,
)
from gslverify.stages.satisfiable import scenarios_of
from gslverify.stages.untried import untried_by
from gslverify.structures.concrete import Rewritten, target_outputs
from gslverify.structures.sampling import Sampler
from gslverify.trials.ladder import climb, refutation
from gslverify.trials.second_opinion import assurances, confirm_on_tvm
from gslverify.trials.simplify import simplified
from gslverify.trials.structures import in_simplest_structure
from gslverify.trials.trial import (
    MOST_REWRITES,
    Prepared,
    example_of,
    judge,
    prepare,
    simplest,
)
from gslverify.trials.trial import Outcome as Trial

MOST_FRUITLESS_DRAWS = 200
MOST_UNCOVERED = 12
GRAPHS_UNCOVERED = 2
MISSES_PER_TURN = 4
"""So many draws of a structure that come to no network count as one: its next turn is later."""
UNBUILT = "the target cannot be built"
SOLVED = "found by solving for inputs of a small graph"
ONLY_EXACT = "in exact arithmetic some numbers make a difference, which no run on them has shown"


@dataclass(slots=True)
class Search:
    """The trials of one rule; `passed` holds those of one network together.

    `runs` counts the networks of every sampler, `misses` the draws that did not come to one.
    """

    question: Question
    passed: list[list[Trial]] = field(default_factory=list)
    rejected: Counter[str] = field(default_factory=Counter)
    random: Random = field(default_factory=lambda: Random(0))
    declined: int = 0
    endless: Network | None = None
    draws: int = 0
    corners: set[int] = field(default_factory=set)
    contexts: set[str] = field(default_factory=set)
    survey: Survey | None = None
    runs: Counter[int] = field(default_factory=Counter)
    misses: Counter[int] = field(default_factory=Counter)

    @property
    def networks(self) -> list[Network]:
        """The networks on which both sides agreed."""
        return [trials[0].network for trials in self.passed]

    def turn_of(self, samplers: Sequence[Sampler]) -> int:
        """Return which sampler is next: each in turn, those that often miss less often."""
        keys = [id(sampler) for sampler in samplers]
        turns = [self.runs[key] + self.misses[key] // MISSES_PER_TURN for key in keys]
        return turns.index(min(turns))

    @property
    def refusals(self) -> Counter[str]:
        """Why draws told nothing, contexts apart that the rule has no place for."""
        reasons = self.rejected.items()
        return Counter({why: n for why, n in reasons if not why.startswith(NOT_APPLICABLE)})

    @property
    def useful(self) -> int:
        """How many networks said something."""
        return len(self.passed) + self.declined

    def attempt(self, network: Network, draws: Sequence[Mapping[str, Any]]) -> Trial | None:
        """Try a network on several inputs; return the first trial that failed."""
        trials = self.trials(network, draws)
        if not trials:
            return None
        if trials[-1].code is not None:
            return trials[-1]
        if trials[0].declined:
            self.declined += 1
        else:
            self.passed.append(trials)
            self.question.progress(f"graph {len(self.passed)}")
        return None

    def trials(self, network: Network, draws: Sequence[Mapping[str, Any]]) -> list[Trial]:
        """Return the trials that say something, up to the first that fails or is declined."""
        prepared = prepare(self.question.subst, network)
        if isinstance(prepared, Rewritten) and prepared.endless:
            self.endless = self.endless or network
        if self._is_declined(prepared, network):
            self.rejected[UNBUILT] += 1
            return []
        trials: list[Trial] = []
        for inputs in draws:
            trial = judge(network, prepared, inputs)
            if trial.rejected:
                self.rejected[trial.rejected] += 1
                continue
            trials.append(trial)
            if trial.code is not None or trial.declined:
                break
        return trials

    def _is_declined(self, prepared: Prepared, network: Network) -> bool:
        """Tell whether the target cannot be built, where that only declines the match."""
        question = self.question
        if not question.settings.declining or not isinstance(prepared, Rewritten):
            return False
        refused = prepared.refusal is not None
        return refused and target_outputs(question.subst, network.outputs) is None


def examine(question: Question) -> Iterable[Outcome]:
    """Look for a counterexample; without one, say how much was compared and how."""
    found = scenarios_of(question)
    scenarios = [*found.feasible, *found.large]
    if not scenarios:
        return
    samplers = [scenario.sampler for scenario in scenarios]
    search = Search(question, random=Random(entropy(rule_seed(question))))
    answers = distinguish(question.subst, samplers)
    if answers.failure is not None:
        question.found(_as_found(question, answers.failure))
    failure = answers.failure or _search(search, samplers)
    yield from _counts(search)
    if answers.only_exact:
        yield Note(ONLY_EXACT)
    if failure is not None:
        graphs = "1 graph" if len(search.passed) == 1 else f"{len(search.passed)} graphs"
        drawn = f"found after {graphs} that agreed, seed {question.settings.seed}"
        told = _told(question, failure, samplers)
        yield replace(told, details=(drawn if answers.failure is None else SOLVED,))
        return
    if search.endless is not None:
        lines = tuple(listing(search.endless.outputs))
        message = f"{MOST_REWRITES} rewrites of a graph did not come to an end"
        yield Finding(NO_FIXPOINT, message, question.subst.span, details=lines)
    untried = untried_by(search.question.subst, search.networks, samplers, search.corners)
    if untried:
        message = f"no graph was run {untried}"
        cure = "leave the condition out, or compare with what small graphs have"
        yield Finding(TOO_FEW_EXAMPLES, message, question.subst.span, cure, _reasons(search))
        return
    if search.passed:
        yield Witness(simplest(search.passed).case())
    if search.survey is not None:
        yield Covered(search.survey.final(question.subst, search.networks).plain())
    further = climb(question, search.passed, empty_networks(samplers))
    yield from further.counts
    yield from further.findings
    if further.is_refuted:
        return
    outcomes = list(_confirm(question, search))
    yield from outcomes
    if any(isinstance(outcome, Assurance) for outcome in outcomes):
        yield from answers.assurances()
        yield from further.assurances


def _counts(search: Search) -> Iterator[Count]:
    """Yield what a search has tried."""
    yield Count("examples", len(search.passed))
    yield Count("rejected", sum(search.refusals.values()))
    yield Count("declined", search.declined)
    yield Count("draws", search.draws)
    yield Count("contexts", len(search.contexts))


def _as_found(question: Question, failure: Trial) -> Finding:
    """Return the finding about a trial that failed, before anything is made smaller."""
    assert failure.code is not None
    example = example_of(failure, "as it was found: making it smaller was not finished")
    span, code = question.subst.span, failure.code
    return Finding(code, failure.message, span, counterexample=example, subject=code.id)


def _told(question: Question, failure: Trial, samplers: Sequence[Sampler]) -> Finding:
    """Return the finding about a trial that failed; what changes each time cannot be made small."""
    if failure.code is REFERENCE_CHANGES:
        return Finding(failure.code, failure.message, question.subst.span)
    seconds = question.settings.shrink_seconds
    simple = in_simplest_structure(question.subst, failure, samplers, seconds)
    return refutation(question, simple, samplers)


def _search(search: Search, samplers: list[Sampler]) -> Trial | None:
    total = max(search.question.settings.max_examples, len(samplers))
    for number, one in enumerate(ROUNDS):
        failed = _play(search, samplers, one, one.graphs(total, samplers), number)
        if failed is not None:
            return failed
    short = with_short_axes_only(search.networks, samplers) if search.useful else []
    for number, sampler in enumerate(short, 2000):
        failed = _play(search, [sampler], ALL_EQUAL, 1, number)
        if failed is not None:
            return failed
    for number, (few, one, examples) in enumerate(special_rounds(samplers), len(ROUNDS)):
        failed = _play(search, few, one, examples, number)
        if failed is not None:
            return failed
    if not search.useful:
        return None  # what tells nothing alone tells nothing elsewhere, and is INCONCLUSIVE
    return _play_rare_contexts(search, samplers, total) or _play_uncovered(search, samplers)


def _play_rare_contexts(search: Search, samplers: list[Sampler], total: int) -> Trial | None:
    for number, context in enumerate(RARE_CONTEXTS, 1000):
        one = Round(context, DTYPES, SHARE_OF_RARE_CONTEXTS, ("equal", "free"))
        failed = _play(search, samplers, one, one.graphs(total, samplers), number)
        if failed is not None:
            return failed
    return None


def _play_uncovered(search: Search, samplers: list[Sampler]) -> Trial | None:
    """Draw networks that have what those so far had not."""
    search.survey = survey(search.question.subst, search.networks, samplers)
    corner = max(len(sampler.corners) for sampler in samplers)
    for number, conditions in enumerate(search.survey.open[:MOST_UNCOVERED], corner):
        few = with_corner(samplers, conditions, number)
        one = Round("alone", DTYPES, 0.0, corner=number)
        failed = _play(search, few, one, GRAPHS_UNCOVERED, number)
        if failed is not None:
            return failed
    return None


Example = tuple[Network, list[dict[str, Any]]]
"""A network, and values of its inputs in several manners."""


def _example(
    search: Search,
    samplers: list[Sampler],
    one: Round,
    number: int,
    choices: Choices,
    fixed: Mapping[str, int] = NOTHING_FIXED,
) -> Example:
    """Choose an example of a round; raises NothingDrawnError."""
    context, draws = (one.context,), search.question.settings.draws
    sizes, corner, turn = one.sizes, one.corner, one.turn
    network = network_from(choices, samplers, context, one.dtypes, sizes, corner, fixed, turn)
    inputs = inputs_of_a_mixture(choices, network, number, draws)
    inputs += alike(network, inputs[0]) if inputs else []
    inputs += [*meetings(network, number), *totals(network, number)]
    if network.in_corner:
        inputs = [*inputs, *peaks(network, number), *saturated(network, number)]
    return network, inputs


def _play(
    search: Search, samplers: list[Sampler], one: Round, examples: int, number: int
) -> Trial | None:
    """Try examples of a round, the simplest of all first; give up after many that told nothing."""
    samplers = with_place(samplers, one.context)
    before, fruitless = search.useful, 0
    hopeful = not search.passed and search.draws - search.useful < MOST_FRUITLESS_DRAWS
    most_fruitless = MOST_FRUITLESS_DRAWS if hopeful else 2 * examples + 10
    random = search.random if number else None
    while samplers and search.useful - before < examples and fruitless <= most_fruitless:
        next_one = search.turn_of(samplers)
        tape, useful = Tape((0, next_one) if random else (), random), search.useful
        one = replace(one, turn=useful - before)
        random = search.random
        search.draws += 1
        try:
            network, inputs = _example(search, samplers, one, number, tape)
        except NothingDrawnError as error:
            search.rejected[str(error)] += 1
            search.misses[id(samplers[next_one])] += 1
            fruitless += 1
            continue
        search.runs[id(network.sampler)] += 1
        failed = search.attempt(network, inputs)
        if failed is not None:
            search.question.found(_as_found(search.question, failed))
            retry = partial(_retried, search, samplers, one, number)
            seconds = search.question.settings.shrink_seconds
            return simplified((tuple(tape.taken), failed), retry, seconds)
        if search.useful == useful:
            fruitless += 1
            continue
        search.contexts.add(network.context)
        if network.in_corner:
            search.corners.add(one.corner)
    return None


def _retried(
    search: Search,
    samplers: list[Sampler],
    one: Round,
    number: int,
    choices: Choices,
    fixed: Mapping[str, int],
) -> Trial | None:
    """Return the last trial of an example of a round with some numbers fixed, if it has one."""
    try:
        trials = search.trials(*_example(search, samplers, one, number, choices, fixed))
    except NothingDrawnError:
        return None
    return trials[-1] if trials else None


def rule_seed(question: Question) -> int:
    """Return the seed of a rule, which does not depend on its neighbours, their order or folder."""
    name = question.rule_id.rpartition("/")[2]
    text = f"{question.settings.seed}\0{name}\0numeric"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


def _confirm(question: Question, search: Search) -> Iterator[Outcome]:
    if len(search.passed) < min(question.settings.min_examples, question.settings.max_examples):
        yield _too_few(question, search)
    elif not question.settings.use_tvm:
        yield from assurances(search.passed, " on numpy only")
    else:
        yield from confirm_on_tvm(question, search.passed)


def _too_few(question: Question, search: Search) -> Finding:
    count, wanted = len(search.passed), question.settings.min_examples
    message = f"only {count} of {wanted} needed graphs"
    cure = "loosen what rejected most graphs, or compare with what small graphs have"
    return Finding(TOO_FEW_EXAMPLES, message, question.subst.span, cure, _reasons(search))


def _reasons(search: Search) -> tuple[str, ...]:
    return tuple(f"{number} rejected: {why}" for why, number in search.refusals.most_common(4))


NUMERIC = Stage("numeric", examine)
