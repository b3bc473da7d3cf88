"""Passes as black boxes: functions from graph to graph, checked on graphs that exercise them.

    from gslverify.passes import check, source

    report = check(my_pass, [my_source])
    assert report.is_sound, report.findings

A rule is verified by all stages; a pass can only be tried. Graphs come from sources, which are
patterns without a target, and what the pass makes of them is compared with the references.
`graphs` has the same graphs as a strategy of hypothesis, for properties of one's own.
"""

from __future__ import annotations

from gslverify.passes.checking import PassReport, check
from gslverify.passes.exploring import Finding
from gslverify.passes.rewriters import Executable, FunctionRewriter, Rewriter
from gslverify.passes.sources import MadeSource, PatternSource, Source, made, source, sourced
from gslverify.passes.strategies import graphs
from gslverify.passes.verdicts import Ending, Verdict

__all__ = [
    "Ending",
    "Executable",
    "Finding",
    "FunctionRewriter",
    "MadeSource",
    "PassReport",
    "PatternSource",
    "Rewriter",
    "Source",
    "Verdict",
    "check",
    "graphs",
    "made",
    "source",
    "sourced",
]
