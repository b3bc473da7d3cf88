"""Every value inside a match has its turn to be needed elsewhere, so that the match is declined."""

from __future__ import annotations

from typing import Any

import pytest

from gsl import Subst, op, pat
from gsl.expr import Call
from gsl.match.compiled.branch import Shape
from gsl.match.search import multi
from gslverify.codes.numeric import OUTPUTS_DIFFER, REWRITE_BREAKS_GRAPH
from gslverify.finding import Verdict
from gslverify.networks.choices import Tape
from gslverify.networks.contexts import ONE_A_TURN
from gslverify.networks.generation import network_from
from gslverify.networks.rounds import Round
from gslverify.stages.numeric import NUMERIC
from tests.gslverify.rules import samplers_of
from tests.gslverify.stages.asking import ask, only

pytestmark = pytest.mark.smt


def chain() -> Subst:
    """-|relu(-x)| => -relu(-x): three values inside, of which relu(-x) is in the middle."""
    x = pat.Wildcard()
    inner = op.Relu(op.Negative(x))
    return Subst(op.Negative(op.Abs(inner)), op.Negative(op.Relu(op.Negative(x))))


@pytest.mark.parametrize("context", sorted(ONE_A_TURN))
def test_every_inner_value_has_its_turn(context: str) -> None:
    samplers = samplers_of(chain())
    needed = [
        network_from(Tape(), samplers, (context,), turn=turn).outputs[-1] for turn in range(3)
    ]
    if context == "inner value used":
        needed = [used.operands[0] for used in needed]
    names = [str(one.operator) for one in needed if isinstance(one, Call)]
    assert sorted(names) == ["Abs", "Negative", "Relu"]


def test_there_are_as_many_graphs_as_inner_values() -> None:
    samplers = samplers_of(chain())
    assert Round("inner value returned", (), 0.03).graphs(60, samplers) == 3
    assert Round("inner value used", (), 0.1).graphs(60, samplers) == 6
    assert Round("alone", (), 0.001).graphs(60, samplers) == 1


@pytest.mark.parametrize("name", ["Negative", "Relu", "Abs"])
def test_an_engine_that_overlooks_an_inner_value_is_found(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = Shape.is_interior

    def overlooking(self: Shape, pattern: Any) -> bool:
        return usual(self, pattern) and str(getattr(pattern, "callee", "")) != name

    monkeypatch.setattr(Shape, "is_interior", overlooking)
    assert only(ask(NUMERIC, chain, explained=False)).code is REWRITE_BREAKS_GRAPH


def test_the_engine_overlooks_none() -> None:
    assert ask(NUMERIC, chain).verdict is Verdict.PASS


def without_optional() -> Subst:
    """(|x| or x)^2 => x^2"""
    x = pat.Wildcard(dtype="float32")
    return Subst(op.Square(pat.Alt(op.Abs(x), x)), op.Square(x))


def twice_or_once() -> Subst:
    """exp(relu(relu(x)) or relu(x)) => exp(relu(x))"""
    x = pat.Wildcard(dtype="float32")
    once = op.Relu(x)
    return Subst(op.Exp(pat.Alt(op.Relu(once), op.Relu(x))), op.Exp(op.Relu(x)))


def negated_or_not() -> Subst:
    """(-x or x)^3 => x^3, which is wrong of the first"""
    x = pat.Wildcard(dtype="float32")
    one = pat.Alt(op.Negative(x), x)
    return Subst(op.Square(one) * one, op.Square(x) * x)


@pytest.mark.parametrize("write", [without_optional, twice_or_once])
def test_what_is_inside_one_alternative_may_be_an_input_of_the_other(write: Any) -> None:
    assert ask(NUMERIC, write).verdict is Verdict.PASS


def test_each_alternative_is_compared() -> None:
    assert only(ask(NUMERIC, negated_or_not, explained=False)).code is OUTPUTS_DIFFER


def test_an_engine_that_overlooks_what_is_inside_of_an_alternative_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(multi, "escaping", lambda nodes, taken, outputs: iter(()))
    assert only(ask(NUMERIC, without_optional, explained=False)).code is REWRITE_BREAKS_GRAPH
