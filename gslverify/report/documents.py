"""What a JSON report says, record by record: its text, its schema and its reader are made of these.

Fields are added, never changed or removed; one that is added has a default, so that reports of
older releases are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from gsl.span import Span
from gslverify.documents import BY_NAME, Limits
from gslverify.finding import Assurance, Counterexample, Verdict
from gslverify.report.drawings import Sides
from gslverify.report.strength import Strength

SCHEMA_VERSION: Literal[1] = 1

COMPLETED = "completed"
"""Why a run ended that left nothing out."""

Word = Annotated[Verdict, BY_NAME]
Seconds = Annotated[float, Limits(type="number", minimum=0)]
Status = Annotated[str, Limits(enum=[*(verdict.lower() for verdict in Verdict), "open", "skipped"])]
Hash = Annotated[str, Limits(pattern="^sha256:[0-9a-f]{64}$")]


@dataclass(frozen=True, slots=True)
class FindingDocument:
    """A finding with its counterexample; `repro` verifies its rule again, `known` is a reason."""

    fingerprint: Annotated[str, Limits(pattern="^[0-9a-f]{16}$")]
    code: Annotated[str, Limits(pattern="^GSL[0-9]{3}$")]
    level: Literal["error", "warning"]
    verdict: Word
    message: str
    cure: str
    details: tuple[str, ...]
    span: Span | None
    repro: str
    counterexample: Counterexample | None
    condition: str | None = None
    source_line: str = ""
    stored: str | None = None
    known: str | None = None


@dataclass(frozen=True, slots=True)
class ExamplesDocument:
    """How many graphs were wanted and run; None stands for what a stage did not count."""

    wanted: int
    run: int | None
    rejected: int | None
    draws: int | None


@dataclass(frozen=True, slots=True)
class MissingDocument:
    """A value of a facet that no graph had, and why."""

    facet: str
    value: str
    reason: str


@dataclass(frozen=True, slots=True)
class CoverageDocument:
    """How many graphs had which value of which facet, and which values none had."""

    seen: Mapping[str, Mapping[str, int]]
    missing: tuple[MissingDocument, ...]


@dataclass(frozen=True, slots=True)
class StageDocument:
    """What a stage found out, without its time; the `reason` is that of what it did not do."""

    name: str
    status: Status
    reason: str | None
    counts: Mapping[str, int]
    notes: tuple[str, ...]
    coverage: CoverageDocument | None
    examples: ExamplesDocument | None


@dataclass(frozen=True, slots=True)
class WitnessDocument:
    """A graph on which a rule needs a flag."""

    sentence: str
    source: tuple[str, ...]
    target: tuple[str, ...]
    inputs: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FlagsDocument:
    """What a rule does to floating point: flags declared and needed, and errors by dtype."""

    declared: tuple[str, ...] | None
    needed: tuple[str, ...]
    unneeded: tuple[str, ...]
    rounding_known: bool
    bit_exact: bool
    graphs: int
    witnesses: Mapping[str, WitnessDocument]
    units_in_the_last_place: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class RuleDocument:
    """Everything that was found out about one rule."""

    id: str
    span: Span | None
    ir_hash: Hash | None
    verdict: Word
    expected: str | None
    expected_reason: str | None
    assurance: tuple[Assurance, ...]
    strength: Strength
    flags: FlagsDocument | None
    stages: tuple[StageDocument, ...]
    findings: tuple[FindingDocument, ...]
    drawing: Sides | None


@dataclass(frozen=True, slots=True)
class RunDocument:
    """What was verified how, and why the run ended."""

    argv: tuple[str, ...]
    paths: tuple[str, ...]
    profile: str
    tags: tuple[str, ...]
    expression: str | None
    changed_since: str | None
    stages: tuple[str, ...]
    max_examples: int
    min_examples: int
    draws: int
    seed: int
    use_tvm: bool
    keep_going: bool
    solver_limit: int
    budget_s: Seconds | None
    rule_budget_s: Seconds | None
    shard: Annotated[str, Limits(pattern="^[0-9]+/[0-9]+$")]
    exit_code: int
    stop_reason: str


@dataclass(frozen=True, slots=True)
class TimingDocument:
    """Where the time went, and what earlier runs had found out, by rule."""

    total_s: Seconds
    jobs: int
    rules: Mapping[str, Seconds]
    stages: Mapping[str, Mapping[str, Seconds]]
    hints: Mapping[str, Seconds]
    cached: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class ReportDocument:
    """A run with all its rules, also those that pass; equal runs differ only below `timing`."""

    schema_version: Literal[1]
    tool: Mapping[str, str]
    run: RunDocument
    rules: tuple[RuleDocument, ...]
    summary: Mapping[str, int]
    timing: TimingDocument
