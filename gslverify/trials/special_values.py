"""What becomes of special values on networks on which both sides agree on ordinary ones.

Changes are counted by kind; where the rule promises that there are none, one refutes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from gsl.errors import GslError
from gsl.evaluate import trace
from gsl.expr import Call, Const, Expr
from gsl.flags import OF_SPECIAL_VALUES, in_order
from gsl.graph import reverse_post_order
from gsl.subst import Rule, Subst
from gslverify.codes.levels import SPECIAL_VALUES_CHANGE
from gslverify.comparison.compare import Comparison
from gslverify.comparison.special import (
    APART,
    CHANGES,
    INFINITY,
    LARGE,
    MENUS,
    NAN,
    ZERO,
    Change,
    changes,
    floats_in,
    has_answer,
    special_inputs,
)
from gslverify.finding import Assurance, Finding, Level
from gslverify.networks.empty import plain_inputs
from gslverify.networks.network import Network
from gslverify.shrinking.descent import Budget, simplest
from gslverify.stage import Count, Note, Question
from gslverify.structures.kernels import combined_by
from gslverify.trials.blame import difference_of
from gslverify.trials.counterexample import counterexample_of
from gslverify.trials.second_opinion import spread
from gslverify.trials.special_constants import with_special_constants
from gslverify.trials.trial import Outcome as Trial
from gslverify.trials.trial import run_trial

NETWORKS_WITH_SPECIAL_VALUES = 12
FEW_ELEMENTS = 8


def special_values(
    question: Question, passed: Sequence[Trial]
) -> Iterator[Finding | Assurance | Count | Note]:
    """Yield how many networks were asked and changed, by kind, and whether a promise is kept.

    What changes without refuting the rule is a flag that it needs, with a witness each.
    """
    usable = [trial for trial in passed if has_answer(trial.network.outputs)]
    asked = spread(usable, NETWORKS_WITH_SPECIAL_VALUES)
    changed = [list(_changes_of(trial, number)) for number, trial in enumerate(asked)]
    seen = Counter(kind for found in changed for kind in {change.kind for change in found})
    yield Count("special", len(asked))
    yield from [Count(f"{kind} changed", seen[kind]) for kind in CHANGES if seen[kind]]
    kept, promises = question.rule.kept, bool(question.rule.kept)
    pairs = [(trial, one) for trial, found in zip(asked, changed, strict=True) for one in found]
    broken = [pair for pair in pairs if _counts(pair[1], kept)]
    if promises and not broken:
        constants = _changes_by_constants(question, asked)
        broken = [pair for pair in constants if _counts(pair[1], kept)]
    if broken:
        first = Changed(*min(broken, key=_weight))
        yield _broken_promise(question, _simplified(question, first, passed))
        return
    if kept == OF_SPECIAL_VALUES and asked:
        yield Assurance("", Level.TESTED, f"special values same, {len(asked)} graphs")
    yield from _needed(question, pairs, len(asked))


FLAG_OF = {NAN: "nnan", INFINITY: "ninf", ZERO: "nsz"}
"""What a rule has to assume that changes one of the kinds."""

ASSUMED = {"nnan": np.isnan, "ninf": np.isinf}
"""Which inputs do not count where a rule has a flag."""


def _counts(change: Change, kept: Set[str]) -> bool:
    """Tell whether a change breaks a promise: neither it nor its inputs are assumed away."""
    if FLAG_OF.get(change.kind) not in kept:
        return False
    excused = [test for flag, test in ASSUMED.items() if flag not in kept]
    floats = floats_in(change.inputs.values())
    return not any(test(array).any() for test in excused for array in floats)


def _needed(
    question: Question, pairs: Sequence[tuple[Trial, Change]], asked: int
) -> Iterator[Assurance | Note]:
    """Yield the flags of special values that a rule needs, and what shows that it does."""
    witnesses: dict[str, tuple[Trial, Change]] = {}
    for pair in sorted(pairs, key=_weight):
        witnesses.setdefault(FLAG_OF[pair[1].kind], pair)
    if witnesses:
        needed = " ".join(in_order(witnesses))
        text, flags = f"needs {needed}, {asked} graphs", tuple(in_order(witnesses))
        yield Assurance("", Level.TESTED, text, flags=flags)
    for flag in in_order(witnesses):
        yield Note(f"{flag} is needed: {difference_of(witnesses[flag][1]).sentence}")
    declared = (question.rule.declared or frozenset()) & OF_SPECIAL_VALUES
    for flag in in_order(declared - witnesses.keys()) if asked else ():
        yield Note(f"{flag} is declared, and no value on {asked} graphs needed it")


def _changes_of(trial: Trial, number: int) -> Iterator[Change]:
    """Yield what changes on inputs of all kinds.

    Whether a sum of both signs overflows depends on its order, which no operator states, and so it
    is for products of large and small numbers: max + max - max is infinite or max.
    """
    generator = np.random.default_rng(number)
    variables, source, target = trial.network.variables, trial.network.outputs, trial.target
    calls = [e for e in reverse_post_order((*source, *target)) if isinstance(e, Call)]
    combined = {call: combined_by(call) for call in calls}
    sums = [call for call in calls if "sum" in combined[call]]
    has_products = any("product" in functions for functions in combined.values())
    for kind in (*MENUS, LARGE, APART):
        at_the_ends = kind not in MENUS
        inputs = special_inputs(
            variables, trial.inputs, kind, generator, one_signed=at_the_ends and bool(sums)
        )
        depends_on_order = kind == APART and has_products
        if at_the_ends and (depends_on_order or not _of_one_sign(sums, inputs)):
            continue
        yield from changes(source, target, inputs)


def _changes_by_constants(
    question: Question, asked: Sequence[Trial]
) -> Iterator[tuple[Trial, Change]]:
    """Yield what changes where a constant is special, on ordinary inputs and on special ones."""
    for number, trial in enumerate(asked):
        generator = np.random.default_rng(number)
        for special in with_special_constants(question.subst, trial):
            variables = special.network.variables
            drawn = [special_inputs(variables, trial.inputs, k, generator) for k in MENUS]
            for inputs in (trial.inputs, *drawn):
                for change in changes(special.network.outputs, special.target, inputs):
                    yield special, change


@dataclass(frozen=True, slots=True)
class Changed:
    """A trial that agrees on ordinary values, and what changes on special ones."""

    trial: Trial
    change: Change

    @property
    def network(self) -> Network:
        """The network, whose constants may be special."""
        return self.trial.network

    @property
    def inputs(self) -> Mapping[str, Any]:
        """The inputs on which something changes."""
        return self.change.inputs


def _simplified(question: Question, found: Changed, passed: Sequence[Trial]) -> Changed:
    """Return the simplest change of the same kind, in the structures of all that `passed`."""
    subst, kind = question.subst, found.change.kind
    agreeing = {id(found.network): [found.trial]}
    networks = [found.network]  # kept, so that no other has its id

    def attempt(network: Network, inputs: Mapping[str, Any]) -> Changed | None:
        if id(network) not in agreeing:
            networks.append(network)
            agreeing[id(network)] = _agreeing(subst, network)
        for trial in agreeing[id(network)]:
            changed = changes(trial.network.outputs, trial.target, inputs)
            drawn = () if trial.network is found.network else _changes_of(trial, 0)
            for change in chain(changed, drawn):
                if change.kind == kind:
                    agreeing[id(trial.network)] = [trial]
                    networks.append(trial.network)
                    return Changed(trial, change)
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


def _of_one_sign(sums: Sequence[Call], inputs: Mapping[str, Any]) -> bool:
    """Return whether no operand of these calls has floats of both signs."""
    try:
        values = trace(sums, inputs)
    except (GslError, IndexError):
        return False
    operands = {operand for call in sums for operand in call.operands}
    arrays = floats_in([values[operand] for operand in operands])
    return not any((array > 0).any() and (array < 0).any() for array in arrays)


def _broken_promise(question: Question, found: Changed) -> Finding:
    trial, change = found.trial, found.change
    difference = difference_of(change)
    comparison = Comparison(False, difference.total, difference.total, difference)
    code, message = SPECIAL_VALUES_CHANGE, difference.sentence
    failed = replace(trial, inputs=change.inputs, code=code, comparisons=(comparison,))
    example = counterexample_of(failed, ask_tvm=False)
    return Finding(
        code,
        message,
        question.subst.span,
        _cure(question.rule, change, trial),
        counterexample=example,
        subject=code.id,
    )


def _weight(found: tuple[Trial, Change]) -> tuple[bool, bool, int]:
    """Few elements are simple, and of networks with few those with nothing around the match."""
    network = found[0].network
    return network.elements > FEW_ELEMENTS, network.context != "alone", network.elements


def _cure(rule: Rule, change: Change, trial: Trial) -> str:
    """Return what to write: the weaker promise, or which operator has to stay in the target."""
    flags = ", ".join(f'"{name}"' for name in in_order({*rule.assumed, FLAG_OF[change.kind]}))
    weaker = 'nan="may-change"' if rule.declared is None else f"flags={{{flags}}}"
    cure = f"write @rule({weaker}) if a change of {change.kind} is harmless"
    if change.kind != ZERO:
        return f"{cure}; otherwise exclude such values, or use a target that keeps them"
    if any(isinstance(e, Const) and _is_negative_zero(e) for e in _nodes(trial)):
        return f"{cure}: a 0 in the source matches -0.0 as well, and it differs for that"
    return f"{cure}; otherwise use a target that computes the zero with the same operator"


def _nodes(trial: Trial) -> list[Expr]:
    return reverse_post_order(trial.network.outputs)


def _is_negative_zero(constant: Const) -> bool:
    value = constant.value
    return bool(value.dtype.kind == "f" and ((value == 0) & np.signbit(value)).any())
