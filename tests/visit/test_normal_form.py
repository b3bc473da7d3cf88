"""A-normal form: bindings of one operator each, and the way back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from gsl import Call, Const, Expr, Proj, Tuple, Var, Workload
from gsl.errors import GraphError
from gsl.evaluate import evaluate
from gsl.graph import reverse_post_order
from gsl.visit import Binding, BoundVar, NormalForm, from_a_normal_form, to_a_normal_form
from tests.match.toys import Halves, add, const, exp, half, multiply, negative, pack, relu, tag, var
from tests.networks import VALUES, chain, networks, structure
from tests.own_kinds import Twice

X, Y = var("x"), var("y")
DEEP = 100_000


def bound(name: str) -> BoundVar:
    return BoundVar(name, X.type)


@given(networks)
def test_round_trip_keeps_structure_sharing_and_leaves(outputs: tuple[Expr, ...]) -> None:
    back = from_a_normal_form(to_a_normal_form(outputs))

    assert structure(outputs) == structure(back)
    for before, after in zip(reverse_post_order(outputs), reverse_post_order(back), strict=True):
        assert (before is after) or before.operands


@given(networks)
def test_round_trip_evaluates_equal(outputs: tuple[Expr, ...]) -> None:
    back = from_a_normal_form(to_a_normal_form(outputs))

    for a, b in zip(evaluate(outputs, VALUES), evaluate(back, VALUES), strict=True):
        np.testing.assert_array_equal(a, b)


@given(networks)
def test_bindings_run_one_after_the_other_give_the_outputs(outputs: tuple[Expr, ...]) -> None:
    form = to_a_normal_form(outputs)
    known = dict(VALUES)
    for binding in form.bindings:
        (known[binding.variable.name],) = evaluate([binding.value], known)

    results = evaluate(form.outputs, known)

    for a, b in zip(evaluate(outputs, VALUES), results, strict=True):
        np.testing.assert_array_equal(a, b)


@given(networks)
def test_bindings_are_the_operators_in_reverse_post_order_over_variables(
    outputs: tuple[Expr, ...],
) -> None:
    form = to_a_normal_form(outputs)

    inner = [e for e in reverse_post_order(outputs) if not isinstance(e, Const | Var)]
    before: set[Expr] = set()
    for expr, binding in zip(inner, form.bindings, strict=True):
        assert repr(expr) == repr(binding.value)
        assert expr.type is binding.variable.type is binding.value.type
        for operand in binding.value.operands:
            assert operand in before or type(operand) in (Const, Var)
        before.add(binding.variable)


def test_normal_form_is_readable() -> None:
    r = relu(X)
    network = [pack(r, X), tag(half(add(r, const(2)), 1), 3), Tuple([r])]

    assert str(to_a_normal_form(network)).splitlines() == [
        "%0 = Relu(x)",
        "%1 = (%0, x)",
        "%2 = Pack(%1)",
        "%3 = Add(%0, [2.0, 2.0])",
        "%4 = Halves(%3)",
        "%5 = %4.1",
        "%6 = Tag(%5, k=3)",
        "%7 = (%0)",
        "return %2, %6, %7",
    ]


def test_value_over_leaves_is_the_very_expression() -> None:
    r = relu(X)

    assert to_a_normal_form(negative(r)).bindings[0].value is r


def test_leaves_are_not_bound() -> None:
    two = const(2)

    form = to_a_normal_form([X, two])

    assert form.bindings == ()
    assert form.outputs == (X, two)
    assert from_a_normal_form(form) == (X, two)


def test_variables_of_bindings_have_fresh_names() -> None:
    form = to_a_normal_form(negative(relu(Var("%0", (2,)))))

    assert [binding.variable.name for binding in form.bindings] == ["%1", "%2"]


def test_tuples_are_bound_to_variables_of_tuple_type() -> None:
    call = Call(Halves, [X])

    (binding, _) = to_a_normal_form(Proj(call, 0)).bindings

    assert binding.variable.type is call.type
    assert repr(binding.variable) == "BoundVar('%0', (float32[2], float32[2]))"


def test_own_kinds_are_bound_and_restored() -> None:
    network = Twice(relu(Twice(X)))

    form = to_a_normal_form(network)

    assert str(form).splitlines()[0] == "%0 = Twice(x)"
    assert structure(from_a_normal_form(form)) == structure([network])


def test_workload_gets_its_outputs_back() -> None:
    workload = Workload([multiply(relu(X), Y)], {"y": VALUES["y"]})

    back = workload.with_outputs(from_a_normal_form(to_a_normal_form(workload)))

    assert structure(workload.outputs) == structure(back.outputs)
    assert workload.inputs == back.inputs
    assert list(back.parameters) == ["y"]


def test_edited_binding_changes_every_use() -> None:
    r = relu(X)
    form = to_a_normal_form(add(r, negative(r)))
    first, *others = form.bindings
    edited = NormalForm((replace(first, value=exp(X)), *others), form.outputs)

    e = exp(X)
    assert structure(from_a_normal_form(edited)) == structure([add(e, negative(e))])


def test_alias_is_another_name_for_its_value() -> None:
    a, b, c = bound("a"), bound("b"), bound("c")
    bindings = Binding(a, relu(X)), Binding(b, a), Binding(c, Y)

    (total,) = from_a_normal_form(
        NormalForm((*bindings, Binding(d := bound("d"), add(b, c))), (d,))
    )

    assert structure([total]) == structure([add(relu(X), Y)])


def test_unused_binding_is_dropped() -> None:
    a, b = bound("a"), bound("b")
    form = NormalForm((Binding(a, relu(X)), Binding(b, exp(Y))), (a,))

    assert structure(from_a_normal_form(form)) == structure([relu(X)])


def test_types_are_inferred_anew_when_a_variable_promised_another() -> None:
    a, b = bound("a"), bound("b")
    wide = Var("wide", (3,))
    form = NormalForm((Binding(a, relu(wide)), Binding(b, exp(a))), (b,))

    (result,) = from_a_normal_form(form)

    assert wide.type == result.type


A, B = bound("a"), bound("b")
ILL_FORMED: list[tuple[list[Binding], list[Expr], str]] = [
    ([Binding(A, relu(X)), Binding(A, exp(X))], [A], "a is bound twice"),
    ([Binding(A, relu(A))], [A], "the binding of a uses a, which is not bound before"),
    (
        [Binding(B, relu(A)), Binding(A, relu(X))],
        [B],
        "the binding of b uses a, which is not bound before",
    ),
    ([Binding(A, B)], [A], "the binding of a uses b, which is not bound before"),
    ([Binding(A, relu(X))], [B], "an output uses b, which is not bound before"),
    (
        [Binding(A, relu(exp(X)))],
        [A],
        r"the binding of a uses Call\(Exp.*neither a variable nor a constant",
    ),
    ([], [relu(X)], r"an output uses Call\(Relu.*neither a variable nor a constant"),
    ([Binding(A, 3)], [A], "the binding of a is 3, not an expression"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("bindings", "outputs", "message"), ILL_FORMED)
def test_ill_formed_bindings_are_refused(
    bindings: list[Binding], outputs: list[Expr], message: str
) -> None:
    with pytest.raises(GraphError, match=message):
        from_a_normal_form(NormalForm(tuple(bindings), tuple(outputs)))


def test_value_that_refuses_its_operands_is_named() -> None:
    a, b = bound("a"), bound("b")
    form = NormalForm((Binding(a, relu(Var("w", (3,)))), Binding(b, add(a, X))), (b,))

    with pytest.raises(GraphError, match=r"the binding of b: .*must broadcast"):
        from_a_normal_form(form)


def test_deep_chain_makes_the_round_trip_without_recursion() -> None:
    top = chain(DEEP)

    form = to_a_normal_form(top)
    (back,) = from_a_normal_form(form)

    assert len(form.bindings) == DEEP
    assert len(reverse_post_order([back])) == DEEP + 1
