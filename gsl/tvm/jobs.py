"""What a worker is asked and what it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from gsl.expr import Expr
from gsl.records import Record, encode


class Job(NamedTuple):
    """A graph to be run on inputs: an array for every variable by name; others are ignored.

    Jobs with the very same outputs are compiled once, so several draws of inputs cost little. With
    `gradient_to` the outputs are one number, and the result is its gradients to the variables of
    these names, as TVM derives them.
    """

    name: str
    outputs: Sequence[Expr]
    inputs: Mapping[str, Any]
    gradient_to: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a job has no result.

    `kind` is "exception" (an error was raised: TVM refuses the graph or the inputs), "type" (TVM
    disagrees with the declared type), "crash" (the process died; the message names the signal) or
    "timeout". `stderr` is the end of what the process wrote meanwhile.
    """

    kind: Literal["exception", "crash", "timeout", "type"]
    message: str
    job: str
    stderr: str = ""


Result = list[Any] | Failure
"""The outputs of a job as arrays (tuples of arrays), or why there are none."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Jobs made ready for pickling: distinct graphs by the positions of their outputs.

    Beside them stand the variables to which gradients are wanted.
    """

    records: list[Record]
    graphs: list[tuple[tuple[int, ...], tuple[str, ...]]]
    jobs: list[tuple[str, int, dict[str, Any]]]
    """Name, graph and inputs of every job."""


def graph_key(job: Job) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return what jobs with the same outputs, or gradients of them, have in common."""
    return tuple(map(id, job.outputs)), job.gradient_to


def make_batch(jobs: Sequence[Job]) -> Batch:
    """Return the batch of `jobs`; what their graphs share is sent once."""
    distinct = {graph_key(job): job for job in jobs}
    records, positions = encode([output for job in distinct.values() for output in job.outputs])
    rest = iter(positions)
    graphs = [
        (tuple(next(rest) for _ in job.outputs), job.gradient_to) for job in distinct.values()
    ]
    numbers = {key: number for number, key in enumerate(distinct)}
    sent = [(job.name, numbers[graph_key(job)], dict(job.inputs)) for job in jobs]
    return Batch(records, graphs, sent)
