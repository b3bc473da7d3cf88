"""Does what an earlier run found out still hold? Seen where the rule is, by replaying it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from gsl.subst import Rule
from gslverify.case import Case
from gslverify.corpus.containment import contained
from gslverify.finding import StageResult, Verdict

WITH_WITNESS = "numeric"
"""The stage whose PASS has a graph to show."""


def has_cases(results: Iterable[StageResult]) -> bool:
    """Tell whether there is a graph to try before results are believed."""
    return any(True for result in results for _ in _cases(result))


def holds(rule: Rule, results: Iterable[StageResult]) -> bool:
    """Tell whether a rule agrees on the graphs of results that PASS and fails on those that FAIL.

    Whatever it raises counts as no.
    """
    cases = [case for result in results for case in _cases(result)]
    if not cases:
        return True
    try:
        with contained():
            subst = rule()
            replay: Callable[..., Any] = import_module("gslverify.trials.replay").replay
            return all(_same(replay(subst, case, code), code) for code, case in cases)
    except Exception:  # an entry of another release may be anything; its stages are run anew
        return False


def _cases(result: StageResult) -> list[tuple[str, Case]]:
    if result.verdict is Verdict.PASS:
        return [] if result.witness is None else [("", result.witness)]
    return [(code, case) for code, case in refuting(result) if case is not None]


def refuting(result: StageResult) -> list[tuple[str, Case | None]]:
    """Return the codes that refute a rule, each with the graph that shows it if there is one."""
    return [
        (finding.code.id, finding.counterexample.case if finding.counterexample else None)
        for finding in result.findings
        if finding.code.verdict is Verdict.FAIL
    ]


def _same(replayed: Any, code: str) -> bool:
    if code:
        return replayed.code is not None and replayed.code.id == code
    return bool(replayed.code is None and not replayed.undecided and replayed.trial.comparisons)
