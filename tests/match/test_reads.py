"""Compiled code reads attributes as `attribute_of` does."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import pytest

from gsl import Call, Const, Expr, Proj, Tuple, Var, attr, op, pat
from gsl.attr.code import Code
from gsl.attr.evaluate import equal
from gsl.attr.writer import MISSING, UNDECIDED, Kind, TermWriter, Written, kind_of
from gsl.expr import attribute_of
from gsl.graph import Graph
from gsl.match.reads import (
    Reads,
    block,
    comparison,
    has_value,
    kind_of_domain,
    share_attributes,
)
from gsl.operators import lookup
from gsl.operators.declaration import Need, Tensor, operator
from gsl.operators.domain import FLAG, Choice, Integer, Integers, Real
from gsl.operators.ranges import stored
from gsl.types import TensorType
from tests.match.toys import mark, relu, tag, unregistered, var

A = var("a")
X = pat.Wildcard()


@unregistered
@operator()
def Odd(
    need: Need, data: Tensor, *, shape: Annotated[float, Real()], dtype: Annotated[int, Integer()]
) -> TensorType:
    """Has attributes of other kinds than those that tensors have under the same names."""
    return data


EXPRS: dict[str, Expr] = {
    "a call": relu(A),
    "a call with an attribute": tag(A, 3),
    "a variable": Var("m", (2, 3), "int8"),
    "a constant": Const([1.0, 2.0], "float32"),
    "a tuple": Tuple([A, A]),
    "a projection": Proj(Tuple([A, relu(A)]), 1),
    "a call with a shape of its own": Call(
        lookup("Full"), [], {"shape": (2, 3), "fill_value": 1.0, "dtype": "float16"}
    ),
}
PATTERNS: dict[str, pat.Pattern] = {
    "a wildcard": X,
    "a variable": pat.Variable(),
    "a constant": pat.Const(),
    "a tuple": pat.Tuple(X, X),
    "a projection": pat.GetItem(X),
    "a call of a trait": op.Elementwise(X),
}
NAMES = ("shape", "dtype", "ndim", "length", "index", "operator", "k", "value")


def read(pattern: pat.Pattern, expr: Expr, name: str) -> tuple[Any, Kind]:
    """Return what compiled code reads, and the kind it takes it for; None for no value."""
    code = Code()
    written = Reads(code).attribute(pattern, "node", name)
    code.line(f"return {written.text}")
    try:
        return code.function("(node)", "test")(Graph([expr]).outputs[0]), written.kind
    except MISSING:
        return None, written.kind


def fits(pattern: str, expr: str) -> bool:
    return pattern == "a wildcard" or expr.startswith(pattern.removesuffix(" of a trait"))


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("expr", EXPRS)
def test_attributes_are_those_of_the_expression(pattern: str, expr: str) -> None:
    for name in NAMES if fits(pattern, expr) else ():
        try:
            expected = attribute_of(EXPRS[expr], name)
        except AttributeError:
            expected = None
        value, kind = read(PATTERNS[pattern], EXPRS[expr], name)

        assert value == expected, name
        assert value is None or kind in (Kind.ANY, kind_of(value)), name


def test_attributes_of_a_known_operator_have_the_kind_of_their_domain() -> None:
    call = pat.call(lookup("Conv2D"), (X, X))
    conv = Call(lookup("Conv2D"), [Var("x", (1, 2, 8, 8)), Var("w", (4, 2, 3, 3))], {})

    for name in conv.operator.attributes:
        value, kind = read(call, conv, name)
        assert value == conv.attributes[name]
        assert kind in (Kind.ANY, kind_of(value))
    assert read(call, conv, "strides") == ((1, 1), Kind.INTEGERS)
    assert read(call, conv, "ndim") == (4, Kind.INTEGER)


@pytest.mark.parametrize("name", ["shape", "dtype"])
def test_attribute_of_another_kind_under_a_usual_name_is_left_to_the_search(name: str) -> None:
    odd = Call(Odd, [A], {"shape": 2.5, "dtype": 3})

    with pytest.raises(UNDECIDED):
        read(X, odd, name)
    assert read(pat.call(Odd, (X,)), odd, name)[0] == attribute_of(odd, name)


def test_what_is_read_often_is_read_once_in_a_block() -> None:
    code = Code()
    reads = Reads(code)
    terms = TermWriter(code, lambda term, writer: Written("0"))

    with block(code, reads, terms):
        code.open("if node:")
        assert reads.keep("node", "expr") == reads.keep("node", "expr") == "a1"
    assert reads.keep("node", "expr") == "a2"
    assert reads.keep("nodes[0]", "expr") == "nodes[0].expr"
    assert code.depth == 1


DOMAINS = [
    (Integer(), Kind.INTEGER), (Integers(2), Kind.INTEGERS), (Real(), Kind.REAL),
    (FLAG, Kind.FLAG), (Choice(("a", "b")), Kind.TEXT), (Choice((1, "b")), Kind.ANY),
]  # fmt: skip


@pytest.mark.parametrize(("domain", "kind"), DOMAINS)
def test_kind_of_a_domain(domain: Any, kind: Kind) -> None:
    assert kind_of_domain(domain) is kind


ARRAYS = [
    1.0, 2.0, [1.0, 2.0], [1.0], [[1.0, 2.0]], [], np.ones((2, 2)), np.float32(0.1), np.nan,
]  # fmt: skip
WANTED: list[Any] = [1, 1.0, 2.0, (1.0, 2.0), (1,), ((1.0, 2.0),), (), ((1, 1), (1, 1)), 0.1, True]


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool"])
def test_value_of_a_constant_is_compared_as_a_whole(dtype: str) -> None:
    arrays = [np.nan_to_num(np.array(array)) for array in ARRAYS]
    constants = [Const(array.astype(dtype)) for array in arrays]
    for constant in constants:
        value = attribute_of(constant, "value")
        for wanted in [*WANTED, value]:
            held = stored(wanted, dtype)
            assert has_value(constant, wanted) is equal(held, value), (constant, wanted)


@pytest.mark.parametrize(
    ("asked", "dtype", "is_equal"),
    [
        (0.1, "float16", True),
        (0.1, "float32", True),
        (0.1 + 1e-7, "float32", False),
        (0.1 + 1e-12, "float64", False),
        (1, "float32", False),
        ((0.1, 0.1), "float32", False),
    ],
)
def test_a_number_equals_what_a_float_constant_has_of_it(
    asked: Any, dtype: str, is_equal: bool
) -> None:
    for constant in (Const(0.1, dtype), Const([0.1, 2.0], dtype)):
        whole = constant.shape == () or isinstance(asked, tuple)
        wanted = asked if whole else (asked, 2)
        value = attribute_of(constant, "value")

        assert has_value(constant, wanted) is is_equal
        assert comparison(constant, "value")(wanted, value) is is_equal


def test_only_values_of_constants_are_compared_rounded() -> None:
    below, above = 0.1, float(np.float32(0.1))

    assert comparison(Const(0.1), "shape")(below, above) is False
    assert comparison(A, "value")(below, above) is False
    assert has_value(Const(2**24, "int32"), 2**24 + 0.25) is False


def test_unknown_value_of_a_constant_is_not_decided() -> None:
    unknown = Const(attr.Symbol("c"), "float32")

    assert not isinstance(has_value(unknown, 1.0), bool)


def test_calls_share_their_attributes_or_not() -> None:
    three = tag(A, 3)

    assert share_attributes(three, three)
    assert share_attributes(tag(A, 3), three)
    assert share_attributes(mark(A, 3), three)
    assert not share_attributes(tag(A, 2), three)
    assert share_attributes(relu(A), three)
    with pytest.raises(AttributeError):
        share_attributes(three, relu(A))
