"""Passes checked on graphs of sources."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gsl.text.listing import listing
from gsl.workload import Workload
from gslverify.networks.choices import Choices, Tape
from gslverify.passes.exploring import Exploration, Finding, explore
from gslverify.passes.isolation import run_each, survived
from gslverify.passes.judging import examined
from gslverify.passes.rewriters import Rewriter, rewriter_of
from gslverify.passes.sources import Case, Source
from gslverify.passes.verdicts import Ending, Verdict, not_of_the_pass, verdict_of

GRAPHS = 100
SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class PassReport:
    """What was found about a pass.

    `tried` graphs were given to it, `rewritten` of them changed; `untold` says why comparisons
    were not possible, and of how many graphs, `refused` why no graph was drawn; so many kinds of
    graphs are `left` of which none was tried yet.
    """

    name: str
    place: str = ""
    tried: int = 0
    rewritten: int = 0
    findings: tuple[Finding, ...] = ()
    untold: Mapping[str, int] = field(default_factory=dict)
    refused: Mapping[str, int] = field(default_factory=dict)
    left: int = 0

    @property
    def is_sound(self) -> bool:
        """Whether nothing was found, which is no proof."""
        return not self.findings


@dataclass(frozen=True, slots=True)
class PassExperiment:
    """A rewriter on the graphs of one source."""

    rewriter: Rewriter
    source: Source

    @property
    def name(self) -> str:
        """The name of the source."""
        return self.source.name

    def draw(self, choices: Choices) -> Case:
        """Draw from the source."""
        return self.source.draw(choices)

    def examine(self, case: Case) -> Verdict:
        """Rewrite and compare."""
        return examined(self.rewriter, *case)

    def describe(self, case: Case, verdict: Verdict) -> Verdict:
        """Add the graph to a verdict about a child that ended, if the pass has ended it."""
        network, inputs = case
        workload = Workload(network.outputs)
        if survived(lambda: self.rewriter.rewrite(workload), SECONDS):
            return not_of_the_pass(verdict)
        try:
            script = self.rewriter.script(Workload(network.outputs), inputs[0])
        except Exception:  # a script that cannot be written must not hide the finding
            script = ""
        return replace(verdict, before=tuple(listing(network.outputs)), script=script)


def check(
    rewriter: Any,
    sources: Iterable[Source],
    *,
    graphs: int = GRAPHS,
    seed: int = 0,
    seconds: float = SECONDS,
) -> PassReport:
    """Check a pass: whether what it makes of graphs computes the same as they do.

    Args:
        rewriter: a `Rewriter`, or a function from workload to workload.
        sources: where graphs come from; see `source`.
        graphs: how many graphs are tried, equally many of each source.
        seed: decides about all graphs; the same seed gives the same report.
        seconds: time for one graph, after which the pass hangs.

    The pass runs in forked children, so it may end its process. Raises TypeError for what is no
    rewriter and ValueError when there are no sources.
    """
    one = rewriter_of(rewriter)
    experiments = [PassExperiment(one, source) for source in sources]
    if not experiments:
        raise ValueError(f"there are no sources to check {one.name} on")
    found = explore(experiments, graphs, seed, seconds)
    steps: Sequence[Rewriter] = getattr(one, "steps", ())
    if steps:
        drawn = {experiment.name: experiment for experiment in experiments}
        found.findings = [
            _bisected(finding, steps, drawn[finding.experiment], seconds)
            for finding in found.findings
        ]
    return reported(one.name, one.place, found)


def _bisected(
    finding: Finding, steps: Sequence[Rewriter], experiment: PassExperiment, seconds: float
) -> Finding:
    """Say of a pipeline which of its passes is the first after which a finding is there."""
    case = experiment.draw(Tape(finding.taken))

    def fails(step: Rewriter) -> bool:
        (answer,) = run_each([lambda: examined(step, *case)], seconds)
        return verdict_of(answer).is_finding

    first = bisect_left(range(len(steps)), True, key=lambda number: fails(steps[number]))
    if first == len(steps):
        return finding
    message = f"{steps[first].name}: {finding.verdict.message}"
    return replace(finding, verdict=replace(finding.verdict, message=message))


def reported(name: str, place: str, found: Exploration) -> PassReport:
    """Return the report about all that was explored."""
    tried = sum(found.endings.values())
    unchanged = found.endings[Ending.UNCHANGED]
    findings: Sequence[Finding] = found.findings
    why = dict(found.undecided), dict(found.refused)
    return PassReport(name, place, tried, tried - unchanged, tuple(findings), *why, found.left)
