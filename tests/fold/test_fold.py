"""Folding: what needs no input is computed once, and nothing else changes."""

from __future__ import annotations

import gc
import re
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsl import Call, Const, Expr, Proj, Tuple, Var, Workload, attr
from gsl.evaluate import run
from gsl.fold import FoldRecord, fold
from gsl.graph import reverse_post_order
from gsl.operators.declaration import Need, Operator, Tensor, operator
from gsl.text.listing import listing
from gsl.types import TensorType, TupleType
from tests.match.toys import (
    Halves,
    add,
    const,
    exp,
    half,
    multiply,
    negative,
    pack,
    relu,
    unregistered,
    var,
)
from tests.random_workloads import (
    assert_same_values,
    call,
    description,
    inputs_for,
    workloads,
)

X, W, V = var("x"), var("w"), var("v")
ONE, TWO = np.array([1, 1], "float32"), np.array([2, 3], "float32")


@unregistered
@operator()
def Opaque(need: Need, data: Tensor) -> TensorType:
    """Have no reference."""
    return data


def opaque(data: Expr) -> Call:
    return Call(Opaque, [data])


def of(*outputs: Expr) -> Workload:
    """Return a workload in which `w` and `v` are parameters."""
    values = {"w": ONE, "v": TWO}
    names = {expr.name for expr in reverse_post_order(outputs) if isinstance(expr, Var)}
    return Workload(outputs, {name: values[name] for name in values if name in names})


def as_lists(workload: Workload) -> dict[str, Any]:
    return {name: value.tolist() for name, value in workload.parameters.items()}


FOLDED: list[tuple[Callable[[], Sequence[Expr]], list[str], dict[str, list[float]]]] = [
    # The largest expression without inputs becomes one parameter, named after its first one.
    (
        lambda: [multiply(X, add(negative(W), V))],
        ["%0 = Multiply(x, w_add)", "return %0"],
        {"w_add": [1, 2]},
    ),
    (
        lambda: [add(multiply(X, W), negative(W))],
        ["%0 = Multiply(x, w)", "%1 = Add(%0, w_negative)", "return %1"],
        {"w": [1, 1], "w_negative": [-1, -1]},
    ),
    # An output may be a parameter, or a constant when it depends on constants alone.
    (lambda: [negative(V)], ["return v_negative"], {"v_negative": [-2, -3]}),
    (lambda: [negative(const(4.0))], ["return [-4.0, -4.0]"], {}),
    (
        lambda: [add(X, call("Full", shape=(2,), fill_value=0.5))],
        ["%0 = Add(x, [0.5, 0.5])", "return %0"],
        {},
    ),
    # A constant beside a parameter goes into the parameter.
    (
        lambda: [add(X, multiply(V, negative(const(2.0))))],
        ["%0 = Add(x, v_multiply)", "return %0"],
        {"v_multiply": [-4, -6]},
    ),
    # Of a tuple, the fields in use become parameters; two projections of a field are one.
    (
        lambda: [add(X, half(V, 1))],
        ["%0 = Add(x, v_halves_1)", "return %0"],
        {"v_halves_1": [4, 6]},
    ),
    (
        lambda: [add(X, Proj(HALVES, 1)), multiply(X, Proj(HALVES, 1))],
        ["%0 = Add(x, v_halves_1)", "%1 = Multiply(x, v_halves_1)", "return %0, %1"],
        {"v_halves_1": [4, 6]},
    ),
    (
        lambda: [HALVES, Proj(HALVES, 0)],
        ["return (v_halves_0, v_halves_1), v_halves_0"],
        {"v_halves_0": [2, 3], "v_halves_1": [4, 6]},
    ),
    # Tuples of both: only what is known is folded, and seen through by projections.
    (
        lambda: [pack(X, negative(W), X)],
        ["%0 = Pack((x, w_negative, x))", "return %0"],
        {"w_negative": [-1, -1]},
    ),
    (
        lambda: [add(X, negative(Proj(Tuple([X, exp(const(0.0))]), 1)))],
        ["%0 = Add(x, [-1.0, -1.0])", "return %0"],
        {},
    ),
    (
        lambda: [negative(Proj(Proj(Tuple([Tuple([X, V]), X]), 0), 1))],
        ["return v_negative"],
        {"v_negative": [-2, -3]},
    ),
    (lambda: [Proj(Tuple([X, W]), 1), X], ["return w, x"], {"w": [1, 1]}),
    (
        lambda: [pack(negative(V), W)],
        ["return v_pack"],
        {"v_pack": [-1, -2]},
    ),
    # What has no reference stays, with its operands folded; so does what depends on it.
    (
        lambda: [negative(opaque(exp(negative(W)))), X],
        ["%0 = Opaque(w_exp)", "%1 = Negative(%0)", "return %1, x"],
        {"w_exp": np.exp(-ONE).tolist()},
    ),
]
HALVES = Call(Halves, [V])


@pytest.mark.parametrize(("outputs", "lines", "parameters"), FOLDED)
def test_folded_network(
    outputs: Callable[[], Sequence[Expr]], lines: list[str], parameters: dict[str, list[float]]
) -> None:
    workload = of(*outputs())

    folded = fold(workload)

    assert listing(folded.outputs) == lines
    assert as_lists(folded) == parameters
    assert [v.name for v in folded.inputs] == [v.name for v in workload.inputs]
    assert fold(folded) is folded


UNCHANGED: list[Callable[[], Sequence[Expr]]] = [
    lambda: [add(multiply(X, W), const(1.0))],
    lambda: [W, const(1.0), X],
    lambda: [opaque(W)],
    lambda: [pack(X, W), Tuple([W, Tuple([V, const(0.0)])])],
    lambda: [negative(opaque(V)), Call(Opaque, [W])],
    lambda: [Tuple([]), X],
]


@pytest.mark.parametrize("outputs", UNCHANGED)
def test_workload_without_anything_to_fold_stays_the_same_object(
    outputs: Callable[[], Sequence[Expr]],
) -> None:
    workload = of(*outputs())

    assert fold(workload) is workload
    assert workload.fold() is workload


def test_what_is_not_folded_stays_the_same_object() -> None:
    left = relu(multiply(X, W))
    right = exp(X)

    folded = fold(of(left, add(right, negative(V)), W))

    assert folded.outputs[0] is left
    assert folded.outputs[1].operands[0] is right
    assert folded.outputs[2] is W


def test_a_value_used_twice_is_one_parameter_and_two_equal_expressions_are_two() -> None:
    shared = negative(W)
    folded = fold(of(add(X, shared), multiply(X, shared), add(X, negative(W))))

    first, second, third = (output.operands[1] for output in folded.outputs)
    assert first is second
    assert first is not third
    assert list(folded.parameters) == ["w_negative", "w_negative_1"]


def test_new_names_are_those_of_no_other_variable() -> None:
    taken, fresh = var("w_negative"), var("w_negative_1")
    workload = Workload(
        [add(add(taken, fresh), negative(W)), multiply(taken, negative(W))],
        {"w": ONE, "w_negative_1": ONE},
        [taken, W, fresh],
    )

    folded = fold(workload)

    assert [v.name for v in folded.inputs] == ["w_negative"]
    assert list(folded.parameters) == ["w_negative_1", "w_negative_2", "w_negative_3"]


def test_a_parameter_without_a_name_is_not_taken_for_a_constant() -> None:
    folded = fold(Workload([add(X, negative(var("")))], {"": ONE}))

    assert as_lists(folded) == {"_negative": [-1, -1]}


def test_unused_parameters_go_and_unused_inputs_stay() -> None:
    workload = Workload([add(X, V)], {"v": TWO, "w": ONE}, [W, V, X, var("unused")])

    folded = fold(workload)

    assert folded.outputs[0] is workload.outputs[0]
    assert list(folded.parameters) == ["v"]
    assert [v.name for v in folded.variables] == ["v", "x", "unused"]


def test_parameters_that_stay_keep_their_order_and_arrays() -> None:
    outputs = [add(multiply(X, W), multiply(X, negative(V))), V]
    workload = Workload(outputs, {"w": ONE, "v": TWO}, [V, X, W])

    folded = fold(workload)

    assert [v.name for v in folded.variables] == ["v", "x", "w", "v_negative"]
    assert folded.parameters["w"] is ONE
    assert folded.parameters["v"] is TWO


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int64", "uint8"])
@pytest.mark.parametrize("shape", [(), (0, 2), (2, 3)])
def test_dtype_and_shape_are_kept(dtype: str, shape: tuple[int, ...]) -> None:
    x, w = Var("x", shape, dtype), Var("w", shape, dtype)
    workload = Workload([call("Add", x, call("Square", w))], {"w": np.full(shape, 3, dtype)})

    (value,) = fold(workload).parameters.values()

    assert isinstance(value, np.ndarray)
    assert (value.dtype.name, value.shape) == (dtype, shape)
    assert (value == 9).all()


def test_a_folded_constant_of_float64_stays_float64() -> None:
    folded = fold(Workload([call("Negative", Const(1.5, "float64"))]))

    assert isinstance(folded.outputs[0], Const)
    assert folded.outputs[0].dtype == "float64"


def test_infinity_and_nan_are_values_of_floats() -> None:
    zero = Const(0.0)

    folded = fold(Workload([call("Divide", Const(1.0), zero), call("Divide", zero, zero)]))

    assert folded.outputs[0].value == float("inf")
    assert np.isnan(folded.outputs[1].value)


def returning(result: Any) -> Call:
    """Call an operator whose reference returns, or raises, `result`."""

    @unregistered
    @operator()
    def Odd(need: Need, data: Tensor) -> TensorType:
        return data

    @Odd.numpy
    def _odd(data: Any) -> Any:
        if isinstance(result, Exception):
            raise result
        return result

    return Call(Odd, [W])


def pair_returning(result: Any) -> Proj:
    single = returning(result).operator
    pair = Operator("Pair", single.operands, {}, lambda need, d: [d, d], None, frozenset(), "")
    pair.reference = single.reference
    return Proj(Call(pair, [W]), 0)


def integers(name: str, divisor: int) -> Expr:
    return call(name, Const([7, 7], "int32"), Const([1, divisor], "int32"))


def spread_of_ones() -> Expr:
    """More elements than any machine has room for."""
    return call("BroadcastTo", Const(1.0), shape=(2**20, 2**20, 2**20))


LEFT: list[tuple[Callable[[], Expr], str]] = [
    (lambda: opaque(W), "Opaque has no NumPy reference"),
    (lambda: integers("FloorDivide", 0), "divide by zero"),
    (lambda: integers("Mod", 0), "divide by zero"),
    (lambda: call("Cast", Const([1.0, np.nan]), dtype="int32"), "invalid value"),
    (
        lambda: call("Take", Const([1.0, 2.0]), Const([5], "int64"), axis=0),
        "index 5 is out of bounds",
    ),
    (lambda: returning(ValueError("strange")), "^strange$"),
    (lambda: returning(ValueError()), "^ValueError$"),
    (lambda: returning(MemoryError("too much")), "^out of memory: too much$"),
    (lambda: returning(MemoryError()), "^out of memory$"),
    (lambda: spread_of_ones(), "^out of memory: Unable to allocate"),
    (lambda: returning(np.zeros(2)), r"returned float64\[2\] instead of float32\[2\]"),
    (lambda: returning(np.zeros(3, "float32")), r"returned float32\[3\] instead of float32\[2\]"),
    (lambda: pair_returning((ONE,)), "returned no tuple of 2 fields"),
    (lambda: pair_returning(ONE), "returned no tuple of 2 fields"),
    (lambda: pair_returning((ONE, 1.0)), r"returned float64\[\] instead of float32\[2\]"),
]


@pytest.mark.parametrize(("make", "reason"), LEFT)
def test_call_that_cannot_be_computed_stays_and_is_recorded(
    make: Callable[[], Expr], reason: str
) -> None:
    left = make()
    workload = of(left, add(X, negative(V)))
    record = FoldRecord()

    folded = workload.fold(record=record)

    assert folded.outputs[0] is left
    assert record.added == ["v_negative"]
    ((where, why),) = record.left
    assert where is (left.operands[0] if isinstance(left, Proj) else left)
    assert re.search(reason, why), why


def test_interrupt_is_not_taken_for_a_failure() -> None:
    def interrupt(data: Any) -> Any:
        raise KeyboardInterrupt

    broken = Operator("Stop", Opaque.operands, {}, Opaque.rule, None, frozenset(), "")
    broken.reference = interrupt

    with pytest.raises(KeyboardInterrupt):
        fold(of(Call(broken, [W])))


def test_symbolic_constants_are_left_alone() -> None:
    filled = call("Full", shape=(attr.Symbol("n"),), fill_value=1.0)
    workload = Workload([Const(attr.Symbol("s"), "float32"), filled, X])

    assert fold(workload) is workload


def test_depth_is_no_limit() -> None:
    weights, data = W, X
    for _ in range(100_000):
        weights, data = negative(weights), negative(data)

    folded = fold(of(add(data, weights)))

    assert list(folded.parameters) == ["w_negative"]
    assert folded.parameters["w_negative"].tolist() == [1, 1]
    assert folded.outputs[0].operands[0] is data


def test_depth_of_a_chain_that_folds_in_every_link_is_no_limit() -> None:
    data: Expr = X
    for _ in range(20_000):
        data = add(data, negative(W))

    folded = fold(of(data))

    assert len(folded.parameters) == 20_000
    assert "w_negative_19999" in folded.parameters


def test_depth_of_tuples_is_no_limit() -> None:
    nested: Expr = negative(W)
    for _ in range(20_000):
        nested = Tuple([nested])

    (output,) = fold(of(nested)).outputs

    while isinstance(output, Tuple):
        (output,) = output.operands
    assert isinstance(output, Var)
    assert output.name == "w_negative"


def watched(alive: list[int], most: list[int]) -> Operator:
    """Declare an operator that counts how many of its results are alive at once."""

    @unregistered
    @operator()
    def Watched(need: Need, data: Tensor) -> TensorType:
        return data

    def died() -> None:
        alive[0] -= 1

    @Watched.numpy
    def _watched(data: Any) -> Any:
        result = data + 1
        alive[0] += 1
        most[0] = max(most[0], alive[0])
        weakref.finalize(result, died)
        return result

    return Watched


def test_intermediate_values_are_freed_after_their_last_use() -> None:
    alive, most = [0], [0]
    link = watched(alive, most)
    chain: Expr = W
    for _ in range(50):
        chain = Call(link, [chain])

    folded = fold(of(add(X, chain)))
    gc.collect()

    assert most[0] == 2
    assert alive[0] == 1
    assert folded.parameters["w_watched"].tolist() == [51, 51]


def test_a_parameter_does_not_keep_the_larger_tensor_that_it_was_cut_from() -> None:
    x, w = Var("x", (1, 2)), Var("w", (1000, 2))
    top = call("StridedSlice", w, begin=(0, 0), end=(1, 2))
    spread = call("BroadcastTo", Var("v", (1, 2)), shape=(3, 2))
    values = {"w": np.ones((1000, 2), "float32"), "v": TWO[None]}

    folded = fold(Workload([call("Add", x, top), call("Add", x, spread)], values))

    for value in folded.parameters.values():
        assert value.base is None
        assert value.flags.c_contiguous
    assert folded.parameters["v_broadcastto"].tolist() == [[2, 3]] * 3


def test_a_workload_is_not_changed_by_folding() -> None:
    workload = of(add(X, negative(W)), V)
    before = description(workload)

    fold(workload)

    assert description(workload) == before


def needs_input(workload: Workload, left: Sequence[Call]) -> dict[Expr, Any]:
    """Tell of every expression, field by field, whether it depends on an input or a left call."""
    needs: dict[Expr, Any] = {}
    for expr in reverse_post_order(workload.outputs):
        below = [needs[operand] for operand in expr.operands]
        match expr:
            case Var(name=name):
                needs[expr] = name not in workload.parameters
            case Tuple():
                needs[expr] = below
            case Proj(index=index):
                needs[expr] = below[0][index]
            case _:
                needs[expr] = spread_over(expr.type, expr in left or any(map(anywhere, below)))
    return needs


def anywhere(needed: Any) -> bool:
    return any(map(anywhere, needed)) if isinstance(needed, list) else needed


def spread_over(kind: Any, needed: bool) -> Any:
    return [needed] * len(kind.fields) if isinstance(kind, TupleType) else needed


@settings(max_examples=300, deadline=None)
@given(workloads(), st.integers(0, 1000))
def test_folding_keeps_every_value_and_leaves_nothing_to_fold(
    workload: Workload, seed: int
) -> None:
    record = FoldRecord()
    inputs = inputs_for(workload, seed)

    folded = fold(workload, record=record)

    assert_same_values(run(folded, inputs), run(workload, inputs))
    assert [output.type for output in folded.outputs] == [o.type for o in workload.outputs]
    assert folded.inputs == workload.inputs
    assert {v.name for v in folded.variables} >= set(folded.parameters)
    used = set(reverse_post_order(folded.outputs))
    assert all(v in used for v in folded.variables if v.name in folded.parameters)
    again = FoldRecord()
    assert fold(folded, record=again) is folded
    needs = needs_input(folded, [call for call, _ in again.left])
    assert all(anywhere(needs[expr]) for expr in used if isinstance(expr, Call))
    assert all(isinstance(c, Call) and reason for c, reason in record.left)
