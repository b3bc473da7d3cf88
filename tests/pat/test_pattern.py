"""Fixed patterns: what they keep, what they offer, and what they refuse."""

from __future__ import annotations

import copy
import operator
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gsl import attr, op, pat
from gsl.attr.term import ANYTHING, Access, Constant, TupleOf
from gsl.errors import RuleError, UnknownNameError
from gsl.span import resolve
from tests.rule_text import underlined

X, Y = pat.Wildcard(), pat.Variable()

ARITHMETIC: list[tuple[Callable[[], pat.Call], str, list[Any]]] = [
    (lambda: X + Y, "Add", [X, Y]),
    (lambda: X + 1, "Add", [X, 1]),
    (lambda: 1 + X, "Add", [1, X]),
    (lambda: X - 1, "Subtract", [X, 1]),
    (lambda: 1 - X, "Subtract", [1, X]),
    (lambda: X * 2, "Multiply", [X, 2]),
    (lambda: 2 * X, "Multiply", [2, X]),
    (lambda: X / 2, "Divide", [X, 2]),
    (lambda: 2 / X, "Divide", [2, X]),
    (lambda: X @ Y, "Matmul", [X, Y]),
    (lambda: -X, "Negative", [X]),
    (lambda: X**2, "Power", [X, 2]),
    (lambda: 2**X, "Power", [2, X]),
    (lambda: X % 2, "Mod", [X, 2]),
    (lambda: 2 % X, "Mod", [2, X]),
    (lambda: X // 2, "FloorDivide", [X, 2]),
    (lambda: 2 // X, "FloorDivide", [2, X]),
    (lambda: 2 @ X, "Matmul", [2, X]),
    (lambda: abs(X), "Abs", [X]),
    (lambda: np.float32(2) * X, "Multiply", [2.0, X]),
    (lambda: X * np.float32(2), "Multiply", [X, 2.0]),
    (lambda: np.int64(2) - X, "Subtract", [2, X]),
    (lambda: op.Maximum(X, np.float64(2)), "Maximum", [X, 2.0]),
]


@pytest.mark.parametrize(("build", "operator", "operands"), ARITHMETIC)
def test_arithmetic_builds_calls(
    build: Callable[[], pat.Call], operator: str, operands: list[Any]
) -> None:
    call = build()

    assert operator == repr(call.callee)
    for expected, operand in zip(operands, call.operands, strict=True):
        if isinstance(expected, pat.Pattern):
            assert operand is expected
        else:
            assert (expected, X) == (operand.constraints["value"].value, operand.like)


BOTH_WAYS: list[tuple[Callable[[Any, Any], Any], str]] = [
    (operator.add, "Add"),
    (operator.sub, "Subtract"),
    (operator.mul, "Multiply"),
    (operator.truediv, "Divide"),
    (operator.floordiv, "FloorDivide"),
    (operator.mod, "Mod"),
    (operator.pow, "Power"),
    (operator.matmul, "Matmul"),
]


@pytest.mark.parametrize(("combine", "name"), BOTH_WAYS)
def test_terms_beside_a_pattern_become_constants(
    combine: Callable[[Any, Any], Any], name: str
) -> None:
    term = Y.shape[0] + 1

    after, before = combine(X, term), combine(term, X)

    assert repr(after.callee) == repr(before.callee) == name
    assert after.operands[0] is before.operands[1] is X
    assert term is after.operands[1].constraints["value"]
    assert term is before.operands[0].constraints["value"]
    assert before.operands[0].like is X


@pytest.mark.parametrize("written", [lambda: np.ones(3) * X, lambda: X * np.ones(3)])
def test_arrays_are_refused(written: Callable[[], Any]) -> None:
    with pytest.raises(RuleError, match=r"an array is not a pattern .*pat.Const\(array.tolist"):
        written()


NAMES: list[tuple[pat.Pattern, list[str]]] = [
    (X, ["shape", "dtype", "ndim"]),
    (Y, ["shape", "dtype", "ndim"]),
    (pat.Const(), ["shape", "dtype", "ndim", "value"]),
    (op.LeakyRelu(X), ["shape", "dtype", "ndim", "alpha"]),
    (op.same(op.LeakyRelu(X))(X), ["shape", "dtype", "ndim", "alpha"]),
    (X[0], ["shape", "dtype", "ndim", "index"]),
    (pat.Tuple(X, Y), ["length"]),
    (pat.Alt(X, Y), ["shape", "dtype", "ndim", "arm"]),
]


@pytest.mark.parametrize(("pattern", "names"), NAMES, ids=repr)
def test_attributes_of_patterns_are_accesses(pattern: pat.Pattern, names: list[str]) -> None:
    assert names == list(pattern.attribute_names())
    for name in names:
        access = getattr(pattern, name)
        assert isinstance(access, Access)
        assert (pattern, name) == (access.pattern, access.name)


def test_unknown_attribute_comes_with_a_suggestion() -> None:
    with pytest.raises(UnknownNameError) as caught:
        op.LeakyRelu(X).alhpa  # noqa: B018

    assert caught.value.code == "GSL114"
    assert "did you mean `alpha`?" in str(caught.value)
    assert underlined(caught.value.span) == "op.LeakyRelu(X).alhpa"
    with pytest.raises(UnknownNameError, match="it has shape, dtype, ndim"):
        X.strides  # noqa: B018


def test_patterns_have_no_private_attributes_by_accident() -> None:
    assert not hasattr(X, "_private")
    assert not hasattr(X, "__array__")
    assert not hasattr(X, "strides")


def test_patterns_can_be_copied_but_a_copy_is_another_pattern() -> None:
    assert copy.copy(X) is not X
    assert isinstance(copy.copy(X), pat.Wildcard)
    with pytest.raises((TypeError, pickle.PicklingError)):
        pickle.dumps(Y)


def test_patterns_are_equal_only_to_themselves() -> None:
    first, second = pat.Wildcard(), pat.Wildcard()

    assert first == first
    assert first != second
    assert len({first, second, first}) == 2


CONSTRAINTS: list[tuple[pat.Pattern, dict[str, Any]]] = [
    (pat.Variable(), {}),
    (pat.Variable(shape=(2, 3)), {"shape": (2, 3)}),
    (pat.Variable(dtype="int8"), {"dtype": "int8"}),
    (pat.Const(1.5), {"value": 1.5}),
    (pat.Const((1, 2), "int8", (2,)), {"value": (1, 2), "dtype": "int8", "shape": (2,)}),
    (X[1], {"index": 1}),
    (pat.GetItem(X), {}),
]


@pytest.mark.parametrize(("pattern", "values"), CONSTRAINTS)
def test_constraints_are_what_was_written(pattern: pat.Pattern, values: dict[str, Any]) -> None:
    assert values == {name: term.value for name, term in pattern.constraints.items()}
    assert list(pattern.constraints.values()) == list(pattern.terms())


def test_open_sizes_are_any() -> None:
    shape = pat.Variable(shape=(None, Y.shape[1])).constraints["shape"]

    assert isinstance(shape, TupleOf)
    assert ANYTHING is shape.fields[0]


def test_brackets_project() -> None:
    index = attr.Symbol()

    assert X[index].operands == (X,)
    assert index is X[index].constraints["index"]


REFUSED: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: X[1:], TypeError, "a pattern cannot be sliced"),
    (lambda: X[1.0], RuleError, "GSL113"),
    (lambda: X[(1, 2)], RuleError, "GSL113"),
    (lambda: list(X), TypeError, "the number of fields of a pattern is not known"),
    (lambda: pat.Tuple(X, "y"), RuleError, "GSL116 'y' is not a pattern"),
    (lambda: pat.as_pattern(object), RuleError, "GSL116"),
    (lambda: pat.same_attr(X), RuleError, "GSL116 the Wildcard pattern has no attributes to copy"),
    (
        lambda: pat.same_attr(op.Softmax(X), "axis"),
        RuleError,
        "GSL116 pat.same_attr takes a list of names, not the text 'axis'",
    ),
    (lambda: pat.same_attr(op.Relu(X), ["alpha"]), UnknownNameError, "GSL114"),
    (lambda: pat.call("Relu", (X,), {"alpha": 1}), TypeError, "'Relu' cannot be called"),
]


@pytest.mark.parametrize(("write", "error", "reason"), REFUSED)
def test_what_is_no_pattern_is_refused(
    write: Callable[[], Any], error: type[Exception], reason: str
) -> None:
    with pytest.raises(error, match=reason):
        write()


def test_a_wildcard_has_a_type_and_no_other_attributes() -> None:
    with pytest.raises(RuleError, match="a wildcard has no `dtypes`") as caught:
        pat.Wildcard(dtypes="float32")
    assert caught.value.code == "GSL112"
    assert caught.value.cure == "did you mean `dtype`?"
    assert caught.value.span is not None

    with pytest.raises(RuleError, match="a wildcard has no `axis`") as caught:
        pat.Wildcard(axis=1)
    assert "where=" in caught.value.cure


@pytest.mark.parametrize("make", [pat.Wildcard, pat.Variable, pat.Const])
def test_inputs_have_constraints_on_their_type(make: Callable[..., Any]) -> None:
    made = make(shape=(2, None), dtype="int8")
    assert {name: made.constraints[name] for name in ("dtype",)}.keys() == {"dtype"}
    assert len(made.constraints["shape"].fields) == 2
    assert make(ndim=3).constraints["ndim"].value == 3
    assert make(ndim=X.ndim).constraints["ndim"].pattern is X
    assert not make().constraints
    assert "ndim" not in make(shape=(2, 3), ndim=2).constraints


REFUSED_TYPES = [
    ({"ndim": -1}, "-1 is not a number of axes"),
    ({"ndim": True}, "True is not a number of axes"),
    ({"ndim": 1.0}, "1.0 is not a number of axes"),
    ({"ndim": "2"}, "'2' is not a number of axes"),
    ({"ndim": 3, "shape": (1, 2)}, "a shape of 2 sizes does not have 3 axes"),
    ({"shape": 3}, "3 is not a shape"),
    ({"shape": (-1,)}, "-1 is not a size"),
    ({"dtype": "float31"}, "'float31' is not a dtype"),
    ({"name": "two words"}, "'two words' is not a name"),
    ({"name": "lambda"}, "'lambda' is a keyword of Python (write `lambda_`"),
    ({"name": (2, 3)}, "is not a name"),
]


@pytest.mark.parametrize("make", [pat.Wildcard, pat.Variable, pat.Const])
@pytest.mark.parametrize(("given", "reason"), REFUSED_TYPES)
def test_what_is_no_type_and_no_name_is_refused(
    make: Callable[..., Any], given: dict[str, Any], reason: str
) -> None:
    with pytest.raises(RuleError, match=re.escape(reason)) as caught:
        make(**given)
    assert caught.value.code == "GSL113"
    assert caught.value.span is not None


def test_every_kind_of_pattern_can_be_named() -> None:
    x = pat.Wildcard("x")
    named = [
        x,
        pat.Variable(name="x"),
        pat.Const(2.0, name="x"),
        pat.Tuple(x, name="x"),
        pat.GetItem(x, 0, name="x"),
        pat.Alt(x, X, name="x"),
        pat.Variadic(x, name="x"),
        op.Relu(X, name="x"),
        op.Elementwise(X, name="x"),
    ]
    assert {one.written_name for one in named} == {"x"}
    assert not named[-2].constraints
    assert X.written_name is None


def test_python_values_become_patterns() -> None:
    assert X is pat.as_pattern(X)
    assert pat.as_pattern([X, Y]).operands == (X, Y)
    assert pat.as_pattern(2).constraints["value"].value == 2
    assert isinstance(pat.as_pattern(Y.ndim), pat.Const)
    assert pat.Tuple(X, Y).operands == (X, Y)
    assert pat.Alt(X, Y).operands == (X, Y)


def test_conditional_keeps_condition_and_both_targets() -> None:
    condition = X.ndim == 1
    choice = pat.Cond(condition, X, 0)

    assert condition is choice.condition
    assert (condition,) == choice.terms()
    assert X is choice.operands[0]
    assert isinstance(choice.operands[1], pat.Const)


def test_same_attr_copies_all_or_the_named_attributes() -> None:
    conv = op.Conv2D(X, Y)

    assert list(pat.same_attr(conv, ["groups", "padding"])) == ["groups", "padding"]
    copied = pat.same_attr(conv)
    assert list(conv.callee.attributes) == list(copied)
    assert all(access.pattern is conv for access in copied.values())


def test_same_attr_of_a_trait_demands_all_attributes_whatever_they_are() -> None:
    any_call = op.Elementwise(X)

    assert {"attributes_of": any_call} == pat.same_attr(any_call)
    assert any_call is op.same(any_call)(Y, **pat.same_attr(any_call)).attributes_of
    assert op.Relu(X).attributes_of is None


def test_inputs_are_the_patterns_that_own_nothing() -> None:
    assert (pat.Wildcard, pat.Variable, pat.Const) == pat.INPUTS


def test_pattern_stands_for_itself_when_it_is_no_instance() -> None:
    assert X is X.original()
    assert X.location() == ()


def test_patterns_remember_where_they_were_written() -> None:
    total = X + Y

    assert underlined(resolve(total.origin)) == "X + Y"
    assert underlined(resolve(pat.Alt(X, Y).origin)) == "pat.Alt(X, Y)"
    assert isinstance(pat.Const(1).constraints["value"], Constant)
