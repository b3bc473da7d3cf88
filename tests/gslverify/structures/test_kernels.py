"""What operators do with their operands is read off their kernels, those of users included."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from gsl import Call, Var
from gsl.expr import Tuple
from gsl.kernel.meaning import Elements, apply, over
from gsl.operators import Operator, lookup
from gsl.operators.declaration import REGISTRY, Need, Tensor, operator
from gsl.types import TensorType
from gslverify.structures.kernels import chooses, combined_by, converts, is_pointwise, rearranges

X, Y, FLAGS = Var("x", (2, 3)), Var("y", (2, 3)), Var("b", (2, 3), "bool")


def call(name: str, *operands: Any, **attributes: Any) -> Call:
    return Call(lookup(name), list(operands), attributes)


@pytest.fixture(params=["Mirrored", "Largest", "Ramp"])
def own(request: pytest.FixtureRequest) -> Iterator[Operator]:
    """An operator of a user, without traits."""
    made = {"Mirrored": mirrored, "Largest": largest, "Ramp": ramp}[request.param]()
    try:
        yield made
    finally:
        del REGISTRY[made.name]


def mirrored() -> Operator:
    @operator()
    def Mirrored(need: Need, data: Tensor) -> TensorType:
        return data

    @Mirrored.kernel
    def _(index: Any, data: Elements) -> Any:
        return data[(data.shape[0] - 1 - index[0], *index[1:])]

    return Mirrored


def largest() -> Operator:
    @operator()
    def Largest(need: Need, data: Tensor) -> TensorType:
        return TensorType((), data.dtype)

    @Largest.kernel
    def _(index: Any, data: Elements) -> Any:
        return over("max", data.shape, lambda *place: data[place])

    return Largest


def ramp() -> Operator:
    @operator()
    def Ramp(need: Need, data: Tensor) -> TensorType:
        return data

    @Ramp.kernel
    def _(index: Any, data: Elements) -> Any:
        return apply("max", data[index] * 2.0 - 9.0, 0)

    return Ramp


def test_operators_of_users_are_known_by_what_they_compute(own: Operator) -> None:
    one = Call(own, [X])
    facts = (rearranges(one), chooses(one), is_pointwise(one), set(combined_by(one)))
    assert (
        facts
        == {
            "Mirrored": (True, True, False, set()),
            "Largest": (False, False, False, {"max"}),
            "Ramp": (False, False, True, set()),
        }[own.name]
    )


@pytest.mark.parametrize(
    ("one", "all_of_them", "some"),
    [
        (call("Transpose", X, axes=(1, 0)), True, True),
        (call("Concatenate", Tuple([X, Y]), axis=0), True, True),
        (call("StridedSlice", X, begin=(0, 0), end=(1, 3), strides=(1, 1)), False, True),
        (call("Split", X, indices_or_sections=2, axis=0), False, True),
        (call("Where", FLAGS, X, Y), False, True),
        (call("Cast", X, dtype="int32"), False, True),
        (call("Clip", X, min=0.0, max=1.0), False, False),
        (call("Pad", X, pad_width=(1, 1, 0, 0)), False, False),
        (call("Max", X, axis=(0,)), False, False),
    ],
    ids=lambda value: value.operator.name if isinstance(value, Call) else "",
)
def test_what_moves_and_chooses_elements(one: Call, all_of_them: bool, some: bool) -> None:
    assert (rearranges(one), chooses(one)) == (all_of_them, some)


def test_what_converts() -> None:
    assert converts(call("Cast", X, dtype="int32"))
    assert not converts(call("Cast", X, dtype="float32"))
    assert not converts(call("Relu", X))


def test_kernels_that_read_the_same_place_are_pointwise() -> None:
    assert is_pointwise(call("Add", X, Var("row", (3,))))
    assert not is_pointwise(call("Transpose", X, axes=(1, 0)))
    assert not is_pointwise(call("Softmax", X, axis=1))
    assert not is_pointwise(call("Zeros", shape=(2,)))
