"""What matters about a counterexample: the same graph with one rank, attribute or size changed.

Everything said here was tried. A value is said to be harmless only if all of several inputs agreed,
those among them on which the graph had failed, brought to the new sizes. A name is said not to
matter only if every other value that was tried failed just the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gsl.attr.term import Symbol, Term
from gsl.expr import Call, Var
from gsl.subst import Subst
from gsl.types import FLOATING
from gslverify.networks.alteration import FRESH, altered, brought_to, fresh_inputs
from gslverify.networks.network import Network
from gslverify.shrinking.passes import complexity
from gslverify.structures.models.sampling import Sampler
from gslverify.structures.models.symbols import is_within
from gslverify.trials.trial import Outcome, run_trial

ROUNDS = 5
"""A variation is run on fresh inputs of all styles so many times, or until it fails."""
ROUNDS_OF_A_STRUCTURE = 2
RESAMPLED = 4
"""Inputs whose elements are drawn from those that failed."""
MOST_VARIATIONS = 40
MOST_SYMBOLS = 16
MOST_VALUES = 4
MOST_OF_A_VALUE = 6
"""A value with more structures is not looked at, as not all of them would be tried."""
INTEGERS = (0, 1, 2, 3, 4)
LEAST_AGREEING = 10
"""So many inputs have to agree before a value is said to be harmless."""
LARGER = ((2,), (2, 3, 4, 5))
"""Sizes in which structures are tried beside those that failed, one axis after the other."""


@dataclass(slots=True)
class Tried:
    """What other values of one attribute, size or rank did."""

    fails: list[Any] = field(default_factory=list)
    passes: dict[Any, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Influence:
    """What was seen: what matters and how, what does not, and what would exclude the failure."""

    matters: tuple[str, ...] = ()
    same_for_any: tuple[str, ...] = ()
    cure: str = ""


class Variations:
    """Runs of networks that differ from a failing one in one thing."""

    def __init__(self, subst: Subst, failure: Outcome) -> None:
        self.subst = subst
        self.failure = failure
        self.sampler: Sampler = failure.network.sampler
        self.model = failure.network.model

    def symbols(self) -> list[Symbol]:
        """The free symbols that the failing network has values for."""
        return [symbol for symbol in self.sampler.free if symbol.name in self.model]

    def network(self, symbol: Symbol, value: Any) -> Network | None:
        """Return the network with another value of a symbol; sizes may follow it, no attribute."""
        network = altered(self.failure.network, self.sampler, {symbol: value})
        if network is None:
            return None
        kept = (s for s in self.symbols() if s is not symbol and ".shape[" not in s.name)
        same = all(network.model[one.name] == self.model[one.name] for one in kept)
        return network if same else None

    def outcomes(self, network: Network, rounds: int = ROUNDS) -> list[Outcome]:
        """Run a network until it fails as before; outcomes that say nothing are left out."""
        brought = self._brought(network)
        if self.fails(brought):
            return brought
        return [*brought, *self._until_failure(network, self._fresh(network, rounds))]

    def fails(self, outcomes: Sequence[Outcome]) -> bool:
        """Tell whether one of the outcomes fails with the same code."""
        return any(one.code is self.failure.code for one in outcomes)

    def is_harmless(self, network: Network, outcomes: Sequence[Outcome]) -> bool:
        """Tell whether outcomes of a network are enough and agree: also on inputs that failed."""
        enough = len(outcomes) >= LEAST_AGREEING and all(one.code is None for one in outcomes)
        return enough and bool(self._brought(network))

    def fails_alone(self) -> bool:
        """Tell whether the match alone, with nothing changed, fails on the inputs it failed on.

        If not, what stands around it matters, which is not varied here.
        """
        alone = altered(self.failure.network, self.sampler)
        return alone is not None and self.fails(self._brought(alone))

    def _brought(self, network: Network) -> list[Outcome]:
        return self._until_failure(network, brought_to(network.variables, self.failure.inputs))

    def _fresh(self, network: Network, rounds: int) -> Iterator[Mapping[str, Any]]:
        """Yield inputs of several styles, and some whose elements are those that failed."""
        yield from fresh_inputs(network, FRESH, rounds)
        failing = self.failure.inputs
        if all(v.name in failing and failing[v.name].size for v in network.variables):
            generator = np.random.default_rng(0)
            for _ in range(RESAMPLED):
                drawn = {
                    v.name: _resampled(generator, failing[v.name], v) for v in network.variables
                }
                yield drawn

    def _until_failure(self, network: Network, draws: Iterable[Mapping[str, Any]]) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for inputs in draws:
            outcome = run_trial(self.subst, network, inputs)
            outcomes += [] if outcome.rejected else [outcome]
            if outcome.code is self.failure.code:
                break
        return outcomes


def _resampled(generator: np.random.Generator, values: Any, variable: Var) -> Any:
    with np.errstate(all="ignore"):
        return generator.choice(values.ravel(), variable.shape).astype(variable.dtype)


def what_matters(subst: Subst, failure: Outcome, samplers: Sequence[Sampler] = ()) -> Influence:
    """Vary what a failing network was made of and say what it changes.

    The `samplers` are those of other structures that are tried as well.
    """
    network = failure.network
    if network.sampler is None or network.escaping:
        return Influence()
    variations = Variations(subst, failure)
    if not variations.fails_alone():
        return Influence()
    tried: dict[str, Tried] = {}
    left = MOST_VARIATIONS
    for symbol in variations.symbols()[:MOST_SYMBOLS]:
        for value in _other_values(symbol, variations.sampler, variations.model):
            left -= 1
            altered_one = variations.network(symbol, value) if left >= 0 else None
            if altered_one is None:
                continue
            outcomes = variations.outcomes(altered_one)
            seen = tried.setdefault(symbol.name, Tried())
            if variations.fails(outcomes):
                seen.fails.append(value)
            elif variations.is_harmless(altered_one, outcomes):
                seen.passes[value] = len(outcomes)
    others = samplers if network.context == "alone" else ()
    return influence(tried, variations.model, _structures_that_matter(variations, others))


def _other_values(symbol: Symbol, sampler: Sampler, model: Mapping[str, Any]) -> list[Any]:
    now = model[symbol.name]
    options: tuple[Any, ...] = sampler.options.get(symbol, ())
    if symbol.sort == "bool":
        options = (False, True)
    elif symbol.sort == "int" and not options:
        options = tuple(value for value in INTEGERS if is_within(symbol, value))
    elif symbol.sort == "text" and not options:
        options = FLOATING[:2]
    return [option for option in options if option != now][:MOST_VALUES]


def influence(
    tried: Mapping[str, Tried], model: Mapping[str, Any], structures: Sequence[str] = ()
) -> Influence:
    """Return in words what was tried, what `structures` did first."""
    matters = list(structures)
    same: dict[str, bool] = {}
    cure = ""
    for name, seen in tried.items():
        if seen.passes:
            matters.append(_sentence(name, seen, model[name]))
            if not cure and _decides(name, seen):
                (value,) = seen.passes
                cure = f"if that is meant, add the condition {name} == {value!r}"
        base = name.partition("[")[0]
        same[base] = same.get(base, True) and bool(seen.fails) and not seen.passes
    unmoved = tuple(base for base, is_same in same.items() if is_same)
    return Influence(tuple(matters), unmoved, cure)


def _decides(name: str, seen: Tried) -> bool:
    """Tell whether exactly one value of an attribute was harmless."""
    is_attribute = ".shape[" not in name and not name.endswith(".value")
    return is_attribute and len(seen.passes) == 1


def _sentence(name: str, seen: Tried, now: Any) -> str:
    failing = ", ".join(str(value) for value in sorted([now, *seen.fails], key=str))
    passing = "; ".join(
        f"passes {count} of {count} with {value}" for value, count in seen.passes.items()
    )
    return f"{name} (fails for {failing}; {passing})"


def _structures_that_matter(variations: Variations, samplers: Sequence[Sampler]) -> list[str]:
    """Return in words for which ranks and attributes of structures the rule does not fail."""
    now, found = structure_of(variations.sampler), []
    for name, others in _other_structures(variations.sampler, samplers).items():
        seen = Tried()
        for value, few in list(others.items())[:MOST_VALUES]:
            runs = [_runs(variations, sampler) for sampler in few]
            if any(map(variations.fails, runs)):
                seen.fails.append(value)
            elif all(runs) and len(few) <= MOST_OF_A_VALUE:
                seen.passes[value] = sum(map(len, runs))
        found += [_sentence(name, seen, now[name])] if seen.passes else []
    return found


def structure_of(sampler: Sampler) -> dict[str, Any]:
    """Return what a structure fixes: ranks first, then attributes without symbols."""
    instance = sampler.instance
    named = [(instance.names.get(key), node.expr) for key, node in instance.bindings.nodes.items()]
    ranks = {f"{n}.ndim": len(expr.shape) for n, expr in named if n and isinstance(expr, Var)}
    calls = [(name, expr) for name, expr in named if name and isinstance(expr, Call)]
    return ranks | {
        f"{name}.{attribute}": value
        for name, call in calls
        for attribute, value in call.attributes.items()
        if isinstance(value, tuple) and not any(isinstance(part, Term) for part in value)
    }


def _other_structures(
    failing: Sampler, samplers: Sequence[Sampler]
) -> dict[str, dict[Any, list[Sampler]]]:
    """Return the structures in which one name has another value, by names and values."""
    now, size = structure_of(failing), complexity(failing)[0]
    others: dict[str, dict[Any, list[Sampler]]] = {}
    for sampler in samplers:
        other = structure_of(sampler)
        if complexity(sampler)[0] == size and other.keys() == now.keys():
            name = _changed(now, other)
            if name:
                others.setdefault(name, {}).setdefault(other[name], []).append(sampler)
    return others


def _changed(now: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """Return which name has another value; ranks come first, as attributes follow them."""
    changed = [name for name in now if now[name] != other[name]]
    is_rank = bool(changed) and changed[0].endswith(".ndim")
    alike = len({(now[name], other[name]) for name in changed}) == 1
    return changed[0] if changed and (is_rank or alike) else ""


def _runs(variations: Variations, sampler: Sampler) -> list[Outcome]:
    """Run a structure in several sizes; [] if some of them were of no use."""
    outcomes: list[Outcome] = []
    failing = variations.failure.network
    for sizes in ((), *LARGER):
        network = altered(failing, sampler, sizes=sizes)
        if network is None or not _has_same_attributes(failing.model, network.model):
            return []
        runs = variations.outcomes(network, ROUNDS_OF_A_STRUCTURE)
        if variations.fails(runs):
            return runs
        if not variations.is_harmless(network, runs):
            return []
        outcomes += runs
    return outcomes


def _has_same_attributes(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    shared = (name for name in old if name in new and ".shape[" not in name)
    return all(old[name] == new[name] for name in shared)
