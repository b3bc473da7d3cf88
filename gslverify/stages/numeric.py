"""The stage "numeric": generate networks that match, rewrite them, and run both sides.

Networks and their inputs are made of choices, which are made simpler one after the other when both
sides differ. What passes on the NumPy references is confirmed on TVM afterwards, in bulk.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from gsl.text.listing import listing
from gsl.types import FLOATING, INTEGER
from gslverify.codes.numeric import (
    NO_FIXPOINT,
    TOO_FEW_EXAMPLES,
)
from gslverify.coverage.uncovered import Survey, survey, with_corner
from gslverify.finding import Assurance, Finding
from gslverify.generate.arrays import inputs_of_a_mixture
from gslverify.generate.choices import Choices, NothingDrawnError, Tape, entropy
from gslverify.generate.choices import simplest as simplest_choices
from gslverify.generate.contexts import CONTEXTS
from gslverify.generate.empty import empty_networks
from gslverify.generate.network import NOT_APPLICABLE, Network
from gslverify.generate.strategies import network_from, with_place
from gslverify.generate.wishes import DTYPES, LONG, NARROW, SIZES
from gslverify.instances.concrete import Rewritten
from gslverify.instances.instance import USUAL
from gslverify.instances.sampling import Sampler, is_constant
from gslverify.smt import Answer, UntranslatableError
from gslverify.stage import Count, Covered, Outcome, Question, Stage, Witness
from gslverify.stages.satisfiable import fresh_scenarios_of
from gslverify.trials.ladder import climb, refutation
from gslverify.trials.second_opinion import assurances, confirm_on_tvm
from gslverify.trials.trial import MOST_REWRITES, judge, prepare, simplest
from gslverify.trials.trial import Outcome as Trial

MOST_SHRINKING_STEPS = 300
MOST_FRUITLESS_DRAWS = 200
GRAPHS_PER_WAY = 6
GRAPHS_IN_CORNERS = 24
GRAPHS_NEAR_LIMITS = 12
ONE_BYTE = ("int8", "uint8")
MOST_CORNERS = 16
MOST_UNCOVERED = 12
GRAPHS_UNCOVERED = 2


@dataclass(slots=True)
class Search:
    """The trials of one rule; `passed` holds those of one network together."""

    question: Question
    passed: list[list[Trial]] = field(default_factory=list)
    rejected: Counter[str] = field(default_factory=Counter)
    random: Random = field(default_factory=lambda: Random(0))
    declined: int = 0
    endless: Network | None = None
    draws: int = 0
    corners: set[int] = field(default_factory=set)
    contexts: set[str] = field(default_factory=set)
    obstacles: Counter[str] = field(default_factory=Counter)
    survey: Survey | None = None

    @property
    def networks(self) -> list[Network]:
        """The networks on which both sides agreed."""
        return [trials[0].network for trials in self.passed]

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


def examine(question: Question) -> Iterable[Outcome]:
    """Look for a counterexample; without one, say how much was compared and how."""
    found = fresh_scenarios_of(question)
    scenarios = [*found.feasible, *found.large]
    if not scenarios:
        return
    samplers = [scenario.sampler for scenario in scenarios]
    search = Search(question, random=Random(entropy(rule_seed(question))))
    failure = _search(search, samplers)
    for sampler in samplers:
        search.obstacles.update(sampler.obstacles)
    yield Count("examples", len(search.passed))
    yield Count("rejected", sum(search.refusals.values()))
    yield Count("declined", search.declined)
    yield Count("draws", search.draws)
    yield Count("contexts", len(search.contexts))
    if failure is not None:
        after = f"found after {len(search.passed)} graphs that agreed"
        details = (f"{after}, seed {question.settings.seed}",)
        yield replace(refutation(question, failure), details=details)
        return
    if search.endless is not None:
        lines = tuple(listing(search.endless.outputs))
        message = f"{MOST_REWRITES} rewrites of a graph did not come to an end"
        yield Finding(NO_FIXPOINT, message, question.subst.span, details=lines)
    untried = _untried(search, samplers)
    if untried:
        message = f"no graph was run on which a condition of the target {untried}"
        yield Finding(TOO_FEW_EXAMPLES, message, question.subst.span, details=_reasons(search))
        return
    if search.passed:
        yield Witness(simplest(search.passed).case())
    if search.survey is not None:
        yield Covered(search.survey.final(question.subst, search.networks).plain())
    further = climb(question, search.passed, empty_networks(samplers))
    yield from further.counts
    yield from further.findings
    if any(not finding.code.is_warning for finding in further.findings):
        return
    outcomes = list(_confirm(question, search))
    yield from outcomes
    if any(isinstance(outcome, Assurance) for outcome in outcomes):
        yield from further.assurances


def _untried(search: Search, samplers: list[Sampler]) -> str:
    """Return "is true" or "is false" if a way to compute the target was tried on no graph."""
    for corner in range(max(sampler.decisive for sampler in samplers)):
        ways = [sampler for sampler in samplers if corner < sampler.decisive]
        if corner not in search.corners and any(_may_lie_in(sampler, corner) for sampler in ways):
            return "is false" if corner % 2 else "is true"
    return ""


def _may_lie_in(sampler: Sampler, corner: int) -> bool:
    try:
        return sampler.solver.check(sampler.corners[corner]).answer is not Answer.UNSAT
    except UntranslatableError:
        return True


@dataclass(frozen=True, slots=True)
class Round:
    """A share of the networks, all in one context and preferably of some dtypes.

    Hypothesis explores unevenly; rounds make sure that nothing is left out.
    """

    context: str
    dtypes: tuple[str, ...]
    share: float
    sizes: tuple[str, ...] = SIZES
    corner: int = -1


ROUNDS = (
    Round("alone", FLOATING, 0.2),
    Round("alone", INTEGER, 0.15),
    Round("alone", DTYPES, 0.15, LONG),
    Round("outputs used", DTYPES, 0.1),
    Round("inputs computed", DTYPES, 0.1),
    Round("inputs constant", DTYPES, 0.08),
    Round("twice", DTYPES, 0.05),
    Round("inner value used", DTYPES, 0.05),
)
RARE_CONTEXTS = tuple(context for context in CONTEXTS if context not in {r.context for r in ROUNDS})
"""Contexts that many rules have no place for; a few networks in each must do."""
SHARE_OF_RARE_CONTEXTS = 0.03


def _search(search: Search, samplers: list[Sampler]) -> Trial | None:
    total = max(search.question.settings.max_examples, len(samplers))
    for number, one in enumerate(ROUNDS):
        failed = _play(search, samplers, one, max(1, round(total * one.share)), number)
        if failed is not None:
            return failed
    for number, (few, one, examples) in enumerate(_special_rounds(samplers), len(ROUNDS)):
        failed = _play(search, few, one, examples, number)
        if failed is not None:
            return failed
    if not search.useful:
        return None  # what tells nothing alone tells nothing elsewhere, and is INCONCLUSIVE
    return _play_rare_contexts(search, samplers, total) or _play_uncovered(search, samplers)


def _play_rare_contexts(search: Search, samplers: list[Sampler], total: int) -> Trial | None:
    for number, context in enumerate(RARE_CONTEXTS, 1000):
        one = Round(context, DTYPES, SHARE_OF_RARE_CONTEXTS, ("equal", "free"))
        failed = _play(search, samplers, one, max(1, round(total * one.share)), number)
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


def _special_rounds(samplers: list[Sampler]) -> Iterator[tuple[list[Sampler], Round, int]]:
    """Yield rounds for what is rarely drawn: ways through the target, corners, large structures."""
    plain = Round("alone", DTYPES, 0.0)
    for few in _ways(samplers):
        yield few, plain, GRAPHS_PER_WAY
    decisive = max(sampler.decisive for sampler in samplers)
    most = max(MOST_CORNERS, decisive)
    corners = min(max(len(sampler.corners) for sampler in samplers), most)
    for corner in range(corners):
        few = [sampler for sampler in samplers if corner < len(sampler.corners)]
        yield few, replace(plain, corner=corner), max(2, min(8, GRAPHS_IN_CORNERS // corners))
    if few := [sampler for sampler in samplers if _counts_in_bytes(sampler)]:
        yield few, Round("alone", ONE_BYTE, 0.0, NARROW), GRAPHS_NEAR_LIMITS
    large = [sampler for sampler in samplers if sampler.instance.extent is not USUAL]
    if large and len(large) < len(samplers):
        yield large, plain, len(large)


def _counts_in_bytes(sampler: Sampler) -> bool:
    """Tell whether there are values of constants to choose, and a dtype of one byte."""
    dtypes = [sampler.options.get(one) or ONE_BYTE for one in sampler.free if one.sort == "text"]
    narrow = any(set(ONE_BYTE).intersection(options) for options in dtypes)
    return narrow and any(map(is_constant, sampler.free))


def _ways(samplers: list[Sampler]) -> list[list[Sampler]]:
    """Return the samplers for every way through the conditional targets, if there are several."""
    ways: dict[tuple[bool | None, ...], list[Sampler]] = {}
    for sampler in samplers:
        ways.setdefault(tuple(sampler.arms), []).append(sampler)
    return list(ways.values()) if len(ways) > 1 else []


Example = tuple[Network, list[dict[str, Any]]]
"""A network, and values of its inputs in several manners."""


def _example(
    search: Search, samplers: list[Sampler], one: Round, number: int, choices: Choices
) -> Example:
    """Choose an example of a round; raises NothingDrawnError."""
    context, draws = (one.context,), search.question.settings.draws
    network = network_from(choices, samplers, context, one.dtypes, one.sizes, one.corner)
    return network, inputs_of_a_mixture(choices, network, number, draws)


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
        tape, useful = Tape(random=random), search.useful
        random = search.random
        search.draws += 1
        try:
            network, inputs = _example(search, samplers, one, number, tape)
        except NothingDrawnError as error:
            search.rejected[str(error)] += 1
            fruitless += 1
            continue
        failed = search.attempt(network, inputs)
        if failed is not None:
            return _simplified(search, samplers, one, number, (tape.taken, failed))
        if search.useful == useful:
            fruitless += 1
            continue
        search.contexts.add(network.context)
        if network.in_corner:
            search.corners.add(one.corner)
    return None


def _simplified(
    search: Search,
    samplers: list[Sampler],
    one: Round,
    number: int,
    found: tuple[Sequence[int], Trial],
) -> Trial:
    """Make the choices that led to a failure simpler, as long as it keeps its code."""
    taken, failed = found
    steps = 0
    give_up_at = time.monotonic() + search.question.settings.shrink_seconds

    def attempt(choices: Sequence[int]) -> tuple[Sequence[int], Trial] | None:
        nonlocal steps
        steps += 1
        if steps > MOST_SHRINKING_STEPS or time.monotonic() > give_up_at:
            return None
        tape = Tape(choices)
        try:
            trials = search.trials(*_example(search, samplers, one, number, tape))
        except NothingDrawnError:
            return None
        is_same = trials and trials[-1].code is failed.code
        return (tape.taken, trials[-1]) if is_same else None

    return simplest_choices(taken, failed, attempt)


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
    return Finding(TOO_FEW_EXAMPLES, message, question.subst.span, details=_reasons(search))


def _reasons(search: Search) -> tuple[str, ...]:
    return (
        *(f"{number} rejected: {why}" for why, number in search.refusals.most_common(3)),
        *(f"{number} attempts failed on {why}" for why, number in search.obstacles.most_common(2)),
    )


NUMERIC = Stage("numeric", examine)
