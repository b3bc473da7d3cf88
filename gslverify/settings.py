"""How much to verify and how: the settings of one run."""

from __future__ import annotations

import os
from dataclasses import dataclass

STAGES = ("static", "satisfiable", "shape", "prove", "numeric")
"""Names of the stages in the order in which they run, cheapest first."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a run.

    Attributes:
        stages: stages to run, a subset of STAGES.
        max_examples: graphs per rule in the numeric stage.
        min_examples: graphs below which the numeric stage is INCONCLUSIVE.
        seed: start of all random choices; each rule and stage derives its own from it.
        max_variants: structural variants (ranks, axes, layouts, lengths) examined per rule.
        solver_limit: resource limit of one solver query, in the solver's own deterministic unit.
        use_tvm: whether the numeric stage confirms its results on TVM.
        keep_going: whether a refuted rule still runs the later stages.
        max_failures: stop after so many refuted rules; 0 verifies all.
        jobs: worker processes; 0 verifies in this process.
        load_timeout: seconds after which importing a file, or writing down a rule, is given up.
        stage_timeout: seconds after which a stage is given up and its worker process ended.
    """

    stages: tuple[str, ...] = STAGES
    max_examples: int = 60
    min_examples: int = 20
    seed: int = 0
    max_variants: int = 128
    solver_limit: int = 4_000_000
    use_tvm: bool = True
    keep_going: bool = False
    max_failures: int = 0
    jobs: int = 0
    load_timeout: float = 30.0
    stage_timeout: float = 600.0

    @property
    def tvm_examples(self) -> int:
        """How many graphs of a rule are confirmed on TVM: 25, or a third of them if that is more.

        Compiling costs far more than everything else that is done with a graph.
        """
        return max(25, self.max_examples // 3)


def enough_examples(max_examples: int) -> int:
    """Return how many graphs are enough for a verdict when up to `max_examples` are tried."""
    return max(1, min(Settings().min_examples, max_examples // 3))


def automatic_jobs() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0))
