"""The operators as rule authors call them."""

from __future__ import annotations

from typing import Any

import pytest

from gsl import op, pat
from gsl.attr.term import ANYTHING, Access, Constant, TupleOf
from gsl.errors import MisuseError, OperatorError, RuleError, UnknownNameError
from gsl.operators import REGISTRY
from gsl.operators.declaration import Need, Tensor
from gsl.operators.declaration import operator as declared
from gsl.span import resolve
from gsl.types import TensorType
from tests.rule_text import underlined

X, W = pat.Wildcard(), pat.Variable()


def test_every_operator_has_a_constructor_with_its_help() -> None:
    for name, operator in REGISTRY.items():
        constructor = getattr(op, name)

        assert name == constructor.__name__
        assert constructor.__doc__.startswith(f"{name}(")
        assert operator.documentation in constructor.__doc__


def test_help_names_operands_and_attributes() -> None:
    first_line = op.LeakyRelu.__doc__.splitlines()[0]

    assert first_line == "LeakyRelu(data, alpha=...)"


def test_call_has_operator_operands_and_constraints() -> None:
    call = op.Conv2D(X, W, groups=1, strides=X.shape[2:])

    assert REGISTRY["Conv2D"] is call.callee
    assert call.operands == (X, W)
    assert list(call.constraints) == ["groups", "strides"]
    assert repr(call) == "the call of Conv2D"


def test_attribute_values_are_brought_into_canonical_form() -> None:
    constraints = op.Conv2D(X, W, padding=1, strides=[1, 2], dilation=(None, 1)).constraints

    assert constraints["padding"].value == (1, 1, 1, 1)
    assert constraints["strides"].value == (1, 2)
    assert isinstance(constraints["dilation"], TupleOf)
    assert ANYTHING is constraints["dilation"].fields[0]
    assert ANYTHING is op.Softmax(X, axis=None).constraints["axis"]


def test_numbers_beside_a_pattern_are_constants_like_it() -> None:
    number = op.Add(2, X).operands[0]

    assert isinstance(number, pat.Const)
    assert X is number.like
    assert number.constraints["value"].value == 2
    assert "dtype" not in number.constraints


def test_numbers_are_not_like_an_operand_of_another_dtype() -> None:
    choice = op.Where(op.Greater(X, 0), X, 0)

    assert X is choice.operands[0].operands[1].like
    assert choice.operands[2].like is None


def test_tuples_beside_each_other_are_tuple_patterns() -> None:
    joined = op.Concatenate([X, W], axis=0)

    assert isinstance(joined.operands[0], pat.Tuple)
    assert joined.operands[0].operands == (X, W)


UNKNOWN: list[tuple[str, str]] = [
    ("Rellu", "did you mean `Relu`?"),
    ("Zzz", "there is no operator `Zzz`"),
]


@pytest.mark.parametrize(("name", "hint"), UNKNOWN)
def test_unknown_operator_is_found_where_it_is_named(name: str, hint: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        getattr(op, name)

    assert hint in caught.value.message
    assert underlined(caught.value.span) == "getattr(op, name)"
    assert isinstance(caught.value.__cause__, OperatorError)


def test_private_names_are_simply_absent() -> None:
    with pytest.raises(AttributeError) as caught:
        op._private  # noqa: B018

    assert not isinstance(caught.value, RuleError)


def test_dir_lists_operators_and_special_forms() -> None:
    assert {"Add", "Conv2D", "Elementwise", "same", "trait"} <= set(dir(op))
    assert sorted(dir(op)) == dir(op)


def test_trait_stands_for_every_operator_that_has_it() -> None:
    call = op.trait("unary")(X)

    assert call.callee.name == "unary"
    operators = call.callee.operators()
    assert REGISTRY["Relu"] in operators
    assert REGISTRY["Add"] not in operators
    assert sorted(map(str, operators)) == list(map(str, operators))
    assert op.Elementwise(X).callee.name == "elementwise"


def test_attributes_of_a_trait_are_those_of_all_its_operators() -> None:
    call = op.Elementwise(X, alpha=0.5)

    assert call.constraints["alpha"].value == 0.5
    assert {"alpha", "dtype", "min"} <= set(call.attribute_names())


def test_same_stands_for_the_operator_of_another_call() -> None:
    leaky = op.LeakyRelu(X)
    same = op.same(leaky)(X, alpha=leaky.alpha)

    assert leaky is same.callee.call
    assert repr(same.callee) == "same operator as the call of LeakyRelu"
    assert isinstance(same.constraints["alpha"], Access)
    with pytest.raises(RuleError, match="GSL112"):
        op.same(leaky)(X, axis=1)


WRONG: list[tuple[Any, str, str, str]] = [
    (lambda: op.Relu(), "GSL111", "Relu takes 1 operand, not 0", "op.Relu()"),
    (lambda: op.Concatenate(X, W), "GSL111", "op.Concatenate((a, b))", "op.Concatenate(X, W)"),
    (lambda: op.Zeros(X), "GSL111", "operands: none", "op.Zeros(X)"),
    (lambda: op.Relu(X, axis=1), "GSL112", "it has none", "axis=1"),
    (lambda: op.Softmax(X, axes=1), "GSL112", "did you mean `axis`?", "axes=1"),
    (lambda: op.Conv2D(X, W, groups=()), "GSL113", "() is not an integer", "groups=()"),
    (lambda: op.MaxPool2D(X, strides="2"), "GSL113", "'2' is not an integer", 'strides="2"'),
    (lambda: op.Add(X, None), "GSL116", "None is not a pattern", "op.Add(X, None)"),
]


@pytest.mark.parametrize(("write", "code", "hint", "part"), WRONG)
def test_call_that_cannot_be_is_refused_where_it_is_written(
    write: Any, code: str, hint: str, part: str
) -> None:
    with pytest.raises(RuleError) as caught:
        write()

    assert caught.value.code == code
    assert hint in str(caught.value)
    assert underlined(caught.value.span) == part


def test_calls_remember_where_they_were_written() -> None:
    call = op.Relu(op.Exp(X))

    assert underlined(resolve(call.origin)) == "op.Relu(op.Exp(X))"
    assert underlined(resolve(call.operands[0].origin)) == "op.Exp(X)"
    assert isinstance(op.Softmax(X, axis=1).constraints["axis"], Constant)


def _halved(need: Need, data: Tensor) -> TensorType:
    return data


@pytest.mark.parametrize("dtypes", [{"int32", "int8"}, ["int8", "int32"], ("int32", "int8")])
def test_element_types_of_an_operator_are_listed_in_any_way(
    dtypes: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(REGISTRY, "_halved", None)

    assert declared(dtypes=dtypes)(_halved).dtypes == ("int32", "int8")


@pytest.mark.parametrize(
    ("dtypes", "hint"), [("int32", "write names, as in"), (["flaot32"], "did you mean `float32`")]
)
def test_an_operator_of_unknown_element_types_is_refused(dtypes: Any, hint: str) -> None:
    with pytest.raises(MisuseError, match=hint):
        declared(dtypes=dtypes)
