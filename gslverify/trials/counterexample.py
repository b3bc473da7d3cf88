"""A failed trial in the form in which reports show it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeGuard

import numpy as np

from gsl.errors import GslError
from gsl.evaluate import evaluate, trace
from gsl.expr import Call, Const, Expr, Proj
from gsl.graph import reverse_post_order
from gsl.text.listing import listing
from gsl.tvm.jobs import Failure
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.comparison.compare import compare
from gslverify.finding import Counterexample, Difference, Tensor
from gslverify.networks.network import Network
from gslverify.trials import backend
from gslverify.trials.trial import Outcome

MOST_VALUES_PRINTED = 64

EXACT_ONLY = "both sides are equal in the dtypes of the graph: exact arithmetic tells them apart"


def counterexample_of(failure: Outcome, ask_tvm: bool) -> Counterexample:
    """Return a failed trial in the form in which reports show it."""
    return replace(
        counterexample_as_found(failure, *_notes(failure, ask_tvm)),
        source_values=statement_values(failure.network.outputs, failure.inputs),
        target_values=statement_values(failure.target, failure.inputs),
        divergence=first_divergence(failure),
    )


def counterexample_as_found(failure: Outcome, *notes: str) -> Counterexample:
    """Return the same without what has to be computed for it."""
    network = failure.network
    return Counterexample(
        attributes=shown_attributes(network),
        source=tuple(listing(network.outputs)),
        target=tuple(listing(failure.target)) if failure.target else (failure.message,),
        inputs=tuple(_tensor(v.name, failure.inputs[v.name]) for v in network.variables),
        outputs=tuple(_differences(failure)),
        notes=notes,
        case=failure.case(),
    )


def shown_attributes(network: Network) -> dict[str, Any]:
    """Return the attributes of a network; of values of constants those that it has."""
    exprs = reverse_post_order(network.outputs)
    constants = [expr.value for expr in exprs if isinstance(expr, Const)]

    def is_shown(name: str, value: Any) -> bool:
        if ".shape[" in name or name.endswith(".dtype"):
            return False
        return not name.endswith(".value") or any(_is_value(value, one) for one in constants)

    return {name: value for name, value in network.model.items() if is_shown(name, value)}


def _is_value(value: Any, constant: Any) -> bool:
    """Tell whether a constant was made of a value, which its dtype may have rounded."""
    with np.errstate(all="ignore"):
        stored = np.asarray(value).astype(constant.dtype)
    return bool(constant.size == 1 and constant.reshape(()).tobytes() == stored.tobytes())


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
        index = min(element.index for element in found[0].worst)
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
    if failure.code is OUTPUTS_DIFFER and _are_equal_when_rounded(failure):
        yield EXACT_ONLY
    if ask_tvm and failure.target:
        yield _second_opinion(failure)


def _are_equal_when_rounded(failure: Outcome) -> bool:
    """Tell whether both sides are equal where every step is rounded to its dtype."""
    sides = failure.network.outputs, failure.target
    try:
        source, target = (evaluate(side, failure.inputs) for side in sides)
    except (GslError, IndexError):
        return False
    found = [one for pair in zip(source, target, strict=True) for one in compare("output", *pair)]
    return all(one.difference is None for one in found)


def _second_opinion(failure: Outcome) -> str:
    unknown = sorted(backend.beyond_tvm((*failure.network.outputs, *failure.target)))
    if unknown:
        return f"TVM was not asked about a graph with {unknown[0]}"
    source = backend.run(failure.network.outputs, failure.inputs)
    target = backend.run(failure.target, failure.inputs)
    if isinstance(source, Failure):
        return f"TVM cannot run the source: {source.message.splitlines()[0]}"
    if isinstance(target, Failure):
        return f"TVM cannot run the target: {target.message.splitlines()[0]}"
    pairs = zip(source, target, strict=True)
    same = all(np.array_equal(one, other) for one, other in pairs)
    return "TVM computes equal outputs" if same else "TVM computes different outputs, too"
