"""What a session found out about rules: a section at its end, and reports as files."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from gsl.rule_files.messages import read, written
from gslverify.corpus.declaration import Collected
from gslverify.events import INTERRUPTED, RunDone
from gslverify.exits import exit_code
from gslverify.finding import RuleResult, StageResult
from gslverify.gate.conclusion import known_failures
from gslverify.project import parted
from gslverify.pytest_plugin.configure import session_settings
from gslverify.pytest_plugin.gate import Gate, baseline_of
from gslverify.pytest_plugin.stores import of_session
from gslverify.report.delivery import deliver
from gslverify.report.details import rule_block
from gslverify.report.formats import FORMATS, lacking
from gslverify.report.record import QUIET, Report
from gslverify.report.style import Style
from gslverify.report.text import summary_lines
from gslverify.settings import Settings

NAME = "gslverify-summary"
CHANNEL = "gslverify_results"


@dataclass(slots=True)
class Results:
    """Results by rule id; of a rule that several processes ran, the one that went furthest.

    `stages` says how many stages each rule has to go through.
    """

    rules: dict[str, RuleResult] = field(default_factory=dict)
    collected: dict[str, Collected] = field(default_factory=dict)
    stages: dict[str, int] = field(default_factory=dict)
    started: float = field(default_factory=time.perf_counter)

    def add(self, result: RuleResult) -> None:
        """Add a result, unless the one that is known has more stages, which all begin alike."""
        known = self.rules.get(result.rule_id)
        if known is None or len(known.stages) <= len(result.stages):
            self.rules[result.rule_id] = result

    def is_finished(self, result: RuleResult) -> bool:
        """Tell whether nothing more would have been found out about a rule, or nothing need be."""
        is_quiet = result.verdict in QUIET
        return not is_quiet or len(result.stages) >= self.stages.get(result.rule_id, 0)

    def done(self, stop_reason: str = "") -> RunDone:
        """Return the end of a run with what is known, in the order of files and lines.

        A run that was stopped leaves rules unfinished, which have not passed.
        """
        known = [r for r in self.rules.values() if not stop_reason or self.is_finished(r)]
        rules = sorted(
            known,
            key=lambda r: (parted(r.rule_id)[0], r.span.line if r.span else 0),
        )
        return RunDone(tuple(rules), time.perf_counter() - self.started, stop_reason)


class Summary:
    """Plugin that says at the end what was found out; registered when there are rules."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.results = Results()
        self.failures: list[str] = []
        self.written: list[tuple[str, Path]] = []
        self.remarks: list[str] = []
        self.stop_reason = ""
        self.refuted_last: tuple[Collected, StageResult] | None = None
        self.wanted = [_report(text) for text in config.getoption("gsl_report")]
        baseline = baseline_of(config)
        if config.getoption("gsl_update_baseline") and baseline is None:
            raise pytest.UsageError("--gsl-update-baseline: name the file by --gsl-baseline FILE")
        self.gate = None if baseline is None else Gate(baseline, session_settings(config))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the reports; a worker of pytest-xdist hands its results over instead."""
        of_session(self.config).close()
        if session.exitstatus == pytest.ExitCode.INTERRUPTED:
            self.stop_reason = INTERRUPTED
        output: dict[str, Any] | None = getattr(self.config, "workeroutput", None)
        if output is not None:
            known = self.results
            output[CHANNEL] = written((known.rules, known.collected, known.stages))
            return
        if self.wanted:
            self._deliver(session)
        if self.gate is not None and self.results.rules:
            self._compare(self.gate, session)

    def _deliver(self, session: pytest.Session) -> None:
        """Write the reports; one that cannot be written fails a session that went well."""
        report = self._report()
        for one in self.wanted:
            problems = list(deliver(report, [one], os.environ))
            self.failures += problems
            self.written += [] if problems else [one]
        if self.failures and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR

    def _compare(self, gate: Gate, session: pytest.Session) -> None:
        """Compare with the baseline, which may fail a session in which no item did."""
        failed, self.remarks = gate.lines(self._report())
        if self.config.getoption("gsl_update_baseline"):
            self.remarks += gate.update(self._report())
        elif failed and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over the results of a worker of pytest-xdist."""
        data = getattr(node, "workeroutput", {}).get(CHANNEL)
        results, collected, stages = read(data) if data else ({}, {}, {})
        self.results.collected.update(collected)
        self.results.stages.update(stages)
        for result in results.values():
            self.results.add(result)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Write counts and codes."""
        if not self.results.rules:
            return
        terminalreporter.section("gslverify")
        settings = session_settings(self.config)
        counts = summary_lines(self.results.done(self.stop_reason), settings, Style())
        for line in self._found_last(settings):
            terminalreporter.line(line)
        for line in (*counts, *self.remarks, *self.failures):
            terminalreporter.line(line)
        for name, path in self.written:
            terminalreporter.line(f"report {name}: {path}")

    def _found_last(self, settings: Settings) -> Iterator[str]:
        """Yield what was found by the stage that was interrupted, which no item can tell."""
        if self.refuted_last is not None:
            collected, stage = self.refuted_last
            result = RuleResult(collected.rule_id, None, (stage,))
            if stage.findings:
                yield from rule_block(result, stage.findings, settings, Style())

    def _report(self) -> Report:
        done = self.results.done(self.stop_reason)
        collected = tuple(self.results.collected.values())
        arguments = tuple(map(str, self.config.invocation_params.args))
        settings = session_settings(self.config)
        return Report(
            done,
            settings,
            (),
            exit_code(done),
            ("pytest", *arguments),
            collected=collected,
            known=known_failures(baseline_of(self.config)),
        )


def _report(text: str) -> tuple[str, Path]:
    name, separator, path = text.partition("=")
    if not separator or not path or name not in FORMATS:
        known = ", ".join(FORMATS)
        raise pytest.UsageError(f"--gsl-report {text}: write FMT=PATH, with one of {known}")
    if message := lacking(name):
        raise pytest.UsageError(f"--gsl-report {text}: {message}")
    return name, Path(path)


def requested(config: pytest.Config) -> Summary:
    """Return the plugin of a session, registered at the first call."""
    known: Summary | None = config.pluginmanager.get_plugin(NAME)
    if known is None:
        known = Summary(config)
        config.pluginmanager.register(known, NAME)
    return known


def note(config: pytest.Config, result: RuleResult, collected: Collected, stages: int) -> None:
    """Remember what is known by now about a rule that goes through some number of stages."""
    results = requested(config).results
    results.add(result)
    results.stages[result.rule_id] = stages
    results.collected[collected.rule_id] = collected
