"""Kernels compiled before anybody asks for results, by the process that will be asked."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gsl.expr import Call, Expr, Var
from gsl.operators import REGISTRY, lookup
from gsl.operators.declaration import Need, Operator, Tensor, operator
from gsl.tvm.errors import BackendError
from gsl.tvm.process import MOST_AHEAD
from gsl.tvm.worker import Failure, Job, Result, Worker
from gsl.types import NUMERIC

pytestmark = pytest.mark.tvm
X = Var("x", (2,))
ONES = {"x": np.ones(2, np.float32)}
PATIENCE = 60.0


def strange(name: str, lower: Any) -> Operator:
    """Declare an operator of one tensor that is lowered by `lower`."""

    def rule(need: Need, data: Tensor) -> Tensor:
        return data

    rule.__name__ = name
    declared = operator(dtypes=NUMERIC)(rule)
    declared.lowering = lower
    return declared


@pytest.fixture
def operators(tmp_path: Path) -> Iterator[dict[str, Operator]]:
    """Operators that note when they are lowered, and that then do what must not happen."""

    def noting(name: str, lower: Any) -> Operator:
        def noted(relax: Any, data: Any) -> Any:
            with (tmp_path / name).open("a") as file:
                file.write("lowered\n")
            return lower(relax, data)

        return strange(name, noted)

    declared = {
        "AheadExp": noting("AheadExp", lambda relax, data: relax.exp(data)),
        "AheadAbort": noting("AheadAbort", lambda relax, data: os.abort()),
        "AheadHang": noting("AheadHang", lambda relax, data: time.sleep(600)),
    }
    yield declared
    for name in declared:
        del REGISTRY[name]


def job(name: str, expr: Expr) -> Job:
    return Job(name, [expr], ONES)


def is_two(result: Result) -> bool:
    return isinstance(result, list) and result[0].tolist() == [2.0, 2.0]


def lowered(folder: Path, name: str) -> int:
    """Return how often an operator has been lowered, at least once after a while."""
    file, end = folder / name, time.monotonic() + PATIENCE
    while not (file.exists() and file.read_text().endswith("\n")) and time.monotonic() < end:
        time.sleep(0.05)
    return len(file.read_text().splitlines())


def test_what_was_compiled_ahead_is_not_compiled_again(
    operators: dict[str, Operator], tmp_path: Path
) -> None:
    expr = Call(operators["AheadExp"], [X])
    with Worker(timeout=PATIENCE) as worker:
        worker.start()
        worker.anticipate([[expr]])
        before = lowered(tmp_path, "AheadExp")
        (result,) = worker.run([job("one", expr)], by_operator=True)

        assert isinstance(result, list)
        np.testing.assert_allclose(result[0], np.exp(ONES["x"]), rtol=1e-6)
        assert lowered(tmp_path, "AheadExp") == before == 1


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [("AheadAbort", "crash", "SIGABRT"), ("AheadHang", "timeout", "no result within 2 seconds")],
)
def test_what_goes_wrong_ahead_is_found_by_the_run(
    operators: dict[str, Operator], tmp_path: Path, name: str, kind: str, message: str
) -> None:
    bad, good = Call(operators[name], [X]), Call(lookup("Add"), [X, X])
    with Worker(timeout=2.0) as worker:
        worker.start()
        worker.anticipate([[bad], [good]])
        lowered(tmp_path, name)
        failure, fine = worker.run([job("bad", bad), job("good", good)], by_operator=True)

        assert isinstance(failure, Failure)
        assert (failure.kind, failure.message, failure.job) == (kind, message, "bad")
        assert is_two(fine)


def test_more_than_a_socket_takes_is_not_sent() -> None:
    wide = [Call(lookup("Add"), [Var(f"{n}{'x' * 1000}", (2,)), X]) for n in range(100)]
    assert sum(len(expr.operands[0].name) for expr in wide) > MOST_AHEAD
    with Worker(timeout=PATIENCE) as worker:
        worker.start()
        for _ in range(9):
            worker.anticipate([[expr] for expr in wide])

        assert is_two(worker.run([job("one", Call(lookup("Add"), [X, X]))], by_operator=True)[0])


def test_a_tvm_that_does_not_start_says_why_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gsl.tvm.child", None)
    monkeypatch.delattr(sys.modules["gsl.tvm"], "child", raising=False)
    expr = Call(lookup("Add"), [X, X])
    worker = Worker()
    worker.start()
    worker.anticipate([[expr]])
    with pytest.raises(BackendError, match=r"(?s)TVM does not start: .*gsl\.tvm\.child"):
        worker.run([job("one", expr)])


def test_nothing_is_started_for_what_may_not_be_asked() -> None:
    worker = Worker()
    worker.anticipate([[Call(lookup("Add"), [X, X])]])

    assert worker.files() == ()
