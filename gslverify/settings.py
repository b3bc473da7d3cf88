"""How much to verify and how: the settings of one run, each with its flag and its help.

`gslverify.configuration.table` makes flags, variables and keys of the file of them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any, TypeVar

from gsl.flags import FLAGS
from gslverify.finding import Verdict
from gslverify.kinds import (
    BUDGET,
    IGNORES,
    LIMIT,
    PATH,
    PATHS,
    SHARD,
    SOLVER_LIMIT,
    SWITCH,
    TEXT,
    TEXTS,
    TIMEOUTS,
    UNITS_PER_SECOND,
    URL,
    Kind,
    choice,
    some_words,
    whole,
    word_or_whole,
    words,
)
from gslverify.stage_names import STAGES, USUAL_STAGES

FAIL_ON = ("fail", "vacuous", "error")
"""Verdicts that make a run fail unless other ones are named."""

VERDICTS = tuple(v.lower() for v in Verdict if v not in (Verdict.PASS, Verdict.XFAIL))
"""Verdicts that may make a run fail."""

NO_FLAG = "none"
"""What stands for an empty set of flags."""

SELECTION, EFFORT, LIMITS, GATE, STORAGE, OUTPUT = (
    "selection",
    "effort",
    "limits",
    "gate",
    "storage",
    "output",
)
"""Groups of settings, as they stand together in the help."""

T = TypeVar("T")


def setting(default: T, kind: Kind, group: str, help: str, **more: Any) -> T:
    """Return a field that is a setting; `more` is what `Setting` has besides."""
    about: Mapping[str, Any] = {"kind": kind, "group": group, "help": help, **more}
    value: T = field(default=default, metadata={"setting": about})
    return value


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a run; those without a help are for parts of the verifier only.

    Times are in seconds, and 0 is no limit. Of `max_variants` structural variants (ranks, axes,
    layouts, lengths) each rule is examined. If `declining`, a match is declined whose target cannot
    be built, as mutants may be. Unless failures are `explained`, they are told as they were found.
    Without `jobs` a single process does all, and shows what rule files
    print. The `seed` is where each rule and stage derives its own from. The `shard` is the number
    of a part, from 1, and of how many.
    """

    rules: tuple[str, ...] = setting(
        (), PATHS, SELECTION, "Files and folders to verify where none are named.", flags=()
    )
    files: tuple[str, ...] = setting(
        ("*.py",), TEXTS, SELECTION, "Patterns of the names of rule files in folders."
    )
    tags: tuple[str, ...] = setting(
        (), TEXTS, SELECTION, "Only rules with one of these tags.", flags=("--tag",)
    )
    changed_since: str = setting(
        "",
        TEXT,
        SELECTION,
        "Only rules that may have changed since a revision of git, such as main.",
    )
    select: tuple[str, ...] = setting(
        (), TEXTS, SELECTION, "Only report these codes, or codes that begin like this."
    )
    ignore: tuple[str, ...] = setting(
        (), TEXTS, SELECTION, "Do not report these codes, or codes like this."
    )
    per_rule_ignores: tuple[tuple[str, tuple[str, ...]], ...] = setting(
        (),
        IGNORES,
        SELECTION,
        "Codes that are not reported for some rules, such as 'old.py::*:GSL140+GSL471'.",
    )
    allow_no_rules: bool = setting(
        False,
        SWITCH,
        SELECTION,
        "Pass over named files that hold no rules, as a hook before commits names them.",
    )
    shard: tuple[int, int] = setting(
        (1, 1), SHARD, SELECTION, "Verify one part of the rules only, such as 2/5."
    )
    profile: str = setting(
        "dev", TEXT, EFFORT, "Settings under a name: dev, ci, deep, or your own."
    )
    stages: tuple[str, ...] = setting(
        USUAL_STAGES,
        words(STAGES, "stage"),
        EFFORT,
        f"Stages to run, of {', '.join(STAGES)}. The first always runs.",
    )
    max_examples: int = setting(
        60,
        whole(1),
        EFFORT,
        "Graphs per rule in the numeric stage, or one for each structure of its source if these "
        "are more; half as many of a rule that is proved. TVM confirms a third of N, at least 25.",
        flags=("-n", "--max-examples"),
    )
    min_examples: int = setting(
        20,
        whole(0),
        EFFORT,
        "Graphs below which the numeric stage is INCONCLUSIVE. Default: a third, at most 20.",
    )
    draws: int = setting(
        7,
        whole(1),
        EFFORT,
        "Inputs drawn for a graph, from one distribution after the other; fewer for large tensors, "
        "and at most 4 of a rule that is proved.",
    )
    require: str = setting(
        "complete",
        choice(("complete", "proved", "tested")),
        EFFORT,
        "What every structure of a rule has to be: proved; shown impossible, proved or run "
        "(complete); or some are run (tested).",
    )
    seed: int = setting(0, word_or_whole("random"), EFFORT, "Start of all random choices.")
    flags: tuple[str, ...] = setting(
        (),
        some_words(FLAGS, "flag", NO_FLAG),
        EFFORT,
        "Flags of floating point that rules may need which declare none, such as nsz,reassoc; none "
        "for no flag. A rule that needs more is refuted.",
    )
    use_tvm: bool = setting(True, SWITCH, EFFORT, "Confirm on TVM what NumPy computed.", name="tvm")
    hints: bool = setting(
        True, SWITCH, EFFORT, "Look for what a refuted rule lacks, and show hints."
    )
    keep_going: bool = setting(False, SWITCH, EFFORT, "Run later stages of refuted rules, too.")
    library: bool = setting(
        False, SWITCH, EFFORT, "Look at what rules do to each other: loops, shadows."
    )
    max_failures: int = setting(0, whole(0), EFFORT, "Stop after N failures; 0 is never.")
    jobs: int = setting(
        0,
        word_or_whole("auto"),
        EFFORT,
        "Worker processes; 0 verifies in this one; auto is one per processor.",
        flags=("-j", "--jobs"),
        shown="auto",
    )
    executor: str = setting(
        "local", TEXT, EFFORT, "Where rules are verified: local or dask://HOST:PORT."
    )
    budget: float = setting(0.0, BUDGET, LIMITS, "Time for the whole run; 0 is no limit.")
    rule_budget: float = setting(0.0, BUDGET, LIMITS, "Time for one rule; 0 is no limit.")
    shrink_budget: float = setting(
        0.0, BUDGET, LIMITS, "Time for making a counterexample smaller; 0 is none."
    )
    hint_budget: float = setting(
        3.0,
        LIMIT,
        LIMITS,
        "Processor time for finding the condition that a refuted rule lacks.",
    )
    stage_timeout: float = setting(600.0, LIMIT, LIMITS, "Time for one stage of one rule.")
    stage_timeouts: tuple[tuple[str, float], ...] = setting(
        (), TIMEOUTS, LIMITS, "Other times for some stages."
    )
    solver_limit: int = setting(
        4_000_000,
        SOLVER_LIMIT,
        LIMITS,
        f"Limit of one solver query. A second stands for {UNITS_PER_SECOND:,} units of the "
        "solver's resource count, so that answers are the same on every machine.",
        name="solver-timeout",
    )
    proof_steps: int = setting(
        50_000,
        whole(1),
        LIMITS,
        "Steps of the proof of one structure, which also bound its memory; a proof that needs more "
        "is left open.",
    )
    load_timeout: float = setting(
        30.0, LIMIT, LIMITS, "Time for importing a rule file, and for writing down one rule."
    )
    fail_on: tuple[str, ...] = setting(
        FAIL_ON, words(VERDICTS, "verdict"), GATE, "Verdicts that make the run fail."
    )
    exit_zero: bool = setting(
        False, SWITCH, GATE, "Exit with 0 whatever was found.", flags=("--exit-zero",)
    )
    strict_baseline: bool = setting(
        False,
        SWITCH,
        GATE,
        "Fail on entries of the baseline that are out of date; default where CI is set.",
    )
    allow_inconclusive: bool = setting(
        False, SWITCH, GATE, "A rule that passed may be inconclusive."
    )
    baseline: str = setting("", PATH, GATE, "File of known results to compare with.")
    cache: bool = setting(True, SWITCH, STORAGE, "Use results of earlier runs again.")
    cache_folder: str = setting(".gslverify/cache", PATH, STORAGE, "Where results are kept.")
    failures_folder: str = setting(
        ".gslverify/failures", PATH, STORAGE, "Where counterexamples are kept."
    )
    certificates: str = setting(
        "",
        PATH,
        STORAGE,
        "Folder for the certificates of proofs; a proof whose certificate is refused is open.",
    )
    docs_url: str = setting(
        "", URL, OUTPUT, "Where this documentation is published; SARIF links codes to their pages."
    )
    max_variants: int = 1000
    declining: bool = False
    explained: bool = True

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
