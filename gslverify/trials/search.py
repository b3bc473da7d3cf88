"""The search for a counterexample: networks of rounds and structures in turn, until one fails."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heapreplace
from itertools import chain
from typing import Any

from gslverify.networks.arrays import inputs_of_a_mixture
from gslverify.networks.choices import Choices, NothingDrawnError, UnmetError, one_of
from gslverify.networks.exploration import (
    REPLAY,
    SEARCH,
    EnoughError,
    ExampleStatus,
    Kept,
    Phases,
    explore,
)
from gslverify.networks.generation import MOST_TURNS, has_place, network_from
from gslverify.networks.network import NOT_APPLICABLE, Network
from gslverify.networks.rounds import Round
from gslverify.networks.turning import Turning
from gslverify.shrinking.descent import Budget
from gslverify.shrinking.order import Order, order_of
from gslverify.stage import Question
from gslverify.structures.models.concrete import Rewritten
from gslverify.structures.models.sampling import Sampler
from gslverify.trials.refutation import tell
from gslverify.trials.rewriting import Prepared, builds_target, prepare
from gslverify.trials.trial import WRAPS, Outcome, excused, judge

MOST_FRUITLESS_DRAWS = 200
MOST_SIMPLER_CHOICES = 40
"""So often hypothesis makes a failure simpler by its choices, before passes that know networks."""
MOST_ELEMENTS_UNDECIDED, MOST_UNDECIDED = 5_000, 200
"""Undecided trials are kept of networks with at most so many elements, and so many of them."""
MISSES_PER_TURN = 4
"""So many draws of a structure that come to no network count as one: its next turn is later."""
DRAWS_IF_PROVED = 4
BASES_OF_TURNS = 2
"""So many draws are changed until what references of others compare comes out otherwise."""
UNBUILT = "the target cannot be built"
REPLAYED = "found at once: it failed in an earlier run, too"
SEEN = "the simplest network of a structure is tried once"
ROUNDS = b"rounds"
"""Under what it is kept in which rounds something failed."""

Example = tuple[Network, list[dict[str, Any]]]
"""A network, and values of its inputs from several distributions."""


@dataclass(slots=True, repr=False)
class Search:
    """The trials of one rule; `passed` holds those of one network together, `chosen` those for TVM.

    The `samplers` are those of all its structures; those of which some network said something are
    `conclusive`. What sizes decide, some network of a way has decided in some `corners`, by the way
    and the number of the decision. `runs` counts the networks of every sampler, `misses` the draws
    that did not come to one, `unmet` the conditions that were in their way; the `budget` is for
    making a failure simple. If it `is_about_values`, refused rewrites say nothing. Of a rule that
    is `proved` there are fewer trials. In a `wrapping` trial the sides differ and integers of the
    source wrap, which the rule declares that they do not; in `undecided` ones decisions
    depend on rounding.
    """

    question: Question
    samplers: Sequence[Sampler]
    passed: list[list[Outcome]] = field(default_factory=list)
    chosen: list[list[Outcome]] = field(default_factory=list)
    rejected: Counter[str] = field(default_factory=Counter)
    declined: int = 0
    endless: Network | None = None
    wrapping: Outcome | None = None
    undecided: list[Outcome] = field(default_factory=list)
    draws: int = 0
    corners: set[tuple[Hashable, int]] = field(default_factory=set)
    contexts: set[str] = field(default_factory=set)
    runs: Counter[int] = field(default_factory=Counter)
    misses: Counter[int] = field(default_factory=Counter)
    conclusive: set[int] = field(default_factory=set)
    unmet: Counter[str] = field(default_factory=Counter)
    budget: Budget = field(default_factory=Budget)
    is_about_values: bool = False
    proved: bool = False
    turning: Turning = field(default_factory=Turning)

    @property
    def draws_of_a_graph(self) -> int:
        """How many inputs of a graph are drawn; a proof takes the place of some of them."""
        most = self.question.settings.draws
        return min(most, DRAWS_IF_PROVED) if self.proved else most

    @property
    def networks(self) -> list[Network]:
        """The networks on which both sides agreed."""
        return [trials[0].network for trials in self.passed]

    @property
    def refusals(self) -> Counter[str]:
        """Why draws were of no use, contexts apart that the rule has no place for."""
        reasons = self.rejected.items()
        return Counter({why: n for why, n in reasons if not why.startswith(NOT_APPLICABLE)})

    @property
    def useful(self) -> int:
        """How many networks said something."""
        return len(self.passed) + self.declined

    def play(
        self, samplers: Sequence[Sampler], one: Round, examples: int, number: int
    ) -> Outcome | None:
        """Try examples of a round, of all structures in turn; give up after many in vain."""
        samplers = [sampler for sampler in samplers if has_place(sampler, one.context)]
        if not samplers:
            return None
        hopeful = not self.passed and self.draws - self.useful < MOST_FRUITLESS_DRAWS
        patience = MOST_FRUITLESS_DRAWS if hopeful else 2 * examples + 10
        simpler = MOST_SIMPLER_CHOICES if self.question.settings.explained else 0
        tried = _Tried(self, samplers, one, number, patience, simpler, is_first=not self.draws)
        tried.explore(examples)
        return tried.failed

    def replay(self) -> Outcome | None:
        """Try what failed in an earlier run, before the rule was changed."""
        known = self.kept("")
        if known is None:
            return None
        for entry in sorted(known.fetch(ROUNDS)):
            tried = self._tried_before(entry)
            if tried is not None:
                tried.explore(1, REPLAY)
                if tried.failed is not None:
                    return tried.failed
            known.delete(ROUNDS, entry)
        return None

    def _tried_before(self, entry: bytes) -> _Tried | None:
        """Return a round of an earlier run; None if the rule has no such structures any more."""
        try:
            places, number, *written = json.loads(entry)
            few = [self.samplers[place] for place in places]
            return _Tried(self, few, Round.of_plain(written), number, is_first=True)
        except (ValueError, TypeError, IndexError):
            return None

    def kept(self, name: str) -> Kept | None:
        """Return the failing choices of a round of the rule, if there is a folder for them."""
        folder = self.question.examples
        return Kept(folder, self.question.rule_id, name) if folder else None

    def take(self, failure: Outcome) -> None:
        """Tell at once of a failure; the time for making it simple begins."""
        tell(self.question, failure)
        self.budget = Budget.lasting(self.question.settings.shrink_seconds)

    def turns_of(self, sampler: Sampler) -> int:
        """Return how many turns a structure has had; one that often misses has them less often."""
        return self.runs[id(sampler)] + self.misses[id(sampler)] // MISSES_PER_TURN

    def attempt(self, network: Network, draws: Sequence[Mapping[str, Any]]) -> Outcome | None:
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

    def trials(self, network: Network, draws: Sequence[Mapping[str, Any]]) -> list[Outcome]:
        """Return the trials that say something, up to the first that fails or is declined."""
        prepared = prepare(self.question.subst, network)
        if isinstance(prepared, Rewritten) and prepared.endless:
            self.endless = self.endless or network
        if self._is_declined(prepared, network):
            self.rejected[UNBUILT] += 1
            return []
        trials: list[Outcome] = []
        for inputs in chain(draws, self._turned(network, prepared, draws)):
            trial = excused(self.question.subst, judge(network, prepared, inputs))
            if trial.rejected == WRAPS:
                self.wrapping = self.wrapping or trial
            if trial.depends_on_rounding and self._is_kept(network):
                self.undecided.append(trial)
            if trial.rejected:
                self.rejected[trial.rejected] += 1
                continue
            trials.append(trial)
            if trial.code is not None or trial.declined:
                break
        return trials

    def _is_kept(self, network: Network) -> bool:
        """Tell whether a trial on a network that is undecided is asked about later."""
        return network.elements <= MOST_ELEMENTS_UNDECIDED and len(self.undecided) < MOST_UNDECIDED

    def _turned(
        self, network: Network, prepared: Prepared, draws: Sequence[Mapping[str, Any]]
    ) -> Iterator[Mapping[str, Any]]:
        """Yield inputs at which what references of others compare comes out otherwise.

        It is asked for after the draws, which tell what ends the process.
        """
        target = prepared.outputs if isinstance(prepared, Rewritten) else ()
        yield from self.turning.inputs((*network.outputs, *target), draws[:BASES_OF_TURNS])

    def _is_declined(self, prepared: Prepared, network: Network) -> bool:
        """Tell whether the engine refuses to rewrite where that only declines the match."""
        if not isinstance(prepared, Rewritten) or prepared.refusal is None:
            return False
        subst, may_decline = self.question.subst, self.question.settings.declining
        return self.is_about_values or (may_decline and not builds_target(subst, network))


@dataclass(slots=True, repr=False)
class _Tried:
    """The examples of one round; after one has failed, simpler ones.

    So many more draws may come to nothing as there is `patience`, and so many `simpler_choices` are
    tried once one has failed. Structures are `waiting` by the turns that they had when they came to
    the top of the heap.
    """

    search: Search
    samplers: Sequence[Sampler]
    one: Round
    number: int
    patience: int = MOST_FRUITLESS_DRAWS
    simpler_choices: int = MOST_SIMPLER_CHOICES
    is_first: bool = False
    failed: Outcome | None = None
    useful: Counter[int] = field(default_factory=Counter)
    waiting: list[tuple[int, int]] = field(default_factory=list)

    def explore(self, examples: int, phases: Phases = SEARCH) -> None:
        """Have hypothesis draw examples until so many have said something, or one has failed."""
        search = self.search
        start = search.question.seed("numeric", self.number, search.draws)
        kept = search.kept(self._entry().decode())
        explore(self._make, self._examine, examples, start, self._lead, kept, phases)
        index = search.kept("")
        if self.failed is not None and index is not None:
            index.save(ROUNDS, self._entry())

    def _entry(self) -> bytes:
        places = {id(one): place for place, one in enumerate(self.search.samplers)}
        few = [places[id(one)] for one in self.samplers]
        return json.dumps([few, self.number, *self.one.plain()]).encode()

    def _lead(self) -> Sequence[int]:
        """Each structure has its turn, and of each every inner value, or axis and length."""
        place = self._next()
        first = [place] if len(self.samplers) > 1 else []
        # Structures begin with different turns, as there may be time for one graph of each only.
        later = (place + self.useful[id(self.samplers[place])]) % MOST_TURNS
        turn = later if self.one.turn is None else self.one.turn
        return [*first, turn] if self.one.takes_turns else first

    def _next(self) -> int:
        """Return whose turn it is: the first structure of those that had the fewest."""
        turns_of, samplers = self.search.turns_of, self.samplers
        if not self.waiting:
            self.waiting = [(turns_of(one), place) for place, one in enumerate(samplers)]
            heapify(self.waiting)
        while True:
            turns, place = self.waiting[0]
            now = turns_of(samplers[place])
            if now == turns:  # turns only become more, so no other structure had fewer
                return place
            heapreplace(self.waiting, (now, place))

    def _make(self, choices: Choices) -> Example:
        """Choose a network and inputs; raises NothingDrawnError."""
        search = self.search
        if self.failed is not None:
            self.simpler_choices -= 1
            if self.simpler_choices < 0 or not search.budget.spend():
                raise EnoughError
        sampler = one_of(choices, self.samplers)
        turn = choices.number(MOST_TURNS - 1) if self.one.takes_turns else 0
        if not choices.number(255) and not self.is_first:
            raise NothingDrawnError(SEEN)
        search.draws += self.failed is None
        draws = search.draws_of_a_graph
        try:
            return example_of_round(choices, [sampler], self.one, turn, self.number, draws)
        except NothingDrawnError as error:
            if isinstance(error, UnmetError):
                search.unmet[error.condition] += 1
            if self.failed is None:
                search.rejected[str(error)] += 1
                search.misses[id(sampler)] += 1
                self._lose_patience()
            raise

    def _examine(self, example: Example) -> ExampleStatus:
        search, (network, inputs) = self.search, example
        if self.failed is not None:
            return self._examine_again(example)
        search.runs[id(network.sampler)] += 1
        useful = search.useful
        self.failed = search.attempt(network, inputs)
        if self.failed is not None:
            search.take(self.failed)
            return ExampleStatus.FAILED
        if search.useful == useful:
            self._lose_patience()
            return ExampleStatus.INCONCLUSIVE
        self.useful[id(network.sampler)] += 1
        search.conclusive.add(id(network.sampler))
        search.contexts.add(network.context)
        if network.in_corner:
            number = self.one.corner - len(network.sampler.ordinary)
            search.corners.add((network.sampler.way, number))
        return ExampleStatus.PASSED

    def _lose_patience(self) -> None:
        self.patience -= 1
        if self.patience < 0:
            raise EnoughError

    def _examine_again(self, example: Example) -> ExampleStatus:
        """Keep the simplest of the examples that fail in the same way."""
        assert self.failed is not None
        trials = self.search.trials(*example)
        if not trials or trials[-1].code is not self.failed.code:
            return ExampleStatus.INCONCLUSIVE
        if _order(trials[-1]) < _order(self.failed):
            self.failed = trials[-1]
            tell(self.search.question, self.failed)
        return ExampleStatus.FAILED


def _order(trial: Outcome) -> Order:
    return order_of(trial.network, trial.inputs)


def example_of_round(
    choices: Choices,
    samplers: Sequence[Sampler],
    one: Round,
    turn: int,
    salt: int,
    draws: int,
) -> Example:
    """Choose an example of a round, in which something has its turn; raises NothingDrawnError."""
    network = network_from(
        choices, samplers, (one.context,), one.dtypes, one.sizes, one.corner, turn, one.given
    )
    return network, inputs_of_a_mixture(choices, network, salt, draws)
