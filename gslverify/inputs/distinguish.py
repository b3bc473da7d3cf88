"""Inputs, attributes and constants that tell source and target apart, found by z3.

Both sides of a rule are written down at small sizes by the kernels of their operators. What z3 says
to make a difference is run by the engine and the references before it counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np

from gsl.attr.term import Symbol, Term, subterms
from gsl.dtypes import DTYPES
from gsl.errors import GslError
from gsl.expr import Const, Expr, Var
from gsl.flags import NOWRAP
from gsl.graph import reverse_post_order
from gsl.subst import Subst
from gsl.types import ANY_FLOAT
from gslverify.codes.numeric import OUTPUTS_DIFFER, TARGET_UNDEFINED
from gslverify.finding import Assurance, Level, Reach
from gslverify.inputs.small_graphs import SmallGraph, small_graphs
from gslverify.networks.generation import network_of
from gslverify.prove.failure import UnprovableError
from gslverify.prove.proof import Target, targets
from gslverify.semantics.difference import Examiner, Reply
from gslverify.semantics.scalars import (
    REAL,
    TRUTH,
    WHOLE,
    Scalar,
    Scalars,
    UnsupportedError,
    kind_of,
)
from gslverify.semantics.sides import Sides
from gslverify.semantics.solver import new_context
from gslverify.semantics.unrolled import Partial, Unrolled, tensors_of
from gslverify.structures.instance import Instance
from gslverify.structures.models.concrete import ModelEnvironment
from gslverify.structures.models.sampling import Sampler
from gslverify.structures.models.symbols import instance_symbols, is_constant
from gslverify.trials.trial import EXCUSED, run_trial
from gslverify.trials.trial import Outcome as Trial

MOST_STEPS, MOST_STEPS_OF_RULE = 3_000, 7_000
"""Steps of kernels for one graph, and for all of a rule."""
LIMIT, LIMIT_OF_RULE, LIMIT_IF_PROVED = 100_000, 400_000, 150_000
"""The solver's own unit, of which it counts about a million in a second."""
PATIENT_LIMIT = 3_000_000
"""For one more question about integers, as a formula of bits takes few steps for many units."""
MOST_GRAPHS, MOST_GRAPHS_IF_PROVED = 14, 2
MOST_OPEN_ATTRIBUTES = 2
"""After so many graphs of a rule with unknown attributes in vain, models say what these are."""
MOST_TRIALS, MOST_TRIALS_OF_A_GRAPH = 12, 6
"""So many models of a rule are run; those of a difference in exact arithmetic are without end."""
ABOUT_VALUES = frozenset({OUTPUTS_DIFFER, TARGET_UNDEFINED})
"""What a trial may find here; other defects, which other stages name, are those of any inputs."""


@dataclass(slots=True)
class Answers:
    """What was found out about a rule at small sizes.

    Attributes:
        failure: a trial in which source and target differ, if one was found.
        equal: the number of graphs on which both sides are equal for all inputs.
        open: the number of graphs of which that is not known.
        only_exact: whether some numbers make a difference that no machine has shown.
        hard: the shortest question about integers that the solver gave up.
    """

    failure: Trial | None = None
    equal: int = 0
    open: int = 0
    only_exact: bool = False
    steps: int = 0
    trials: int = 0
    open_attributes: int = 0
    hard: tuple[SmallGraph, _Question] | None = None

    def assurances(self) -> Iterator[Assurance]:
        """Yield what is certain if both sides are equal on every graph that was asked about."""
        if self.equal and not self.open and self.failure is None:
            graphs = "1 small graph" if self.equal == 1 else f"{self.equal} small graphs"
            text = f"equal for all inputs, {graphs}"
            yield Assurance("", Level.IDENTITY, text, Reach.INPUTS)


def distinguish(subst: Subst, samplers: Sequence[Sampler], proved: bool = False) -> Answers:
    """Look for inputs of small graphs on which a rule is wrong.

    What is not known of an operator without a kernel, or takes z3 too long, is left to others. Of a
    rule that is `proved` a few graphs are enough: they are there to find fault with the proof.
    """
    most = MOST_GRAPHS_IF_PROVED if proved else MOST_GRAPHS
    budget = LIMIT_IF_PROVED if proved else inf
    answers, examiner = Answers(), Examiner(new_context(), LIMIT, budget)
    known: dict[int, tuple[Target, ...]] = {}
    for number, graph in enumerate(small_graphs(samplers)):
        if number >= most or answers.steps >= MOST_STEPS_OF_RULE:
            break
        if examiner.used >= LIMIT_OF_RULE or answers.trials >= MOST_TRIALS:
            break
        key = id(graph.sampler)
        if key not in known:
            known[key] = _targets(graph.sampler.instance)
        _examine(subst, graph, known[key], examiner, answers)
        if answers.failure is not None:
            return answers
    if answers.hard is not None and answers.trials < MOST_TRIALS and not proved:
        graph, question = answers.hard
        examiner.insist(question.sides, PATIENT_LIMIT)
        _answered(subst, graph, question, examiner, answers)
    return answers


def _targets(instance: Instance) -> tuple[Target, ...]:
    """Return the targets of an instance by all ways through its conditions; none if unknown."""
    try:
        return tuple(targets(instance))
    except (GslError, UnprovableError, RecursionError):
        return ()


def _examine(
    subst: Subst, graph: SmallGraph, known: Sequence[Target], examiner: Examiner, answers: Answers
) -> None:
    """Ask about one graph, with attributes unknown if that can be, and else as its model says."""
    free = _may_stay_unknown(graph) if answers.open_attributes < MOST_OPEN_ATTRIBUTES else ()
    reply = Reply.OPEN
    for unknown in dict.fromkeys((free, ())):
        try:
            questions = list(_questions(graph, known, unknown, answers))
            reply = _ask(subst, graph, questions, examiner, answers)
        except (GslError, RecursionError, OverflowError):
            reply = Reply.OPEN
        if answers.failure is not None:
            return
        if reply is not Reply.OPEN:
            break
        answers.open_attributes += bool(unknown)
    answers.equal += reply is Reply.EQUAL
    answers.open += reply is not Reply.EQUAL


def _may_stay_unknown(graph: SmallGraph) -> tuple[Symbol, ...]:
    """Return the symbols that no structure or size should depend on."""
    symbols = instance_symbols(graph.sampler.instance)
    return tuple(s for s in symbols if s.sort == "real" or is_constant(s))


@dataclass(slots=True)
class _Question:
    """Two sides of one way through the targets, and what their unknowns stand for."""

    sides: Sides
    unrolled: Unrolled
    symbols: Mapping[Symbol, Scalar] = field(default_factory=dict)


def _questions(
    graph: SmallGraph, known: Sequence[Target], unknown: Sequence[Symbol], answers: Answers
) -> Iterator[_Question]:
    """Yield the questions about a graph, one for every target that its model leaves possible."""
    instance = graph.sampler.instance
    partial = _partial(graph, unknown)
    dtypes = _dtypes_of_constants(instance, partial)
    for target in known:
        scalars = Scalars(MOST_STEPS)
        symbols = {s: _unknown(scalars, s, dtypes.get(s)) for s in unknown}
        unrolled = Unrolled(scalars, partial, symbols, MOST_STEPS)
        path = [partial.of(condition) for condition in target.path]
        if any(condition is False for condition in path):
            continue
        try:
            sides = _sides(unrolled, target)
        finally:
            answers.steps += MOST_STEPS - unrolled.left
        claims = [partial.of(claim.term) for claim in instance.claims]
        ranges = [side for s in unknown for side in _range(s)]
        sides.assumed = [unrolled.scalar(c) for c in (*path, *claims, *ranges) if c is not True]
        sides.limits = _limits(unrolled, symbols, dtypes)
        sides.nowrap = NOWRAP in instance.subst.flags
        yield _Question(sides, unrolled, symbols)


def _partial(graph: SmallGraph, unknown: Sequence[Symbol]) -> Partial:
    environment, open_ones = ModelEnvironment(graph.model), frozenset(unknown)
    instance = graph.sampler.instance
    claimed = (part for claim in instance.claims for part in subterms(claim.term))
    found = (*graph.model, *instance_symbols(instance), *claimed)
    symbols = dict.fromkeys(part for part in found if isinstance(part, Symbol))
    return Partial({s: environment.symbol(s) for s in symbols if s not in open_ones})


def _range(symbol: Symbol) -> Iterator[Term]:
    if symbol.low is not None:
        yield symbol >= symbol.low
    if symbol.high is not None:
        yield symbol <= symbol.high


def _dtypes_of_constants(instance: Instance, partial: Partial) -> dict[Symbol, str]:
    found: dict[Symbol, str] = {}
    for node in instance.graph:
        if isinstance(node.expr, Const) and isinstance(node.expr.value, Symbol):
            dtype = partial.of(node.expr.tensor_type.dtype)
            if isinstance(dtype, str):
                found[node.expr.value] = dtype
    return found


def _unknown(scalars: Scalars, symbol: Symbol, dtype: str | None) -> Scalar:
    """Return the unknown of a symbol; the value of a constant is one of its dtype."""
    if dtype is not None:
        kind = kind_of(dtype)
        one = scalars.unknown(kind, symbol)
        return scalars.converted(one, WHOLE) if kind.wraps else one
    return scalars.unknown({"real": REAL, "bool": TRUTH}.get(symbol.sort, WHOLE), symbol)


def _limits(
    unrolled: Unrolled, symbols: Mapping[Symbol, Scalar], dtypes: Mapping[Symbol, str]
) -> dict[Scalar, int]:
    """Return the largest finite numbers of the unknown floats."""
    found = {
        one: _largest(declared.dtype)
        for declared, elements in unrolled.inputs.values()
        for one in elements.values()
        if one.kind == REAL
    }
    for symbol, one in symbols.items():
        if one.kind == REAL:
            found[one] = _largest(dtypes.get(symbol, "float64"))
    return found


def _largest(dtype: str) -> int:
    return int(DTYPES[dtype if dtype in ANY_FLOAT else "float64"].largest)


def _sides(unrolled: Unrolled, target: Target) -> Sides:
    """Return both sides of a target with all that has to be said about them."""
    sources, results = zip(*target.pairs, strict=True)
    sides = Sides()
    for old, new in zip(unrolled.values(sources), unrolled.values(results), strict=True):
        for left, right in zip(tensors_of(old), tensors_of(new), strict=True):
            if left.type != right.type:
                raise UnsupportedError("source and target differ in shape or dtype")
            sides.pairs += zip(left.elements(), right.elements(), strict=True)
    before, after = reverse_post_order(sources), reverse_post_order(results)
    new_ones = _beyond(after, before)
    sides.of_source = list(unrolled.demands(before))
    sides.of_target = list(unrolled.demands(new_ones))
    sides.made = list(unrolled.whole_results(before)), list(unrolled.whole_results(new_ones))
    return sides


def _beyond(exprs: Sequence[Expr], known: Sequence[Expr]) -> list[Expr]:
    return [expr for expr in exprs if expr not in set(known)]


def _ask(
    subst: Subst,
    graph: SmallGraph,
    questions: Sequence[_Question],
    examiner: Examiner,
    answers: Answers,
) -> Reply:
    """Return whether both sides of a graph are equal on every way through its targets."""
    replies: set[Reply] = set()
    for question in questions:
        replies.add(_answered(subst, graph, question, examiner, answers))
        if answers.failure is not None:
            break
    if Reply.OPEN in replies or not replies:
        return Reply.OPEN
    return Reply.DIFFERENT if Reply.DIFFERENT in replies else Reply.EQUAL


def _answered(
    subst: Subst, graph: SmallGraph, question: _Question, examiner: Examiner, answers: Answers
) -> Reply:
    """Return what is known about a question; run what is said to make a difference."""
    reply = examiner.reply(question.sides)
    if reply is Reply.OPEN and question.sides.are_about_integers:
        known = answers.hard
        if known is None or question.sides.length < known[1].sides.length:
            answers.hard = graph, question
    if reply is not Reply.DIFFERENT:
        return reply
    before, is_exact = answers.trials, True
    most = min(MOST_TRIALS, before + MOST_TRIALS_OF_A_GRAPH)
    for difference in examiner.differences(question.sides):
        is_exact = is_exact and difference.is_exact
        for model in difference.models():
            if answers.trials >= most:
                break
            answers.trials += 1
            trial = _tried(subst, graph, question, model)
            is_exact = is_exact and (trial is None or trial.rejected not in EXCUSED)
            if trial is not None and trial.code in ABOUT_VALUES:
                answers.failure = trial
                return reply
            if trial is not None and trial.code is not None:
                answers.trials = before
                examiner.give_up(question.sides)
                return Reply.OPEN
    examiner.give_up(question.sides)
    answers.only_exact |= is_exact and answers.trials > before
    return reply


def _tried(
    subst: Subst, graph: SmallGraph, question: _Question, found: Mapping[Scalar, Any]
) -> Trial | None:
    """Run a rule on the representable numbers nearest to what z3 found; None where none match."""
    sampler = graph.sampler
    model = dict(graph.model)
    for symbol, one in question.symbols.items():
        leaf = one.operands[0] if one.operands else one
        if leaf in found:
            model[symbol] = _plain(found[leaf], symbol)
    try:
        if not sampler.satisfies(model):
            return None
        arrays = {name: _array(question, name, found) for name in question.unrolled.inputs}

        def fill(variable: Var) -> Any:
            return arrays.get(variable.name, np.ones(variable.shape, variable.dtype))

        network = network_of(sampler, model, fill)
        inputs = {v.name: arrays.get(v.name, fill(v)) for v in network.variables}
        return run_trial(subst, network, inputs)
    except GslError:
        return None


def _plain(value: Any, symbol: Symbol) -> Any:
    return float(value) if symbol.sort == "real" else value


def _array(question: _Question, name: str, found: Mapping[Scalar, Any]) -> Any:
    """Return an input with the elements that z3 chose, and the first of them everywhere else."""
    declared, elements = question.unrolled.inputs[name]
    chosen = {place: found[one] for place, one in elements.items() if one in found}
    is_real = declared.dtype in ANY_FLOAT
    with np.errstate(over="ignore"):
        first = next(iter(chosen.values()), 1)
        array = np.full(declared.shape, float(first) if is_real else first, declared.dtype)
        for place, value in chosen.items():
            array[place] = float(value) if is_real else value
    return array
