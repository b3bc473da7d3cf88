"""The stage "numeric": generate networks that match, rewrite them, and run both sides.

Hypothesis draws networks and their inputs, and simpler ones when both sides differ. What passes on
the NumPy references is confirmed on TVM afterwards, in bulk.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from gsl.text.listing import listing
from gslverify.codes.numeric import (
    HARD_TO_DRAW,
    KERNEL_APART,
    NO_FIXPOINT,
    REFERENCE_CHANGES,
    TOO_FEW_EXAMPLES,
)
from gslverify.comparison.kernels import kernel_apart
from gslverify.coverage.uncovered import Survey, survey, with_corner
from gslverify.finding import Assurance, Finding, Level
from gslverify.inputs.distinguish import Answers, distinguish
from gslverify.networks.empty import empty_networks
from gslverify.networks.preferences import DTYPES
from gslverify.networks.rounds import (
    ALL_EQUAL,
    RARE_CONTEXTS,
    ROUNDS,
    SHARE_OF_RARE_CONTEXTS,
    Round,
    special_rounds,
    with_short_axes_only,
)
from gslverify.networks.values import as_defined_in
from gslverify.stage import Count, Covered, Note, Outcome, Question, Stage, Witness
from gslverify.stages.examination import scenarios_of
from gslverify.stages.scenarios import Scenarios
from gslverify.stages.unrun import neither_run_nor_proved
from gslverify.stages.untried import untried_by
from gslverify.structures.models.sampling import Sampler
from gslverify.trials.domains import partial_operators
from gslverify.trials.elsewhere import compare_elsewhere, finding_elsewhere
from gslverify.trials.refutation import refutation
from gslverify.trials.rewriting import MOST_REWRITES
from gslverify.trials.search import REPLAYED, Search
from gslverify.trials.second_opinion import assurances, choose, confirm_on_tvm
from gslverify.trials.stricter_comparisons import compare_strictly
from gslverify.trials.trial import NO_ELEMENTS, simplest
from gslverify.trials.trial import Outcome as Trial

MOST_UNCOVERED = 12
GRAPHS_UNCOVERED = 2
COMPILED_AFTER = 2
"""The round after which TVM begins to compile half of what it will be asked about."""
TRIALS_OF_KERNELS = 60
"""In so many trials kernels of somebody else are compared with their references."""
SOLVED = "found by solving for inputs of a small graph"
ONLY_EXACT = "in exact arithmetic some numbers make a difference, which no run on them has shown"


def examine(question: Question) -> Iterable[Outcome]:
    """Look for a counterexample; without one, say how much was compared and how."""
    found = scenarios_of(question)
    scenarios = [*found.feasible, *found.large]
    if not scenarios:
        return
    samplers = [scenario.sampler for scenario in scenarios]
    search = Search(question, samplers, proved=found.proved)
    sought = seek(search)
    yield from _counts(search)
    if sought.answers.only_exact:
        yield Note(ONLY_EXACT)
    yield from _kernels_apart(search, sought.failure)
    if sought.failure is not None:
        yield refuted(search, sought.failure, sought.how)
        return
    if search.endless is not None:
        lines = tuple(listing(search.endless.outputs))
        message = f"{MOST_REWRITES} rewrites of a graph did not come to an end"
        yield Finding(NO_FIXPOINT, message, question.subst.span, details=lines)
    if found.only_empty and set(search.refusals) == {NO_ELEMENTS} and not search.useful:
        yield from _without_results(question, samplers)
        return
    if question.rule.semantics and not search.useful:
        yield from _only_elsewhere(question, samplers, found)
        return
    left_out = _left_out(search, found)
    if left_out is not None:
        yield left_out
        return
    if search.passed:
        yield Witness(simplest(search.passed).case())
    _choose(search, question.settings.tvm_examples)
    if sought.seen is not None:
        yield Covered(sought.seen.final(question.subst, search.networks).plain())
    empty = chain(empty_networks(samplers), empty_networks([one.sampler for one in found.empty]))
    further = compare_strictly(question, search.passed, empty, search.wrapping, search.undecided)
    yield from further.counts
    yield from further.findings
    if further.is_refuted:
        return
    yield from _elsewhere(search, [*sought.answers.assurances(), *further.assurances])


def _elsewhere(search: Search, assured: Sequence[Assurance]) -> Iterator[Outcome]:
    """Compare elsewhere and on TVM; without a finding yield also what is `assured`."""
    question = search.question
    elsewhere = list(compare_elsewhere(question, search.passed))
    yield from [one for one in elsewhere if not isinstance(one, Assurance)]
    if any(isinstance(one, Finding) for one in elsewhere):
        return
    outcomes = list(_confirm(question, search))
    yield from outcomes
    if any(isinstance(outcome, Assurance) for outcome in outcomes):
        yield from assured
        yield from [one for one in elsewhere if isinstance(one, Assurance)]
        yield from _domain(partial_operators(search.networks), question.rule.semantics)


def _without_results(question: Question, samplers: Sequence[Sampler]) -> Iterator[Outcome]:
    """Examine a rule none of whose results has elements, so that nothing but types can differ."""
    found = compare_strictly(question, (), empty_networks(samplers))
    yield from (one for one in found.counts if isinstance(one, Count))
    yield from found.findings
    graphs = sum(o.number for o in found.counts if isinstance(o, Count) and o.name == "empty")
    if graphs and not found.is_refuted:
        yield Assurance("numeric", Level.TESTED, f"no result has elements, {graphs} graphs")


def _only_elsewhere(
    question: Question, samplers: Sequence[Sampler], found: Scenarios
) -> Iterator[Outcome]:
    """Examine a rule on graphs of which only the system of its semantics says what they compute."""
    system = question.rule.semantics
    with as_defined_in(system):
        search = Search(question, samplers)
        failure = seek(search).failure
        left_out = _left_out(search, found) if failure is None else None
    yield from _counts(search)
    if failure is not None:
        yield finding_elsewhere(question, failure, system)
    elif left_out is not None:
        yield left_out
    elif len(search.passed) < min(question.settings.min_examples, question.settings.max_examples):
        yield _too_few(question, search)
    else:
        text = f"as {system} defines it, {len(search.passed)} graphs"
        yield Assurance("", Level.TESTED, text)


def _left_out(search: Search, found: Scenarios) -> Finding | None:
    """Return what was not run although the rule may be wrong there."""
    question = search.question
    untried = untried_by(
        question.subst, search.networks, search.samplers, search.corners, found.complete
    )
    cure = "leave the condition out, or compare with what small graphs have"
    if not untried and search.useful:
        untried = neither_run_nor_proved(question, found.feasible, search.conclusive)
        cure = "write a condition that leaves it out, or that graphs of it can meet"
    if not untried:
        return None
    message = f"no graph was run {untried}"
    return Finding(TOO_FEW_EXAMPLES, message, question.subst.span, cure, _reasons(search))


def _domain(partial: Sequence[str], system: str) -> Iterator[Assurance]:
    """Yield what a verdict rests on where operators are not defined on all integers."""
    if partial:
        are = "is" if len(partial) == 1 else "are"
        rest = "all else where" if system else "where"
        yield Assurance("", Level.TESTED, f"{rest} {' and '.join(partial)} {are} defined")


@dataclass(slots=True)
class Sought:
    """A failure and how it was found, if there is one, and what else was learnt on the way."""

    failure: Trial | None
    how: str = ""
    answers: Answers = field(default_factory=Answers)
    seen: Survey | None = None


def seek(search: Search) -> Sought:
    """Try what failed in an earlier run, then what is solved for, then what is drawn."""
    failure = search.replay()
    if failure is not None:
        return Sought(failure, REPLAYED)
    answers = distinguish(search.question.subst, search.samplers, search.proved)
    if answers.failure is not None:
        search.take(answers.failure)
        return Sought(answers.failure, SOLVED, answers)
    failure, seen = _search(search, search.samplers)
    graphs = "1 graph" if len(search.passed) == 1 else f"{len(search.passed)} graphs"
    how = f"found after {graphs} that agreed, seed {search.question.settings.seed}"
    return Sought(failure, how, answers, seen)


def refuted(search: Search, failure: Trial, how: str) -> Finding:
    """Return the finding about a failure, which says how it was found."""
    wrong = refutation(search.question, failure, search.samplers, search.budget)
    return wrong if failure.code is REFERENCE_CHANGES else replace(wrong, details=(how,))


def _kernels_apart(search: Search, failure: Trial | None) -> Iterator[Finding]:
    """Yield that a kernel of somebody else says something else than its reference."""
    trials = [
        *([] if failure is None else [failure]),
        *(one for few in search.passed for one in few),
    ]
    for trial in trials[:TRIALS_OF_KERNELS]:
        message = kernel_apart((*trial.network.outputs, *trial.target), trial.inputs)
        if message:
            cure = (
                "correct the kernel, or leave it out: the reference says what the operator computes"
            )
            yield Finding(KERNEL_APART, message, search.question.subst.span, cure)
            return


def _counts(search: Search) -> Iterator[Count]:
    """Yield what a search has tried."""
    yield Count("examples", len(search.passed))
    yield Count("rejected", sum(search.refusals.values()))
    yield Count("declined", search.declined)
    yield Count("draws", search.draws)
    yield Count("contexts", len(search.contexts))


def _search(search: Search, samplers: Sequence[Sampler]) -> tuple[Trial | None, Survey | None]:
    """Return the first trial that failed; what all had in them once enough were of use."""
    total = max(_graphs_wanted(search), len(samplers))
    failed = _search_rounds(search, samplers, total)
    if failed is not None or not search.useful:
        return failed, None  # what tells nothing alone tells nothing elsewhere
    for number, context in enumerate(RARE_CONTEXTS, 1000):
        one = Round(context, DTYPES, SHARE_OF_RARE_CONTEXTS, ("equal", "free"))
        failed = search.play(samplers, one, one.graphs(total, samplers), number)
        if failed is not None:
            return failed, None
    seen = survey(search.question.subst, search.networks, samplers)
    return _search_uncovered(search, samplers, seen), seen


def _graphs_wanted(search: Search) -> int:
    """Return how many graphs are drawn at least; a proof takes the place of half of them."""
    settings = search.question.settings
    if not search.proved:
        return settings.max_examples
    return max(settings.max_examples // 2, min(settings.min_examples, settings.max_examples))


def _search_rounds(search: Search, samplers: Sequence[Sampler], total: int) -> Trial | None:
    for number, one in enumerate(ROUNDS):
        failed = search.play(samplers, one, one.graphs(total, samplers), number)
        if failed is None and not number:
            failed, short = _search_longer(search, samplers)
            total = max(total - short, total // 2)
        if failed is not None:
            return failed
        if number == COMPILED_AFTER:
            _choose(search, search.question.settings.tvm_examples // 2)
    special = special_rounds(samplers, search.proved)
    for number, (few, one, examples) in enumerate(special, len(ROUNDS)):
        failed = search.play(few, one, examples, number)
        if failed is not None:
            return failed
    return None


def _search_longer(search: Search, samplers: Sequence[Sampler]) -> tuple[Trial | None, int]:
    """Try a graph of each structure of which all graphs so far have short axes; count these."""
    short = with_short_axes_only(search.networks, samplers) if search.useful else []
    for number, sampler in enumerate(short, 2000):
        failed = search.play([sampler], ALL_EQUAL, 1, number)
        if failed is not None:
            return failed, len(short)
    return None, len(short)


def _choose(search: Search, most: int) -> None:
    """Choose networks for TVM until there are so many."""
    if search.question.settings.use_tvm:
        choose(search.chosen, search.passed, most)


def _search_uncovered(search: Search, samplers: Sequence[Sampler], seen: Survey) -> Trial | None:
    """Draw networks that have what those so far had not."""
    corner = max(len(sampler.corners) for sampler in samplers)
    for number, conditions in enumerate(seen.open[:MOST_UNCOVERED], corner):
        few = with_corner(samplers, conditions, number)
        one = Round("alone", DTYPES, 0.0, corner=number)
        failed = search.play(few, one, GRAPHS_UNCOVERED, number)
        if failed is not None:
            return failed
    return None


def _confirm(question: Question, search: Search) -> Iterator[Outcome]:
    if len(search.passed) < min(question.settings.min_examples, question.settings.max_examples):
        yield _too_few(question, search)
    elif not question.settings.use_tvm:
        yield from assurances(search.passed, " on numpy only")
    else:
        yield from confirm_on_tvm(question, search.passed, search.chosen)


def _too_few(question: Question, search: Search) -> Finding:
    count, wanted = len(search.passed), question.settings.min_examples
    message = f"only {count} of {wanted} needed graphs"
    if 2 * search.unmet.total() > search.draws:
        ((condition, number),) = search.unmet.most_common(1)
        message += f": {number} of {search.draws} draws did not meet `{condition}`"
        cure = "loosen the condition, or write it so that sizes can be computed from each other"
        return Finding(HARD_TO_DRAW, message, question.subst.span, cure, _reasons(search))
    cure = "loosen what rejected most graphs, or compare with what small graphs have"
    return Finding(TOO_FEW_EXAMPLES, message, question.subst.span, cure, _reasons(search))


def _reasons(search: Search) -> tuple[str, ...]:
    return tuple(f"{number} rejected: {why}" for why, number in search.refusals.most_common(4))


NUMERIC = Stage("numeric", examine)
