"""What verification says: codes, findings with their counterexamples, verdicts, assurance."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from gsl.span import Span
from gslverify.documents import named

if TYPE_CHECKING:
    from gslverify.case import Case


class Verdict(StrEnum):
    """The outcome for a rule or for one stage of it; "could not tell" is never PASS nor FAIL.

    PASS promises what the assurance beside it says and nothing more.
    """

    PASS = "PASS"
    FAIL = "FAIL"
    VACUOUS = "VACUOUS"
    INCONCLUSIVE = "INCONCLUSIVE"
    ERROR = "ERROR"
    XFAIL = "XFAIL"


SEVEREST_FIRST = (Verdict.FAIL, Verdict.VACUOUS, Verdict.ERROR, Verdict.INCONCLUSIVE, Verdict.PASS)
"""When stages disagree the verdict of the rule is the first of these that occurs."""

REFUTING = frozenset({Verdict.FAIL, Verdict.VACUOUS})
"""Verdicts after which the later stages have nothing to add."""

FAILURES = REFUTING | {Verdict.ERROR}
"""Verdicts that make a run fail."""


class Level(IntEnum):
    """How much a PASS means; several levels may hold at once."""

    TESTED = 1
    BOUNDED = 2
    EXACT = 3
    IDENTITY = 4
    PROVED = 5


class Reach(IntEnum):
    """What an assurance is about: how much of what a rule can match."""

    GRAPHS = 1
    INPUTS = 2
    SIZES_IN_PART = 3
    SIZES = 4


@dataclass(frozen=True, slots=True)
class Assurance:
    """One thing that was established, in the words that are printed: "exact, 60 graphs".

    Its `reach` is the graphs that were run, all inputs of small graphs, or all sizes, of some or of
    all structures. `flags` (`gsl.flags`) were seen to be needed.
    """

    subject: str
    level: Level
    text: str
    reach: Reach = field(default=Reach.GRAPHS, metadata=named(""))
    flags: tuple[str, ...] = field(default=(), metadata=named(""))

    def __str__(self) -> str:
        return f"{self.subject} {self.text}" if self.subject else self.text


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of finding, with the page that `gslverify explain` prints.

    `verdict` is what a finding of this kind does to its rule; a code whose verdict is PASS is a
    warning. `bad` is a rule file that triggers the code, `good` the mended one; both are
    executed by the tests.
    """

    id: str
    name: str
    title: str
    verdict: Verdict
    meaning: str
    bad: str = ""
    good: str = ""

    @property
    def is_warning(self) -> bool:
        """Whether the finding leaves the verdict of the rule alone."""
        return self.verdict is Verdict.PASS

    def __str__(self) -> str:
        return self.id


CODES: dict[str, Code] = {}


def code(code_id: str, name: str, title: str, verdict: Verdict, **page: str) -> Code:
    """Register a code; ids are never reused."""
    if code_id in CODES:
        raise ValueError(f"code {code_id} is registered twice")
    CODES[code_id] = Code(code_id, name, title, verdict, **page)
    return CODES[code_id]


@dataclass(frozen=True, slots=True)
class Tensor:
    """An input of a counterexample: its values as nested lists, row by row."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    values: Any


@dataclass(frozen=True, slots=True)
class Mismatch:
    """An element of an output, and what source and target compute for it."""

    index: tuple[int, ...]
    source: Any
    target: Any


@dataclass(frozen=True, slots=True)
class Difference:
    """How one output differs; `worst` lists elements, the worst first.

    `sentence` says what cannot be said by elements, such as a difference of types.
    """

    output: str = field(metadata=named("name"))
    mismatched: int
    total: int
    max_abs: float
    worst: tuple[Mismatch, ...]
    sentence: str = ""

    @property
    def summary(self) -> str:
        """The difference in one sentence."""
        if self.sentence:
            return self.sentence
        share = f"{self.mismatched} of {self.total} elements differ"
        return f"{self.output}: {share}, by up to {self.max_abs:g}"


@dataclass(frozen=True, slots=True)
class Counterexample:
    """An instance on which a rule is wrong, small enough to check by hand.

    `source` and `target` are listings in static single assignment form, one statement per line;
    `attributes` gives the values of attributes and sizes by the names that the rule uses.
    `source_values` and `target_values` are what each statement computes, as nested lists, and None
    for what is too large. `matters` says for which other values of an attribute the rule holds,
    `same_for_any` names those that made no difference; both were tried, not guessed. `case` holds
    the graphs and inputs themselves.
    """

    derived: ClassVar[tuple[str, ...]] = ("shapes",)

    attributes: Mapping[str, Any] = field(metadata=named("attrs"))
    source: tuple[str, ...] = field(metadata=named("source_ssa"))
    target: tuple[str, ...] = field(metadata=named("target_ssa"))
    inputs: tuple[Tensor, ...] = ()
    outputs: tuple[Difference, ...] = ()
    notes: tuple[str, ...] = ()
    source_values: tuple[Any, ...] = ()
    target_values: tuple[Any, ...] = ()
    divergence: str = ""
    matters: tuple[str, ...] = ()
    same_for_any: tuple[str, ...] = ()
    case: Case | None = field(default=None, repr=False, compare=False, metadata=named(""))

    @property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        """The shapes of the inputs by their names."""
        return {tensor.name: tensor.shape for tensor in self.inputs}


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong, suspicious or undecided about a rule, with its place and its cure.

    `condition` is one that makes the rule hold, as its author would write it, where one was found.
    `stored` is the file that holds the counterexample for `gslverify repro`, once there is one.
    """

    code: Code
    message: str
    span: Span | None = None
    cure: str = ""
    details: tuple[str, ...] = ()
    counterexample: Counterexample | None = None
    subject: str = ""
    stored: str = ""
    condition: str = ""

    def fingerprint(self, rule_id: str) -> str:
        """Return a hash of rule, code and subject that survives edits elsewhere in the file."""
        text = f"{rule_id}\0{self.code}\0{self.subject}"
        return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class StageResult:
    """What one stage found out about one rule.

    The stage that writes the rule down gives its hash and the names of its operators. A `witness`
    is a graph on which both sides agree. What is `cached` was found out by an earlier run.
    `coverage` is the record of `gslverify.coverage.record` where examples were run, `flags` that of
    `gslverify.trials.flags` where it was asked what a rule does to floating point. `notes` say
    what the stage has to add that counts neither for nor against the rule. The `plan` is what was
    known of the structures of the rule when the stage ended, for later stages. What a stage tried
    to show and could not is `open`: that is no pass of the stage, and leaves the rule to others.
    `hint_seconds` were spent on looking for what the rule lacks, after the `seconds` of the stage.
    """

    stage: str
    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    assurances: tuple[Assurance, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    skipped: str = ""
    rule_hash: str = ""
    operators: tuple[str, ...] = ()
    witness: Case | None = field(default=None, repr=False, compare=False)
    cached: bool = field(default=False, compare=False)
    coverage: Mapping[str, Any] = field(default_factory=dict)
    flags: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    plan: tuple[Any, ...] = field(default=(), repr=False, compare=False)
    open: str = ""
    hint_seconds: float = field(default=0.0, compare=False)

    @property
    def status(self) -> str:
        """What became of the stage: "skipped", "open", or its verdict in small letters."""
        if self.skipped:
            return "skipped"
        return "open" if self.open and self.verdict is Verdict.PASS else self.verdict.lower()


@dataclass(frozen=True, slots=True)
class RuleResult:
    """Everything that was found out about one rule; `remarks` are findings of no stage.

    `expect` is the code that the rule must be refuted by, if any, and `expect_reason` says why.
    `again` is the command that asks the same again; empty for `gslverify check` with the rule.
    """

    rule_id: str
    span: Span | None
    stages: tuple[StageResult, ...]
    expect: str = ""
    remarks: tuple[Finding, ...] = ()
    expect_reason: str = ""
    again: str = ""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of all stages in order, then the remarks."""
        found = [finding for stage in self.stages for finding in stage.findings]
        return (*found, *self.remarks)

    @property
    def assurances(self) -> tuple[Assurance, ...]:
        """What all stages established, strongest first."""
        found = [assurance for stage in self.stages for assurance in stage.assurances]
        return tuple(sorted(found, key=lambda assurance: -assurance.level))

    @property
    def rule_hash(self) -> str:
        """The hash of what the rule says; empty when it could not be written down."""
        return next((stage.rule_hash for stage in self.stages if stage.rule_hash), "")

    @property
    def seconds(self) -> float:
        """Time spent on the rule, on hints, too."""
        return sum(stage.seconds for stage in self.stages) + self.hint_seconds

    @property
    def hint_seconds(self) -> float:
        """Time spent on looking for a condition that the rule lacks."""
        return sum(stage.hint_seconds for stage in self.stages)

    @property
    def plain_verdict(self) -> Verdict:
        """The verdict as if nothing was expected of the rule."""
        verdicts = {stage.verdict for stage in self.stages if not stage.skipped}
        verdicts |= {remark.code.verdict for remark in self.remarks}
        return next((v for v in SEVEREST_FIRST if v in verdicts), Verdict.INCONCLUSIVE)

    @property
    def verdict(self) -> Verdict:
        """The verdict: XFAIL when the rule is refuted by the code that it expects.

        That counts for nothing where a remark says that the verifier itself is wrong.
        """
        errors = {finding.code.id for finding in self.findings if not finding.code.is_warning}
        is_doubtful = any(remark.code.verdict is Verdict.ERROR for remark in self.remarks)
        met = self.expect in errors and not is_doubtful
        return Verdict.XFAIL if met else self.plain_verdict
