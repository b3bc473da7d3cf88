"""The weakest condition that makes a refuted rule hold, among those that people write.

Matches are drawn and tried. A condition is a candidate if it excludes all of them on which the rule
is wrong, the counterexample among them, and few of those on which it is right. The candidates that
exclude least are put before the stages that the rule failed, and what they find is learnt from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations

from gsl.attr.evaluate import conjunction
from gsl.attr.term import Term
from gsl.match.bindings import Scope
from gsl.subst import Subst
from gsl.text.naming import author_names
from gslverify.codes.levels import SPECIAL_VALUES_CHANGE
from gslverify.finding import Counterexample, Finding, StageResult, Verdict
from gslverify.preconditions.changed import changed_question, with_conditions
from gslverify.preconditions.degenerate import is_degenerate
from gslverify.preconditions.grammar import COST_OF_DEFAULT, Condition, conditions
from gslverify.preconditions.pasted import pasted
from gslverify.preconditions.readings import readings, values_in
from gslverify.preconditions.specimens import (
    Doubt,
    Specimen,
    endless_specimens,
    no_doubt,
    specimen_of_case,
    specimens,
    specimens_that_meet,
)
from gslverify.prove.claim import CONTRADICTING, is_proved
from gslverify.stage import Question
from gslverify.stages.examination import fresh_scenarios_of, scenarios_of
from gslverify.stages.numeric import NUMERIC
from gslverify.stages.prove import PROVE
from gslverify.stages.satisfiable import SATISFIABLE
from gslverify.stages.shape import SHAPE
from gslverify.structures.models.sampling import Sampler
from gslverify.trials.special_values import special_values
from gslverify.trials.trial import Outcome

PROMISES = frozenset({SPECIAL_VALUES_CHANGE})
"""Codes about what a rule promises besides equal values."""

EXCLUDABLE = CONTRADICTING | PROMISES
"""Codes of findings that a condition may exclude."""

MOST_DRAWS, ENOUGH_RIGHT, ENOUGH_WRONG = 80, 24, 24
"""Matches are drawn until so many were right and a sixth of them wrong, or so many wrong."""

MORE_MATCHES = 12
FEW_RIGHT = 12
"""With fewer matches on which the rule is right, some are drawn that meet a condition."""

MOST_ON_PURPOSE, MOST_HELPFUL, DRAWN_ON_PURPOSE, MOST_SOLVED = 16, 6, 6, 1
MOST_WRONG, COST_OF_WRONG = 0.4, 4
VARIANTS_RUN = 16
MOST_ROUNDS = 8
LEAST_KEPT = 0.06
"""A condition that keeps a smaller share of the matches that are right singles them out."""

LEAST_RIGHT = 3
"""So many of the matches on which the rule is right have to stay."""

WEIGHT_OF_RIGHT = 2
"""So much simpler has a condition to be that keeps one match less."""

MOST_IN_PAIRS = 60
GRAPHS_BESIDE_A_PROOF = 12
COST_OF_NAMING = 2
"""What is said of calls that have no name yet has to be this much simpler."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A condition that makes a rule hold, as its author would write it.

    `kept` of `right` matches on which the rule was right satisfy it.
    """

    condition: str
    proved: bool
    kept: int
    right: int
    naming: str = ""
    term: Term | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        how = "is proved for all sizes" if self.proved else "passes all stages"
        first = f"{self.naming} and " if self.naming else ""
        return f"{first}add the condition `{self.condition}`: with it the rule {how}"


Tell = Callable[[Proposal], None]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Conditions with the numbers of the matches that satisfy them: wrong ones, and right ones."""

    conditions: tuple[Condition, ...]
    cost: int
    wrong: frozenset[int]
    right: frozenset[int]

    def __and__(self, other: _Candidate) -> _Candidate:
        return _Candidate(
            (*self.conditions, *other.conditions),
            self.cost + other.cost,
            self.wrong & other.wrong,
            self.right & other.right,
        )

    @property
    def term(self) -> Term:
        """All conditions as one."""
        term: Term = conjunction(*(one.term for one in self.conditions))
        return term

    @property
    def about(self) -> set[int]:
        """What it is about; two bounds of one number would single it out."""
        return {id(reading) for one in self.conditions for reading in one.about}

    @property
    def order(self) -> tuple[int, int]:
        """Candidates that exclude least come first, and simple ones before others."""
        return self.cost - WEIGHT_OF_RIGHT * len(self.right), self.cost


def nobody(proposal: Proposal) -> None:
    """Tell nobody what is known so far."""


def to_exclude(finding: Finding) -> Counterexample | None:
    """Return the counterexample of a finding that a condition may exclude."""
    return finding.counterexample if finding.code in EXCLUDABLE else None


def proposal(question: Question, finding: Finding, tell: Tell = nobody) -> Proposal | None:
    """Return a condition under which a rule that `finding` refutes holds, if one is found.

    One that is proved is told before it has been run on graphs.
    """
    example = to_exclude(finding)
    if example is None:
        return None
    found = fresh_scenarios_of(question)
    samplers = [scenario.sampler for scenario in (*found.feasible, *found.large)]
    if not samplers:
        return None
    doubt = partial(_breaks_a_promise, question) if finding.code in PROMISES else no_doubt
    known = _known(question, example, samplers, doubt)
    table = _Table(question.subst, known, doubt)
    refused: set[tuple[Condition, ...]] = set()
    for _ in range(MOST_ROUNDS):
        best = next((one for one in table.candidates() if one.conditions not in refused), None)
        if best is None:
            return None
        refused.add(best.conditions)
        if is_degenerate(pasted(best.term, question.subst).text):
            continue
        made = _tried(question, best, table, tell)
        if made is not None:
            return made
    return None


def _breaks_a_promise(question: Question, trials: Sequence[Outcome]) -> bool:
    """Tell whether special values change that the rule promises to keep."""
    return special_values(question, [trials[:1]]).broken is not None


def _known(
    question: Question, example: Counterexample, samplers: Sequence[Sampler], doubt: Doubt
) -> list[Specimen]:
    """Return matches of a rule, some on which it is wrong and, if there are, some others."""
    subst = question.subst
    known = _drawn(subst, samplers, question.seed("numeric"), doubt)
    known += [] if example.case is None else specimen_of_case(subst, example.case)
    if sum(not specimen.fails for specimen in known) < FEW_RIGHT:
        wrong = [specimen.scope for specimen in known if specimen.fails]
        tried = helpful = 0
        for number, condition in enumerate(_telling(subst, wrong)):
            seed, solve = question.seed("numeric"), number < MOST_SOLVED
            met = specimens_that_meet(
                subst, samplers, condition, DRAWN_ON_PURPOSE, seed, solve, doubt
            )
            known += met
            tried += bool(met)
            helpful += any(not specimen.fails for specimen in met)
            if helpful == MOST_HELPFUL or tried == MOST_ON_PURPOSE:
                break
    return known


def _drawn(subst: Subst, samplers: Sequence[Sampler], seed: int, doubt: Doubt) -> list[Specimen]:
    known: list[Specimen] = []
    wrong = 0
    for specimen in endless_specimens(subst, samplers, MOST_DRAWS, seed, doubt):
        known.append(specimen)
        wrong += specimen.fails
        right = len(known) - wrong
        if wrong >= ENOUGH_WRONG or (right >= ENOUGH_RIGHT and 6 * wrong >= right):
            break
    return known


def _telling(subst: Subst, wrong: Sequence[Scope]) -> list[Term]:
    """Return that all is as usual, and simple conditions that hold in few matches of some."""
    found = conditions(readings(subst, wrong))
    usual = [one.term for one in found if one.cost == COST_OF_DEFAULT]
    rare = {one: sum(one.truths()) for one in found}
    dear = COST_OF_WRONG / max(len(wrong), 1)
    usable = [one for one in found if one.is_typical and rare[one] <= MOST_WRONG * len(wrong)]
    simplest = sorted(usable, key=lambda one: (not one.is_of_shapes, one.cost + dear * rare[one]))
    return [*([conjunction(*usual)] if usual else []), *(one.term for one in simplest)]


def _tried(question: Question, candidate: _Candidate, table: _Table, tell: Tell) -> Proposal | None:
    """Verify a rule with more conditions; matches on which it is still wrong become known."""
    draft = with_conditions(question.subst, *(one.term for one in candidate.conditions))
    changed = changed_question(question, draft, "~condition")
    if changed is None:
        return None
    results = [SATISFIABLE.run(changed)]
    found = scenarios_of(changed).feasible
    samplers = [scenario.sampler for scenario in found]
    seed = changed.seed("numeric")
    drawn = specimens(question.subst, samplers, MORE_MATCHES, seed, table.doubt) if found else []
    wrong = [specimen for specimen in drawn if specimen.fails]
    table.learn(wrong)
    if wrong or not drawn or results[0].verdict is not Verdict.PASS:
        return None
    for stage in (SHAPE, PROVE):
        results.append(stage.run(changed))
        if results[-1].verdict is not Verdict.PASS:
            table.learn(_counterexamples(question.subst, results[-1]))
            return None
    return _run(changed, candidate, table, results[-1], tell)


def _run(
    changed: Question, candidate: _Candidate, table: _Table, proof: StageResult, tell: Tell
) -> Proposal | None:
    """Run a rule on graphs: few where a proof says all, otherwise as many as it needs to pass."""
    made = table.proposal(candidate, is_proved(proof.assurances))
    if made.proved and table.doubt is no_doubt:
        tell(made)
        changed.progress = _Enough(GRAPHS_BESIDE_A_PROOF)
    found = scenarios_of(changed)
    changed.memory["scenarios"] = replace(found, feasible=found.feasible[:VARIANTS_RUN], large=[])
    try:
        result = NUMERIC.run(changed)
    except _EnoughError:
        return made
    if result.verdict is Verdict.PASS:
        return made
    table.learn(_counterexamples(table.subst, result))
    return None


class _EnoughError(BaseException):
    """So many graphs have agreed as were wanted; hypothesis handles all other exceptions itself."""


@dataclass(slots=True)
class _Enough:
    """Counts the graphs on which both sides agree."""

    left: int

    def __call__(self, text: str) -> None:
        self.left -= 1
        if self.left <= 0:
            raise _EnoughError


def _counterexamples(subst: Subst, result: StageResult) -> list[Specimen]:
    examples = (finding.counterexample for finding in result.findings)
    cases = [one.case for one in examples if one is not None and one.case is not None]
    return [specimen for case in cases for specimen in specimen_of_case(subst, case)]


class _Table:
    """Which conditions hold in which matches."""

    def __init__(self, subst: Subst, known: Sequence[Specimen], doubt: Doubt) -> None:
        self.subst = subst
        self.doubt = doubt
        self.readings = readings(subst, [specimen.scope for specimen in known])
        self.named = author_names(subst)
        right = [n for n, specimen in enumerate(known) if not specimen.fails]
        wrong = [n for n, specimen in enumerate(known) if specimen.fails]
        self.right, self.wrong = len(right), len(wrong)
        self.least = max(LEAST_RIGHT, round(LEAST_KEPT * len(right)))
        self.rows = [row for row in self._rows(right, wrong) if len(row.wrong) < self.wrong]

    def _rows(self, right: Sequence[int], wrong: Sequence[int]) -> Iterator[_Candidate]:
        for one in conditions(self.readings):
            truths = one.truths()
            kept = frozenset(n for n in right if truths[n])
            if len(kept) >= self.least:
                left = frozenset(place for place, n in enumerate(wrong) if truths[n])
                yield _Candidate((one,), one.cost + self._naming(one), left, kept)

    def _naming(self, condition: Condition) -> int:
        return COST_OF_NAMING * sum(one.owner not in self.named for one in condition.about)

    def proposal(self, candidate: _Candidate, proved: bool) -> Proposal:
        """Return a candidate that holds, in the words of the author."""
        text, naming = pasted(candidate.term, self.subst)
        return Proposal(text, proved, len(candidate.right), self.right, naming, candidate.term)

    def learn(self, wrong: Sequence[Specimen]) -> None:
        """Take note of more matches on which the rule is wrong; forget what excludes none."""
        values = [values_in(self.readings, specimen.scope) for specimen in wrong]
        before = self.wrong
        self.wrong += len(wrong)
        rows = []
        for row in self.rows:
            (one,) = row.conditions
            more = {before + n for n, known in enumerate(values) if one.is_true(known)}
            rows.append(replace(row, wrong=row.wrong | more))
        self.rows = [row for row in rows if len(row.wrong) < self.wrong]

    def candidates(self) -> Iterator[_Candidate]:
        """Yield what excludes all that is wrong, those first that exclude least else."""
        useful = sorted(self.rows, key=lambda row: row.order)
        partial = _distinct([row for row in useful if row.wrong])[:MOST_IN_PAIRS]
        apart = ((a, b) for a, b in combinations(partial, 2) if a.about != b.about)
        pairs = [one & other for one, other in apart]
        enough = [pair for pair in pairs if not pair.wrong and len(pair.right) >= self.least]
        yield from sorted((*(r for r in useful if not r.wrong), *enough), key=lambda r: r.order)


def _distinct(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """Return the first of all candidates that the same matches satisfy."""
    first: dict[tuple[frozenset[int], frozenset[int]], _Candidate] = {}
    for candidate in candidates:
        first.setdefault((candidate.wrong, candidate.right), candidate)
    return list(first.values())
