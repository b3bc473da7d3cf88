"""The stage "satisfiable": can any graph match at all? (z3)"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial

from gsl.operators import Operator
from gsl.operators.domain_axes import Permutation
from gsl.pat import Call, Variadic
from gsl.subst import Subst
from gsl.text.naming import pattern_names
from gslverify.codes.satisfiable import (
    ONLY_EMPTY,
    OPEN_STRUCTURES,
    UNDECIDED_SATISFIABILITY,
)
from gslverify.finding import Finding
from gslverify.semantics.solver import Answer, Solver, new_context
from gslverify.semantics.terms import UntranslatableError, has_formula
from gslverify.stage import Count, Outcome, Question, Stage
from gslverify.stages.clashes import (
    given_up,
    vacuous_conditions,
    vacuous_constraints,
    vacuous_structure,
)
from gslverify.stages.contradiction import clash_by_themselves, contradiction_of
from gslverify.stages.empty_sizes import may_be_empty
from gslverify.stages.questions import Questions
from gslverify.stages.scenarios import Scenario, Scenarios, planned, scenario_of
from gslverify.structures.arms import has_choices, in_other_ways, one_of_each
from gslverify.structures.classes import enumerate_classes
from gslverify.structures.cut_points import (
    extent_of,
    has_order,
    lengths_of_conditions,
    lengths_of_target,
    named_orders,
    ranks_of,
    ranks_of_conditions,
    ranks_of_target,
)
from gslverify.structures.instance import (
    FIVE_FIELDS,
    LARGE,
    RARE,
    USUAL,
    WIDE,
    Extent,
    Instance,
    of_many_fields,
)
from gslverify.structures.variants import (
    MOST_RUNS,
    Enumeration,
    Variant,
    described,
    enumerate_variants,
    some_variants,
)

RUNS_PER_LARGE_EXTENT = 64
MOST_LARGE = 8
RUNS_OF_RARE_EXTENT, MOST_RARE = 2000, 16
MANY_FIELDS, MOST_OF_MANY_FIELDS = 8, 2
MOST_OF_A_LENGTH = 8
MOST_ORDERS, RUNS_OF_ORDERS = 24, 600
MOST_RANK, MOST_OF_A_RANK = 10, 2
"""Tensors with more axes than this are not tried, whatever numbers a rule names."""
MOST_FIELDS = 40
"""Tuples with more fields than this are not tried, whatever numbers a rule names."""


def scenarios_of(question: Question) -> Scenarios:
    """Return the scenarios of a rule, worked out by this stage or now."""
    if "scenarios" not in question.memory:
        question.memory["scenarios"] = fresh_scenarios_of(question)
    scenarios: Scenarios = question.memory["scenarios"]
    return scenarios


def fresh_scenarios_of(question: Question) -> Scenarios:
    """Return the scenarios of a rule, with solvers that no stage has asked anything.

    What they find does not depend on the stages that were run before in the same process.
    """
    if not question.plan:
        list(examine(question))
    return planned(question.subst, question.plan, question.settings)


def examine(question: Question) -> Iterable[Outcome]:
    """Look for structures that some graph has; yield VACUOUS when there is none."""
    most = question.settings.max_variants
    found = enumerate_classes(question.subst, most)
    scenarios, refuted, unknown = _solve(question, found, most)
    left = [*unknown, *_undecided_structures(question, found)]
    large = _beyond(question, found, scenarios, left)
    is_usual = bool(scenarios)
    scenarios = scenarios or large
    examined_all = len(scenarios) + len(refuted) + len(unknown) == len(found.variants)
    complete = is_usual and examined_all and found.exhaustive and not left
    others = large if is_usual else []
    structures = len(scenarios) if examined_all else found.structures
    examined = Scenarios(scenarios, complete, structures, others, tuple(left))
    question.memory["scenarios"], question.plan = examined, examined.plan()
    yield Count("variants", len(scenarios))
    if scenarios:
        if left and question.settings.require != "tested":
            yield _open(question, left)
        return
    left += [*_larger_than_tried(question.subst), *_rare_forms_left(question, found)]
    if left:
        yield _undecided(question, found, left)
    elif may_be_empty((one.instance for one in refuted), question.settings.solver_limit):
        yield _empty(question)
    else:
        yield _vacuous(question, found, refuted)


def _beyond(
    question: Question, found: Enumeration, scenarios: list[Scenario], left: list[str]
) -> list[Scenario]:
    """Return some structures beyond the bound, where there are any within or none at all."""
    if scenarios:
        return [*_large(question), *_rare(question, found)]
    if left:
        return []
    question.progress("no usual structure fits, trying others")
    others = enumerate_variants(question.subst, WIDE, most_runs=RUNS_OF_RARE_EXTENT)
    wide, _, _ = _solve(question, others, question.settings.max_variants // 4)
    return wide or _large(question)


def _undecided_structures(question: Question, found: Enumeration) -> list[str]:
    """Return what is not known of structures that could not be built, or were not reached."""
    names = pattern_names(question.subst)
    context, limit = new_context(), question.settings.solver_limit
    left: list[str] = []
    for one in found.undecided:
        solver = Solver([claim.term for claim in one.claims], limit, context)
        with suppress(UntranslatableError):
            if solver.check().answer is Answer.UNSAT:
                continue
        decided = described(one.decisions, names)
        left.append(f"{one.reason}, where decided are {decided}" if decided else one.reason)
    if not found.complete:
        decisions = described(found.unsearched, names)
        left.append(f"more than {MOST_RUNS} structures were tried; not in every way: {decisions}")
    return left


def _rare_forms_left(question: Question, found: Enumeration) -> list[str]:
    """Return what is not known of rare forms of attributes, where no usual form fits."""
    if found.exhaustive or clash_by_themselves(question.subst, question.settings):
        return []
    rare = enumerate_variants(question.subst, RARE)
    solved, _, unknown = _solve(question, rare, 1, question.settings.solver_limit // 10)
    if rare.complete and rare.exhaustive and not (solved or unknown or rare.undecided):
        return []
    return ["attributes have rare forms that were not all tried", *unknown]


def _larger_than_tried(subst: Subst) -> list[str]:
    """Return what conditions are about that is larger than any structure that was tried."""
    wanted = (
        (ranks_of_conditions(subst), MOST_RANK, "axes in a tensor"),
        (lengths_of_conditions(subst), MOST_FIELDS, "fields in a tuple"),
    )
    untried = "a condition is about more {}, and more than {} are not tried; allow fewer"
    return [untried.format(what, most) for n, most, what in wanted if max(n, default=0) > most]


def _solve(
    question: Question, found: Enumeration, most: int, limit: int = 0
) -> tuple[list[Scenario], list[Scenario], list[str]]:
    scenarios: list[Scenario] = []
    refuted: list[Scenario] = []
    unknown: list[str] = []
    context, asked = new_context(), Questions()
    order: Sequence[Variant] = found.variants
    if len(order) > most:
        order = one_of_each(question.subst, examination_order(order, question.settings.seed))
    for variant in order:
        if len(scenarios) >= most:
            break
        largest = limit or question.settings.solver_limit
        scenario = scenario_of(question.subst, variant, largest, context)
        try:
            # A model that simple guesses find is found in a tenth of the time.
            known = all(map(has_formula, scenario.solver.claims))
            guessed = known and scenario.sampler.simple_model() is not None
            answer = Answer.SAT if guessed else asked.can_hold(scenario.solver)
        except UntranslatableError as error:
            unknown.append(str(error))
            continue
        if answer is Answer.SAT:
            scenarios.append(scenario)
        elif answer is Answer.UNSAT:
            refuted.append(scenario)
        else:
            unknown += given_up(scenario, asked)
    return scenarios, refuted, unknown


def _large(question: Question) -> list[Scenario]:
    """Return some feasible structures with inputs of many axes, or tuples of many fields."""
    variants: list[Variant] = []
    subst = question.subst
    for extent in (FIVE_FIELDS, *LARGE) if _has_lengths(subst) else LARGE:
        orders = extent is LARGE[0] and _permutes(subst)
        most, runs = (MOST_ORDERS, RUNS_OF_ORDERS) if orders else (1, RUNS_PER_LARGE_EXTENT)
        variants += some_variants(subst, extent, _is_large, most, runs)
    for rank in sorted({*ranks_of_target(subst), *ranks_of_conditions(subst)}):
        if rank <= MOST_RANK:
            variants += structures_of_rank(subst, rank, MOST_OF_A_RANK)
    for order in named_orders(subst):
        if len(order) <= MOST_RANK:
            fits = partial(has_order, order)
            extent = extent_of(order)
            variants += some_variants(subst, extent, fits, MOST_OF_A_RANK, RUNS_PER_LARGE_EXTENT)
    variants += _of_many_fields(subst) if _has_lengths(subst) else []
    found = Enumeration(tuple(variants), complete=False)
    limit = question.settings.solver_limit // 10
    return _solve(question, found, max(MOST_LARGE, len(variants)), limit)[0]


def structures_of_rank(subst: Subst, rank: int, most: int = 1) -> list[Variant]:
    """Return up to `most` structures with an input of so many axes.

    None where the source has a permutation: there are too many of so many axes.
    """
    return [] if _permutes(subst) else _of_rank(subst, rank, most)


def _of_rank(subst: Subst, rank: int, most: int) -> list[Variant]:
    fits = partial(_has_rank, rank)
    extent = Extent(ranks=(rank, 1, 0))  # a condition may compare the ranks of two inputs
    return some_variants(subst, extent, fits, most, RUNS_PER_LARGE_EXTENT)


def may_exceed_the_bound(subst: Subst) -> bool:
    """Tell whether there are structures of more axes or fields than the usual ones have."""
    varies = any(isinstance(pattern, Variadic) for pattern in subst.source_patterns)
    return varies or bool(_of_rank(subst, max(USUAL.ranks) + 1, 1))


def may_have_rank(subst: Subst, rank: int) -> bool:
    """Tell whether an input may have so many axes, as far as a few structures show it."""
    return _permutes(subst) or bool(structures_of_rank(subst, rank))


def _has_rank(rank: int, instance: Instance) -> bool:
    return rank in ranks_of(instance)


def _permutes(subst: Subst) -> bool:
    """Tell whether the source has a permutation, of which a single one would tell little."""
    callees = [pattern.callee for pattern in subst.source_patterns if isinstance(pattern, Call)]
    operators = [callee for callee in callees if isinstance(callee, Operator)]
    return any(isinstance(a.domain, Permutation) for o in operators for a in o.attributes.values())


def _rare(question: Question, usual: Enumeration) -> list[Scenario]:
    """Return feasible structures with rare attributes for which the target decides otherwise."""
    subst = question.subst
    if usual.exhaustive or not has_choices(subst):
        return []
    others = enumerate_variants(subst, RARE, RUNS_OF_RARE_EXTENT).variants
    found = in_other_ways(subst, usual.variants, others)
    limit = question.settings.solver_limit // 10
    return _solve(question, Enumeration(tuple(found), complete=False), MOST_RARE, limit)[0]


def _of_many_fields(subst: Subst) -> list[Variant]:
    """Return structures with tuples of many fields; large ranks alone come with few of them."""
    variants = _with_fields(subst, MANY_FIELDS, MOST_OF_MANY_FIELDS)
    allowed = lengths_of_conditions(subst)
    for count in sorted({*lengths_of_target(subst), *allowed}):
        if USUAL.most_fields < count <= MOST_FIELDS:
            # A condition may allow what it forbids with fewer fields: another axis, for instance.
            most, of_a_rank = (MOST_OF_A_LENGTH, 2) if count in allowed else (1, 1)
            variants += _with_fields(subst, count, most, of_a_rank)
    return variants


def _with_fields(subst: Subst, count: int, most: int, of_a_rank: int = 1) -> list[Variant]:
    """Return up to `most` structures with a tuple of `count` fields."""
    variants: list[Variant] = []
    for extent in of_many_fields(count):
        if len(variants) < most:
            fits = partial(_has_fields, count)
            variants += some_variants(subst, extent, fits, of_a_rank, RUNS_PER_LARGE_EXTENT)
    return variants


def _has_fields(count: int, instance: Instance) -> bool:
    return count in instance.bindings.lengths.values()


def _has_lengths(subst: Subst) -> bool:
    return any(isinstance(pattern, Variadic) for pattern in subst.source_patterns)


def _is_large(instance: Instance) -> bool:
    ranks = ranks_of(instance)
    lengths = instance.bindings.lengths.values()
    return max(ranks, default=0) > max(USUAL.ranks) or max(lengths, default=0) > USUAL.most_fields


def examination_order(variants: Sequence[Variant], seed: int) -> list[Variant]:
    """Return the simplest variants and a few extreme ones, then the rest, shuffled by the seed."""
    simplest = sorted(variants, key=lambda variant: (sum(variant.choices), variant.choices))
    head, rest = simplest[:8], simplest[8:]
    extremes = [rest.pop() for _ in range(min(4, len(rest)))]
    random.Random(seed).shuffle(rest)
    return [*head, *extremes, *rest]


def _vacuous(question: Question, found: Enumeration, refuted: list[Scenario]) -> Finding:
    question.progress("nothing matches, looking for the fewest conditions that clash")
    clashing_conditions = contradiction_of(question.subst, question.settings)
    if clashing_conditions is not None and clashing_conditions.conditions:
        return vacuous_conditions(question.subst, clashing_conditions)
    if not refuted:
        return vacuous_structure(question.subst, found.obstacles)
    claims = refuted[0].instance.claims
    clashing = [claims[number] for number in refuted[0].solver.core().core]
    return vacuous_constraints(question.subst, clashing, len(refuted))


def _open(question: Question, left: list[str]) -> Finding:
    reasons = tuple(dict.fromkeys(left))
    message = "of some structures it is not known what the rule does on them"
    cure = "write a condition that leaves them out or decides them, or accept --require tested"
    return Finding(OPEN_STRUCTURES, message, question.subst.span, cure, reasons)


def _undecided(question: Question, found: Enumeration, unknown: list[str]) -> Finding:
    reasons = tuple(dict.fromkeys(unknown))
    count = len(found.variants)
    message = f"no solution found in {count} {'structure' if count == 1 else 'structures'}"
    return Finding(UNDECIDED_SATISFIABILITY, message, question.subst.span, details=reasons)


def _empty(question: Question) -> Finding:
    message = "there is no solution with all sizes at least 1"
    cure = "allow such sizes as well; or else nothing is verified"
    return Finding(ONLY_EMPTY, message, question.subst.span, cure)


SATISFIABLE = Stage("satisfiable", examine, pauses_collector=True)
