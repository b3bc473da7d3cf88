"""Make a counterexample small in its values, and write it down for people."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import Any, TypeGuard

import numpy as np

from gsl.evaluate import trace
from gsl.expr import Call, Const, Expr, Proj
from gsl.graph import reverse_post_order
from gsl.subst import Subst
from gsl.text.listing import listing
from gsl.tvm.jobs import Failure
from gslverify.finding import Counterexample, Difference, Tensor
from gslverify.trials import backend
from gslverify.trials.trial import Outcome, run_trial

MOST_VALUE_STEPS = 300
SIMPLE_VALUES = (0, 1, -1, 2)
MOST_VALUES_PRINTED = 64


def minimise_values(subst: Subst, failure: Outcome, seconds: float = inf) -> Outcome:
    """Replace input elements by 0, 1, -1 or 2 as long as the failure keeps its code.

    Values for which an operator of the source is not defined are left out. After `seconds` it is
    as small as it is.
    """
    deadline = time.monotonic() + seconds
    smallest = failure
    steps = 0
    progress = True
    while progress and steps < MOST_VALUE_STEPS:
        progress = False
        for inputs in _simpler(smallest.inputs):
            steps += 1
            if steps > MOST_VALUE_STEPS or time.monotonic() > deadline:
                progress = False
                break
            candidate = run_trial(subst, smallest.network, inputs)
            if candidate.code is failure.code:
                smallest, progress = candidate, True
                break
    return smallest


def _simpler(inputs: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for name, array in inputs.items():
        for simple in SIMPLE_VALUES[:2]:
            uniform = np.full_like(array, simple)
            if array.size > 1 and _weight(uniform) < _weight(array):
                yield {**inputs, name: uniform}
    for name, array in inputs.items():
        for place in np.ndindex(array.shape):
            for simple in _simpler_values(array[place]):
                changed = array.copy()
                changed[place] = simple
                yield {**inputs, name: changed}


def _weight(array: Any) -> int:
    """Return how far an array is from simple; it falls with every step, so steps never cycle."""
    simplicity = [array == simple for simple in SIMPLE_VALUES]
    return int(np.sum(np.select(simplicity, range(len(SIMPLE_VALUES)), len(SIMPLE_VALUES))))


def _simpler_values(value: Any) -> tuple[int, ...]:
    if value.dtype.kind == "b":
        return (0,) if value else ()
    simple = SIMPLE_VALUES if value.dtype.kind != "u" else (0, 1, 2)
    return simple[: simple.index(int(value))] if value in simple else simple


def counterexample_of(failure: Outcome, ask_tvm: bool) -> Counterexample:
    """Return a failed trial in the form in which reports show it."""
    network = failure.network
    return Counterexample(
        attributes={n: v for n, v in network.model.items() if not _is_size(n)},
        source=tuple(listing(network.outputs)),
        target=tuple(listing(failure.target)) if failure.target else (failure.message,),
        inputs=tuple(_tensor(v.name, failure.inputs[v.name]) for v in network.variables),
        outputs=tuple(_differences(failure)),
        notes=tuple(_notes(failure, ask_tvm)),
        source_values=statement_values(network.outputs, failure.inputs),
        target_values=statement_values(failure.target, failure.inputs),
        divergence=first_divergence(failure),
        case=failure.case(),
    )


def statement_values(outputs: Sequence[Expr], inputs: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what each statement of the listing of `outputs` computes, None for what is large.

    A graph that cannot be computed has no values.
    """
    try:
        with np.errstate(all="ignore"):
            values = trace(outputs, inputs)
    except Exception:  # a reference may raise anything on values outside its domain
        return ()
    return tuple(_nested(value) for expr, value in values.items() if isinstance(expr, Call))


def _nested(value: Any) -> Any:
    if isinstance(value, tuple | list):
        parts = [_nested(part) for part in value]
        return None if any(part is None for part in parts) else parts
    array = np.asarray(value)
    return array.tolist() if array.size <= MOST_VALUES_PRINTED else None


def first_divergence(failure: Outcome) -> str:
    """Return the statements that the first differing element comes from, on both sides."""
    pairs = zip(failure.network.outputs, failure.target, strict=False)
    for number, (old, new) in enumerate(pairs):
        found = [c.difference for c in failure.comparisons if _is_about(c.difference, number)]
        if not found or not found[0].worst:
            continue
        index = min(place for place, _, _ in found[0].worst)
        sides = (_producer(failure.network.outputs, old), _producer(failure.target, new))
        return f"{found[0].output}{list(index)}: {sides[0]} of the source, {sides[1]} of the target"
    return ""


def _is_about(difference: Difference | None, number: int) -> TypeGuard[Difference]:
    return difference is not None and difference.output.split(".")[0] == f"output {number}"


def _producer(outputs: Sequence[Expr], output: Expr) -> str:
    if isinstance(output, Proj):
        return f"{_producer(outputs, output.operands[0])}.{output.index}"
    calls = [expr for expr in reverse_post_order(outputs) if isinstance(expr, Call)]
    if output in calls:
        return f"%{calls.index(output)}"
    return "a constant" if isinstance(output, Const) else "an input"


def _is_size(name: str) -> bool:
    return ".shape[" in name or name.endswith(".dtype")


def _tensor(name: str, array: Any) -> Tensor:
    values = array.tolist() if array.size <= MOST_VALUES_PRINTED else None
    return Tensor(name, array.dtype.name, array.shape, values)


def _differences(failure: Outcome) -> Iterator[Difference]:
    for comparison in failure.comparisons:
        if comparison.difference is not None:
            yield comparison.difference


def _notes(failure: Outcome, ask_tvm: bool) -> Iterator[str]:
    if failure.network.context != "alone":
        yield f"context: {failure.network.context}"
    if ask_tvm and failure.target:
        yield _second_opinion(failure)


def _second_opinion(failure: Outcome) -> str:
    source = backend.run(failure.network.outputs, failure.inputs)
    target = backend.run(failure.target, failure.inputs)
    if isinstance(source, Failure):
        return f"TVM cannot run the source: {source.message.splitlines()[0]}"
    if isinstance(target, Failure):
        return f"TVM cannot run the target: {target.message.splitlines()[0]}"
    pairs = zip(source, target, strict=True)
    same = all(np.array_equal(one, other) for one, other in pairs)
    return "TVM computes equal outputs" if same else "TVM computes different outputs, too"
