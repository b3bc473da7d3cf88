"""Rule files, rules and stages as nodes of pytest; ids are ``file.py::rule::stage``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from pathlib import Path
from typing import Any

import pytest

from gslverify.codes.expectation import EXPECTATION_UNMET
from gslverify.codes.ignores import RULE_BUDGET_SPENT
from gslverify.corpus.declaration import Collected, CollectedRule, Declaration, Unusable
from gslverify.corpus.guarded import collected_in
from gslverify.corpus.suppression import owner_of
from gslverify.engine.budget import rule_is_over, run_is_over
from gslverify.engine.cache.holding import has_cases
from gslverify.engine.conclusion import (
    COLLECTION,
    OWNERS,
    kept,
    rule_result,
    unusable_result,
)
from gslverify.engine.examination import skipped, stops
from gslverify.engine.pool import Outcome, Task
from gslverify.engine.waves import may_be_remembered
from gslverify.engine.writing import write_down
from gslverify.finding import CODES, FAILURES, Finding, RuleResult, StageResult, Verdict
from gslverify.project import from_here
from gslverify.pytest_plugin import gate, stores, summary
from gslverify.pytest_plugin.configure import (
    end_of_session,
    is_budget_spent,
    is_strict,
    session_settings,
)
from gslverify.pytest_plugin.statistics import note_statistics
from gslverify.report.details import rule_block
from gslverify.report.style import Style
from gslverify.repro.store import pinned_files
from gslverify.settings import Settings
from gslverify.stages import EXAMPLES, PINNED, WAVES, Wave

FIRST, *_ = WAVES[0]

LOCATIONS = {
    name: location
    for wave in (WAVES[0], PINNED, EXAMPLES, *WAVES[1:])
    for name, location in wave.items()
}

BUDGET_SPENT = "the time for all rules (--gsl-budget) is used up"


class StageFailedError(AssertionError):
    """A stage has refuted a rule; the text is the block that the command line prints, too."""


class NoTests(pytest.File):
    """Stands where pytest would import a rule file as a test module."""

    def collect(self) -> list[pytest.Item]:
        """A rule file has no tests of its own."""
        return []


class RuleFile(pytest.File):
    """A file with rules; one that cannot be imported has a failing item instead."""

    def collect(self) -> Iterator[pytest.Collector]:
        """Yield a collector for each rule, in the order of the source.

        Raises CollectError, which pytest shows without a traceback, for settings or a baseline
        that cannot be used.
        """
        try:
            seconds = session_settings(self.config).load_timeout
            gate.baseline_of(self.config)
        except pytest.UsageError as error:
            raise self.CollectError(str(error)) from None
        for item in collected_in(self.path, seconds, write_down):
            _, separator, rule_name = item.rule_id.rpartition("::")
            name = rule_name if separator else "import"
            yield RuleNode.from_parent(self, name=name, collected=item)


class RuleNode(pytest.Collector):
    """One rule; its stages are run by a process that has imported its file."""

    def __init__(self, *, collected: Collected, **node: Any) -> None:
        super().__init__(**node)
        self.collected = collected
        self.settings = session_settings(self.config)
        self._results: dict[str, StageResult] = {}

    def collect(self) -> Iterator[pytest.Item]:
        """Yield an item for each stage, or a failing one for a rule that cannot be collected."""
        if isinstance(self.collected, Unusable):
            yield UnusableItem.from_parent(self, name=COLLECTION)
            return
        for name in stages_of(self.collected, self.settings):
            yield StageItem.from_parent(self, name=name)

    @property
    def rule(self) -> Declaration:
        """What is said about the rule, if it was collected."""
        assert isinstance(self.collected, CollectedRule)
        return self.collected.rule

    def result(self, stage: str) -> StageResult:
        """Return the result of a stage; earlier stages that have not run yet are run now."""
        assert isinstance(self.collected, CollectedRule)
        try:
            for name, location in stages_of(self.collected, self.settings).items():
                if name not in self._results:
                    self._results[name] = self._found(self.collected, name, location)
                if name == stage:
                    break
        finally:
            self._note()
        return self._results[stage]

    def _note(self) -> None:
        """Tell the summary what is known by now, and how many stages there are to know about."""
        assert isinstance(self.collected, CollectedRule)
        if self._results:
            found = rule_result(self.collected, tuple(self._results.values()), self.settings)
            whole = len(stages_of(self.collected, self.settings))
            summary.note(self.config, found, self.collected, whole)

    def _found(self, item: CollectedRule, name: str, location: str) -> StageResult:
        """Return the result of a stage, by an earlier run where it is still seen to hold."""
        if name == FIRST and item.written is not None:
            return item.written.result
        refuted = next((r for r in self._results.values() if stops(r, self.settings)), None)
        if refuted is not None:
            return skipped(name, f"{refuted.stage} refuted the rule")
        store = stores.of_session(self.config)
        may = may_be_remembered({name: location})
        known = store.memory.recall(item, (name,)) if may else None
        if known is None or has_cases(known):
            known = self._examined(item, {name: location}, known or ())
        (result,) = known
        if may:
            store.memory.remember(item, result)
        return kept(item, self._results[FIRST].rule_hash, result, store.keep)

    def _examined(self, item: CollectedRule, wave: Wave, recalled: Outcome) -> Outcome:
        """Run a stage as long as it may; what it finds counts, whatever ends it."""
        results = self._results.values()
        (name,) = wave
        if any(f.code is RULE_BUDGET_SPENT for r in results for f in r.findings):
            return (skipped(name, "there was no time left"),)
        budget = self.settings.rule_budget
        left = budget - sum(result.seconds for result in results) if budget else inf
        if left <= 0:
            return rule_is_over(wave, self.settings)
        plan = next((result.plan for result in reversed(results) if result.plan), ())
        task = Task(0, item.rule_id, item.path, wave, left, plan, recalled)
        pool = stores.of_session(self.config).pool
        pool.deadline = end_of_session(self.config)
        try:
            outcomes = [outcome for _, outcome in pool.run([task])]
        except BaseException as error:  # such as that of Ctrl-C, or of a plugin that limits time
            found = pool.given_up()
            if found is None or isinstance(error, Exception):
                raise
            self._results[name] = found
            if isinstance(error, KeyboardInterrupt):
                summary.requested(self.config).refuted_last = item, found
                raise
            return (found,)
        return outcomes[0] if outcomes else run_is_over([name], self.settings)


def stages_of(item: CollectedRule, settings: Settings) -> dict[str, str]:
    """Return the stages that a rule goes through in a session, and where to load them from."""
    return {
        name: location
        for name, location in LOCATIONS.items()
        if name == FIRST or name in PINNED or name in settings.stages
        if name not in EXAMPLES or item.rule.has_examples
        if name not in PINNED or pinned_files(item.path, item.rule.name)
    }


class RuleItem(pytest.Item):
    """An item below a rule; a failure is shown as on the command line."""

    @property
    def node(self) -> RuleNode:
        """The rule to which the item belongs."""
        assert isinstance(self.parent, RuleNode)
        return self.parent

    def fail(self, findings: Sequence[Finding]) -> None:
        """Raise StageFailedError with what was found."""
        node = self.node
        blocks = [_block_text(node.collected, finding, node.settings) for finding in findings]
        raise StageFailedError("\n\n".join([_headline(findings[0]), *blocks]))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the block of the finding; other exceptions are reported as usual."""
        if isinstance(excinfo.value, StageFailedError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the place of the rule and the end of the id."""
        collected = self.node.collected
        if isinstance(collected, CollectedRule):
            line = collected.rule.span.line
        else:
            span = collected.finding.span
            line = span.line if span else 1
        return self.path, line - 1, f"{self.node.name}::{self.name}"


class UnusableItem(RuleItem):
    """A rule that cannot be collected, such as the second one of a name."""

    def runtest(self) -> None:
        """Fail with the finding."""
        collected = self.node.collected
        assert isinstance(collected, Unusable)
        summary.note(self.config, unusable_result(collected), collected, 1)
        self.fail([collected.finding])


class StageItem(RuleItem):
    """One stage of one rule."""

    def __init__(self, **node: Any) -> None:
        super().__init__(**node)
        self.add_marker("gsl")
        self.add_marker(f"gsl_{self.name}")

    def runtest(self) -> None:
        """Pass, fail, skip what is undecided, and xfail what was expected."""
        if is_budget_spent(self.config):
            self._undecided(BUDGET_SPENT)
        rule = self.node.rule
        result = self.node.result(self.name)
        if result.skipped:
            pytest.skip(result.skipped)
        self._note_properties(result)
        if self.config.getoption("hypothesis_show_statistics", default=False):
            note_statistics(self, result, self.node.settings)
        if any(finding.code.id == rule.expect for finding in result.findings):
            known = f": {rule.expect_reason}" if rule.expect_reason else ""
            pytest.xfail(f"refuted by {rule.expect} as expected{known}")
        findings = [*_refuting(result), *_unmet(rule, result)]
        if findings:
            if why := gate.why_known(self.config, self.node.collected.rule_id, findings):
                pytest.xfail(why)
            self.fail(findings)
        if result.verdict is Verdict.INCONCLUSIVE:
            undecided = [f for f in result.findings if f.code.verdict is Verdict.INCONCLUSIVE]
            if gate.has_become_undecided(self.config, self.node.collected.rule_id):
                self.fail(undecided)
            self._undecided("; ".join(f"{f.code} {f.message}" for f in undecided), undecided)
        if result.status == "open":
            pytest.skip(f"open: {result.open}")

    def _undecided(self, reason: str, findings: Sequence[Finding] = ()) -> None:
        """Skip, or fail where the session is strict."""
        if not is_strict(self.config):
            pytest.skip(reason)
        if findings:
            self.fail(findings)
        raise StageFailedError(f"inconclusive: {reason}")

    def _note_properties(self, result: StageResult) -> None:
        texts = [assurance.text for assurance in result.assurances]
        self.user_properties += [("assurance", text) for text in texts]
        self.user_properties += list(result.counts.items())


def _refuting(result: StageResult) -> list[Finding]:
    return [finding for finding in result.findings if finding.code.verdict in FAILURES]


def _unmet(rule: Declaration, result: StageResult) -> Iterator[Finding]:
    """Yield that the rule expects a code that this stage, or another before, did not report."""
    expect = rule.expect
    if expect in CODES and _refuting(result):
        message = f"the rule expects {expect}, but was refuted otherwise"
        yield Finding(EXPECTATION_UNMET, message, rule.span)
    decided = result.verdict is Verdict.PASS
    if decided and expect in CODES and owner_of(expect, OWNERS) == result.stage:
        message = f"the rule expects {expect}, which was not found"
        yield Finding(EXPECTATION_UNMET, message, rule.span)


def _headline(finding: Finding) -> str:
    """Return the line that the short summary of pytest shows."""
    place = f"{from_here(Path(finding.span.file))}:{finding.span.line}: " if finding.span else ""
    return f"{place}{finding.code} {finding.code.title}"


def _block_text(collected: Collected, finding: Finding, settings: Settings) -> str:
    result = RuleResult(collected.rule_id, finding.span, ())
    return "\n".join(rule_block(result, [finding], settings, Style()))
