"""Rules that differ from one in their conditions, as questions of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from gsl.attr.term import Term
from gsl.check import check
from gsl.errors import GslError
from gsl.subst import Rule, Subst
from gsl.text.naming import pattern_names
from gsl.text.terms import python_text
from gslverify.finding import Finding, StageResult, Verdict
from gslverify.mutation.draft import Draft
from gslverify.prove.claim import is_proved
from gslverify.settings import Settings
from gslverify.stage import Question, Stage
from gslverify.stages.examination import scenarios_of
from gslverify.stages.numeric import NUMERIC
from gslverify.stages.prove import PROVE
from gslverify.stages.satisfiable import SATISFIABLE
from gslverify.stages.shape import SHAPE

GRAPHS = 24
LEAST_GRAPHS = 8
MOST_VARIANTS = 16


@dataclass(frozen=True, slots=True)
class Verified:
    """What the stages found out about a changed rule; `results` are in their order.

    It is `proved` if all its elements were shown to be equal for all sizes.
    """

    question: Question
    results: tuple[StageResult, ...]
    proved: bool = False

    @property
    def refutation(self) -> Finding | None:
        """The finding that refutes the rule, with its counterexample if it has one."""
        findings = [finding for result in self.results for finding in result.findings]
        return next((f for f in findings if f.code.verdict is Verdict.FAIL), None)

    @property
    def is_vacuous(self) -> bool:
        """Whether no graph can match, or none whose tensors have elements."""
        found = {result.verdict for result in self.results}
        return Verdict.VACUOUS in found or scenarios_of(self.question).only_empty

    @property
    def holds(self) -> bool:
        """Whether every stage passed, the last one on enough graphs."""
        last = self.results[-1]
        return last.stage == NUMERIC.name and all(
            result.verdict is Verdict.PASS for result in self.results
        )


def changed_question(question: Question, draft: Draft, mark: str) -> Question | None:
    """Return the question about a rule that was changed; None where the language refuses it."""
    try:
        made = draft.build()
        if any(not error.warning for error in check(made)):
            return None
    except GslError:
        return None
    return Question(f"{question.rule_id}{mark}", _as_rule(question.rule, made), _few(question))


def with_conditions(subst: Subst, *conditions: Term) -> Draft:
    """Return a draft that demands more of a match."""
    draft = Draft.of(subst)
    draft.where = (*subst.where, *conditions)
    return draft


def written(term: Term, subst: Subst) -> str:
    """Return a condition as the author of the rule would write it."""
    return python_text(term, pattern_names(subst))


def _as_rule(rule: Rule, made: Subst) -> Rule:
    # What is expected of a rule is not expected of another one.
    return replace(
        rule,
        name=f"{rule.name}~",
        write=partial(_written, made),
        expect="",
        twin="",
        must_match=(),
        must_not_match=(),
        flags=rule.declared,
        assumptions=(),
    )


def _written(subst: Subst) -> Subst:
    return subst


def _few(question: Question) -> Settings:
    """A condition is judged by fewer graphs than its rule, none of them run on TVM."""
    settings = question.settings
    return replace(
        settings,
        max_variants=min(MOST_VARIANTS, settings.max_variants),
        max_examples=min(GRAPHS, settings.max_examples),
        min_examples=min(LEAST_GRAPHS, settings.min_examples),
        use_tvm=False,
    )


def verified(question: Question, stages: Sequence[Stage] = (SATISFIABLE, SHAPE)) -> Verified:
    """Ask `stages`, up to the first that does not pass; then the last two if all passed."""
    results: list[StageResult] = []
    proved = False
    for stage in (*stages, PROVE, NUMERIC):
        results.append(stage.run(question))
        if results[-1].verdict is not Verdict.PASS:
            break
        proved = proved or is_proved(results[-1].assurances)
    return Verified(question, tuple(results), proved)
