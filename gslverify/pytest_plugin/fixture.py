"""The fixture `gsl`: verify, match and apply rules in tests that are written by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

from gsl.engine.fixpoint import apply
from gsl.expr import Expr
from gsl.span import Span
from gsl.subst import Rule, Subst
from gsl.text.listing import listing
from gsl.workload import Workload
from gslverify.corpus.declaration import LoadedRule, loaded_rule
from gslverify.engine.conclusion import rule_result
from gslverify.engine.examination import Examination
from gslverify.engine.in_time import results_in_time
from gslverify.engine.loop import ignore
from gslverify.finding import FAILURES, RuleResult, Verdict
from gslverify.project import in_project
from gslverify.pytest_plugin.configure import is_strict, session_settings
from gslverify.pytest_plugin.items import StageFailedError, stages_of
from gslverify.report.details import rule_block
from gslverify.report.style import Style
from gslverify.settings import enough_examples
from gslverify.stage_names import STAGES
from gslverify.workloads import closest, matching, workload_of

Written = Rule | Subst | Callable[[], Subst]
Network = Workload | Expr | Sequence[Expr]


class Rules:
    """What a test may do with rules.

    A rule is a function under `@rule`, a function that returns a Subst, or a Subst; a graph is a
    Workload, an expression, or several.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.settings = session_settings(config)

    def check(
        self,
        rule: Written,
        *,
        stages: Iterable[str] | None = None,
        max_examples: int | None = None,
    ) -> RuleResult:
        """Verify a rule and return what was found out.

        Fails with the text that `gslverify check` prints if the rule is refuted, and skips, or
        fails in a strict session, if it is undecided. `stages` and `max_examples` are those of the
        session by default.
        """
        __tracebackhide__ = True
        most = max_examples or self.settings.max_examples
        settings = replace(
            self.settings,
            stages=tuple(self.settings.stages if stages is None else stages),
            max_examples=most,
            min_examples=min(self.settings.min_examples, enough_examples(most)),
        )
        unknown = set(settings.stages) - set(STAGES)
        if unknown:
            known = ", ".join(STAGES)
            raise pytest.UsageError(f"there is no stage `{unknown.pop()}`; stages are {known}")
        item = _collected(rule)
        examination = Examination(item, settings, ignore)
        chosen = stages_of(item.collected, settings)
        results = tuple(results_in_time(examination, chosen, settings.rule_budget or inf))
        result = rule_result(item.collected, results, settings)
        blamed = [f for f in result.findings if f.code.verdict in FAILURES]
        if result.verdict is Verdict.INCONCLUSIVE:
            blamed = [f for f in result.findings if f.code.verdict is Verdict.INCONCLUSIVE]
            if not is_strict(self.config):
                pytest.skip("; ".join(f"{f.code} {f.message}" for f in blamed))
        if blamed and result.verdict is not Verdict.XFAIL:
            raise StageFailedError("\n".join(rule_block(result, blamed, settings, Style())))
        return result

    def assert_matches(self, rule: Written, graph: Network) -> None:
        """Fail unless the source of a rule matches somewhere; show how far it came."""
        __tracebackhide__ = True
        subst, workload = _subst(rule), workload_of(graph)
        if not matching(subst, workload):
            raise StageFailedError(
                f"{subst.name} does not match; it comes furthest with\n"
                f"{closest(subst, workload)}\nin\n{_text(workload)}"
            )

    def assert_no_match(self, rule: Written, graph: Network) -> None:
        """Fail if the source of a rule matches somewhere; show where."""
        __tracebackhide__ = True
        subst, workload = _subst(rule), workload_of(graph)
        if matching(subst, workload):
            raise StageFailedError(
                f"{subst.name} matches:\n{closest(subst, workload)}\nin\n{_text(workload)}"
            )

    def rewrite(self, rule: Written, graph: Network) -> str:
        """Return what a rule makes of a graph, a statement a line, fit for a snapshot."""
        return _text(apply(workload_of(graph), [_subst(rule)]))


def _text(workload: Workload) -> str:
    return "\n".join(listing(workload.outputs))


def _subst(rule: Written) -> Subst:
    subst = rule if isinstance(rule, Subst) or not callable(rule) else rule()
    if not isinstance(subst, Subst):
        raise pytest.UsageError(f"{rule!r} is no rule; write a function under @rule, or a Subst")
    return subst


def _collected(rule: Written) -> LoadedRule:
    if not isinstance(rule, Rule):
        write = rule
        subst = _subst(rule)
        span = subst.span or Span("<unknown>", 1)
        rule = Rule(subst.name, lambda: _subst(write), "", "", span)
    path = Path(rule.span.file)
    return loaded_rule(f"{in_project(path)}::{rule.name}", path, rule)
