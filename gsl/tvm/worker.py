"""Run graphs on TVM behind a process barrier: what kills the process becomes a value.

    with Worker(timeout=60.0) as worker:
        results = worker.run([Job("source", outputs, inputs), ...])

TVM is not imported here; see `gsl.tvm.zygote` for the processes.
"""

from __future__ import annotations

import pickle
import signal
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, Literal, Self

from gsl.errors import GraphError
from gsl.expr import Call, Expr
from gsl.graph import reverse_post_order
from gsl.operators.declaration import REGISTRY, OpaqueOperator, Operator
from gsl.tvm.frames import Ending
from gsl.tvm.jobs import Failure, Job, Result, graph_key, make_batch
from gsl.tvm.process import EndedError, ZygoteProcess

__all__ = ["Failure", "Job", "Result", "Worker"]

KERNELS_SERVE = 10
"""A module costs as much as a few kernels, so that batches of more graphs have fewer of them."""


class Worker:
    """Runs jobs in other processes; use it from one thread, as a context manager or until `close`.

    Args:
        timeout: seconds that one batch may take, and one job when its batch has failed.
        batch_size: how many distinct graphs are compiled as one module; by operator, whose
            kernels are far fewer, ten times as many.

    The process starts with the first job, or before with `start`, and again when operators have
    been declared since.
    """

    def __init__(self, timeout: float = 60.0, batch_size: int = 50) -> None:
        self.timeout = timeout
        self.batch_size = batch_size
        self._zygote: ZygoteProcess | None = None

    def run(
        self, jobs: Sequence[Job | tuple[str, Any, Any]], by_operator: bool = False
    ) -> list[Result]:
        """Return one result per job, in order: a list of arrays or a `Failure`.

        Graphs are compiled whole, or put together `by_operator` from kernels that one process
        keeps, which is several times faster; see `gsl.tvm.kernels`. Gradients are always
        compiled whole. When the process of a batch dies or hangs, its jobs are run again in
        smaller batches, and then one at a time, each compiled whole in a fresh process. Raises
        BackendError when TVM cannot be imported.
        """
        given = [Job(*job) for job in jobs]
        by_operator = by_operator and not any(job.gradient_to for job in given)
        size = KERNELS_SERVE * self.batch_size if by_operator else self.batch_size
        results: list[Result] = []
        for batch in _batches(given, size):
            results.extend(self._run_batch(batch, by_operator))
        return results

    def anticipate(self, graphs: Sequence[Sequence[Expr]]) -> None:
        """Have a running process compile what `run` will ask by operator, and do not wait for it.

        What goes wrong there will be found by `run`.
        """
        jobs = [Job("", outputs, {}) for outputs in graphs]
        process = self._zygote
        if jobs and process is not None and process.serves(_operators(jobs)):
            process.anticipate(pickle.dumps(make_batch(jobs), protocol=5), self.timeout)

    def start(self) -> bool:
        """Start the process before the first job, and do not wait until it has imported TVM.

        Tells whether there was none. Forks of this process share it; they must not ask it at the
        same time, and what goes wrong with one of them ends it.
        """
        if self._zygote is not None and not self._zygote.has_ended():
            return False
        self.close()
        self._zygote = ZygoteProcess()
        return True

    def files(self) -> tuple[int, ...]:
        """Return the numbers of the open files by which forks of this process share it."""
        return () if self._zygote is None else (self._zygote.fileno(),)

    def close(self) -> None:
        """End the processes; the worker starts new ones when it is used again."""
        if self._zygote is not None:
            self._zygote.stop()
            self._zygote = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _run_batch(self, jobs: list[Job], by_operator: bool = False) -> list[Result]:
        ending = self._ask(jobs, by_operator)
        if ending.status == 0 and ending.answer:
            answer: list[Result] = pickle.loads(ending.answer)
            return [_with_stderr(result, ending.stderr) for result in answer]
        smaller = list(_batches(jobs, self.batch_size)) if by_operator else []
        if len(smaller) > 1:
            return [result for batch in smaller for result in self._run_batch(batch, True)]
        if len(jobs) > 1 or by_operator:
            return [self._run_batch([job])[0] for job in jobs]
        kind, message = _cause(ending.status, self.timeout)
        return [Failure(kind, message, jobs[0].name, ending.stderr)]

    def _ask(self, jobs: list[Job], lasting: bool) -> Ending:
        data = pickle.dumps(make_batch(jobs), protocol=5)
        process = self._ready(_operators(jobs))
        try:
            return process.ask(data, self.timeout, lasting)
        except (EOFError, ConnectionError):
            self.close()
            return Ending(-signal.SIGKILL, b"", "")
        except TimeoutError:
            self.close()
            return Ending(None, b"", "")
        except BaseException:
            # Ctrl-C: an answer is still under way, and the next request would get it.
            self.close()
            raise

    def _ready(self, operators: set[Operator]) -> ZygoteProcess:
        """Return a living zygote that knows `operators`."""
        for operator in operators:
            if REGISTRY.get(operator.name) is not operator:
                raise GraphError(f"operator {operator} was declared anew; this is the old one")
        if self._zygote is not None and self._zygote.has_ended():
            self.close()
        if self._zygote is not None and not self._zygote.serves(operators):
            self._zygote.leave()
            self._zygote = None
        try:
            return self._awaited()
        except EndedError:
            return self._awaited()

    def _awaited(self) -> ZygoteProcess:
        """Return the zygote, a new one if there is none, once it can be asked."""
        if self._zygote is None:
            self._zygote = ZygoteProcess()
        try:
            self._zygote.wait()
        except BaseException:
            self.close()
            raise
        return self._zygote


def _operators(jobs: Sequence[Job]) -> set[Operator]:
    order = reverse_post_order([output for job in jobs for output in job.outputs])
    operators = {expr.operator for expr in order if isinstance(expr, Call)}
    return {one for one in operators if not isinstance(one, OpaqueOperator)}


def _batches(jobs: Sequence[Job], size: int) -> Iterator[list[Job]]:
    """Cut `jobs` into batches of at most `size` distinct graphs."""
    batch: list[Job] = []
    graphs = set[object]()
    for job in jobs:
        if len(graphs | {graph_key(job)}) > size:
            yield batch
            batch, graphs = [], set()
        batch.append(job)
        graphs.add(graph_key(job))
    if batch:
        yield batch


def _with_stderr(result: Result, stderr: str) -> Result:
    return replace(result, stderr=stderr) if isinstance(result, Failure) else result


def _cause(status: int | None, timeout: float) -> tuple[Literal["crash", "timeout"], str]:
    if status is None:
        return "timeout", f"no result within {timeout:g} seconds"
    if status < 0:
        return "crash", signal.Signals(-status).name
    return "crash", f"exit status {status} without a result"
