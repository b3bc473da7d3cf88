"""Results of made-up rules, for tests of reports."""

from __future__ import annotations

from pathlib import Path

from gsl.span import Span
from gslverify.codes.expectation import EXPECTATION_UNMET
from gslverify.codes.internal import INTERNAL_ERROR
from gslverify.codes.numeric import OUTPUTS_DIFFER, TOO_FEW_EXAMPLES
from gslverify.codes.static import SILENT_DEFAULT
from gslverify.events import Event, RuleDone, RunDone, RunStarted
from gslverify.finding import (
    Assurance,
    Counterexample,
    Difference,
    Finding,
    Level,
    Mismatch,
    RuleResult,
    StageResult,
    Tensor,
    Verdict,
)
from gslverify.settings import Settings

SOURCE = """\
from gsl import Subst, op, pat, rule


@rule()
def two_conv_add() -> Subst:
    y = op.Conv2D(x, w, **pat.same_attr(conv1))
    return Subst(conv1 + conv2, y)
"""

EXAMPLE = Counterexample(
    attributes={"conv1.groups": 2, "conv1.strides[0]": 1, "conv1.strides[1]": 3},
    source=("%0 = Conv2D(x, w, groups=2)", "return %0"),
    target=("%0 = Concatenate((x, x), axis=1)", "%1 = Conv2D(%0, w, groups=2)", "return %1"),
    inputs=(
        Tensor("x", "float32", (1, 2), [[0.0, 1.5]]),
        Tensor("w", "float32", (4, 8), None),
    ),
    outputs=(
        Difference(
            "y",
            2,
            4,
            3.0,
            (Mismatch((0, 1), 4.0, 1.0), Mismatch((0, 0), float("nan"), 2.0)),
            "one of them is NaN",
        ),
    ),
    notes=("TVM computes different outputs, too",),
)


def passing(folder: Path) -> RuleResult:
    shape = StageResult(
        "shape",
        Verdict.PASS,
        assurances=(Assurance("shape", Level.PROVED, "proved, rank 4"),),
        counts={"structures": 3},
        seconds=0.25,
    )
    numeric = StageResult(
        "numeric",
        Verdict.PASS,
        assurances=(
            Assurance("", Level.EXACT, "exact, 31 graphs"),
            Assurance("", Level.BOUNDED, "bounded, 10 graphs"),
        ),
        counts={"graphs": 41},
        seconds=1.0,
    )
    stages = (StageResult("static", Verdict.PASS), shape, numeric)
    return RuleResult("conv.py::diamond", Span(str(folder / "conv.py"), 1), stages)


def failing(folder: Path) -> RuleResult:
    """A rule with a warning and a counterexample; its file is written to `folder`."""
    file = folder / "conv.py"
    file.write_text(SOURCE, "utf-8")
    warning = Finding(SILENT_DEFAULT, "`groups` takes the default", Span(str(file), 6, 9, 6, 48))
    static = StageResult("static", Verdict.PASS, (warning,))
    finding = Finding(
        OUTPUTS_DIFFER,
        "output y: 2 of 4 elements differ",
        Span(str(file), 6, 9, 6, 48),
        "add groups=1 to conv1",
        ("found after 6 graphs that agreed, seed 0",),
        EXAMPLE,
        "y",
    )
    numeric = StageResult("numeric", Verdict.FAIL, (finding,), counts={"graphs": 7}, seconds=2.0)
    return RuleResult("conv.py::two_conv_add", Span(str(file), 4), (static, numeric))


def undecided() -> RuleResult:
    finding = Finding(TOO_FEW_EXAMPLES, "only 3 of 20 graphs", details=("rejected by x: 17",))
    stage = StageResult("numeric", Verdict.INCONCLUSIVE, (finding,))
    skipped = StageResult("gradient", Verdict.INCONCLUSIVE, skipped="nothing to differentiate")
    return RuleResult("other.py::undecided", None, (stage, skipped))


def crashed() -> RuleResult:
    details = ("Traceback (most recent call last):", "ZeroDivisionError: by zero")
    finding = Finding(INTERNAL_ERROR, "stage shape raised", details=details)
    return RuleResult("other.py::crashed", None, (StageResult("shape", Verdict.ERROR, (finding,)),))


def expected() -> RuleResult:
    finding = Finding(OUTPUTS_DIFFER, "as everybody knows")
    stage = StageResult("numeric", Verdict.FAIL, (finding,))
    reason = "issue 12 <of 7>"
    name = "other.py::wrong_on_purpose"
    return RuleResult(name, None, (stage,), "GSL401", expect_reason=reason)


def unmet() -> RuleResult:
    remark = Finding(EXPECTATION_UNMET, "the rule expects GSL401, which was not found")
    stage = StageResult("numeric", Verdict.PASS)
    return RuleResult("other.py::mended", None, (stage,), "GSL401", (remark,))


def events_for(results: list[RuleResult], stop_reason: str = "") -> list[Event]:
    """Return the events of a run that ends with these results."""
    ids = tuple(result.rule_id for result in results)
    start = RunStarted(ids, ("static", "numeric"), Settings(seed=3))
    done = RunDone(tuple(results), 58.23, stop_reason)
    return [start, *(RuleDone(result) for result in results), done]
