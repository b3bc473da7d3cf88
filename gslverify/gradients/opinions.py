"""The second opinion on gradients: those that TVM derives, in a worker process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from gsl.differentiation import adjoints, ideal_values, is_differentiable
from gsl.expr import Call, Const, Expr, Proj, Var
from gsl.graph import reverse_post_order
from gsl.operators import lookup
from gsl.tvm.jobs import Failure, Job
from gslverify.gradients.agreement import Agreement, Slot
from gslverify.trials import backend

TOLERANCES: Mapping[str, float] = {"float64": 1e-6, "float32": 2e-3}
"""Largest difference relative to the largest slope; other dtypes say nothing about gradients."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What TVM said: how many gradients it derived, and where they differ."""

    derived: int
    doubts: tuple[str, ...]


def opinions(agreements: Sequence[Agreement]) -> Opinion:
    """Ask TVM for the gradients of both sides of some networks.

    It has no gradients of some operators; that is no doubt.
    """
    jobs = [job for one in agreements for job in _jobs(one)]
    doubts: list[str] = []
    derived = 0
    for job, result in zip(jobs, backend.results(jobs), strict=True):
        if isinstance(result, Failure):
            continue
        derived += 1
        doubts += _doubts(job, result)
    return Opinion(derived, tuple(doubts))


def _jobs(agreement: Agreement) -> list[Job]:
    sides = agreement.sides
    jobs = []
    for name, outputs in (("source", sides.network.outputs), ("target", sides.target)):
        if len({part.tensor_type.dtype for part in _parts(outputs, sides.above)}) > 1:
            continue
        total = total_of(outputs, sides.above)
        inputs = {
            variable.name: np.asarray(sides.inputs[variable.name], variable.dtype)
            for variable in variables_of([total])
        }
        wanted = tuple(v.name for v in variables_of([total]) if is_differentiable(v.type))
        if wanted and backend.coarsest_dtype([total]) in TOLERANCES:
            jobs.append(Job(name, [total], inputs, wanted))
    return jobs


def variables_of(outputs: Sequence[Expr]) -> list[Var]:
    """Return the inputs of a graph."""
    return [expr for expr in reverse_post_order(outputs) if isinstance(expr, Var)]


def _parts(outputs: Sequence[Expr], above: Mapping[Slot, Any]) -> list[Expr]:
    return [outputs[n] if field is None else Proj(outputs[n], field) for n, field in above]


def total_of(outputs: Sequence[Expr], above: Mapping[Slot, Any]) -> Expr:
    """Return the sum of some outputs of one dtype, each element with its weight."""
    terms: list[Expr] = []
    for output, weights in zip(_parts(outputs, above), above.values(), strict=True):
        weights = np.asarray(weights, output.tensor_type.dtype)
        weighed = Call(lookup("Multiply"), [output, Const(weights)], {})
        terms.append(Call(lookup("Sum"), [weighed], {}))
    return reduce(lambda left, right: Call(lookup("Add"), [left, right], {}), terms)


def _doubts(job: Job, result: Sequence[Any]) -> list[str]:
    values = ideal_values(job.outputs, job.inputs)
    found = adjoints(job.outputs, values, {(job.outputs[0], None): np.ones(())})
    tolerance = TOLERANCES[backend.coarsest_dtype(job.outputs)]
    doubts = []
    by_name = {variable.name: variable for variable in variables_of(job.outputs)}
    for name, theirs in zip(job.gradient_to, result, strict=True):
        mine = found.get((by_name[name], None), np.zeros(by_name[name].tensor_type.shape))
        if mine.shape != np.shape(theirs):
            shapes = f"{list(np.shape(theirs))}, not {list(mine.shape)}"
            doubts.append(f"{job.name}: the gradient of TVM to {name} has the shape {shapes}")
            continue
        gap = float(np.max(np.abs(mine - theirs), initial=0.0))
        if not gap <= tolerance * max(1.0, float(np.max(np.abs(mine), initial=0.0))):
            doubts.append(f"{job.name}: the gradients to {name} differ by up to {gap:g}")
    return doubts
