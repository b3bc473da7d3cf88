"""The stage "shape": whenever the source matches, is the target legal and of the same type? (z3)

For every structural variant, sizes, strides, dtypes and the like are unbounded. A model against
the rule is executed by the engine before it is reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from gsl.attr.evaluate import equal
from gsl.attr.term import Symbol, Term
from gsl.errors import GslError, ShapeError, UndecidedError
from gsl.expr import Expr
from gsl.listing import listing
from gsl.operators.declaration import Need
from gsl.pat import Pattern
from gsl.rewrite import Builder, output_pairs
from gsl.types import TensorType, TupleType, Type
from gslverify.codes.shape import ILLEGAL_TARGET, OUTPUT_DTYPE, OUTPUT_SHAPE, UNDECIDED_SHAPE
from gslverify.concrete import concrete_outputs, rewrite_once
from gslverify.finding import Assurance, Code, Counterexample, Finding, Level
from gslverify.smt import Answer, Result, UntranslatableError
from gslverify.stage import Count, Outcome, Question, Stage
from gslverify.stages.satisfiable import Scenario, Scenarios, scenarios_of

SMALL_SIZES = (1, 2, 3, 4, 6, 9, 16)


@dataclass(frozen=True, slots=True)
class Obligation:
    """A condition that must follow from the source; False when it cannot hold."""

    term: Term | bool
    code: Code
    message: str
    pattern: Pattern | None


class _TargetNeed(Need):
    """Collects what the operators of the target demand."""

    def __init__(self) -> None:
        super().__init__()
        self.obligations: list[Obligation] = []

    def __call__(self, condition: Any, reason: str) -> None:
        if isinstance(condition, Term) or not condition:
            self.obligations.append(Obligation(condition, ILLEGAL_TARGET, reason, None))
            if not isinstance(condition, Term):
                raise ShapeError(reason)


def examine(question: Question) -> Iterable[Outcome]:
    """Examine every scenario; the first refuted one ends the stage."""
    scenarios = scenarios_of(question)
    undecided: list[Finding] = []
    for number, scenario in enumerate(scenarios.feasible):
        question.progress(f"variant {number + 1}/{len(scenarios.feasible)}")
        finding = _examine_scenario(question, scenario)
        if finding is None:
            continue
        if finding.code is not UNDECIDED_SHAPE:
            yield finding
            return
        undecided.append(finding)
    yield Count("variants", len(scenarios.feasible) - len(undecided))
    yield from undecided[:1]
    if not undecided and scenarios.feasible:
        yield Assurance("shape", Level.PROVED, _assurance_text(scenarios))


def _assurance_text(scenarios: Scenarios) -> str:
    proved = len(scenarios.feasible)
    if scenarios.complete:
        return f"proved, {proved} structures"
    return f"proved for {proved} of {scenarios.structures} structures"


def _examine_scenario(question: Question, scenario: Scenario) -> Finding | None:
    try:
        obligations = list(_obligations(scenario))
        return _first_failure(question, scenario, obligations)
    except (UndecidedError, UntranslatableError) as error:
        return Finding(UNDECIDED_SHAPE, str(error), question.subst.span)


def _first_failure(
    question: Question, scenario: Scenario, obligations: list[Obligation]
) -> Finding | None:
    unknown: Obligation | None = None
    for obligation in obligations:
        if obligation.term is True:
            continue
        result = _violation(scenario, obligation)
        if result.answer is Answer.SAT:
            return _confirmed(question, scenario, obligation)
        if result.answer is Answer.UNKNOWN:
            unknown = obligation
    if unknown is None:
        return None
    message = f"the solver gave up on: {unknown.message}"
    return Finding(UNDECIDED_SHAPE, message, question.subst.span)


def _violation(scenario: Scenario, obligation: Obligation, *more: Term) -> Result:
    if isinstance(obligation.term, Term):
        return scenario.solver.refutes(obligation.term, *more)
    return scenario.solver.check(*more)


def _obligations(scenario: Scenario) -> Iterator[Obligation]:
    need = _TargetNeed()
    instance = scenario.instance
    builder = Builder(instance.bindings, instance.graph, need)
    pairs = []
    try:
        for source, target in output_pairs(instance.subst, instance.bindings):
            pairs.append((instance.bindings.nodes[source].expr, builder.build(*target).expr))
    except UndecidedError:
        raise
    except GslError as error:
        yield from need.obligations
        if not any(obligation.term is False for obligation in need.obligations):
            yield Obligation(False, ILLEGAL_TARGET, str(error), None)
        return
    finally:
        instance.graph.drop_unused(reversed(builder.added))
    yield from need.obligations
    for number, (source_expr, target_expr) in enumerate(pairs):
        yield from _same_type(number, source_expr.type, target_expr.type)


def _same_type(number: int, source: Type, target: Type) -> Iterator[Obligation]:
    name = f"output {number}"
    if isinstance(source, TupleType) and isinstance(target, TupleType):
        if len(source.fields) != len(target.fields):
            yield Obligation(False, OUTPUT_SHAPE, f"{name}: another number of fields", None)
            return
        for one, other in zip(source.fields, target.fields, strict=True):
            yield from _same_type(number, one, other)
    elif isinstance(source, TensorType) and isinstance(target, TensorType):
        message = f"{name} has shape {_text(source.shape)}, in the target {_text(target.shape)}"
        yield Obligation(equal(source.shape, target.shape), OUTPUT_SHAPE, message, None)
        message = f"{name} changes its dtype"
        yield Obligation(equal(source.dtype, target.dtype), OUTPUT_DTYPE, message, None)
    else:
        yield Obligation(False, OUTPUT_SHAPE, f"{name} is a tuple on one side only", None)


def _text(shape: tuple[Any, ...]) -> str:
    sizes = ", ".join("?" if isinstance(size, Term) else str(size) for size in shape)
    return f"[{sizes}]"


def _confirmed(question: Question, scenario: Scenario, obligation: Obligation) -> Finding:
    model = _small_model(scenario, obligation)
    outputs = concrete_outputs(scenario.instance, model)
    rewritten = rewrite_once(question.subst, outputs)
    if rewritten.refusal is None:
        message = f"a model against it could not be confirmed by execution: {obligation.message}"
        return Finding(UNDECIDED_SHAPE, message, question.subst.span)
    return Finding(
        obligation.code,
        str(rewritten.refusal),
        question.subst.span,
        details=(obligation.message,),
        counterexample=_counterexample(question, model, outputs),
        subject=obligation.code.id,
    )


def _small_model(scenario: Scenario, obligation: Obligation) -> dict[Symbol, Any]:
    symbols = [s for s in _violation(scenario, obligation).model if s.sort == "int"]
    for bound in SMALL_SIZES:
        limits = [symbol <= bound for symbol in symbols]
        result = _violation(scenario, obligation, *limits)
        if result.answer is Answer.SAT:
            return result.model
    return _violation(scenario, obligation).model


def _counterexample(
    question: Question, model: dict[Symbol, Any], outputs: list[Expr]
) -> Counterexample:
    attributes = {symbol.name: value for symbol, value in sorted_model(model)}
    target = listing_of_target(question, outputs)
    return Counterexample(attributes, tuple(listing(outputs)), target)


def sorted_model(model: dict[Symbol, Any]) -> list[tuple[Symbol, Any]]:
    """Return the values of a model in the order of the names of their symbols."""
    return sorted(model.items(), key=lambda item: item[0].name)


def listing_of_target(question: Question, outputs: list[Expr]) -> tuple[str, ...]:
    """Return the listing of the rewritten network, or why there is none."""
    rewritten = rewrite_once(question.subst, outputs)
    if rewritten.refusal is not None:
        return (str(rewritten.refusal),)
    return tuple(listing(rewritten.outputs))


SHAPE = Stage("shape", examine)
