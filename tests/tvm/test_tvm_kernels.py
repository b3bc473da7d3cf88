"""Graphs put together from kernels of single operators."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import tvm
from relax_graphs import WORKLOADS, assert_close, call, values_for
from simpler_calls import CASES, values_of

from gsl.evaluate import evaluate
from gsl.expr import Call, Expr, Tuple, Var
from gsl.operators import REGISTRY
from gsl.operators.declaration import Need, Operator, Tensor, operator
from gsl.tvm import child
from gsl.tvm.errors import BackendError, TypeMismatchError
from gsl.tvm.kernels import Kernels
from gsl.tvm.worker import Failure, Job, Worker
from gsl.types import NUMERIC, TensorType

pytestmark = pytest.mark.tvm


@pytest.fixture(scope="module")
def kernels() -> Kernels:
    """Kernels that all tests of this file share, as all batches of a process do."""
    return Kernels()


def shape_of(call: Expr) -> list[tuple[Any, ...]]:
    """Return the sizes in the key of the kernel of a call; numbers below 0 stand for any size."""
    assert isinstance(call, Call)
    key = Kernels().key(call)
    assert key is not None
    types = key.types
    return [one.shape for one in types if isinstance(one, TensorType)]


def var(*shape: int, dtype: str = "float32", name: str = "x") -> Var:
    return Var(name, shape, dtype)


@pytest.mark.parametrize(
    ("expr", "shapes"),
    [
        pytest.param(call("Add", var(2, 3), var(2, 3)), [(-1,), (-1,)], id="any rank"),
        pytest.param(call("Add", var(2, 1), var(3)), [(-1, 1), (1, -2)], id="both are repeated"),
        pytest.param(
            call("Add", var(2, 3, 4), var(3, 4)), [(-1, -2), (1, -2)], id="one is repeated"
        ),
        pytest.param(call("Add", var(1, 1), var()), [(-1,), (-1,)], id="one element"),
        pytest.param(call("OnesLike", var(2, 3)), [(-1,)], id="filled"),
        pytest.param(call("Relu", var(0, 3)), [(0, -1)], id="a size of 0 stays"),
        pytest.param(call("Variance", var(2, 1, 3), axis=(1,)), [(-1, -2, -3)], id="a size of 1"),
        pytest.param(call("Variance", var(3, 3), axis=(1,)), [(-1, -2)], id="equal by luck"),
        pytest.param(
            call("Matmul", var(1, 1, 3), var(4, 3, 5)),
            [(1, -1, -2), (-3, -2, -4)],
            id="a size of 1 that is repeated stays",
        ),
        pytest.param(call("Dense", var(2, 3), var(4, 3)), [(-1, -2), (-3, -2)], id="a contraction"),
        pytest.param(
            call("Conv1DTranspose", var(1, 4, 5), var(4, 3, 3), groups=2),
            [(-1, 4, -2), (4, -3, -4)],
            id="sizes that are computed with stay",
        ),
        pytest.param(
            call("Conv1DTranspose", var(2, 3, 5), var(3, 6, 3), strides=(2,)),
            [(-1, -2, -3), (-2, -4, -5)],
            id="windows",
        ),
        pytest.param(
            call("Split", var(2, 6, 3), indices_or_sections=2, axis=1),
            [(-1, 6, -2)],
            id="a size that is cut",
        ),
    ],
)
def test_a_kernel_takes_all_sizes_that_its_operator_treats_alike(
    expr: Expr, shapes: list[tuple[int, ...]]
):
    assert shape_of(expr) == shapes


def test_attributes_and_dtypes_have_kernels_of_their_own():
    one = Kernels()
    graphs = [
        call("Sum", var(2, 3), axis=(0,)),
        call("Sum", var(4, 5), axis=(0,)),
        call("Sum", var(2, 3), axis=(1,)),
        call("Sum", var(2, 3, dtype="float64"), axis=(0,)),
    ]
    assert len({one.key(graph) for graph in graphs}) == 3


def test_results_are_those_of_the_references(kernels: Kernels):
    workloads = [make() for make in WORKLOADS]
    kernels.prepare([workload.outputs for workload in workloads])
    for workload in workloads:
        values = values_for(workload.inputs) | dict(workload.parameters)
        expected = evaluate(workload.outputs, values)
        for mine, its in zip(kernels.run(workload.outputs, values), expected, strict=True):
            assert_close(mine, its)


def test_one_kernel_runs_at_many_sizes(kernels: Kernels):
    for rows, columns in ((2, 3), (5, 2), (1, 3)):
        outputs = [call("Softmax", var(rows, columns), axis=1)]
        kernels.prepare([outputs])
        values = {"x": np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)}
        assert_close(kernels.run(outputs, values)[0], evaluate(outputs, values)[0])
    softmax = [key for key in kernels.functions if key.operator == "Softmax"]
    assert [str(key.types[0]) for key in softmax] == ["float32[-1,-2,-3]"]


@pytest.mark.parametrize(
    "shapes",
    [
        [(2, 3), (2, 3)],
        [(2, 3, 4), (4,)],
        [(2, 1, 4), (3, 1)],
        [(1, 2, 3, 1), (5, 1, 3, 2)],
        [(), (1, 1)],
        [(2, 3), ()],
        [(0, 3), (3,)],
    ],
    ids=str,
)
def test_elementwise_operators_run_on_as_few_axes_as_possible(
    kernels: Kernels, shapes: list[tuple[int, ...]]
):
    x, y = var(*shapes[0]), var(*shapes[1], name="y")
    outputs = [call("Subtract", call("Exp", x), y), call("Where", call("Less", x, y), y, x)]
    values = values_for([x, y])
    kernels.prepare([outputs])
    for mine, its in zip(kernels.run(outputs, values), evaluate(outputs, values), strict=True):
        assert_close(mine, its)


def test_a_kernel_for_any_size_runs_at_size_one(kernels: Kernels):
    for shape in ((2, 3), (1, 3), (2, 1), (1, 1)):
        outputs = [call("Softmax", var(*shape), axis=1), call("Transpose", var(*shape))]
        values = values_for([var(*shape)])
        kernels.prepare([outputs])
        for mine, its in zip(kernels.run(outputs, values), evaluate(outputs, values), strict=True):
            assert_close(mine, its)
    softmax = [key for key in kernels.functions if key.operator == "Softmax"]
    assert [str(key.types[0]) for key in softmax] == ["float32[-1,-2,-3]"]


@pytest.mark.parametrize("name", CASES)
def test_calls_that_are_done_as_simpler_ones_have_their_own_results(kernels: Kernels, name: str):
    outputs = [CASES[name][0]]
    values = values_of(outputs[0])
    kernels.prepare([outputs])
    (mine,), (its,) = kernels.run(outputs, values), evaluate(outputs, values)
    assert_close(mine, its)


@pytest.mark.parametrize(
    "calls",
    [
        [call("BroadcastTo", var(3, 1), shape=s) for s in ((3, 2), (3, 5), (3, 7))],
        [call("Full", shape=s, fill_value=2.0) for s in ((2, 3), (7,), ())],
        [
            call("StridedSlice", var(9, dtype=d), begin=(b,), end=(e,), strides=(s,))
            for d, b, e, s in (("float32", 0, 9, 2), ("int32", 3, 4, 1), ("float32", 1, 8, 3))
        ],
        [
            call("Concatenate", Tuple([var(2, n, dtype=d), var(2, n, dtype=d, name="y")]), axis=1)
            for d, n in (("float64", 2), ("int64", 3))
        ],
    ],
    ids=["repeated", "filled", "sliced", "joined"],
)
def test_one_kernel_computes_many_calls(kernels: Kernels, calls: list[Call]):
    assert len({kernels.key(one) for one in calls}) == 1
    kernels.prepare([[one] for one in calls])
    for one in calls:
        values = values_of(one)
        (mine,), (its,) = kernels.run([one], values), evaluate([one], values)
        assert_close(mine, its)


def test_what_only_gives_another_shape_needs_no_kernel():
    kernels = Kernels()
    outputs = [call("Reshape", call("ExpandDims", var(2, 6), axis=(0,)), shape=(3, 4))]
    values = values_for([var(2, 6)])
    kernels.prepare([outputs])
    (result,) = kernels.run(outputs, values)
    assert kernels.functions == {}
    assert result.tolist() == evaluate(outputs, values)[0].tolist()
    values["x"][:] = 0
    assert result.any()


def test_an_output_that_is_an_input_is_a_copy(kernels: Kernels):
    x = var(2)
    values = {"x": np.ones(2, np.float32)}
    (same,) = kernels.run([x], values)
    values["x"][:] = 7
    assert same.tolist() == [1.0, 1.0]


def test_tuples_are_operands_and_results(kernels: Kernels):
    x, y = var(4, 2), var(2, 2, name="y")
    joined = call("Concatenate", Tuple([x, y]), axis=0)
    outputs = [call("Split", joined, indices_or_sections=(3,), axis=0)]
    values = {"x": np.ones((4, 2), np.float32), "y": np.zeros((2, 2), np.float32)}
    kernels.prepare([outputs])
    (pieces,) = kernels.run(outputs, values)
    assert [piece.shape for piece in pieces] == [(3, 2), (3, 2)]


def declared(name: str, lower: Any, shape: tuple[int, ...] | None = None) -> Operator:
    def rule(need: Need, data: Tensor) -> TensorType:
        return data if shape is None else data.with_shape(shape)

    rule.__name__ = name
    made = operator(dtypes=NUMERIC)(rule)
    made.lowering = lower
    return made


@pytest.fixture(scope="module")
def strange() -> Iterator[dict[str, Operator]]:
    """Operators that do what must not happen."""
    operators = {
        "KernelRigid": declared("KernelRigid", _only_numbers),
        "KernelRaise": declared("KernelRaise", lambda relax, data: 1 / 0),
        "KernelLie": declared("KernelLie", lambda relax, data: relax.exp(data), shape=(7,)),
        "KernelAbort": declared("KernelAbort", lambda relax, data: os.abort()),
        "KernelHang": declared("KernelHang", lambda relax, data: time.sleep(600)),
        "KernelFalse": declared("KernelFalse", _crash_of_the_compiler),
    }
    yield operators
    for name in operators:
        del REGISTRY[name]


def _only_numbers(relax: Any, data: Any) -> Any:
    return relax.reshape(data, [int(size) for size in data.ty.shape])


def _crash_of_the_compiler(relax: Any, data: Any) -> Any:
    return relax.astype(relax.equal(relax.astype(data, "bool"), relax.astype(data, "bool")), "int8")


def test_where_any_size_does_not_compile_these_do(kernels: Kernels, strange: dict[str, Operator]):
    graphs = [[Call(strange["KernelRigid"], [var(2, size)])] for size in (3, 4)]
    kernels.prepare(graphs)
    for outputs, size in zip(graphs, (3, 4), strict=True):
        values = {"x": np.ones((2, size), np.float32)}
        assert kernels.run(outputs, values)[0].tolist() == [[1.0] * size] * 2


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("KernelRaise", BackendError, "TVM refuses KernelRaise.*division by zero"),
        ("KernelLie", TypeMismatchError, r"has type float32\[7\], TVM has float32\[2\]"),
        ("KernelFalse", BackendError, "LLVM module verification failed"),
    ],
)
def test_what_does_not_compile_leaves_the_others_alone(
    kernels: Kernels, strange: dict[str, Operator], name: str, kind: type[Exception], message: str
):
    graphs = [[call("Exp", var(2))], [Call(strange[name], [var(2)])], [call("Negative", var(2))]]
    kernels.prepare(graphs)
    values = {"x": np.zeros(2, np.float32)}
    assert kernels.run(graphs[0], values)[0].tolist() == [1.0, 1.0]
    assert kernels.run(graphs[2], values)[0].tolist() == [0.0, 0.0]
    with pytest.raises(kind, match=message):
        kernels.run(graphs[1], values)


def test_inputs_are_checked(kernels: Kernels):
    outputs = [call("Exp", var(2))]
    kernels.prepare([outputs])
    with pytest.raises(TypeMismatchError, match=r"input `x` has type float32\[2\]"):
        kernels.run(outputs, {"x": np.ones(3, np.float32)})


def ones(name: str) -> Job:
    return Job(name, [call("Add", var(2), var(2))], {"x": np.ones(2, np.float32)})


def is_two(result: Any) -> bool:
    return isinstance(result, list) and result[0].tolist() == [2.0, 2.0]


def test_a_worker_keeps_the_process_that_has_the_kernels(strange: dict[str, Operator]):
    with Worker(timeout=20.0) as worker:
        results = [worker.run([ones("one")], by_operator=True)[0] for _ in range(3)]
        assert all(map(is_two, results))
        children = _children(worker)
        worker.run([ones("again")], by_operator=True)
        assert _children(worker) == children != []
        worker.close()
        assert not any(os.path.exists(f"/proc/{pid}") for pid in children)


def _children(worker: Worker) -> list[str]:
    assert worker._zygote is not None
    pid = worker._zygote.pid
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return file.read().split()


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [("KernelAbort", "crash", "SIGABRT"), ("KernelHang", "timeout", "no result within 2 seconds")],
)
def test_what_ends_the_process_is_found_and_the_others_finish(
    strange: dict[str, Operator], name: str, kind: str, message: str
):
    bad = Job("bad", [Call(strange[name], [var(2)])], {"x": np.ones(2, np.float32)})
    with Worker(timeout=2.0) as worker:
        before, failure, after = worker.run([ones("a"), bad, ones("b")], by_operator=True)
        later = worker.run([ones("c")], by_operator=True)
    assert is_two(before)
    assert is_two(after)
    assert isinstance(failure, Failure)
    assert (failure.kind, failure.message, failure.job) == (kind, message, "bad")
    assert is_two(later[0])


def test_a_batch_that_dies_is_run_again_in_smaller_ones(
    strange: dict[str, Operator], monkeypatch: pytest.MonkeyPatch
):
    asked: list[tuple[str, bool]] = []
    ask = Worker._ask

    def noted(worker: Worker, jobs: list[Job], lasting: bool) -> Any:
        asked.append(("".join(job.name for job in jobs), lasting))
        return ask(worker, jobs, lasting)

    monkeypatch.setattr(Worker, "_ask", noted)
    bad = Job("!", [Call(strange["KernelAbort"], [var(2)])], {"x": np.ones(2, np.float32)})
    with Worker(timeout=20.0, batch_size=2) as worker:
        results = worker.run([ones("a"), bad, *map(ones, "bcd")], by_operator=True)
    assert [is_two(result) for result in results] == [True, False, True, True, True]
    together = [("a!bcd", True), ("a!", True), ("bc", True), ("d", True)]
    assert [one for one in asked if one[1]] == together
    assert [one for one in asked if not one[1]] == [("a", False), ("!", False)]


def test_a_process_that_was_killed_is_started_again():
    with Worker(timeout=20.0) as worker:
        assert is_two(worker.run([ones("one")], by_operator=True)[0])
        (child,) = _children(worker)
        os.kill(int(child), signal.SIGKILL)
        assert is_two(worker.run([ones("two")], by_operator=True)[0])
        assert is_two(worker.run([ones("three")], by_operator=True)[0])


def test_another_version_of_tvm_does_not_start(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tvm, "__version__", "0.28.1")
    with pytest.raises(BackendError, match=r"TVM 0\.28\.1 is installed, not 0\.27"):
        child.warm_up()
