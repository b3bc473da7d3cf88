"""The stage "shape": whenever the source matches, is the target legal and of the same type? (z3)

For every structural variant, sizes, strides, dtypes and the like are unbounded. A model against
the rule is executed by the engine before it is reported.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from gsl.attr.term import Symbol, Term, operation
from gsl.errors import GslError, RewriteError, UndecidedError
from gsl.expr import Const, Expr, Var
from gsl.graph import reverse_post_order
from gsl.operators.declaration import tensors
from gsl.span import resolve
from gsl.text.listing import listing
from gslverify.case import case_of
from gslverify.codes.levels import EMPTY_DIFFERS, EMPTY_REFUSED
from gslverify.codes.shape import ILLEGAL_TARGET, UNDECIDED_SHAPE
from gslverify.finding import Assurance, Code, Counterexample, Finding, Level, Reach, Tensor
from gslverify.semantics.solver import Answer, Result, new_context
from gslverify.semantics.terms import UntranslatableError
from gslverify.stage import Count, Outcome, Question, Stage
from gslverify.stages.examination import scenarios_of
from gslverify.stages.obligations import Obligation, obligations_of, where_legal
from gslverify.stages.questions import Questions
from gslverify.stages.scenarios import Scenario, Scenarios, emptied_scenario
from gslverify.structures.arithmetic.implied import Consequences
from gslverify.structures.choices import Steps
from gslverify.structures.instance import Extent
from gslverify.structures.models.concrete import (
    concrete_outputs,
    rewrite_once,
    target_outputs,
    value_in,
)
from gslverify.structures.models.symbols import instance_symbols

SMALL_SIZES = (1, 2, 3, 4, 6, 9, 16)

MOST_LOADED = 100
"""Structures whose solvers keep what they have translated; others would take megabytes each."""


def shape_holds(question: Question) -> bool:
    """Tell whether types are proved to agree, by this stage or now."""
    if "shape" not in question.memory:
        list(examine(question))
    return bool(question.memory["shape"])


def examine(question: Question) -> Iterable[Outcome]:
    """Examine every scenario; the first refuted one ends the stage."""
    scenarios, asked = scenarios_of(question), Questions()
    undecided: list[Finding] = []
    for finding, is_large in _findings(question, scenarios, asked):
        if finding.code is not UNDECIDED_SHAPE:
            question.memory["shape"] = False
            yield finding
            return
        if not is_large:
            undecided.append(finding)
    yield Count("variants", len(scenarios.feasible) - len(undecided))
    yield from undecided[:1]
    question.memory["shape"] = not undecided
    refuted = _without_elements(question, scenarios, asked)
    if refuted is not None:
        yield refuted
        return
    if not undecided and scenarios.feasible:
        reach = Reach.SIZES if scenarios.complete else Reach.SIZES_IN_PART
        yield Assurance("shape", Level.PROVED, assurance_text(scenarios), reach)


def is_proved(question: Question) -> bool:
    """Tell whether types are proved to agree; the first structure where they are not ends it."""
    scenarios, asked = scenarios_of(question), Questions()
    findings = _findings(question, scenarios, asked)
    agrees = all(is_large and one.code is UNDECIDED_SHAPE for one, is_large in findings)
    question.memory["shape"] = agrees
    return agrees and _without_elements(question, scenarios, asked) is None


def _findings(
    question: Question, scenarios: Scenarios, asked: Questions
) -> Iterator[tuple[Finding, bool]]:
    """Yield what is wrong or open in each structure, and whether it is a large one."""
    every = [*scenarios.feasible, *scenarios.large]
    for number, scenario in enumerate(every):
        question.progress(f"variant {number + 1}/{len(every)}")
        finding = _examine_scenario(question, scenario, asked)
        if number >= MOST_LOADED:
            scenario.solver.close()
        if finding is not None:
            yield finding, number >= len(scenarios.feasible)


def _without_elements(question: Question, scenarios: Scenarios, asked: Questions) -> Finding | None:
    """Return what is wrong about types where tensors lack elements and the target can be built.

    What is open, and whether it can be built, is left to networks that are run.
    """
    steps, context = defaultdict[Extent, Steps](Steps), new_context()
    for scenario in (*scenarios.feasible, *scenarios.empty):
        emptied = emptied_scenario(scenario, steps[scenario.variant.extent], context)
        finding = _examine_scenario(question, emptied, asked, True)
        emptied.solver.close()
        if finding is not None and finding.code is not UNDECIDED_SHAPE:
            return finding
    return None


def assurance_text(scenarios: Scenarios, all_ranks: bool = False, all_lengths: bool = False) -> str:
    """Return how far a proof for all feasible scenarios goes, such as "proved, ranks 1-4".

    With `all_ranks` or `all_lengths` it goes beyond those that were tried (`gslverify.ranks`).
    """
    proved = len(scenarios.feasible)
    extent = _extent(scenarios, all_ranks, all_lengths)
    if scenarios.complete:
        return f"proved, {extent}"
    if proved < scenarios.structures:
        return f"proved for {proved} of {scenarios.structures} structures, {extent}"
    structures = f"{proved} structures" if proved > 1 else "one structure"
    return f"proved for the {structures} tried, {extent}"


def _extent(scenarios: Scenarios, all_ranks: bool, all_lengths: bool) -> str:
    instances = [scenario.instance for scenario in scenarios.feasible]
    inputs = [
        instance.bindings.nodes[key].expr for instance in instances for key in instance.inputs
    ]
    ranks = {tensor.ndim for expr in inputs for tensor in tensors((expr.type,))}
    lengths = {length for instance in instances for length in instance.bindings.lengths.values()}
    fields = "all lengths" if all_lengths and lengths else _interval("length", lengths)
    parts = ["all ranks" if all_ranks else _interval("rank", ranks), fields]
    return ", ".join(part for part in parts if part) or "no inputs"


def _interval(name: str, numbers: set[int]) -> str:
    if len(numbers) < 2:
        return "".join(f"{name} {number}" for number in numbers)
    return f"{name}s {min(numbers)}-{max(numbers)}"


def _examine_scenario(
    question: Question, scenario: Scenario, asked: Questions, only_legal: bool = False
) -> Finding | None:
    consequences = scenario.consequences
    try:
        for path in obligations_of(scenario.instance):
            may_decline = only_legal or question.settings.declining
            obligations = list(where_legal(path)) if may_decline else path
            unclear = [one for one in obligations if not _is_clear(one, consequences)]
            doubtful = [one for one in unclear if not _is_met(one, scenario, asked)]
            finding = _first_failure(question, scenario, doubtful, asked)
            if finding is not None:
                return finding
    except (UndecidedError, UntranslatableError) as error:
        return Finding(UNDECIDED_SHAPE, str(error), question.subst.span)
    return None


def _is_clear(obligation: Obligation, consequences: Consequences) -> bool:
    """Tell whether an obligation is met without asking the solver, whatever the path."""
    term = obligation.term
    return consequences.hold(term) if isinstance(term, Term) else term


def _is_met(obligation: Obligation, scenario: Scenario, asked: Questions) -> bool:
    """Tell whether an obligation is met by what the solver says about its parts."""
    term = obligation.term
    return isinstance(term, Term) and asked.follows(term, scenario.solver, obligation.path)


def _is_met_simply(obligation: Obligation, scenario: Scenario, asked: Questions) -> bool:
    """Tell whether an obligation follows by arithmetic when its choices are made that are clear."""
    if not isinstance(obligation.term, Term):
        return False
    term, solver, path = obligation.term, scenario.solver, obligation.path
    has_value = operation("==", term, term)
    return asked.follows(has_value, solver, path) and scenario.consequences.hold(
        asked.simpler(term, solver, path)
    )


def _first_failure(
    question: Question, scenario: Scenario, obligations: list[Obligation], asked: Questions
) -> Finding | None:
    undecided: Finding | None = None
    for obligation in obligations:
        result = _violation(scenario, obligation)
        if result.answer is Answer.SAT:
            finding = _confirmed(question, scenario, obligation)
            if finding.code is not UNDECIDED_SHAPE:
                return finding
            undecided = undecided or finding
        elif result.answer is Answer.UNKNOWN and not _is_met_simply(obligation, scenario, asked):
            message = f"the solver gave up on: {obligation.message}"
            undecided = undecided or Finding(UNDECIDED_SHAPE, message, question.subst.span)
    return undecided


def _violation(scenario: Scenario, obligation: Obligation, *more: Term) -> Result:
    conditions = (*obligation.path, *more)
    if isinstance(obligation.term, Term):
        return scenario.solver.refutes(obligation.term, *conditions)
    return scenario.solver.check(*conditions)


def _confirmed(question: Question, scenario: Scenario, obligation: Obligation) -> Finding:
    for model in _models(scenario, obligation):
        outputs, refusal = _executed(question, scenario, model)
        if refusal is None:
            continue
        target = target_outputs(question.subst, outputs)
        code = _code(outputs, target is not None, obligation)
        return Finding(
            code,
            _sentence(obligation, outputs, target),
            resolve(obligation.origin) or question.subst.span,
            counterexample=_counterexample(scenario, model, outputs, target, str(refusal)),
            subject=code.id,
        )
    message = f"a model against it could not be confirmed by execution: {obligation.message}"
    return Finding(UNDECIDED_SHAPE, message, question.subst.span)


def _code(source: Sequence[Expr], is_built: bool, obligation: Obligation) -> Code:
    """Return the code of a finding, which is another one where an input has no elements."""
    leaves = (expr for expr in reverse_post_order(source) if isinstance(expr, Var | Const))
    if any(0 in leaf.shape for leaf in leaves):
        return EMPTY_DIFFERS if is_built else EMPTY_REFUSED
    return obligation.code


def _models(scenario: Scenario, obligation: Obligation) -> Iterator[dict[Symbol, Any]]:
    """Yield models in which an obligation fails.

    That of the solver lies on the boundaries of conditions, where a number that is rounded to its
    dtype may be outside; a simple one does not.
    """
    yield _small_model(scenario, obligation)
    simple = scenario.sampler.simple_model()
    if simple is None or value_in(obligation.term, simple) is not False:
        return
    if all(value_in(condition, simple) is True for condition in obligation.path):
        yield simple


def _executed(
    question: Question, scenario: Scenario, model: dict[Symbol, Any]
) -> tuple[list[Expr], RewriteError | None]:
    """Return the network that a model describes, and what the engine says about rewriting it."""
    try:
        outputs = concrete_outputs(scenario.instance, model)
    except GslError:  # a number of the model has no exact counterpart in Python
        return [], None
    return outputs, rewrite_once(question.subst, outputs).refusal


def _sentence(obligation: Obligation, source: Sequence[Expr], target: Sequence[Expr] | None) -> str:
    if target is None or obligation.code is ILLEGAL_TARGET:
        return obligation.message
    pairs = enumerate(zip(source, target, strict=True))
    changed = next(((n, s, t) for n, (s, t) in pairs if s.type != t.type), None)
    if changed is None:
        return obligation.message
    number, old, new = changed
    return f"output {number} is {old.type} in the source and {new.type} in the target"


def _small_model(scenario: Scenario, obligation: Obligation) -> dict[Symbol, Any]:
    symbols = [s for s in _violation(scenario, obligation).model if s.sort == "int"]
    for bound in SMALL_SIZES:
        limits = [symbol <= bound for symbol in symbols]
        result = _violation(scenario, obligation, *limits)
        if result.answer is Answer.SAT:
            return result.model
    return _violation(scenario, obligation).model


def _counterexample(
    scenario: Scenario,
    model: dict[Symbol, Any],
    source: Sequence[Expr],
    target: Sequence[Expr] | None,
    refusal: str,
) -> Counterexample:
    inputs = [expr for expr in reverse_post_order(source) if isinstance(expr, Var)]
    types = {f"{expr.name}.{part}" for expr in inputs for part in ("shape", "dtype")}
    symbols = instance_symbols(scenario.instance)
    values = sorted(
        (symbol.name, value_in(symbol, model))
        for symbol in symbols
        if symbol.name.partition("[")[0] not in types
    )
    typed = tuple(Tensor(expr.name, expr.dtype, expr.shape, None) for expr in inputs)
    shown = (refusal,) if target is None else tuple(listing(target))
    case = case_of(source, source, target or ())
    return Counterexample(dict(values), tuple(listing(source)), shown, typed, case=case)


SHAPE = Stage("shape", examine, pauses_collector=True)
