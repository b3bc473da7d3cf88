"""How much to verify and how: the settings of one run.

Every field but the internal ones can be set by a flag, in the environment, or in a file; the table
of them is `gslverify.configuration.table`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from math import inf
from pathlib import Path

STAGES = (
    "static",
    "examples",
    "satisfiable",
    "shape",
    "prove",
    "numeric",
    "gradient",
    "preconditions",
)
"""Names of the stages in the order in which they run, cheapest first."""

USUAL_STAGES = tuple(stage for stage in STAGES if stage not in ("gradient", "preconditions"))
"""Those that run unless others are named; the profile "deep" runs all."""

FAIL_ON = ("fail", "vacuous", "error")
"""Verdicts that make a run fail unless other ones are named."""

NO_FLAG = "none"
"""What stands for an empty set of flags."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a run.

    Attributes:
        rules: files and folders to verify where none are named.
        files: patterns of the names of rule files inside folders.
        tags: only rules with one of these tags are verified; none stands for all.
        changed_since: only rules that may have changed since this revision; empty for all.
        allow_no_rules: whether named files that hold no rules are passed over.
        profile: name of the profile that some of these values come from.
        stages: stages to run, a subset of STAGES.
        max_examples: graphs per rule in the numeric stage.
        draws: how often the inputs of a graph are drawn, each time from another distribution.
        min_examples: graphs below which the numeric stage is INCONCLUSIVE.
        seed: start of all random choices; each rule and stage derives its own from it.
        max_variants: structural variants (ranks, axes, layouts, lengths) examined per rule.
        require: what every structure of a rule has to be: "proved" for all sizes; "complete": shown
            impossible, proved or run; "tested": some are run, whatever the others are.
        solver_limit: resource limit of one solver query, in the solver's own deterministic unit.
        proof_steps: what the proof of one structure may cost, in steps (`gslverify.prove.effort`).
        certificates: folder for the certificates of proofs; empty writes none.
        flags: flags (`gsl.flags`) that a rule is taken to declare which declares none; () leaves it
            without a declaration, and the one word NO_FLAG declares that it needs none.
        use_tvm: whether the numeric stage confirms its results on TVM.
        hints: whether a condition is looked for that makes a refuted rule hold.
        hint_budget: seconds for looking for the condition that a refuted rule lacks.
        declining: whether a match is declined when its target cannot be built, as mutants may be.
        keep_going: whether a refuted rule still runs the later stages.
        library: whether it is looked at what rules do to each other.
        max_failures: stop after so many refuted rules; 0 verifies all.
        jobs: worker processes; 0 is a single one, which shows what rule files print, and in which
            stages end in time by themselves.
        load_timeout: seconds after which importing a file, or writing down a rule, is given up.
        stage_timeout: seconds after which a stage is given up and its worker process ended.
        stage_timeouts: pairs of a stage and the seconds that it has instead.
        budget: seconds for the whole run; 0 is no limit.
        rule_budget: seconds for one rule; 0 is no limit.
        shrink_budget: seconds for making one counterexample smaller; 0 limits the steps only.
        select: codes, or beginnings of codes, that are reported; none stands for all.
        ignore: codes, or beginnings of codes, that are not reported.
        per_rule_ignores: pairs of a pattern of rule ids and the codes ignored there.
        fail_on: verdicts, in small letters, that make the run fail.
        exit_zero: whether findings leave the exit code at 0.
        baseline: file that a run is compared with; empty for none.
        strict_baseline: whether entries of the baseline that are out of date fail the run, too.
        allow_inconclusive: whether a rule that passed may become inconclusive.
        cache: whether results of earlier runs are used again.
        cache_folder: where they are kept.
        failures_folder: where counterexamples are kept.
        shard: number of a part, from 1, and of how many; only the rules of that part are verified.
        docs_url: where the documentation is published, for reports that link to it; or empty.
        executor: "local", or "dask://HOST:PORT" for a cluster.
    """

    rules: tuple[str, ...] = ()
    files: tuple[str, ...] = ("*.py",)
    tags: tuple[str, ...] = ()
    changed_since: str = ""
    allow_no_rules: bool = False
    profile: str = "dev"
    stages: tuple[str, ...] = USUAL_STAGES
    max_examples: int = 60
    min_examples: int = 20
    draws: int = 7
    seed: int = 0
    max_variants: int = 1000
    require: str = "complete"
    solver_limit: int = 4_000_000
    proof_steps: int = 50_000
    certificates: str = ""
    flags: tuple[str, ...] = ()
    use_tvm: bool = True
    hints: bool = True
    hint_budget: float = 3.0
    declining: bool = False
    keep_going: bool = False
    library: bool = False
    max_failures: int = 0
    jobs: int = 0
    load_timeout: float = 30.0
    stage_timeout: float = 600.0
    stage_timeouts: tuple[tuple[str, float], ...] = ()
    budget: float = 0.0
    rule_budget: float = 0.0
    shrink_budget: float = 0.0
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_rule_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    fail_on: tuple[str, ...] = FAIL_ON
    exit_zero: bool = False
    baseline: str = ""
    strict_baseline: bool = False
    allow_inconclusive: bool = False
    cache: bool = True
    cache_folder: str = ".gslverify/cache"
    failures_folder: str = ".gslverify/failures"
    docs_url: str = ""
    shard: tuple[int, int] = (1, 1)
    executor: str = "local"

    @property
    def tvm_examples(self) -> int:
        """How many graphs of a rule are confirmed on TVM: 25, or a third of them if that is more.

        Compiling costs far more than everything else that is done with a graph.
        """
        return max(25, self.max_examples // 3)

    @property
    def examples_folder(self) -> str:
        """Where choices are kept that led to failures; empty where nothing is kept of runs."""
        return str(Path(self.cache_folder) / "examples") if self.cache else ""

    @property
    def shrink_seconds(self) -> float:
        """Time for either half of making a counterexample smaller: its graph, and its values."""
        return self.shrink_budget / 2 or inf

    def timeout_of(self, stage: str) -> float:
        """Return the seconds after which a stage is given up."""
        return dict(self.stage_timeouts).get(stage, self.stage_timeout)


def enough_examples(max_examples: int) -> int:
    """Return how many graphs are enough for a verdict when up to `max_examples` are tried."""
    return max(1, min(Settings().min_examples, max_examples // 3))


def automatic_jobs() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0))
