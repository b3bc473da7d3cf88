"""What becomes of special values on networks on which both sides agree on ordinary ones.

Changes are counted by kind; where the rule promises that there are none, one refutes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import chain, combinations, product
from typing import Any

import numpy as np

from gsl.errors import GslError
from gsl.evaluate import trace
from gsl.expr import Const, Expr
from gsl.flags import OF_SPECIAL_VALUES, in_order
from gsl.graph import reverse_post_order
from gsl.numpy_dtypes import is_floating
from gsl.span import Span
from gsl.subst import Rule, Subst
from gslverify.codes.levels import SPECIAL_VALUES_CHANGE
from gslverify.comparison.calmer import INFINITY, NAN, ZERO
from gslverify.comparison.compare import Comparison
from gslverify.comparison.special import (
    MENUS,
    Change,
    apart_from_rounding,
    changes,
    has_floats,
    special_inputs,
    where_any,
)
from gslverify.comparison.special_search import Way, telling_inputs
from gslverify.finding import Finding
from gslverify.networks.empty import plain_inputs
from gslverify.networks.network import Network
from gslverify.shrinking.descent import Budget, simplest
from gslverify.stage import Question
from gslverify.trials.blame import difference_of
from gslverify.trials.counterexample import counterexample_of
from gslverify.trials.covering import covering
from gslverify.trials.domains import is_misused, misused_inputs
from gslverify.trials.second_opinion import spread
from gslverify.trials.special_constants import with_special_constants
from gslverify.trials.trial import Outcome as Trial
from gslverify.trials.trial import run_trial

NETWORKS_WITH_SPECIAL_VALUES = 12
NETWORKS_WITH_MANY_INPUTS = 16
FEW_ELEMENTS = 8


@dataclass(frozen=True, slots=True)
class Changed:
    """A trial that agrees on ordinary values, and what changes on special ones.

    Each of the flags `allowed_by` allows it or excuses where it is, once that was worked out.
    """

    trial: Trial
    change: Change
    allowed_by: frozenset[str] = frozenset()

    @property
    def network(self) -> Network:
        """The network, whose constants may be special."""
        return self.trial.network

    @property
    def inputs(self) -> Mapping[str, Any]:
        """The inputs on which something changes."""
        return self.change.inputs


@dataclass(frozen=True, slots=True)
class SpecialValues:
    """What changes on `asked` networks, and the flags that a rule needs for it.

    `needed` is a smallest set of flags that allows all changes, `broken` the first one that the
    flags of the rule do not allow.
    """

    asked: int
    seen: Counter[str]
    needed: frozenset[str]
    witnesses: Mapping[str, Changed]
    broken: Changed | None


def special_values(question: Question, passed: Sequence[Sequence[Trial]]) -> SpecialValues:
    """Examine networks that passed on NaN, infinities, signed zeros and the ends of the range.

    Inputs on which the source is not defined say nothing: special values have no counterpart among
    integers. Of each network there are trials on several ordinary inputs, where values that are
    not compared may be special as well.
    """
    fitting = [few for few in passed if few[0].network.variables and _has_floats(few[0])]
    usable = [few[0] for few in fitting]
    asked = [few[0] for few in covering(fitting, NETWORKS_WITH_SPECIAL_VALUES)]
    changed = [
        [Changed(trial, change) for change in _changes_of(trial, number)]
        for number, trial in enumerate(asked)
    ]
    seen = Counter(kind for found in changed for kind in {one.change.kind for one in found})
    every = [
        *chain(*changed),
        *_changes_of_computed(covering(passed, NETWORKS_WITH_SPECIAL_VALUES)),
        *_changes_among_many(_small(usable)),
        *_changes_by_constants(question, asked),
    ]
    every.sort(key=_weight)
    parts = [part for one in every for part in in_parts(one)]
    assumed = OF_SPECIAL_VALUES - question.rule.kept
    broken = next((one for one in parts if not one.allowed_by & assumed), None)
    needed = _smallest_set([one.allowed_by for one in parts], assumed)
    witnesses = {
        flag: next(one for one in parts if one.allowed_by & needed == {flag}) for flag in needed
    }
    return SpecialValues(len(asked), seen, needed, witnesses, broken)


def _has_floats(trial: Trial) -> bool:
    return has_floats((*trial.network.outputs, *trial.target))


def _small(passed: Sequence[Trial]) -> list[Trial]:
    """Return some trials of the smaller networks."""
    ordered = sorted(passed, key=lambda trial: trial.network.elements)
    return spread(ordered[: len(ordered) // 2 + 1], NETWORKS_WITH_MANY_INPUTS)


FLAG_OF = {NAN: "nnan", INFINITY: "ninf", ZERO: "nsz"}
"""What a rule has to assume that changes one of the kinds."""


def in_parts(found: Changed) -> Iterator[Changed]:
    """Yield a change in parts that differ in the flags that allow them.

    It is excused where the source computes NaN or has it as an input, and where either side
    computes an infinity: in graphs of element-wise operators at that place, in others anywhere. A
    NaN of the target alone is laid to the infinities it is made of, if there are any.
    """
    change, network = found.change, found.network
    places, outputs = change.places, network.outputs
    try:
        values = trace((*outputs, *found.trial.target), found.inputs)
    except (GslError, IndexError):
        yield replace(found, allowed_by=frozenset({FLAG_OF[change.kind]}))
        return
    of_source = {expr: values[expr] for expr in reverse_post_order(outputs)}
    excused = {
        "nnan": where_any(np.isnan, of_source, places.shape),
        "ninf": where_any(np.isinf, values, places.shape),
    }
    for chosen in product((False, True), repeat=len(excused)):
        part = places.copy()
        for mask, wanted in zip(excused.values(), chosen, strict=True):
            part &= mask == wanted
        if part.any():
            flags = {flag for flag, wanted in zip(excused, chosen, strict=True) if wanted}
            if change.kind != NAN or not flags:
                flags.add(FLAG_OF[change.kind])
            yield Changed(found.trial, replace(change, places=part), frozenset(flags))


def _smallest_set(demands: Sequence[frozenset[str]], rather: Set[str]) -> frozenset[str]:
    """Return a smallest set with a flag of each demand, one among `rather` where there is one.

    What infinity alone brings about is laid to it, though a NaN may be what it makes.
    """
    sets = [
        frozenset(some)
        for size in range(len(OF_SPECIAL_VALUES) + 1)
        for some in combinations(("ninf", "nnan", "nsz"), size)
        if all(flags.intersection(some) for flags in demands)
    ]
    return next((some for some in sets if some <= rather), sets[0])


def _changes_of(trial: Trial, number: int) -> Iterator[Change]:
    """Yield what changes on inputs of all kinds, by the references.

    Inputs are special together, and each alone, as an integer may be made of another.
    """
    generator, network = np.random.default_rng(number), trial.network
    for kind in MENUS:
        inputs = special_inputs(network.variables, trial.inputs, kind, generator)
        alone = [{**trial.inputs, name: array} for name, array in inputs.items()]
        for one in (inputs, *(alone if len(alone) > 1 else ())):
            yield from _changes_where_defined(trial, one)


def _changes_where_defined(trial: Trial, inputs: Mapping[str, Any]) -> Iterator[Change]:
    """Yield what changes on some inputs, if the source is defined on them."""
    if not is_misused(trial.network.outputs, inputs):
        yield from changes(trial.network.outputs, trial.target, inputs)


def _changes_of_computed(passed: Sequence[Sequence[Trial]]) -> Iterator[Changed]:
    """Yield what changes on ordinary inputs, of which special values are computed.

    Where inputs are constants, subnormal numbers among them are not taken for 0.
    """
    for few in (few for few in passed if few[0].network.context == "alone"):
        for trial in few:
            for change in changes(trial.network.outputs, trial.target, trial.inputs):
                kept = apart_from_rounding(change)
                if kept is not None:
                    yield Changed(trial, kept)


def _changes_among_many(passed: Sequence[Trial]) -> Iterator[Changed]:
    """Yield what changes on inputs that were found among many, every way of it once."""
    known: set[Way] = set()
    for number, trial in enumerate(passed):
        sides, variables = (trial.network.outputs, trial.target), trial.network.variables
        drawn = np.random.default_rng(number)
        for way, inputs in telling_inputs(*sides, variables, trial.inputs, drawn, misused_inputs):
            if way in known:
                continue
            found = _changes_where_defined(trial, inputs)
            for change in filter(None, map(apart_from_rounding, found)):
                known.add(way)
                yield Changed(trial, change)


def _drawn_anew(trial: Trial) -> Iterator[Change]:
    yield from _changes_of(trial, 0)
    yield from (found.change for found in _changes_among_many([trial]))


def _changes_by_constants(question: Question, asked: Sequence[Trial]) -> Iterator[Changed]:
    """Yield what changes where a constant is special, on ordinary inputs and on special ones."""
    for number, trial in enumerate(asked):
        generator = np.random.default_rng(number)
        for special in with_special_constants(question.subst, trial):
            variables = special.network.variables
            drawn = [special_inputs(variables, trial.inputs, k, generator) for k in MENUS]
            for inputs in (trial.inputs, *drawn):
                for change in _changes_where_defined(special, inputs):
                    yield Changed(special, change)


def _simplified(question: Question, found: Changed, passed: Sequence[Trial]) -> Changed:
    """Return the simplest change of the same kind that no flag of the rule allows.

    It may be in the structures of all that `passed`.
    """
    subst, kind = question.subst, found.change.kind
    assumed = OF_SPECIAL_VALUES - question.rule.kept
    agreeing = {id(found.network): [found.trial]}
    networks = [found.network]  # kept, so that no other has its id

    def attempt(network: Network, inputs: Mapping[str, Any]) -> Changed | None:
        if id(network) not in agreeing:
            networks.append(network)
            agreeing[id(network)] = _agreeing(subst, network)
        for trial in agreeing[id(network)]:
            changed = _changes_where_defined(trial, inputs)
            drawn = () if trial.network is found.network else _drawn_anew(trial)
            alike = (Changed(trial, one) for one in chain(changed, drawn) if one.kind == kind)
            for broken in chain.from_iterable(map(in_parts, alike)):
                if not broken.allowed_by & assumed:
                    agreeing[id(trial.network)] = [trial]
                    networks.append(trial.network)
                    return broken
        return None

    samplers = {id(one): one for trial in passed if (one := trial.network.sampler) is not None}
    budget = Budget.lasting(question.settings.shrink_seconds)
    return simplest(found, attempt, budget, tuple(samplers.values()))


def _agreeing(subst: Subst, network: Network) -> list[Trial]:
    """Return a trial on ordinary values and those with special constants, if it agrees."""
    trial = run_trial(subst, network, plain_inputs(network))
    if trial.code is not None or trial.rejected:
        return []
    return [trial, *with_special_constants(subst, trial)]


def broken_promise(
    question: Question, special: SpecialValues, passed: Sequence[Trial], span: Span
) -> Finding | None:
    """Return the finding about a change that the flags of a rule do not allow, made simple."""
    if special.broken is None:
        return None
    found = _simplified(question, special.broken, passed)
    trial, change = found.trial, found.change
    difference = difference_of(change)
    comparison = Comparison(False, difference.total, difference.total, difference)
    code, message = SPECIAL_VALUES_CHANGE, difference.sentence
    failed = replace(trial, inputs=change.inputs, code=code, comparisons=(comparison,))
    example = counterexample_of(failed, ask_tvm=False)
    return Finding(
        code,
        message,
        span,
        _cure(question.rule, found, special.needed),
        counterexample=example,
        subject=code.id,
    )


def _weight(found: Changed) -> tuple[bool, bool, int]:
    """Few elements are simple, and of networks with few those with nothing around the match."""
    network = found.network
    return network.elements > FEW_ELEMENTS, network.context != "alone", network.elements


def _cure(rule: Rule, found: Changed, needed: Set[str]) -> str:
    """Return what to write: the weaker promise, or which operator has to stay in the target.

    Of the flags that allow the change it is one that the rule needs anyway, if there is one.
    """
    kind = found.change.kind
    among = found.allowed_by & needed or found.allowed_by
    allowing = FLAG_OF[kind] if FLAG_OF[kind] in among else min(among)
    flags = ", ".join(f'"{name}"' for name in in_order({*rule.assumed, allowing}))
    weaker = 'nan="may-change"' if rule.declared is None else f"flags={{{flags}}}"
    cure = f"write @rule({weaker}) if a change of {kind} is harmless"
    if kind != ZERO:
        return f"{cure}; otherwise exclude such values, or use a target that keeps them"
    if any(isinstance(e, Const) and _is_negative_zero(e) for e in _nodes(found.trial)):
        return f"{cure}: a 0 in the source matches -0.0 as well, and it differs for that"
    return f"{cure}; otherwise use a target that computes the zero with the same operator"


def _nodes(trial: Trial) -> list[Expr]:
    return reverse_post_order(trial.network.outputs)


def _is_negative_zero(constant: Const) -> bool:
    value = constant.value
    return bool(is_floating(value.dtype) and ((value == 0) & np.signbit(value)).any())
