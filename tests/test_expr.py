"""Computation expressions: well typed when they exist, equal only to themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gsl import Call, Const, Expr, Proj, Tuple, Var
from gsl.attr.term import Symbol
from gsl.errors import GraphError, MisuseError, OperatorError, ShapeError
from gsl.expr import attribute_of
from gsl.operators import REGISTRY, lookup
from gsl.types import TensorType, TupleType
from tests.match.toys import ADD, RELU, Halves, Tag, add, half, pack, relu, tag, var

LEAKY = REGISTRY["LeakyRelu"]
CAST = REGISTRY["Cast"]
X = Var("x", (2, 3), "float32")

CONSTANTS: list[tuple[Any, str | None, tuple[int, ...], str]] = [
    (1, None, (), "int64"),
    (1.5, None, (), "float32"),
    ([1.5, 2], None, (2,), "float32"),
    (True, None, (), "bool"),
    (1, "float16", (), "float16"),
    ([[1, 2]], "int8", (1, 2), "int8"),
    (np.array([1.5]), None, (1,), "float64"),
    (np.zeros((0, 2), "uint8"), None, (0, 2), "uint8"),
]


@pytest.mark.parametrize(("value", "dtype", "shape", "expected"), CONSTANTS)
def test_type_of_a_constant(
    value: Any, dtype: str | None, shape: tuple[int, ...], expected: str
) -> None:
    assert TensorType(shape, expected) == Const(value, dtype).type


@pytest.mark.parametrize(
    ("value", "dtype", "asked"),
    [
        (0.1, "float32", 0.1),
        (0.5, "float32", 0.5),
        (281, "bfloat16", 281.0),
        (280, "bfloat16", None),
        (2**24 + 1, "float32", 2.0**24 + 1),
        (True, "float32", None),
        (281, "int64", None),
        (np.float32(0.1), "float16", None),
    ],
)
def test_a_constant_knows_the_number_that_its_dtype_may_have_rounded(
    value: Any, dtype: str, asked: float | None
) -> None:
    assert Const(value, dtype).asked == asked


def test_constant_keeps_a_copy_that_cannot_be_changed() -> None:
    array = np.array([1.0, 2.0], "float32")
    const = Const(array)

    array[0] = 9

    assert const.value.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        const.value[0] = 9


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("value", "dtype"), [(70000.0, "float16"), ([1e300], "float32"), (-1e300, None)]
)
def test_constant_beyond_its_dtype_is_infinite_without_a_warning(
    value: Any, dtype: str | None
) -> None:
    assert np.isinf(Const(value, dtype).value).all()


def test_type_of_a_variable() -> None:
    assert TensorType((2, 3), "float32") == X.type
    assert (X.shape, X.dtype) == ((2, 3), "float32")
    assert TensorType((), "bool") == Var("flag", dtype="bool").type
    assert Var("x", np.array([4, 5])).shape == (4, 5)


def test_sizes_and_values_may_be_terms() -> None:
    size, dtype = Symbol("n"), Symbol("dtype", "text")

    assert size is Var("x", (size, 2), dtype).type.shape[0]
    assert size is Const(size, "int64").value
    assert dtype is Const(1, dtype).type.dtype
    assert "Symbol" in repr(Const(size, "int64"))


def test_type_of_a_call_is_that_of_its_operator() -> None:
    broadcast = Call(ADD, [X, Var("row", (3,))])

    assert TensorType((2, 3), "float32") == broadcast.type
    assert TensorType((2, 3), "int8") == Call(CAST, [X], {"dtype": "int8"}).type


def test_attributes_are_canonical_and_complete() -> None:
    assert dict(Call(LEAKY, [X]).attributes) == {"alpha": 0.01}
    assert dict(Call(LEAKY, [X], {"alpha": 2}).attributes) == {"alpha": 2.0}
    assert isinstance(Call(LEAKY, [X], {"alpha": 2}).attributes["alpha"], float)


def test_attributes_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        Call(LEAKY, [X]).attributes["alpha"] = 1.0


def test_types_of_tuples_and_their_fields() -> None:
    y = Var("y", (4,), "int8")
    both = Tuple([X, y])

    assert TupleType((X.type, y.type)) == both.type
    assert y.type == Proj(both, 1).type
    assert TupleType((X.type, X.type)) == Call(Halves, [X]).type


ILL_FORMED: list[tuple[Callable[[], Expr], type[Exception], str]] = [
    (lambda: Const("text"), GraphError, "dtype str"),
    (lambda: Const(1j), GraphError, "dtype complex"),
    (lambda: Var("x", (2,), "int7"), GraphError, "dtype int7 is not one of float32"),
    (lambda: Var("x", (2, -1)), ShapeError, "variable `x` has a negative size"),
    (lambda: Call(RELU, [X, X]), ShapeError, "Relu takes 1 operand, not 2"),
    (lambda: Call(RELU, [Tuple([X])]), ShapeError, "operand `data` of Relu must be one tensor"),
    (lambda: Call(ADD, [X, Var("y", (4,))]), ShapeError, "shapes must broadcast"),
    (lambda: Call(ADD, [X, Var("y", (4,))]), ShapeError, "this is Add of float32.*, float32.4."),
    (lambda: Call(ADD, [X, 1.0]), MisuseError, "Add takes expressions, not 1.0; write Const"),
    (lambda: Tuple([X, None]), MisuseError, "a tuple takes expressions, not None"),
    (lambda: Var("x", (2.5,)), MisuseError, "variable `x` has the size 2.5; write a whole"),
    (lambda: Var("x", ("n",)), MisuseError, "variable `x` has the size 'n'"),
    (lambda: Var("x", 2), MisuseError, "a variable has a name and sizes, not 'x' and 2"),
    (lambda: Var(5, (2,)), MisuseError, "a variable has a name and sizes, not 5"),
    (lambda: Const(300, "int8"), MisuseError, "300 out of bounds for int8"),
    (lambda: Const([1.0, 1.5], "int32"), MisuseError, r"\[1.0, 1.5\] is not a value of int32"),
    (lambda: Const(float("nan"), "int32"), MisuseError, "cannot convert float NaN"),
    (lambda: Const(2, "bool"), MisuseError, "2 is not a value of bool"),
    (lambda: Const([[1], [1, 2]]), MisuseError, "a constant is a number or an array of numbers"),
    (
        lambda: Call(RELU, [X], [1]),
        MisuseError,
        r"attributes of Relu are given by name, not as \[1\]",
    ),
    (lambda: Call("Relu", [X]), MisuseError, "'Relu' is no operator; see gsl.operators.lookup"),
    (lambda: Call(RELU, X), MisuseError, "Relu takes a list of expressions, not Var"),
    (lambda: Tuple(None), MisuseError, "a tuple takes a list of expressions, not None"),
    (lambda: Call(lookup(5), [X]), MisuseError, "an operator is looked up by its name, not by 5"),
    (lambda: Call(ADD, [X, Var("y", (3,), "int8")]), ShapeError, "must have one dtype"),
    (lambda: Call(LEAKY, [X], {"alfa": 1.0}), OperatorError, "did you mean `alpha`"),
    (lambda: Call(LEAKY, [X], {"alpha": "1"}), OperatorError, "'1' is not a number"),
    (lambda: Call(CAST, [X], {}), OperatorError, "Cast needs attribute `dtype`"),
    (lambda: Proj(X, 0), GraphError, "only a tuple has fields to project"),
    (lambda: Proj(Tuple([X]), 1), GraphError, "field 1 of a tuple of 1 fields"),
    (lambda: Proj(Tuple([X]), -1), GraphError, "field -1 of a tuple of 1 fields"),
]


def test_operands_may_come_from_a_generator() -> None:
    assert Call(ADD, (one for one in (X, X))).operands == (X, X)
    assert Tuple(one for one in (X, X)).operands == (X, X)


@pytest.mark.parametrize(("build", "error", "reason"), ILL_FORMED)
def test_ill_formed_expression_does_not_exist(
    build: Callable[[], Expr], error: type[Exception], reason: str
) -> None:
    with pytest.raises(error, match=reason):
        build()


def test_tuple_has_neither_shape_nor_dtype() -> None:
    for name in ("shape", "dtype"):
        with pytest.raises(GraphError, match="a tuple has neither shape nor dtype"):
            getattr(Tuple([X]), name)


def test_expressions_are_equal_only_to_themselves() -> None:
    first, second = Call(RELU, [X]), Call(RELU, [X])

    assert first == first
    assert first != second
    assert len({first, second, first}) == 2


KINDS: list[Callable[[], Expr]] = [
    lambda: tag(var("x"), 3),
    lambda: add(var("x"), var("y")),
    lambda: Tuple([var("x"), var("y")]),
    lambda: half(var("x"), 1),
    lambda: var("x"),
    lambda: Const([1.0]),
]


@pytest.mark.parametrize("build", KINDS)
def test_expression_over_other_operands_is_the_same_otherwise(build: Callable[[], Expr]) -> None:
    expr = build()
    others = tuple(relu(operand) if operand.type == var("x").type else operand
                   for operand in expr.operands)  # fmt: skip

    copy = expr.with_operands(others)

    assert type(expr) is type(copy)
    assert expr is not copy
    assert others == copy.operands
    assert (expr.type, repr(expr)) == (copy.type, repr(copy))


ATTRIBUTES: list[tuple[Callable[[], Expr], str, Any]] = [
    (lambda: X, "shape", (2, 3)),
    (lambda: X, "dtype", "float32"),
    (lambda: X, "ndim", 2),
    (lambda: tag(X, 3), "k", 3),
    (lambda: tag(X, 3), "operator", Tag),
    (lambda: tag(X, 3), "shape", (2, 3)),
    (lambda: Const(2.5), "value", 2.5),
    (lambda: Const([[1], [2]]), "value", ((1,), (2,))),
    (lambda: Const(True), "value", True),
    (lambda: half(X, 1), "index", 1),
    (lambda: half(X, 1), "ndim", 2),
    (lambda: Tuple([X, X]), "length", 2),
    (lambda: Call(Halves, [X]), "length", 2),
    (lambda: Call(Halves, [X]), "operator", Halves),
]


@pytest.mark.parametrize(("build", "name", "value"), ATTRIBUTES)
def test_attribute_of_an_expression(build: Callable[[], Expr], name: str, value: Any) -> None:
    result = attribute_of(build(), name)

    assert value == result
    assert type(value) is type(result)


ABSENT: list[tuple[Callable[[], Expr], str]] = [
    (lambda: X, "k"),
    (lambda: X, "value"),
    (lambda: X, "length"),
    (lambda: Tuple([X]), "shape"),
    (lambda: Tuple([X]), "index"),
    (lambda: Call(RELU, [X]), "k"),
    (lambda: Const(1), "operator"),
]


@pytest.mark.parametrize(("build", "name"), ABSENT)
def test_expression_without_the_attribute(build: Callable[[], Expr], name: str) -> None:
    with pytest.raises(AttributeError, match=name):
        attribute_of(build(), name)


REPRS: list[tuple[Callable[[], Expr], str]] = [
    (lambda: X, "Var('x', (2, 3), float32)"),
    (lambda: Const([1, 2]), "Const([1, 2], int64)"),
    (lambda: tag(X, 3), "Call(Tag, 1 operands, {'k': 3})"),
    (lambda: Tuple([X, X]), "Tuple(2 fields)"),
    (lambda: half(X, 1), "Proj(1)"),
]


@pytest.mark.parametrize(("build", "text"), REPRS)
def test_expressions_print_themselves_but_not_what_is_below(
    build: Callable[[], Expr], text: str
) -> None:
    assert text == repr(build())


def test_types_print_like_tensors_and_tuples() -> None:
    assert str(X.type) == "float32[2,3]"
    assert str(Tuple([X, Tuple([Var("b", (), "bool")])]).type) == "(float32[2,3], (bool[]))"


def test_tensor_type_knows_rank_and_size() -> None:
    assert (X.type.ndim, X.type.size) == (2, 6)
    assert TensorType((6,), "float32") == X.type.with_shape([6])
    assert TensorType((2, 3), "int8") == X.type.with_dtype("int8")


def test_pack_of_nothing_is_refused() -> None:
    with pytest.raises(IndexError):
        pack()


def test_equal_types_are_one_object() -> None:
    one, other = Var("a", (2, 3)), Var("b", (2, 3))

    assert one.type is other.type
    assert Tuple([one, other]).type is Tuple([other, one]).type
    assert one.type is not Var("c", (3, 2)).type
    assert one.type is not Var("d", (2, 3), "int32").type


def test_deeply_nested_tuples_have_types() -> None:
    one, other = Tuple([Var("a", (2,))]), Tuple([Var("b", (2,))])
    for _ in range(5_000):
        one, other = Tuple([one]), Tuple([other])

    assert one.type is other.type


def test_types_with_unknown_sizes_are_not_shared() -> None:
    size = Symbol("n")

    assert Var("a", (size,)).type is not Var("b", (size,)).type


def test_equal_attributes_are_one_object_if_they_are_interchangeable() -> None:
    x = Var("x", (2, 3))
    sums = [Call(REGISTRY["Sum"], [x], {"axis": axis}) for axis in (0, (0,), 1)]
    leaky = [Call(LEAKY, [x], {"alpha": 0.0 * sign}) for sign in (1, -1)]
    halves = [Call(LEAKY, [x], {"alpha": 0.5}) for _ in range(2)]

    assert sums[0].attributes is sums[1].attributes
    assert sums[0].attributes is not sums[2].attributes
    assert halves[0].attributes is halves[1].attributes
    assert leaky[0].attributes is not leaky[1].attributes
    assert str(leaky[1].attributes["alpha"]) == "-0.0"


def test_shared_values_are_forgotten_when_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gsl.types._SHARED", {})
    monkeypatch.setattr("gsl.types.MOST_SHARED", 2)
    first = Var("a", (1,)).type

    assert Var("b", (1,)).type is first
    for size in (2, 3):
        Var("c", (size,))
    assert Var("d", (1,)).type is not first
    assert Var("e", (1,)).type == first
