"""What matters about a counterexample: the same graph with one attribute or size changed.

Everything said here was tried. A value is said to be harmless only if all of several inputs agreed,
those among them on which the graph had failed, brought to the new sizes. A name is said not to
matter only if every other value that was tried failed just the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gsl.attr.evaluate import equal
from gsl.attr.term import Symbol
from gsl.errors import GslError
from gsl.graph import reverse_post_order
from gsl.subst import Subst
from gsl.types import FLOATING
from gslverify.networks.arrays import random_array
from gslverify.networks.network import Network
from gslverify.networks.strategies import MOST_ELEMENTS_OF_LARGE_RULES as MOST_ELEMENTS
from gslverify.networks.strategies import concrete_site, has_at_most
from gslverify.networks.values import value_ranges
from gslverify.structures.sampling import Sampler
from gslverify.structures.symbols import is_constant
from gslverify.trials.kept import kept_inputs
from gslverify.trials.trial import Outcome, run_trial

STYLES = ("small integers", "distinct integers", "halves", "nonzero integers")
ROUNDS = 5
"""Every variation is run on inputs of all styles so many times, or until it fails."""

MOST_VARIATIONS = 40
MOST_STEPS = 24
ROUNDS_OF_A_STEP = 2
MOST_SYMBOLS = 16
INTEGERS = (1, 2, 3, 4)
LEAST_AGREEING = 10
"""So many inputs have to agree before a value is said to be harmless."""


@dataclass(slots=True)
class Tried:
    """What other values of one attribute, or of the sizes of one tensor, did."""

    fails: list[Any] = field(default_factory=list)
    passes: dict[Any, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Telling:
    """What was seen: what matters and how, what does not, and what would exclude the failure."""

    matters: tuple[str, ...] = ()
    same_for_any: tuple[str, ...] = ()
    cure: str = ""


class Variations:
    """Networks that differ from a failing one in one free symbol of the rule's instance."""

    def __init__(self, subst: Subst, failure: Outcome) -> None:
        self.subst = subst
        self.failure = failure
        self.sampler: Sampler = failure.network.sampler
        self.model = failure.network.model

    def symbols(self) -> list[Symbol]:
        """The free symbols that the failing network has values for."""
        return [symbol for symbol in self.sampler.free if symbol.name in self.model]

    def runs(self, symbol: Symbol, value: Any, rounds: int = ROUNDS) -> list[Outcome]:
        """Run the network with another value of a symbol, until it fails as it did.

        Outcomes that say nothing are left out; [] where no such network exists.
        """
        network = self._network(symbol, value)
        if network is None:
            return []
        return self.outcomes(network, rounds)

    def outcomes(self, network: Network, rounds: int) -> list[Outcome]:
        """Run a network on the failing inputs in its sizes and on fresh ones, until it fails."""
        kept = self._kept(network)
        if kept and kept[-1].code is self.failure.code:
            return kept
        return [*kept, *self._fresh(network, rounds)]

    def fails_with_kept_values(self) -> bool:
        """Tell whether the match alone, with nothing changed, fails with the inputs it failed on.

        If not, its surroundings or the values of constants matter, which are not kept here.
        """
        symbols = self.symbols()
        network = self._network(symbols[0], self.model[symbols[0].name]) if symbols else None
        return network is not None and self.still_fails(self._kept(network)) is not None

    def told(self, outcomes: list[Outcome], value: Any, symbol: Symbol) -> bool:
        """Tell whether outcomes show that a value is harmless."""
        network = self._network(symbol, value)
        return network is not None and self.is_harmless(outcomes, network)

    def is_harmless(self, outcomes: list[Outcome], network: Network) -> bool:
        """Tell whether outcomes of a network are enough and agree: also on inputs that failed."""
        enough = len(outcomes) >= LEAST_AGREEING and all(one.code is None for one in outcomes)
        return enough and bool(self._kept(network))

    def _kept(self, network: Network) -> list[Outcome]:
        """Run a network on the failing inputs in its sizes, until it fails as before."""
        return self._until_failure(network, kept_inputs(network.variables, self.failure.inputs))

    def _fresh(self, network: Network, rounds: int) -> list[Outcome]:
        generator = np.random.default_rng(0)
        ranges = value_ranges(network.outputs)
        drawn = (
            {v.name: random_array(v, style, ranges.get(v), generator) for v in network.variables}
            for style in STYLES * rounds
        )
        return self._until_failure(network, drawn)

    def _until_failure(self, network: Network, draws: Iterable[Mapping[str, Any]]) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for inputs in draws:
            outcome = run_trial(self.subst, network, inputs)
            outcomes += [] if outcome.rejected else [outcome]
            if outcome.code is self.failure.code:
                break
        return outcomes

    def _network(self, symbol: Symbol, value: Any) -> Network | None:
        """Return a network whose attributes are as before but for one; sizes may follow it."""

        def wish(other: Symbol, options: tuple[Any, ...]) -> Any:
            return value if other is symbol else self.model.get(other.name)

        try:
            model = self.sampler.model(wish, True, equal(symbol, value))
            if model is None or model.get(symbol) != value:
                return None
            site = concrete_site(self.sampler.instance, model)
        except (GslError, TypeError):
            return None
        named = {one.name: model[one] for one in sorted(model, key=lambda one: one.name)}
        if any(named[name] != now for name, now in self._attributes(symbol)):
            return None
        outputs = tuple(site.outputs)
        if not all(has_at_most(one, MOST_ELEMENTS) for one in reverse_post_order(outputs)):
            return None
        return Network(outputs, outputs, "alone", named, sampler=self.sampler)

    def _attributes(self, but: Symbol) -> Iterator[tuple[str, Any]]:
        for symbol in self.symbols():
            if symbol is not but and not _is_size(symbol.name):
                yield symbol.name, self.model[symbol.name]

    def still_fails(self, outcomes: list[Outcome]) -> Outcome | None:
        """Return an outcome that fails with the same code."""
        return next((one for one in outcomes if one.code is self.failure.code), None)


def shrunk(subst: Subst, failure: Outcome) -> Outcome:
    """Make sizes and attributes smaller, one after the other, as long as the code stays the same.

    Hypothesis shrinks choices; here sizes are changed for which the solver finds the rest.
    """
    if failure.network.sampler is None or failure.network.escaping:
        return failure
    smallest, steps = failure, 0
    for symbol in Variations(subst, failure).symbols():
        for value in _smaller(symbol, smallest.network.model.get(symbol.name)):
            steps += 1
            if steps > MOST_STEPS:
                return smallest
            variations = Variations(subst, smallest)
            runs = variations.runs(symbol, value, ROUNDS_OF_A_STEP)
            found = variations.still_fails(runs)
            if found is not None and _elements(found) <= _elements(smallest):
                smallest = found
                break
    return smallest


def _smaller(symbol: Symbol, value: Any) -> Iterator[Any]:
    if symbol.sort == "int" and not is_constant(symbol):
        yield from (
            small for small in (0, *INTEGERS[:3]) if small < value and _legal(symbol, small)
        )


def _is_size(name: str) -> bool:
    return ".shape[" in name


def _legal(symbol: Symbol, value: int) -> bool:
    low = symbol.low is None or value >= symbol.low
    return bool(low and (symbol.high is None or value <= symbol.high))


def _elements(failure: Outcome) -> int:
    return sum(int(array.size) for array in failure.inputs.values())


def telling(subst: Subst, failure: Outcome) -> Telling:
    """Vary what a failing network was made of and say what it changes."""
    if failure.network.sampler is None or failure.network.escaping:
        return Telling()
    variations = Variations(subst, failure)
    if not variations.fails_with_kept_values():
        return Telling()
    tried: dict[str, Tried] = {}
    left = MOST_VARIATIONS
    for symbol in variations.symbols()[:MOST_SYMBOLS]:
        for value in _others(symbol, variations.sampler, variations.model):
            left -= 1
            if left < 0:
                break
            outcomes = variations.runs(symbol, value)
            seen = tried.setdefault(symbol.name, Tried())
            if variations.still_fails(outcomes) is not None:
                seen.fails.append(value)
            elif variations.told(outcomes, value, symbol):
                seen.passes[value] = len(outcomes)
    return _said(tried, variations.model)


def _others(symbol: Symbol, sampler: Sampler, model: Mapping[str, Any]) -> list[Any]:
    now = model[symbol.name]
    options: tuple[Any, ...] = sampler.options.get(symbol, ())
    if symbol.sort == "bool":
        options = (False, True)
    elif symbol.sort == "int" and not options:
        options = tuple(value for value in (0, *INTEGERS) if _legal(symbol, value))
    elif symbol.sort == "text" and not options:
        options = FLOATING[:2]
    return [option for option in options if option != now][:4]


def _said(tried: Mapping[str, Tried], model: Mapping[str, Any]) -> Telling:
    matters: list[str] = []
    same: dict[str, bool] = {}
    cure = ""
    for name, seen in tried.items():
        if seen.passes:
            matters.append(mattering(name, seen, model[name]))
            if not cure and _decides(name, seen):
                (value,) = seen.passes
                cure = f"if that is meant, add the condition {name} == {value!r}"
        base = name.partition("[")[0]
        same[base] = same.get(base, True) and bool(seen.fails) and not seen.passes
    unmoved = tuple(base for base, is_same in same.items() if is_same)
    return Telling(tuple(matters), unmoved, cure)


def _decides(name: str, seen: Tried) -> bool:
    """Tell whether exactly one value of an attribute was harmless."""
    is_attribute = not _is_size(name) and not name.endswith(".value")
    return is_attribute and len(seen.passes) == 1


def mattering(name: str, seen: Tried, now: Any) -> str:
    """Return in words for which values of a name a network failed, and for which not."""
    failing = ", ".join(str(value) for value in sorted([now, *seen.fails], key=str))
    passing = "; ".join(
        f"passes {count} of {count} with {value}" for value, count in seen.passes.items()
    )
    return f"{name} (fails for {failing}; {passing})"
