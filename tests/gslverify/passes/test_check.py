"""Passes of users: what is wrong is found, what is right stays silent."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gsl import Subst, Workload, op, pat
from gsl.engine.fixpoint import apply
from gsl.expr import Call, Const, Expr, Var
from gsl.operators import lookup
from gslverify.passes import (
    Ending,
    Executable,
    PassReport,
    check,
    checking,
    made,
    source,
    sourced,
)
from gslverify.passes.judging import agreement, differing

GRAPHS = 24
LONG = 40
"""Of constants whose text is cut."""

COUNTER = itertools.count()


@source(contexts=("alone", "outputs used"))
def relus() -> Any:
    return op.Relu(op.Relu(pat.Wildcard()))


@source(contexts=("alone",), dtypes=("float32",))
def difference() -> Any:
    return op.Subtract(pat.Wildcard(), pat.Wildcard())


def using(subst: Subst) -> Callable[[Workload], Workload]:
    return lambda workload: apply(workload, [subst])


def idempotent() -> Subst:
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x))


def swapped() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.Subtract(x, y), op.Add(y, x))


def found(function: Any, *sources: Any) -> PassReport:
    return check(function, sources, graphs=GRAPHS, seconds=3.0)


def test_a_sound_pass_has_no_findings() -> None:
    report = found(using(idempotent()), relus, difference)

    assert report.is_sound
    assert report.tried >= GRAPHS
    assert 0 < report.rewritten < report.tried


def test_a_pass_that_forgets_a_condition_is_found_with_a_small_graph() -> None:
    report = found(using(swapped()), difference)

    (finding,) = report.findings
    assert finding.verdict.ending is Ending.DIFFERS
    assert finding.count > GRAPHS // 4
    assert len(finding.verdict.before) == 2
    assert finding.verdict.before[0].startswith("%0 = Subtract(")


def test_the_same_seed_gives_the_same_report() -> None:
    assert found(using(swapped()), difference) == found(using(swapped()), difference)


def call(name: str, *operands: Expr, **attributes: Any) -> Call:
    return Call(lookup(name), operands, attributes)


def other_dtype(workload: Workload) -> Workload:
    return Workload([call("Cast", one, dtype="float64") for one in workload.outputs])


def raises(workload: Workload) -> Workload:
    raise ValueError(f"no rule for {len(workload.outputs)} outputs")


def crashes(workload: Workload) -> Workload:
    os.abort()


def hangs(workload: Workload) -> Workload:
    time.sleep(60)
    return workload


def random(workload: Workload) -> Workload:
    number = Const(np.full((1,), next(COUNTER), np.float32))
    return Workload(
        [call("Add", one, call("Subtract", number, number)) for one in workload.outputs]
    )


def mutates(workload: Workload) -> Workload:
    for expr in workload.order:
        if isinstance(expr, Call):
            expr.operands = tuple(reversed(expr.operands))
    return workload


def no_graph(workload: Workload) -> Any:
    return [str(one) for one in workload.outputs]


def cyclic(workload: Workload) -> Workload:
    one = call("Negative", workload.outputs[0])
    other = call("Negative", one)
    one.operands = (other,)
    return Workload([other])


def cyclic_in_place(workload: Workload) -> Workload:
    one = call("Negative", workload.outputs[0])
    new = Workload([call("Negative", one)])
    one.operands = new.outputs
    return new


def retyped(workload: Workload) -> Workload:
    """Change nothing but the types of inputs, which the text of a graph does not show."""
    wide = {
        one: Var(one.name, one.shape, "float8_e5m2")
        for one in workload.order
        if isinstance(one, Var)
    }
    made: dict[Expr, Expr] = {}
    for expr in workload.order:
        operands = tuple(made[one] for one in expr.operands)
        made[expr] = wide.get(expr) or (expr.with_operands(operands) if operands else expr)
    return Workload([made[one] for one in workload.outputs])


def ill_typed(workload: Workload) -> Workload:
    one = call("Negative", workload.outputs[0])
    one.operands = (Var("wide", (7, 7, 7), "float32"), *one.operands)
    return Workload([one])


def crashes_when_run(workload: Workload) -> Executable:
    return Executable(lambda inputs: os.abort())


def itself(workload: Workload) -> Workload:
    return workload


def test_a_process_that_ends_while_graphs_are_compared_says_nothing_about_the_pass() -> None:
    report = found(crashes_when_run, difference)

    assert report.is_sound
    assert sum(report.untold.values()) == report.tried
    assert all(why.startswith("running the graphs") for why in report.untold)


@pytest.mark.parametrize(
    ("function", "ending"),
    [
        (other_dtype, Ending.OTHER_TYPES),
        (raises, Ending.RAISES),
        (crashes, Ending.ENDS_PROCESS),
        (random, Ending.RANDOM),
        (mutates, Ending.MUTATES),
        (no_graph, Ending.ILL_FORMED),
        (cyclic, Ending.RAISES),
        (cyclic_in_place, Ending.ILL_FORMED),
        (retyped, Ending.ILL_FORMED),
        (ill_typed, Ending.ILL_FORMED),
    ],
)
def test_whatever_a_pass_does_is_one_finding(function: Any, ending: Ending) -> None:
    report = check(function, [difference], graphs=4, seconds=3.0)

    (finding,) = report.findings
    assert finding.verdict.ending is ending
    assert finding.count == report.tried
    assert finding.verdict.before
    assert function.__name__ == report.name
    assert "test_check.py:" in report.place


def test_a_pass_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "SECONDS", 0.5)
    report = check(hangs, [difference], graphs=2, seconds=0.5)

    assert [one.verdict.ending for one in report.findings] == [Ending.HANGS]


def last_weight_changed(workload: Workload) -> Workload:
    made: dict[Expr, Expr] = {}
    for expr in workload.order:
        operands = tuple(made[one] for one in expr.operands)
        made[expr] = expr.with_operands(operands) if operands else expr
        if isinstance(expr, Const) and expr.value.size == LONG:
            made[expr] = Const(np.append(expr.value[:-1], expr.value[-1:] + 1))
    return Workload([made[one] for one in workload.outputs])


def test_a_constant_that_changes_beyond_what_its_text_shows_is_another_one() -> None:
    """Such a graph counted as one that the pass leaves as it is."""

    def weighted(choices: Any) -> Workload:
        weights = np.arange(LONG, dtype=np.float32)
        return Workload([call("Add", Var("x", (LONG,)), Const(weights))])

    report = check(last_weight_changed, [made(weighted)], graphs=4)

    (finding,) = report.findings
    assert finding.verdict.ending is Ending.DIFFERS


def test_a_pass_that_does_nothing_is_silent() -> None:
    report = found(itself, difference, relus)

    assert (report.rewritten, report.findings) == (0, ())


class Pipeline:
    """Three passes, of which the second is wrong."""

    name, place = "pipeline", "here"

    def __init__(self, *functions: Callable[[Workload], Workload], name: str = "pipeline") -> None:
        self.functions, self.name = functions, name

    @property
    def steps(self) -> list[Pipeline]:
        starts = range(1, len(self.functions) + 1)
        return [Pipeline(*self.functions[:n], name=f"pass {n}") for n in starts]

    def rewrite(self, workload: Workload) -> Workload:
        for function in self.functions:
            workload = function(workload)
        return workload

    def script(self, workload: Workload, inputs: Any) -> str:
        return f"print({len(inputs)})"


def test_a_pipeline_is_bisected() -> None:
    report = found(Pipeline(itself, using(swapped()), itself), difference)

    (finding,) = report.findings
    assert finding.verdict.message.startswith("pass 2: ")
    assert finding.verdict.script == "print(2)"


def test_graphs_may_be_made_by_functions() -> None:
    def squares(choices: Any) -> Workload:
        x = Var("x", (1 + choices.number(3),))
        return Workload([call("Subtract", x, call("Square", x))])

    report = check(using(swapped()), [made(squares)], graphs=6)

    assert [one.experiment for one in report.findings] == ["squares"]


def test_sources_may_have_conditions() -> None:
    x = pat.Wildcard()
    subst = sourced(op.Relu(x), [x.ndim == 2])

    assert len(subst.where) == 1


def test_what_is_no_pass_and_no_source_is_refused() -> None:
    with pytest.raises(TypeError, match="neither a rewriter nor a function"):
        check(3, [difference])
    with pytest.raises(ValueError, match="no sources"):
        check(itself, [])


def test_rounding_is_no_difference_but_infinities_are() -> None:
    one = np.array([1.0, 2.0], np.float32)
    infinite = np.array([1.0, np.inf], np.float32)

    assert agreement([one], [one * np.float32(1.00001)])[0] is Ending.AGREES
    assert agreement([one], [one * 2])[0] is Ending.DIFFERS
    assert agreement([one], [infinite])[0] is Ending.DIFFERS
    assert agreement([infinite], [infinite])[0] is Ending.AGREES
    assert agreement([one], [one[:1]])[0] is Ending.OTHER_TYPES
    assert agreement([one], [])[0] is Ending.OTHER_TYPES
    assert differing(np.array([1]), np.array([2])).all()
