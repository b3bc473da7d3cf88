"""Which structures of a rule some graph has: enumerated, then solved for."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from gsl.text.naming import pattern_names
from gslverify.semantics.solver import Answer, Solver, new_context
from gslverify.semantics.terms import UntranslatableError, has_formula
from gslverify.stage import Question
from gslverify.stages.alternatives import variants_by_alternatives
from gslverify.stages.clashes import given_up
from gslverify.stages.contradiction import clash_by_themselves
from gslverify.stages.larger_structures import (
    RUNS_OF_RARE_EXTENT,
    larger_than_tried,
    larger_variants,
    rare_variants,
    variants_by_axes,
)
from gslverify.stages.questions import Questions
from gslverify.stages.scenarios import Scenario, Scenarios, planned, scenario_of
from gslverify.structures.choices import Steps
from gslverify.structures.equivalence.classes import enumerate_classes
from gslverify.structures.instance import EMPTY, RARE, WIDE
from gslverify.structures.targets.ways import one_of_each
from gslverify.structures.variants import (
    Enumeration,
    Search,
    Variant,
    described,
    enumerate_variants,
)

MOST_LARGE, MOST_RARE = 8, 16


@dataclass(frozen=True, slots=True)
class Examined:
    """What is known of the structures of a rule.

    Some graph has the `scenarios`, no graph has those that are `refuted`, and `left` says what is
    not known, apart from what the search has `unsearched`, which is empty after all structures.
    """

    found: Enumeration
    scenarios: Scenarios
    refuted: list[Scenario]
    left: list[str]
    unsearched: str = ""

    @property
    def open(self) -> list[str]:
        """All that is not known."""
        return [*self.left, *filter(None, [self.unsearched])]

    def settled(self, all_ranks: bool) -> Examined:
        """Return the same where what was not searched is shown to be right, maybe at all ranks."""
        left = tuple(self.left)
        settled = replace(self.scenarios, complete=not left, open=left)
        scenarios = replace(settled, in_parts=True, all_ranks=all_ranks)
        return replace(self, scenarios=scenarios, unsearched="")


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
        examined(question)
    return planned(question.subst, question.plan, question.settings)


def examined(question: Question, search: Search | None = None) -> Examined:
    """Look for structures that some graph has; a `search` that was begun is gone on with."""
    found = enumerate_classes(question.subst, question.settings.max_variants, search)
    return solved(question, found)


def solved(question: Question, found: Enumeration) -> Examined:
    """Return which of the structures that were found some graph has.

    Later stages find them in the question.
    """
    most = question.settings.max_variants
    scenarios, refuted, unknown = _solve(question, found, most)
    empty, refuted, unknown_empty = _without_elements(question, found, refuted)
    scenarios, empty = (scenarios, empty) if scenarios else (empty, [])
    left = [*unknown, *unknown_empty, *_undecided_structures(question, found)]
    unsearched = "" if found.complete else _unsearched(question, found)
    is_open = bool(left or unsearched)
    large = _beyond(question, found, scenarios, is_open)
    is_usual = bool(scenarios)
    scenarios = scenarios or large
    decided = len(scenarios) + len(empty) + len(refuted)
    examined_all = decided + len(unknown) + len(unknown_empty) >= len(found.variants)
    complete = is_usual and examined_all and found.exhaustive and not is_open
    others = large if is_usual else []
    structures = len(scenarios) if examined_all else found.structures
    every = Scenarios(scenarios, complete, structures, others, empty)
    seen = Examined(found, every, refuted, left, unsearched)
    seen.scenarios.open = tuple(seen.open)
    hand_on(question, seen)
    return seen


def hand_on(question: Question, seen: Examined) -> None:
    """Leave the structures to later stages."""
    question.memory["scenarios"], question.plan = seen.scenarios, seen.scenarios.plan()


def not_tried(question: Question, seen: Examined) -> list[str]:
    """Return what is not known of structures beyond the bound, where no usual one fits."""
    return [*larger_than_tried(question.subst), *_rare_forms_left(question, seen.found)]


def _beyond(
    question: Question, found: Enumeration, scenarios: list[Scenario], is_open: bool
) -> list[Scenario]:
    """Return some structures beyond the bound, where there are any within or none at all."""
    if scenarios:
        return [*_large(question), *_decided_otherwise(question, found)]
    if is_open:
        return []
    question.progress("no usual structure fits, trying others")
    others = enumerate_variants(question.subst, WIDE, most_runs=RUNS_OF_RARE_EXTENT)
    wide, _, _ = _solve(question, others, question.settings.max_variants // 4)
    return [*wide, *_large(question)]


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
    return left


def _unsearched(question: Question, found: Enumeration) -> str:
    """Say what the search has not come to."""
    decisions = described(found.unsearched, pattern_names(question.subst))
    return f"more than {found.runs} structures were tried; not in every way: {decisions}"


def _rare_forms_left(question: Question, found: Enumeration) -> list[str]:
    """Return what is not known of rare forms of attributes, where no usual form fits."""
    if found.exhaustive or clash_by_themselves(question.subst, question.settings):
        return []
    rare = enumerate_variants(question.subst, RARE)
    solved, _, unknown = _solve(question, rare, 1, question.settings.solver_limit // 10)
    if rare.complete and rare.exhaustive and not (solved or unknown or rare.undecided):
        return []
    return ["attributes have rare forms that were not all tried", *unknown]


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


def _without_elements(
    question: Question, found: Enumeration, refuted: list[Scenario]
) -> tuple[list[Scenario], list[Scenario], list[str]]:
    """Return what graphs have only where a tensor lacks elements, what none has, what is open.

    Tried is what is `refuted` where sizes are at least 1, and what was not even built for that.
    """
    most = question.settings.max_variants
    variants = [one.variant for one in refuted]
    if found.lack_elements:
        search, tried = Search(question.subst, EMPTY), {one.choices for one in found.variants}
        every = enumerate_classes(question.subst, most, search)
        variants += [one for one in every.variants if one.choices not in tried]
    if not variants:
        return [], [], []
    extents = [replace(one.extent, least_size=0) for one in variants]
    steps = {extent: Steps() for extent in extents}
    pairs = zip(variants, extents, strict=True)
    lowered = tuple(Variant(one.choices, extent, steps[extent]) for one, extent in pairs)
    return _solve(question, Enumeration(lowered, complete=True), most)


def _large(question: Question) -> list[Scenario]:
    """Return some feasible structures with inputs of many axes, or tuples of many fields."""
    variants = [*larger_variants(question.subst), *variants_by_alternatives(question.subst)]
    return _solve_soon(question, variants, max(MOST_LARGE, len(variants)))


def _decided_otherwise(question: Question, usual: Enumeration) -> list[Scenario]:
    """Return feasible structures for which attributes decide otherwise than in usual ones."""
    rare = _solve_soon(question, rare_variants(question.subst, usual), MOST_RARE)
    by_axes = variants_by_axes(question.subst, usual)
    return [*rare, *_solve_soon(question, by_axes, max(1, len(by_axes)))]


def _solve_soon(question: Question, variants: Sequence[Variant], most: int) -> list[Scenario]:
    found = Enumeration(tuple(variants), complete=False)
    return _solve(question, found, most, question.settings.solver_limit // 10)[0]


def examination_order(variants: Sequence[Variant], seed: int) -> list[Variant]:
    """Return the simplest variants and a few extreme ones, then the rest, shuffled by the seed."""
    simplest = sorted(variants, key=lambda variant: (sum(variant.choices), variant.choices))
    head, rest = simplest[:8], simplest[8:]
    extremes = [rest.pop() for _ in range(min(4, len(rest)))]
    random.Random(seed).shuffle(rest)
    return [*head, *extremes, *rest]
