"""The weakest condition that makes a refuted rule hold, among those of a small grammar.

Matches are drawn and tried. A condition is a candidate if it excludes all of them on which the rule
is wrong, the counterexample among them, and not those on which it is right. The candidates that
exclude least are put before the stages that the rule failed, and what they find is learnt from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from gsl.attr.evaluate import conjunction
from gsl.attr.term import Term
from gsl.match.bindings import Scope
from gslverify.finding import Finding
from gslverify.preconditions.changed import changed_question, verified, with_conditions, written
from gslverify.preconditions.grammar import Condition, conditions, value_of
from gslverify.preconditions.specimens import Specimen, specimen_of_case, specimens
from gslverify.prove.claim import CONTRADICTING
from gslverify.stage import Question
from gslverify.stages.satisfiable import fresh_scenarios_of, scenarios_of

MATCHES = 48
MORE_MATCHES = 12
MOST_ROUNDS = 6
LEAST_RIGHT = 2
"""So many of the matches on which the rule is right have to stay."""
MOST_IN_PAIRS = 60


@dataclass(frozen=True, slots=True)
class Proposal:
    """A condition that makes a rule hold, as its author would write it.

    `kept` of `right` matches on which the rule was right satisfy it.
    """

    condition: str
    proved: bool
    kept: int
    right: int

    def __str__(self) -> str:
        how = "is proved for all sizes" if self.proved else "passes all stages"
        return f"add the condition `{self.condition}`: with it the rule {how}"


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Conditions with the numbers of the matches that satisfy them: wrong ones, and right ones."""

    terms: tuple[Term, ...]
    cost: int
    wrong: frozenset[int]
    right: frozenset[int]

    def __and__(self, other: _Candidate) -> _Candidate:
        return _Candidate(
            (*self.terms, *other.terms),
            self.cost + other.cost,
            self.wrong & other.wrong,
            self.right & other.right,
        )

    @property
    def order(self) -> tuple[int, int]:
        """Candidates that exclude least come first, and simple ones before others."""
        return self.cost - len(self.right), self.cost


def proposal(question: Question, finding: Finding) -> Proposal | None:
    """Return a condition under which a rule that `finding` refutes holds, if one is found."""
    if finding.code not in CONTRADICTING or finding.counterexample is None:
        return None
    found = fresh_scenarios_of(question)
    samplers = [scenario.sampler for scenario in (*found.feasible, *found.large)]
    if not samplers:
        return None
    known = specimens(question.subst, samplers, MATCHES, question.seed("numeric"))
    case = finding.counterexample.case
    known += [] if case is None else specimen_of_case(question.subst, case)
    table = _Table(conditions(question.subst, [one.scope for one in known]), known)
    refused: set[tuple[Term, ...]] = set()
    for _ in range(MOST_ROUNDS):
        best = next((one for one in table.candidates() if one.terms not in refused), None)
        if best is None:
            return None
        refused.add(best.terms)
        made = _tried(question, best, table)
        if made is not None:
            return made
    return None


def _tried(question: Question, candidate: _Candidate, table: _Table) -> Proposal | None:
    """Verify a rule with more conditions; matches on which it is still wrong become known."""
    draft = with_conditions(question.subst, *candidate.terms)
    changed = changed_question(question, draft, "~condition")
    if changed is None:
        return None
    found = scenarios_of(changed).feasible
    samplers = [scenario.sampler for scenario in found]
    drawn = (
        specimens(question.subst, samplers, MORE_MATCHES, changed.seed("numeric")) if found else []
    )
    wrong = [specimen for specimen in drawn if specimen.fails]
    table.learn(wrong)
    if wrong or not drawn:
        return None
    result = verified(changed)
    if result.holds and not result.proved:
        again = specimens(question.subst, samplers, MATCHES, question.seed("numeric"))
        wrong = [specimen for specimen in again if specimen.fails]
        table.learn(wrong)
    if result.holds and not wrong:
        text = written(conjunction(*candidate.terms), question.subst)
        return Proposal(text, result.proved, len(candidate.right), table.right)
    refutation = result.refutation
    example = None if refutation is None else refutation.counterexample
    if example is not None and example.case is not None:
        table.learn(specimen_of_case(question.subst, example.case))
    return None


class _Table:
    """Which conditions hold in which matches."""

    def __init__(self, grammar: Sequence[Condition], known: Sequence[Specimen]) -> None:
        right = [specimen.scope for specimen in known if not specimen.fails]
        self.right, self.wrong = len(right), 0
        self.rows = [
            _Candidate((one.term,), one.cost, frozenset(), holding)
            for one in grammar
            if len(holding := _holding(one.term, right)) >= LEAST_RIGHT
        ]
        self.learn([specimen for specimen in known if specimen.fails])

    def learn(self, wrong: Sequence[Specimen]) -> None:
        """Take note of more matches on which the rule is wrong; forget what excludes none."""
        scopes, before = [specimen.scope for specimen in wrong], self.wrong
        self.wrong += len(wrong)
        rows = []
        for row in self.rows:
            more = {before + number for number in _holding(row.terms[0], scopes)}
            if len(row.wrong) + len(more) < self.wrong:
                rows.append(replace(row, wrong=row.wrong | more))
        self.rows = rows

    def candidates(self) -> Iterator[_Candidate]:
        """Yield what excludes all that is wrong, those first that exclude least else."""
        useful = sorted(self.rows, key=lambda row: row.order)
        yield from (row for row in useful if not row.wrong)
        partial = _distinct([row for row in useful if row.wrong])[:MOST_IN_PAIRS]
        pairs = [one & other for one, other in combinations(partial, 2)]
        enough = [pair for pair in pairs if not pair.wrong and len(pair.right) >= LEAST_RIGHT]
        yield from sorted(enough, key=lambda pair: pair.order)


def _holding(term: Term, scopes: Sequence[Scope]) -> frozenset[int]:
    return frozenset(n for n, scope in enumerate(scopes) if value_of(term, scope) is True)


def _distinct(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """Return the first of all candidates that the same matches satisfy."""
    first: dict[tuple[frozenset[int], frozenset[int]], _Candidate] = {}
    for candidate in candidates:
        first.setdefault((candidate.wrong, candidate.right), candidate)
    return list(first.values())
