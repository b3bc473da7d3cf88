"""Rules about any operator of a trait, shown right for a function of which nothing is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gsl import Subst, op, pat
from gsl.attr.term import Access
from gsl.kernel.meaning import Elements, Index, apply
from gsl.operators import REGISTRY, Operator
from gsl.operators.declaration import Need, Tensor
from gsl.pat import Pattern, Trait
from gsl.types import TensorType
from gslverify.finding import Verdict
from gslverify.stages.any_function import any_function, is_function_of_elements, of_any_function
from gslverify.stages.examination import scenarios_of
from gslverify.stages.prove import PROVE
from gslverify.stages.satisfiable import SATISFIABLE
from gslverify.stages.shape import SHAPE
from tests.gslverify.stages.asking import question

x = pat.Wildcard()
one = op.trait("unary")(x)


def again(operand: Pattern) -> Pattern:
    """The same function of another operand."""
    return op.same(one)(operand, **pat.same_attr(one))


def taken() -> Subst:
    indices = pat.Wildcard()
    rows = op.Take(one, indices)
    return Subst(rows, again(op.Take(x, indices, axis=rows.axis)))


def stages(write: Callable[[], Subst]) -> tuple[Any, list[Any]]:
    asked = question(write)
    return asked, [stage.run(asked) for stage in (SATISFIABLE, SHAPE, PROVE)]


@pytest.mark.smt
def test_a_rule_of_any_function_is_shown_at_all_structures_and_operators() -> None:
    asked, results = stages(taken)
    assert [result.verdict for result in results] == [Verdict.PASS] * 3
    assert [claim.text for claim in results[2].assurances] == ["proved, ranks 0-4"]
    assert any("shown right by rules" in note for note in results[0].notes)
    instances = [scenario.instance for scenario in scenarios_of(asked).feasible]
    assert len(instances) < 150
    chosen = {instance.bindings.nodes[one, ()].expr.operator for instance in instances}
    assert chosen == set(Trait("unary").operators())


def two_functions(swapped: bool = False) -> Subst:
    outer = op.trait("unary")(one)
    turned = op.Transpose(outer)
    moved = op.Transpose(x, axes=turned.axes)
    first, second = (outer, one) if swapped else (one, outer)
    below = op.same(first)(moved, **pat.same_attr(first))
    return Subst(turned, op.same(second)(below, **pat.same_attr(second)))


@pytest.mark.smt
def test_two_functions_need_not_be_tried_in_pairs() -> None:
    asked, results = stages(two_functions)
    assert [result.verdict for result in results] == [Verdict.PASS] * 3
    assert scenarios_of(asked).complete


@pytest.mark.smt
def test_two_functions_do_not_commute() -> None:
    _, results = stages(lambda: two_functions(swapped=True))
    assert not any("shown right by rules" in note for note in results[0].notes)
    assert results[1].verdict is Verdict.FAIL


def odd() -> Subst:
    """True of odd functions only."""
    negative = op.Negative(x)
    call = op.trait("unary")(negative)
    return Subst(call, op.Negative(op.same(call)(x, **pat.same_attr(call))))


def before_a_slice() -> Subst:
    """What the slice leaves out may have no logarithm, which nothing reads."""
    part = op.StridedSlice(x)
    call = op.trait("unary")(part)
    inside = op.same(call)(x, **pat.same_attr(call))
    return Subst(call, op.StridedSlice(inside, **pat.same_attr(part)))


@pytest.mark.smt
def test_a_function_of_more_than_is_read_need_not_have_values() -> None:
    _, results = stages(before_a_slice)
    assert any("shown right by rules" in note for note in results[0].notes)
    assert [result.verdict for result in results] == [Verdict.PASS] * 3


@pytest.mark.smt
def test_what_does_not_hold_for_all_is_not_shown() -> None:
    _, results = stages(odd)
    assert not any("shown right by rules" in note for note in results[0].notes)
    assert not results[2].assurances


def cast_before() -> Subst:
    """The absolute value of -128 is another one in eight bits than in 32."""
    wide = op.Cast(x, dtype="int32")
    call = op.trait("unary")(wide)
    inside = op.same(call)(x, **pat.same_attr(call))
    return Subst(call, op.Cast(inside, dtype="int32"))


def other_attributes() -> Subst:
    return Subst(one, op.same(one)(x))


def one_of_two() -> Subst:
    return Subst(one, again(x), where=[Access(one, "operator") == op.Abs(x).callee])


@pytest.mark.parametrize("write", [cast_before, other_attributes, one_of_two])
def test_rules_that_ask_more_of_a_function_are_about_operators(
    write: Callable[[], Subst],
) -> None:
    assert of_any_function(write()) is None


def test_what_is_no_total_function_of_an_element_is_left() -> None:
    _, *rest = of_any_function(taken()) or ()
    callees = [p.callee for rule in rest for p in rule.source_patterns if isinstance(p, pat.Call)]
    left = [str(o) for callee in callees if isinstance(callee, Trait) for o in callee.operators()]
    assert {"Log", "Cast", "IsNaN"} <= set(left)
    assert not {"Abs", "LeakyRelu", "Tanh"} & set(left)
    assert len(left) == len(set(left))


def test_two_functions_are_two() -> None:
    assert any_function(0) is not any_function(1)
    assert any_function(0) is any_function(0)
    assert "AnyFunction0" not in REGISTRY


def declared(meaning: Callable[..., Any], rule: Callable[..., Any]) -> Operator:
    """An operator that says that it works element by element."""
    known = any_function(7)
    return Operator(
        name="Declared",
        operands=known.operands,
        attributes=known.attributes,
        rule=rule,
        dtypes=known.dtypes,
        traits=known.traits,
        documentation="",
        meaning=meaning,
    )


def keeping(need: Need, data: Tensor) -> TensorType:
    return data


def turned(need: Need, data: Tensor) -> TensorType:
    return TensorType(data.shape[::-1], data.dtype)


def here(index: Index, data: Elements) -> Any:
    return data[index]


def mirrored(index: Index, data: Elements) -> Any:
    return data[(data.shape[0] - 1 - index[0], *index[1:])]


def numbered(index: Index, data: Elements) -> Any:
    return apply("+", data[index], index[0])


def test_what_an_operator_says_of_itself_is_looked_at() -> None:
    assert is_function_of_elements(declared(here, keeping))
    assert not is_function_of_elements(declared(mirrored, keeping))
    assert not is_function_of_elements(declared(numbered, keeping))
    assert not is_function_of_elements(declared(here, turned))
