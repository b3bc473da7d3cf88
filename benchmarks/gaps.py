"""Rules that are wrong in one kind of match only, made from sound rules of the corpus.

A sound rule gets a target that is another one where some fact about the match holds: an input has
one particular rank or size, an attribute is one particular list of axes, a tuple has one length, an
alternative is taken, a constant is one edge of its dtype, an input has no elements, or one side of
a choice of the target is taken. Of two facts at once, each is asked where the other one holds.
Some get further inputs beside. Every such rule comes with a witness, a network on which the engine
and the references say that it is wrong, and with another one on which it is right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from drawing import drawn

from gsl import op, pat
from gsl.attr.term import Access, Symbol, Term
from gsl.check import check
from gsl.errors import GslError
from gsl.expr import Call, Const
from gsl.match.bindings import Bindings
from gsl.subst import Rule, Subst
from gsl.types import FLOATING, INTEGER, TensorType
from gslverify.mutation.draft import Draft
from gslverify.networks.arrays import filled_inputs
from gslverify.networks.empty import empty_networks, plain_inputs
from gslverify.networks.generation import misused_constant, network_of
from gslverify.networks.network import Network
from gslverify.structures.models.concrete import bindings_of
from gslverify.structures.models.sampling import Sampler
from gslverify.structures.models.symbols import is_constant
from gslverify.trials.trial import run_trial

OF_TWO_FACTS = ("two ranks", "chain")
OF_ONE_FACT = ("rank", "axes", "length", "constant", "empty", "arm", "alternative", "size")
KINDS = (*OF_ONE_FACT, *OF_TWO_FACTS)
MOST_INPUTS = 10
NUMERIC = (*FLOATING, *INTEGER)
DRAWS = 60
INTEGER_EDGES = {name: (np.iinfo(name).min, np.iinfo(name).max) for name in INTEGER}
EDGES = (127, -128, 255, 2**31 - 1, -(2**31), 2**53 + 1, 2**63 - 1, -(2**63), 0, 1, -1)
REAL_EDGES = (65504.0, 2.0**-24, 3.4028234663852886e38, 2.0**-149, 0.0, -1.0, 0.1)

Example = tuple[Network, dict[str, Any]]


@dataclass(frozen=True)
class Gap:
    """A rule that is wrong only where `fact` holds, and a network on which it is."""

    rule: Rule
    kind: str
    fact: str
    subst: Subst
    inputs: int


def inputs_of(subst: Subst) -> int:
    """Return how many inputs a rule has."""
    return sum(
        isinstance(p, pat.Wildcard | pat.Variable | pat.Const) for p in subst.source_patterns
    )


def widened(subst: Subst, random: Random) -> Subst:
    """Return the same rule with further inputs, each of one or two ranks, added to an output."""
    further = random.randint(0, max(0, MOST_INPUTS - inputs_of(subst)))
    if not further or subst.variadic is not None:
        return subst
    further = max(further, 2)
    draft = Draft.of(subst)
    inputs = [pat.Wildcard() for _ in range(further)]
    free = set(random.sample(range(further), min(2, further)))
    number = random.randrange(len(subst.source))
    source, target = subst.source[number], subst.target[number]
    where: list[Term] = []
    for place, one in enumerate(inputs):
        where.append(one.dtype == source.dtype)
        rank = random.randint(0, 3)
        where.append(
            (one.ndim == rank) | (one.ndim == (rank + 1) % 4) if place in free else one.ndim == rank
        )
        if random.random() < 0.3:  # another operator on it, as one of two alternatives
            term = pat.Alt(op.Abs(one), op.Maximum(one, 1))
            again = pat.Cond(term.arm == 0, op.Abs(one), op.Maximum(one, 1))
        else:
            term, again = one, one
        source, target = source + term, target + again
    draft.source = (*subst.source[:number], source, *subst.source[number + 1 :])
    draft.target = (*subst.target[:number], target, *subst.target[number + 1 :])
    draft.where = (*subst.where, *where)
    return draft.build()


def spoiled(
    subst: Subst, conditions: Sequence[Term], number: int, changes_type: bool, in_else: bool = False
) -> Subst:
    """Return the rule with another output `number` of the target where all conditions hold.

    Each is asked in an arm of the one before, that of the opposite if `in_else`.
    """
    draft = Draft.of(subst)
    right = subst.target[number]
    wrong = op.ExpandDims(right, axis=(0,)) if changes_type else right + 1
    target = wrong
    for condition in reversed(conditions):
        sides = (right, target) if in_else else (target, right)
        target = pat.Cond(~condition if in_else else condition, *sides)
    draft.target = (*subst.target[:number], target, *subst.target[number + 1 :])
    if not changes_type:
        is_numeric = [subst.source[number].dtype == name for name in NUMERIC]
        any_numeric = is_numeric[0]
        for one in is_numeric[1:]:
            any_numeric = any_numeric | one
        draft.where = (*subst.where, any_numeric)
    return draft.build()


def with_spoiled_arm(subst: Subst, random: Random) -> Subst | None:
    """Return the rule with one side of one choice of its target made wrong."""
    choices = [p for p in subst.target_patterns if isinstance(p, pat.Cond)]
    if not choices:
        return None
    chosen, side = random.choice(choices), random.randrange(2)
    sides = list(chosen.operands)
    sides[side] = sides[side] + 1
    draft = Draft.of(subst)
    draft.operands[chosen] = tuple(sides)
    return draft.build()


def facts(kind: str, bindings: Bindings) -> Iterator[tuple[tuple[Term, ...], str]]:
    """Yield what is true of a match, in words and as conditions that need the ones before them."""
    whole = {key: node for key, node in bindings.nodes.items() if not key[1]}
    for (pattern, _), node in whole.items():
        type_ = node.expr.type
        if not isinstance(type_, TensorType) or isinstance(pattern, pat.Alt):
            continue
        is_input = isinstance(pattern, pat.Wildcard | pat.Variable)
        if kind in ("rank", "two ranks") and is_input:
            yield (pattern.ndim == type_.ndim,), f"rank {type_.ndim}"
        if kind == "axes" and isinstance(pattern, pat.Call) and isinstance(node.expr, Call):
            for name, value in node.expr.attributes.items():
                if isinstance(value, tuple) and len(value) > 1 and _are_numbers(value):
                    yield (Access(pattern, name) == value,), f"{name} {value}"
        if kind == "constant" and isinstance(pattern, pat.Const):
            value = node.expr.value if isinstance(node.expr, Const) else None
            if isinstance(value, np.ndarray) and value.ndim == 0:
                yield (pattern.value == value.item(),), f"value {value.item()!r}"
        if kind in ("empty", "size", "chain") and is_input:
            for axis, size in enumerate(type_.shape):
                if (size == 0) is (kind == "empty"):
                    conditions = pattern.ndim == type_.ndim, pattern.shape[axis] == size
                    yield conditions, f"size {size} of axis {axis}, rank {type_.ndim}"
    if kind == "alternative":
        for (pattern, path), arm in bindings.arms.items():
            if not path and isinstance(pattern, pat.Alt):
                yield (pattern.arm == arm,), f"alternative {arm}"
    if kind == "length":
        for (variadic, path), count in bindings.lengths.items():
            if not path:
                yield (Access(variadic, "length") == count,), f"{count} fields"


def _are_numbers(value: Sequence[Any]) -> bool:
    return all(type(part) is int for part in value)


def examples(kind: str, samplers: Sequence[Sampler], random: Random) -> Iterator[Example]:
    """Yield networks that a rule matches, of a kind in which a fact of that kind is seen."""
    if kind == "empty":
        found = list(empty_networks(samplers))
        random.shuffle(found)
        yield from ((network, plain_inputs(network)) for network in found)
        return
    if kind == "constant":
        yield from _with_edges(samplers, random)
        return
    for _ in range(DRAWS):
        made = drawn(samplers, random, contexts=("alone",))
        if made is not None:
            yield made


def _with_edges(samplers: Sequence[Sampler], random: Random) -> Iterator[Example]:
    with_constants = [s for s in samplers if any(map(is_constant, s.free))]
    for _ in range(DRAWS if with_constants else 0):
        sampler = random.choice(with_constants)
        model = sampler.model(_edge_preference(random), may_be_empty=False)
        if model is None:
            continue
        try:
            network = network_of(sampler, model)
        except GslError:
            continue
        if misused_constant(network.outputs) is None:
            yield network, filled_inputs(network, ("small integers", True), random.getrandbits(32))


def _edge_preference(random: Random) -> Any:
    def preference(symbol: Symbol, options: tuple[Any, ...]) -> Any:
        if symbol.sort == "text":
            return random.choice(options or ("float32", "int32", "int64", "int8", "float16"))
        if symbol.sort == "bool":
            return random.random() < 0.5
        if symbol.sort == "real":
            return random.choice(REAL_EDGES)
        if is_constant(symbol):
            return random.choice(EDGES)
        low = 0 if symbol.low is None else int(symbol.low)
        return low + random.randint(0, 2)

    return preference


def gap_of(rule: Rule, kind: str, samplers_of: Any, random: Random) -> Gap | None:
    """Return a rule that is wrong in one kind of match only, None where no witness is found."""
    try:
        subst = rule.write() if kind in ("arm", "empty") else widened(rule.write(), random)
        samplers = samplers_of(subst)
        if not samplers:
            return None
        if kind == "arm":
            made = with_spoiled_arm(subst, random)
            fact = "one side of a choice"
            return _with_witness(rule, kind, fact, made, samplers, random) if made else None
        for network, _ in examples(kind, samplers, random):
            found = _gap_at(rule, kind, subst, samplers, network, random)
            if found is not None:
                return found
    except GslError:
        pass
    return None


def _gap_at(
    rule: Rule,
    kind: str,
    subst: Subst,
    samplers: Sequence[Sampler],
    network: Network,
    random: Random,
) -> Gap | None:
    bindings = bindings_of(subst, network.outputs, network.matched)
    known = [] if bindings is None else list(facts(kind, bindings))
    if len(known) < (2 if kind in OF_TWO_FACTS else 1) or subst.variadic is not None:
        return None
    random.shuffle(known)
    conditions, fact = known[-1]
    if kind in OF_TWO_FACTS:
        conditions, fact = (*conditions, *known[0][0]), f"{fact} and {known[0][1]}"
    number = random.randrange(len(subst.target))
    try:
        made = spoiled(subst, conditions, number, kind == "empty", kind == "chain")
    except GslError:
        return None
    return _with_witness(rule, kind, fact, made, samplers, random)


def _with_witness(
    rule: Rule,
    kind: str,
    fact: str,
    made: Subst,
    samplers: Sequence[Sampler],
    random: Random,
) -> Gap | None:
    """Return the gap if it is wrong on one network and right on another one."""
    if any(not error.warning for error in check(made)):
        return None
    wrong = right = False
    for network, inputs in examples(kind, samplers, random):
        try:
            trial = run_trial(made, network, inputs)
        except GslError:
            continue
        wrong |= trial.code is not None
        right |= trial.code is None and (not trial.rejected or kind == "empty")
        if wrong and right:
            return Gap(rule, kind, fact, made, inputs_of(made))
    return None
