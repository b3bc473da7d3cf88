"""The second opinion: run source and target of passed trials on TVM, in a worker process."""

from __future__ import annotations

import atexit
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from gsl.errors import GslError
from gsl.expr import Call, Expr
from gsl.graph import reverse_post_order
from gsl.numpy_dtypes import finfo, is_floating
from gsl.operators.declaration import tensors
from gsl.tvm.errors import BackendError
from gsl.tvm.jobs import Failure, Job, Result
from gsl.tvm.worker import Worker
from gsl.types import STORED, TensorType
from gslverify.comparison.bounded import PRECISIONS, AmbiguousError, Bounded, rounding_like
from gslverify.comparison.compare import compare, evaluate_bounded
from gslverify.finding import Difference


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
    found = next(beyond_rounding(asked.outputs, asked.inputs, result), None)
    return Opinion(True) if found is None else Opinion(False, difference=found.summary)


def beyond_rounding(
    outputs: Sequence[Expr], inputs: Mapping[str, Any], answer: Sequence[Any]
) -> Iterator[Difference]:
    """Yield where TVM differs from the references by more than a machine rounds."""
    try:
        with rounding_like(coarsest_dtype(outputs)):
            expected, _ = evaluate_bounded(outputs, inputs)
    except AmbiguousError:
        return
    for number, (mine, theirs) in enumerate(zip(expected, answer, strict=True)):
        for comparison in compare(f"output {number}", mine, _flushed(theirs)):
            if comparison.difference is not None:
                yield comparison.difference


def _flushed(value: Any) -> Any:
    """Return what TVM computed, of which the least floats may have become 0."""
    if isinstance(value, tuple | list):
        return tuple(map(_flushed, value))
    if not is_floating(value.dtype):
        return value
    return Bounded(value, np.full(value.shape, float(finfo(value.dtype).tiny)))


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
