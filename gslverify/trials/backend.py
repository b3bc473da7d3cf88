"""The second opinion: run source and target of passed trials on TVM, in a worker process."""

from __future__ import annotations

import atexit
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from gsl.errors import GslError
from gsl.expr import Call, Expr
from gsl.graph import reverse_post_order
from gsl.numpy_dtypes import finfo
from gsl.operators.declaration import tensors
from gsl.tvm.errors import BackendError
from gsl.tvm.jobs import Failure, Job, Result
from gsl.tvm.worker import Worker
from gsl.types import STORED, TensorType
from gslverify.comparison.bounded import PRECISIONS, AmbiguousError, Bounded, rounding_like
from gslverify.comparison.compare import evaluate_bounded


class BackendMissingError(GslError):
    """TVM cannot be used at all; the message says why."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What TVM says about one network: it agrees, it differs (how), or it failed (why)."""

    agrees: bool
    difference: str = ""
    failure: str = ""

    @property
    def has_died(self) -> bool:
        """Whether the process that ran it has ended."""
        return self.failure.startswith("crash")


@dataclass(frozen=True, slots=True)
class Asked:
    """A network to run on inputs; `expected` has its outputs if they have been computed before."""

    outputs: Sequence[Expr]
    inputs: Mapping[str, Any]
    expected: Sequence[Any] = ()


@cache
def _worker() -> Worker:
    worker = Worker()
    atexit.register(worker.close)
    return worker


def start() -> bool:
    """Have TVM imported in the process that will run networks, while others are thought of.

    Forks of this process will use it, too. Tells whether it was started just now.
    """
    return _worker().start()


def files() -> tuple[int, ...]:
    """Return the numbers of the open files by which forks of this process ask the worker."""
    return _worker().files() if _worker.cache_info().currsize else ()


def close_worker() -> None:
    """End the worker process, if there is one."""
    if _worker.cache_info().currsize:
        _worker().close()


def opinions(networks: Sequence[Asked]) -> list[Opinion]:
    """Run networks on inputs and compare with the references within the machine's rounding.

    What does not agree operator by operator is compiled whole and run in a fresh process. Raises
    BackendMissingError when TVM does not start.
    """
    jobs = [Job(f"network{n}", one.outputs, one.inputs) for n, one in enumerate(networks)]
    try:
        results = _worker().run(jobs, by_operator=True)
    except BackendError as error:
        raise BackendMissingError(_last_line(error)) from error
    found = [_opinion(asked, result) for asked, result in zip(networks, results, strict=True)]
    doubtful = [number for number, opinion in enumerate(found) if not opinion.agrees]
    again = _worker().run([jobs[number] for number in doubtful])
    for number, result in zip(doubtful, again, strict=True):
        found[number] = _opinion(networks[number], result)
    return found


def anticipate(networks: Sequence[Sequence[Expr]]) -> None:
    """Have networks compiled that TVM will be asked about, and do not wait for it."""
    _worker().anticipate(networks)


def beyond_tvm(outputs: Sequence[Expr]) -> set[str]:
    """Return what a network has that TVM is not asked about, and why."""
    found: set[str] = set()
    for expr in reverse_post_order(outputs):
        if isinstance(expr, Call) and not expr.operator.has_lowering:
            found.add(f"{expr.operator}, which has no lowering to Relax")
        for tensor in tensors((expr.type,)):
            if tensor.dtype in STORED:
                found.add(f"{tensor.dtype}, which TVM does not convert as ONNX does")
    return found


def results(jobs: Sequence[Job]) -> list[Result]:
    """Return what TVM computes for jobs, or why it does not."""
    return _worker().run(jobs)


def run(outputs: Sequence[Expr], inputs: Mapping[str, Any]) -> list[Any] | Failure:
    """Return what TVM computes for one network, or why it does not."""
    jobs = [Job("network", outputs, inputs)]
    try:
        (result,) = _worker().run(jobs, by_operator=True)
        return _worker().run(jobs)[0] if isinstance(result, Failure) else result
    except BackendError as error:
        return Failure("exception", _last_line(error), "network")


def _opinion(asked: Asked, result: list[Any] | Failure) -> Opinion:
    if isinstance(result, Failure):
        return Opinion(False, failure=f"{result.kind}: {result.message.splitlines()[0][:200]}")
    if asked.expected and _are_same(asked.expected, result):
        return Opinion(True)  # whatever the bounds are
    try:
        with rounding_like(coarsest_dtype(asked.outputs)):
            expected, _ = evaluate_bounded(asked.outputs, asked.inputs)
    except AmbiguousError:
        return Opinion(True)
    for number, (mine, theirs) in enumerate(zip(expected, result, strict=True)):
        difference = _difference(mine, theirs)
        if difference:
            return Opinion(False, difference=f"output {number}: {difference}")
    return Opinion(True)


def _last_line(error: BackendError) -> str:
    """Return what an error ends with, which says most of a traceback."""
    return str(error).strip().splitlines()[-1]


def coarsest_dtype(outputs: Sequence[Expr]) -> str:
    """Return the floating dtype of a network that rounds most; float64 when there is none."""
    types = [expr.type for expr in reverse_post_order(outputs)]
    used = {one.dtype for one in types if isinstance(one, TensorType)}
    return max(used & PRECISIONS.keys(), key=lambda d: PRECISIONS[d].unit, default="float64")


def _are_same(expected: Sequence[Any], actual: Sequence[Any]) -> bool:
    return len(expected) == len(actual) and all(map(_is_same, expected, actual))


def _is_same(expected: Any, actual: Any) -> bool:
    """Tell whether TVM computed the very numbers of the reference, none of them NaN."""
    if isinstance(expected, tuple):
        return _are_same(expected, actual)
    if expected.shape != actual.shape or expected.dtype != actual.dtype:
        return False
    values = expected.value if isinstance(expected, Bounded) else expected
    return bool((values == actual).all())


def _difference(expected: Any, actual: Any) -> str:
    if isinstance(expected, tuple):
        parts = [_difference(one, other) for one, other in zip(expected, actual, strict=True)]
        return next((part for part in parts if part), "")
    if expected.shape != actual.shape or expected.dtype != actual.dtype:
        return f"TVM returns {actual.dtype}{list(actual.shape)}, not {expected.dtype}"
    if isinstance(expected, Bounded):
        return _bounded_difference(expected, actual)
    wrong = expected != actual
    return f"{int(wrong.sum())} of {wrong.size} elements differ" if wrong.any() else ""


def _bounded_difference(expected: Bounded, actual: Any) -> str:
    limits = finfo(actual.dtype)
    comparable = np.isfinite(expected.value) & np.isfinite(expected.error)
    with np.errstate(all="ignore"):
        gap = np.abs(actual.astype(np.float64) - expected.value)
        wrong = comparable & ~(gap <= expected.error + float(limits.tiny))
    if not wrong.any():
        return ""
    worst = float(np.max(np.where(wrong, gap, 0.0)))
    return f"{int(wrong.sum())} of {wrong.size} elements differ, by up to {worst:g}"
