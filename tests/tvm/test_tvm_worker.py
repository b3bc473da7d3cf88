"""The process barrier: jobs that abort, hang or raise do no harm to others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from relax_graphs import WORKLOADS, assert_close, call, values_for

from gsl.errors import GraphError
from gsl.evaluate import evaluate
from gsl.expr import Call, Expr, Var
from gsl.operators import REGISTRY
from gsl.operators.declaration import Need, Operator, Tensor, operator
from gsl.tvm import process, zygote
from gsl.tvm.errors import BackendError
from gsl.tvm.worker import Failure, Job, Result, Worker
from gsl.types import NUMERIC, TensorType

pytestmark = pytest.mark.tvm


def strange(name: str, lower: Any, shape: tuple[int, ...] | None = None) -> Operator:
    """Declare an operator of one tensor that is lowered by `lower`."""

    def rule(need: Need, data: Tensor) -> TensorType:
        return data if shape is None else data.with_shape(shape)

    rule.__name__ = name
    declared = operator(dtypes=NUMERIC)(rule)
    declared.lowering = lower
    return declared


@pytest.fixture(scope="module")
def operators() -> Iterator[dict[str, Operator]]:
    """Operators that do what must not happen."""
    declared = {
        "Abort": strange("Abort", lambda relax, data: os.abort()),
        "Hang": strange("Hang", lambda relax, data: time.sleep(600)),
        "Leave": strange("Leave", lambda relax, data: os._exit(0)),
        "Raise": strange("Raise", lambda relax, data: 1 / 0),
        "Interrupt": strange("Interrupt", lambda relax, data: sys.exit("on purpose")),
        "Shout": strange("Shout", _shout),
        "Lie": strange("Lie", lambda relax, data: relax.exp(data), shape=(7,)),
    }
    yield declared
    for name in declared:
        del REGISTRY[name]


def _shout(relax: Any, data: Any) -> Any:
    os.write(1, b"to stdout\n")
    os.write(2, b"to stderr\n")
    print("through Python")
    raise ValueError("after shouting")


@pytest.fixture(scope="module")
def worker(operators: dict[str, Operator]) -> Iterator[Worker]:
    with Worker(timeout=20.0) as one:
        yield one


X = Var("x", (2,))
ONES = {"x": np.ones(2, np.float32)}


def good(name: str = "good") -> Job:
    return Job(name, [call("Add", X, X)], ONES)


def bad(operators: dict[str, Operator], name: str) -> Job:
    return Job(name.lower(), [Call(operators[name], [X])], ONES)


def is_good(result: Result) -> bool:
    return isinstance(result, list) and result[0].tolist() == [2.0, 2.0]


def test_results_are_those_of_the_references(worker: Worker):
    workloads = [make() for make in WORKLOADS]
    values = [values_for(w.inputs) | dict(w.parameters) for w in workloads]
    jobs = [(str(i), w.outputs, values[i]) for i, w in enumerate(workloads)]
    for result, (_, outputs, inputs) in zip(worker.run(jobs), jobs, strict=True):
        assert not isinstance(result, Failure), result
        for left, right in zip(result, evaluate(outputs, inputs), strict=True):
            assert_close(left, right)


def test_several_draws_of_one_graph(worker: Worker):
    outputs = [call("Exp", X)]
    draws = [{"x": np.full(2, k, np.float32)} for k in range(3)]
    results = worker.run([Job(f"draw{k}", outputs, draw) for k, draw in enumerate(draws)])
    for draw, result in zip(draws, results, strict=True):
        assert isinstance(result, list)
        assert_close(result[0], np.exp(draw["x"]))


def test_no_jobs_no_results(worker: Worker):
    assert worker.run([]) == []


def test_a_crash_while_compiling_is_found_in_its_batch(
    worker: Worker, operators: dict[str, Operator]
):
    jobs = [good("a"), bad(operators, "Abort"), good("b")]
    first, crash, last = worker.run(jobs)
    assert is_good(first)
    assert is_good(last)
    assert isinstance(crash, Failure)
    assert (crash.kind, crash.message, crash.job) == ("crash", "SIGABRT", "abort")
    assert "in <lambda>" in crash.stderr  # the Python stack of the crash


def test_a_crash_while_running_is_found_in_its_batch(worker: Worker):
    x, y = Var("x", (2,), "int32"), Var("y", (2,), "int32")
    outputs = [call("FloorDivide", x, y)]
    values = {"x": np.array([4, 6], np.int32), "y": np.array([2, 3], np.int32)}
    zero = values | {"y": np.array([1, 0], np.int32)}
    before, crash, after = worker.run(
        [Job("two", outputs, values), Job("zero", outputs, zero), good()]
    )
    assert isinstance(before, list)
    assert before[0].tolist() == [2, 2]
    assert isinstance(crash, Failure)
    assert (crash.kind, crash.message, crash.job) == ("crash", "SIGFPE", "zero")
    assert is_good(after)


def test_a_hang_becomes_a_timeout_and_says_where(operators: dict[str, Operator]):
    with Worker(timeout=1.0) as impatient:
        started = time.monotonic()
        hang, after = impatient.run([bad(operators, "Hang"), good()])
        assert time.monotonic() - started < 30
    assert isinstance(hang, Failure)
    assert (hang.kind, hang.job) == ("timeout", "hang")
    assert hang.message == "no result within 1 seconds"
    assert "test_tvm_worker.py" in hang.stderr
    assert is_good(after)


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("Leave", "crash", "exit status 0 without a result"),
        ("Interrupt", "crash", "exit status 1 without a result"),
        ("Raise", "exception", "BackendError: TVM refuses Raise(float32[2]): division by zero"),
        ("Lie", "type", 'TVM infers R.Tensor((2,), dtype="float32") for Lie(float32[2])'),
    ],
)
def test_other_failures(
    worker: Worker, operators: dict[str, Operator], name: str, kind: str, message: str
):
    before, failure, after = worker.run([good("a"), bad(operators, name), good("b")])
    assert isinstance(failure, Failure)
    assert failure.kind == kind
    assert failure.message.startswith(message)
    assert failure.job == name.lower()
    assert is_good(before)
    assert is_good(after)


def test_a_graph_that_does_not_compile_leaves_the_others_alone(
    worker: Worker, operators: dict[str, Operator]
):
    flag = Var("flag", (2,), "bool")
    equal = strange("EqualBool", lambda relax, data: relax.equal(data, data))
    equal.dtypes = None
    try:
        job = Job("bool", [Call(equal, [flag])], {"flag": np.ones(2, bool)})
        before, failure, after = worker.run([good(), job, good()])
    finally:
        del REGISTRY["EqualBool"]
    assert isinstance(failure, Failure)
    assert failure.kind == "exception"
    assert "LLVM module verification failed" in failure.message
    assert is_good(before)
    assert is_good(after)


def test_wrong_and_missing_inputs_are_exceptions(worker: Worker):
    outputs = [call("Exp", X)]
    wrong = Job("wrong", outputs, {"x": np.ones(3, np.float32)})
    first, second = worker.run([Job("missing", outputs, {}), wrong])
    assert isinstance(first, Failure)
    assert first.message == "GraphError: variable `x` has no value"
    assert isinstance(second, Failure)
    assert second.kind == "exception"
    assert "given float32[3]" in second.message


def test_what_a_job_prints_is_attached_and_not_printed(
    worker: Worker, operators: dict[str, Operator], capfd: pytest.CaptureFixture[str]
):
    (failure,) = worker.run([bad(operators, "Shout")])
    assert isinstance(failure, Failure)
    for text in ("to stdout", "to stderr", "through Python"):
        assert text in failure.stderr
    assert capfd.readouterr() == ("", "")


def test_a_deep_graph_passes_the_barrier(worker: Worker):
    chain: Expr = X
    for _ in range(2_000):
        chain = call("Add", chain, X)
    (result,) = worker.run([Job("chain", [chain], ONES)])
    assert isinstance(result, list)
    assert result[0].tolist() == [2001.0, 2001.0]


def test_batches_are_cut_by_distinct_graphs(operators: dict[str, Operator]):
    jobs = [good(str(k)) for k in range(5)]
    with Worker(batch_size=2) as small:
        assert all(map(is_good, small.run(jobs)))


def test_operators_declared_after_the_start_are_known(worker: Worker):
    assert all(map(is_good, worker.run([good()])))
    late = strange("Late", lambda relax, data: relax.add(data, data))
    try:
        assert all(map(is_good, worker.run([Job("late", [Call(late, [X])], ONES)])))
        again = strange("Late", lambda relax, data: relax.exp(data))
        job = Job("old", [Call(late, [X])], ONES)
        with pytest.raises(GraphError, match="operator Late was declared anew"):
            worker.run([job])
        assert again is REGISTRY["Late"]
    finally:
        del REGISTRY["Late"]


def test_a_closed_worker_starts_again(operators: dict[str, Operator]):
    again = Worker()
    assert all(map(is_good, again.run([good()])))
    pid = _pid(again)
    again.close()
    again.close()
    assert not _exists(pid)
    assert all(map(is_good, again.run([good()])))
    again.close()


def _pid(worker: Worker) -> int:
    assert worker._zygote is not None
    return worker._zygote.pid


def _exists(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def test_a_killed_zygote_is_a_crash_and_is_replaced(operators: dict[str, Operator]):
    with Worker(timeout=20.0) as one:
        assert all(map(is_good, one.run([good()])))
        pid = _pid(one)
        threading.Timer(0.5, os.kill, (pid, signal.SIGKILL)).start()
        started = time.monotonic()
        (failure,) = one.run([bad(operators, "Hang")])
        assert time.monotonic() - started < 10
        assert isinstance(failure, Failure)
        assert (failure.kind, failure.message) == ("crash", "SIGKILL")
        assert all(map(is_good, one.run([good()])))


def test_a_silent_zygote_is_a_timeout(
    operators: dict[str, Operator], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(process, "GRACE", 0.5)
    with Worker(timeout=0.5) as one:
        assert all(map(is_good, one.run([good()])))
        os.kill(_pid(one), signal.SIGSTOP)
        (failure,) = one.run([good()])
        assert isinstance(failure, Failure)
        assert failure.kind == "timeout"


def test_an_interrupt_ends_the_processes_and_is_passed_on(operators: dict[str, Operator]):
    with Worker(timeout=60.0) as one:
        assert all(map(is_good, one.run([good()])))
        pid = _pid(one)
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        started = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            one.run([bad(operators, "Hang")])
        assert time.monotonic() - started < 10
        assert not _exists(pid)
        assert all(map(is_good, one.run([good()])))


def test_two_workers_at_once_close_quickly(operators: dict[str, Operator]):
    first, second = Worker(), Worker()
    assert all(map(is_good, first.run([good()]) + second.run([good()])))
    started = time.monotonic()
    first.close()
    second.close()
    assert time.monotonic() - started < process.GOODBYE


def test_a_worker_that_is_forgotten_ends_its_process(operators: dict[str, Operator]):
    forgotten = Worker()
    forgotten.run([good()])
    pid = _pid(forgotten)
    del forgotten
    assert not _exists(pid)


def test_another_process_is_started_where_a_fork_has_ended_it(worker: Worker):
    assert all(map(is_good, worker.run([good()])))
    pid = os.fork()
    if not pid:
        worker.close()
        os._exit(0)
    os.waitpid(pid, 0)
    assert all(map(is_good, worker.run([good()])))


def test_programs_of_the_owner_see_the_end_of_their_pipes():
    """The zygote, which is a fork, must not hold them open."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as program, Worker(timeout=20.0) as one:
        assert all(map(is_good, one.run([good()])))
        assert program.stdin is not None
        program.stdin.close()

        assert program.wait(timeout=30.0) == 0


def test_a_tvm_that_does_not_start_is_an_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "gsl.tvm.child", None)
    monkeypatch.delattr(sys.modules["gsl.tvm"], "child", raising=False)
    with pytest.raises(BackendError, match=r"(?s)TVM does not start: .*gsl\.tvm\.child"):
        Worker().run([good()])


SCRIPT = """
import os, sys
import numpy as np
from gsl.expr import Call, Var
from gsl.operators import lookup
from gsl.tvm.worker import Job, Worker

x = Var("x", (2,))
worker = Worker()
job = Job("job", [Call(lookup("Exp"), [x])], {"x": np.zeros(2, np.float32)})
(result,) = worker.run([job])
assert result[0].tolist() == [1.0, 1.0]
assert "tvm" not in sys.modules
print(worker._zygote.pid, flush=True)
"""


OTHER_VERSION = """
from gsl.expr import Const
from gsl.tvm import child
from gsl.tvm.errors import BackendError
from gsl.tvm.worker import Worker
child.VERSION = "0.1"
with Worker() as worker:
    try:
        worker.run([("one", [Const(1.0)], {})])
    except BackendError as error:
        print(error)
"""


def test_a_tvm_of_another_version_is_an_error():
    command = [sys.executable, "-c", OTHER_VERSION]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert "TVM does not start: TVM 0." in done.stdout
    assert "is installed, not 0.1" in done.stdout


@pytest.mark.parametrize("end", ["", "os._exit(0)", "os.kill(os.getpid(), 9)"])
def test_the_parent_has_no_tvm_and_leaves_no_process_behind(end: str):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT + end], capture_output=True, text=True, timeout=120
    )
    assert done.stderr == ""
    pid = int(done.stdout)
    deadline = time.monotonic() + 10
    while _exists(pid) and "State:\tZ" not in Path(f"/proc/{pid}/status").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=3))
def test_a_worker_serves_hypothesis(worker: Worker, values: list[int]):
    x = Var("x", (len(values),))
    inputs = {"x": np.array(values, np.float32)}
    (result,) = worker.run([Job("property", [call("Abs", x)], inputs)])
    assert isinstance(result, list)
    np.testing.assert_array_equal(result[0], np.abs(inputs["x"]))


WITHOUT_TORCH = """
import sys
import numpy as np
from gsl.expr import Call, Var
from gsl.operators.declaration import Need, Tensor, operator
from gsl.tvm.worker import Job, Worker

@operator()
def Loaded(need: Need, data: Tensor) -> Tensor:
    return data

@Loaded.relax
def lowering(relax, data):
    return relax.exp(data) if sys.modules.get("torch") is None else relax.negative(data)

with Worker() as worker:
    job = Job("job", [Call(Loaded, [Var("x", (1,), "float32")])], {"x": np.zeros(1, np.float32)})
    print(worker.run([job])[0][0].tolist(), "tvm" in sys.modules)
"""


def test_a_worker_loads_tvm_without_torch() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_TORCH], capture_output=True, text=True)
    assert done.stdout.strip() == "[1.0] False", done.stderr


def test_the_process_may_be_started_before_the_first_job(worker: Worker) -> None:
    worker.close()
    worker.start()
    pid = _pid(worker)
    worker.start()
    assert _pid(worker) == pid

    assert all(map(is_good, worker.run([good()])))
    assert _pid(worker) == pid


def test_a_process_that_was_ended_early_is_started_again(worker: Worker) -> None:
    worker.close()
    worker.start()
    os.kill(_pid(worker), signal.SIGKILL)

    assert all(map(is_good, worker.run([good()])))


def test_a_process_that_ends_again_and_again_is_an_error(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker.close()
    monkeypatch.setattr(zygote, "serve", lambda connection: os._exit(1))

    with pytest.raises(BackendError, match="TVM does not start: its process was ended while"):
        worker.run([good()])
