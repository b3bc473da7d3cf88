"""What was found about passes as plain data, and sources that users write."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from gslverify.adapters.foreign import Options, PassFinding, PassResult
from gslverify.passes import MadeSource, PassReport, PatternSource, Source, check
from gslverify.passes.rewriters import Rewriter


def reports(
    rewriters: Iterable[Rewriter],
    sources: Callable[[str], Sequence[Source]],
    options: Options,
) -> Iterator[PassResult]:
    """Check one pass after the other; what fails with one does not end the others."""
    own = sources_of_file(options.sources) if options.sources else None
    for one in rewriters:
        if one.name in options.known_passes:
            continue
        given = sources(one.name) if own is None else own
        try:
            report = check(
                one, given, graphs=options.graphs, seed=options.seed, seconds=options.seconds
            )
        except Exception as error:  # sources and passes of others raise anything
            yield PassResult(one.name, one.place, failure=f"{type(error).__name__}: {error}")
            continue
        yield result_of(report, getattr(one, "target", ""))


def result_of(report: PassReport, target: str = "") -> PassResult:
    """Return a report as plain data; the `target` names its pass alone."""
    findings = [
        PassFinding(
            one.verdict.ending.value,
            one.verdict.message,
            one.experiment,
            one.count,
            one.verdict.before,
            one.verdict.after,
            one.verdict.script,
        )
        for one in report.findings
    ]
    name, place = report.name, report.place
    why = dict(report.untold), dict(report.refused)
    counts = report.tried, report.rewritten
    return PassResult(name, place, *counts, findings, *why, target=target, left=report.left)


def sources_of_file(path: str) -> list[Any]:
    """Return the sources that a file defines; raises ValueError when there are none."""
    defined = runpy.run_path(path).values()
    found = [one for one in defined if isinstance(one, PatternSource | MadeSource)]
    if not found:
        raise ValueError(f"{path} has no sources; write functions under @source()")
    return found
