"""What the stages of a rule come to, and whether that is what the rule expects."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from gslverify.codes.expectation import EXPECTATION_UNEXAMINED, EXPECTATION_UNMET
from gslverify.codes.internal import CONTRADICTION
from gslverify.codes.levels import EMPTY_DIFFERS, EMPTY_REFUSED
from gslverify.codes.numeric import KERNEL_APART
from gslverify.corpus.declaration import CollectedRule, Unusable
from gslverify.corpus.suppression import owner_of, unsuppressed
from gslverify.finding import (
    CODES,
    REFUTING,
    Assurance,
    Finding,
    Level,
    RuleResult,
    StageResult,
    Verdict,
)
from gslverify.prove.claim import contradictions, is_proved_everywhere
from gslverify.settings import Settings

COLLECTION = "collection"
"""Stands in place of a stage where no rule could be collected."""

Keep = Callable[[str, str, Finding], Finding]


def kept(item: CollectedRule, rule_hash: str, result: StageResult, keep: Keep) -> StageResult:
    """Return a result whose counterexamples were put where `keep` says, but for expected ones."""
    findings = [
        finding
        if finding.counterexample is None or finding.code.id == item.rule.expect
        else keep(item.rule_id, rule_hash, finding)
        for finding in result.findings
    ]
    return replace(result, findings=tuple(findings)) if findings else result


def unusable_result(item: Unusable) -> RuleResult:
    """Return the result of what gave no rule."""
    finding = item.finding
    stage = StageResult(COLLECTION, finding.code.verdict, (finding,))
    return RuleResult(item.rule_id, finding.span, (stage,))


def rule_result(
    item: CollectedRule, stages: tuple[StageResult, ...], settings: Settings
) -> RuleResult:
    """Return what stages say of a rule, and whether it is what the rule and its comments expect."""
    rule = item.rule
    stages = _within_sizes(stages)
    plain = RuleResult(item.rule_id, rule.span, stages, rule.expect)
    remarks = tuple(_unmet_expectation(plain, rule.twin)) if rule.expect in CODES else ()
    remarks += (*_contradiction(plain), *item.warnings)
    shown, remarks = unsuppressed(item, stages, remarks, OWNERS, settings)
    return RuleResult(item.rule_id, rule.span, shown, rule.expect, remarks, rule.expect_reason)


def _within_sizes(stages: tuple[StageResult, ...]) -> tuple[StageResult, ...]:
    """Say of proofs that they begin at size 1 where the rule is another one for empty tensors."""
    found = {finding.code for stage in stages for finding in stage.findings}
    if not found & {EMPTY_REFUSED, EMPTY_DIFFERS}:
        return stages
    return tuple(
        replace(stage, assurances=tuple(map(_from_size_one, stage.assurances))) for stage in stages
    )


def _from_size_one(assurance: Assurance) -> Assurance:
    is_proof = assurance.level is Level.PROVED and assurance.subject in ("shape", "prove")
    return replace(assurance, text=f"{assurance.text}, sizes from 1") if is_proof else assurance


def _contradiction(result: RuleResult) -> Iterator[Finding]:
    """Yield that a proof or a refutation must be wrong, if a rule has both."""
    against = {str(one.code) for one in contradictions(result.assurances, result.findings)}
    explained = any(one.code is KERNEL_APART for one in result.findings)
    if against and not explained and is_proved_everywhere(result.assurances):
        message = f"the rule is proved, and refuted by {', '.join(sorted(against))}"
        cure = "please report the rule: the proof or the refutation is wrong"
        yield Finding(CONTRADICTION, message, result.span, cure)


def _unmet_expectation(result: RuleResult, twin: str) -> Iterator[Finding]:
    if result.verdict in (Verdict.XFAIL, Verdict.ERROR, Verdict.INCONCLUSIVE):
        return
    owner = owner_of(result.expect, OWNERS)
    ran = {stage.stage for stage in result.stages if not stage.skipped}
    refuted = result.verdict in REFUTING
    if owner in ran or refuted or not owner:
        found = sorted({f.code.id for f in result.findings if not f.code.is_warning})
        instead = f"; it is refuted by {', '.join(found)} instead" if found else ""
        of_twin = f" (its sound twin is `{twin}`)" if twin else ""
        message = f"the rule expects {result.expect}, which was not found{instead}{of_twin}"
        cure = "correct `expect`, or remove it if the rule has become right"
        yield Finding(EXPECTATION_UNMET, message, result.span, cure)
    else:
        message = f"the rule expects {result.expect}, but stage {owner} was not run"
        cure = f"add {owner} to --stages"
        yield Finding(EXPECTATION_UNEXAMINED, message, result.span, cure)


OWNERS = {
    "GSL1": "static",
    "GSL2": "satisfiable",
    "GSL3": "shape",
    "GSL4": "numeric",
    "GSL45": "gradient",
    "GSL481": "preconditions",
    "GSL482": "preconditions",
    "GSL5": "examples",
}
"""The stage that reports the codes of a family; a longer beginning counts more."""
