"""What operators do along axes, at every rank up to 8: the numbers of axes must not matter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from gsl.attr.term import Symbol
from gsl.expr import Call, Expr, Tuple, Var
from gsl.operators import REGISTRY
from gsl.operators.declaration import Need
from gslverify.ranks.behaviour import Along, Behaviours
from gslverify.ranks.joined import Computation
from gslverify.ranks.tensors import tensors_of

MOST = 8


def inputs(rank: int, count: int = 1) -> list[Expr]:
    """Return tensors of a rank whose sizes and dtype are unknown."""
    dtype = "float32"
    sizes = [[Symbol(f"{name}{axis}", low=1) for axis in range(rank)] for name in "xyz"]
    return [Var(name, size, dtype) for name, size in zip("xyz"[:count], sizes, strict=False)]


def call(name: str, operands: list[Expr], attributes: Mapping[str, Any] | None = None) -> Call:
    """Return the call of an operator."""
    return Call(REGISTRY[name], operands, attributes or {}, Need())


def along(made: Call) -> list[Along]:
    """Return what a call does along each axis of its first operand, else of its result."""
    computation = Computation([made], Behaviours(), ())
    tensor, declared = tensors_of(made.operands[0] if made.operands else made)[0]
    found = []
    for axis in range(declared.ndim):
        root = computation.together(tensor, axis)
        (places,) = [p for p in computation.joined() if computation.together(*p[0]) == root]
        removals = computation.removals(places)
        found.append(Along.SPECIAL if removals is None else removals[id(made)].along)
    return found


@pytest.mark.parametrize("rank", range(1, MOST + 1))
@pytest.mark.parametrize("name", ["Negative", "Exp", "Relu", "Abs", "Sqrt", "Square", "OnesLike"])
def test_functions_of_one_element_are_plain(name: str, rank: int) -> None:
    assert set(along(call(name, inputs(rank)))) == {Along.PLAIN}


@pytest.mark.parametrize("rank", range(1, MOST + 1))
@pytest.mark.parametrize("name", ["Add", "Multiply", "Maximum", "Less"])
def test_functions_of_two_elements_are_plain_however_they_broadcast(name: str, rank: int) -> None:
    for other in range(rank + 1):
        (x,), (y,) = inputs(rank), inputs(other)
        assert set(along(call(name, [x, y]))) == {Along.PLAIN}


@pytest.mark.parametrize("rank", range(2, MOST + 1))
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("name", ["Sum", "Prod", "Max", "Min", "Mean", "Variance"])
def test_reductions_combine_along_their_axes(name: str, keepdims: bool, rank: int) -> None:
    attributes = {"axis": (0, rank - 1), "keepdims": keepdims}
    found = along(call(name, inputs(rank), attributes))

    assert found == [Along.COMBINED, *[Along.PLAIN] * (rank - 2), Along.COMBINED]


@pytest.mark.parametrize("rank", range(2, MOST + 1))
def test_the_last_axis_of_a_reduction_stays(rank: int) -> None:
    found = along(call("Sum", inputs(rank), {"axis": (0,)}))

    assert found == [Along.SPECIAL, *[Along.PLAIN] * (rank - 1)]


@pytest.mark.parametrize("rank", range(1, MOST + 1))
@pytest.mark.parametrize("name", ["Softmax", "LogSoftmax", "Flip", "Argmax", "Cumsum", "Sort"])
def test_an_axis_that_is_named_alone_is_special(name: str, rank: int) -> None:
    found = along(call(name, inputs(rank), {"axis": -1}))

    assert found == [*[Along.PLAIN] * (rank - 1), Along.SPECIAL]


@pytest.mark.parametrize("rank", range(1, MOST + 1))
def test_other_axes_of_joined_tensors_are_plain(rank: int) -> None:
    found = along(call("Concatenate", [Tuple(inputs(rank, 2))], {"axis": 0}))

    assert found == [Along.SPECIAL, *[Along.PLAIN] * (rank - 1)]


@pytest.mark.parametrize("rank", range(1, MOST + 1))
def test_axes_are_only_moved_by_a_transpose(rank: int) -> None:
    order = (*range(1, rank), 0)
    assert set(along(call("Transpose", inputs(rank), {"axes": order}))) == {Along.PLAIN}


@pytest.mark.parametrize("rank", range(1, MOST + 1))
def test_repeated_axes_are_plain(rank: int) -> None:
    shape = tuple(Symbol(f"s{axis}", low=1) for axis in range(rank + 1))
    assert set(along(call("BroadcastTo", inputs(rank), {"shape": shape}))) == {Along.PLAIN}
    assert set(along(call("Zeros", [], {"shape": shape}))) == {Along.PLAIN}


@pytest.mark.parametrize("rank", range(2, MOST + 1))
def test_what_mixes_all_axes_is_special(rank: int) -> None:
    sizes = tuple(Symbol(f"s{axis}", low=1) for axis in range(2))
    assert set(along(call("Reshape", inputs(rank), {"shape": sizes}))) == {Along.SPECIAL}


@pytest.mark.parametrize("rank", range(3, MOST + 1))
def test_axes_in_front_of_matrices_are_plain(rank: int) -> None:
    found = along(call("Matmul", inputs(rank, 2)))

    assert found == [*[Along.PLAIN] * (rank - 2), Along.SPECIAL, Along.SPECIAL]


@pytest.mark.parametrize("rank", range(1, MOST + 1))
def test_axes_that_are_sliced_are_moved_along(rank: int) -> None:
    begin, end = (tuple(Symbol(f"{name}{axis}", low=0) for axis in range(rank)) for name in "be")
    found = along(call("StridedSlice", inputs(rank), {"begin": begin, "end": end}))
    assert set(found) == {Along.MOVED}


@pytest.mark.parametrize("rank", range(2, MOST + 1))
def test_axes_that_are_padded_are_moved_along(rank: int) -> None:
    widths = tuple(Symbol(f"p{side}", low=0) for side in range(2 * rank))
    assert set(along(call("Pad", inputs(rank), {"pad_width": widths}))) == {Along.MOVED}


def test_the_only_axis_of_a_padding_stays() -> None:
    assert along(call("Pad", inputs(1), {"pad_width": (1, 2)})) == [Along.SPECIAL]


@pytest.mark.parametrize("rank", range(2, MOST + 1))
def test_axes_that_a_condition_relates_are_special(rank: int) -> None:
    found = along(call("Tril", inputs(rank)))
    assert found == [*[Along.PLAIN] * (rank - 2), Along.SPECIAL, Along.SPECIAL]
