"""The record of what networks had in them, what they had not, and why."""

from __future__ import annotations

from typing import Any

import pytest

from gsl import Subst, attr, op, pat
from gsl.attr.term import Term
from gsl.expr import Call, Expr, Var
from gsl.operators import lookup
from gslverify.coverage.record import (
    EXCLUDED,
    NO_STRUCTURE,
    NOT_DRAWN,
    Coverage,
    demands,
    explained,
    possibilities,
    record,
)
from gslverify.coverage.uncovered import EMPTY, survey, with_corner
from gslverify.events import RunDone
from gslverify.finding import RuleResult, StageResult, Verdict
from gslverify.networks.network import Network
from gslverify.report.json import document, dumps
from gslverify.report.record import Report
from gslverify.report.verbose import coverage_lines
from gslverify.settings import Settings
from gslverify.stages.numeric import NUMERIC
from gslverify.structures.variants import enumerate_variants
from tests.gslverify.rules import samplers_of
from tests.gslverify.stages.asking import ask


def call(name: str, *operands: Expr, **attributes: Any) -> Expr:
    return Call(lookup(name), operands, attributes)


def network(*outputs: Expr, context: str = "alone") -> Network:
    return Network(outputs, outputs, context)


def product() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(x * y, y * x)


SQUARE = network(call("Multiply", Var("a", (2, 2)), Var("b", (2, 2))))
ROW = network(call("Multiply", Var("a", (3,)), Var("b", (2, 3))), context="twice")


def test_networks_are_counted() -> None:
    found = record(product(), [SQUARE, SQUARE, ROW])
    assert found.seen["x.rank", "2"] == 2
    assert found.seen["x.rank", "1"] == 1
    assert found.seen["context", "alone"] == 2
    assert found.seen["multiply.broadcast", "first has fewer axes"] == 1
    assert ("x.rank", "1") not in found.missing
    assert found.missing["x.rank", "0"] == NO_STRUCTURE


def test_the_record_of_nothing_is_empty() -> None:
    assert record(product(), []).plain() == {"seen": {}, "missing": []}


def test_a_network_that_does_not_match_counts_its_context_only() -> None:
    found = record(product(), [network(call("Abs", Var("a", (2,))))])
    assert found.plain() == {"seen": {"context": {"alone": 1}}, "missing": []}


def test_what_is_possible_has_another_reason() -> None:
    subst = product()
    instances = [variant.instance(subst) for variant in enumerate_variants(subst).variants]
    possible = possibilities(instances)
    found = explained(record(subst, [SQUARE]), possible)
    assert found.missing["x.rank", "3"] == NOT_DRAWN
    assert found.missing["x.dtype", "int8"] == NOT_DRAWN
    assert found.missing["x.filled", "computed"] == NOT_DRAWN
    assert found.missing["x.rank", "5"] == NO_STRUCTURE
    wanted = demands(found, possible)
    assert all(isinstance(term, Term) for term in wanted["x.dtype", "int8"].values())
    assert ("x.rank", "5") not in wanted


def test_the_plain_record_is_in_order_and_may_become_json() -> None:
    plain = record(product(), [ROW, SQUARE]).plain()
    assert list(plain["seen"]) == sorted(plain["seen"])
    assert set(plain["missing"][0]) == {"facet", "value", "reason"}
    assert '"x.rank"' in dumps(plain)


def test_ways_through_conditional_targets() -> None:
    def conditional() -> Subst:
        x = pat.Wildcard()
        return Subst(op.Relu(op.Relu(x)), pat.Cond(x.ndim == 1, op.Relu(x), op.Maximum(x, 0)))

    def relus(*shape: int) -> Network:
        return network(call("Relu", call("Relu", Var("a", shape))))

    found = record(conditional(), [relus(2), relus(2, 2), relus(3)])
    assert found.seen["arms", "true"] == 2
    assert found.seen["arms", "false"] == 1


# What was missed is asked of the solver, and drawn on purpose.


def few_groups() -> Subst:
    x, w = pat.Wildcard(), pat.Variable()
    conv = op.Conv2D(x, w)
    return Subst(op.Relu(op.Relu(conv)), op.Relu(conv), where=[conv.groups <= 2])


@pytest.mark.smt
def test_what_the_conditions_exclude_is_told_from_what_was_missed() -> None:
    def narrow() -> Subst:
        x, y = pat.Wildcard(), pat.Wildcard()
        return Subst(x * y, y * x, where=[x.shape == y.shape, attr.In(x.dtype, ("int8", "int32"))])

    subst, samplers = narrow(), samplers_of(narrow())
    found = survey(samplers[0].instance.subst, [], samplers)
    final = found.final(subst, [])
    assert final.missing["x.dtype", "float32"] == EXCLUDED
    assert final.missing["multiply.broadcast", "first is stretched"] == EXCLUDED
    assert final.missing["x.dtype", "int8"] == NOT_DRAWN
    assert final.missing["x.size", "0"] == EMPTY


@pytest.mark.smt
def test_conditions_become_corners() -> None:
    samplers = samplers_of(few_groups(), most=2)
    found = survey(samplers[0].instance.subst, [], samplers)
    assert found.open
    corner = max(len(sampler.corners) for sampler in samplers) + 3
    chosen = with_corner(samplers, found.open[0], corner)
    assert chosen
    for sampler in chosen:
        assert len(sampler.corners) == corner + 1
        assert any(sampler.corners[corner] is term for term in found.open[0].values())


@pytest.mark.smt
def test_the_stage_reports_what_it_covered() -> None:
    result = ask(NUMERIC, few_groups, max_examples=24, min_examples=8, max_variants=8)
    seen = result.coverage["seen"]
    assert {"1", "2 or more"} <= seen["conv.groups"].keys()
    assert {"1", "2 or more", "all 0", "all different"} <= seen["conv.padding"].keys()
    assert {"all 1", "2", "3 or more", "all different"} <= seen["conv.strides"].keys()
    assert {"alone", "twice", "inputs constant"} <= seen["context"].keys()
    reasons = {one["reason"] for one in result.coverage["missing"]}
    assert reasons <= {NOT_DRAWN, NO_STRUCTURE, EXCLUDED, EMPTY}


def test_coverages_are_equal_only_if_they_say_the_same() -> None:
    assert Coverage() == Coverage()
    assert record(product(), [SQUARE]) != record(product(), [ROW])


# Reports.


def covered() -> StageResult:
    return StageResult("numeric", Verdict.PASS, coverage=record(product(), [SQUARE, ROW]).plain())


def test_the_text_report_counts_aspects_and_gives_reasons() -> None:
    first, *reasons = coverage_lines(covered(), 80)
    seen, total = (int(word) for word in first.split() if word.isdigit())
    assert 0 < seen < total
    assert f"  {NO_STRUCTURE}" in reasons
    (ranks,) = (line for line in reasons if line.startswith("    x.rank "))
    assert ranks.split("x.rank")[1].strip() == "0, 3, 4, 5"
    assert list(coverage_lines(StageResult("shape", Verdict.PASS), 80)) == []


def test_the_json_report_has_the_record() -> None:
    rule_result = RuleResult("file::rule", None, (covered(), StageResult("shape", Verdict.PASS)))
    report = document(Report(RunDone((rule_result,), 0.0), Settings(), (), 0))
    (told,) = report["rules"]
    first, second = told["stages"]
    assert first["coverage"] == dict(covered().coverage)
    assert second["coverage"] is None
