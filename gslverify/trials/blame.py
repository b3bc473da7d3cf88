"""Who is to blame when TVM and the NumPy references disagree: one operator, as small as can be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gsl.evaluate import trace
from gsl.expr import Call, Expr, Tuple, Var
from gsl.graph import reverse_post_order
from gsl.text.listing import listing
from gsl.tvm.jobs import Failure
from gsl.types import TupleType
from gslverify.case import case_of
from gslverify.codes.backend import KNOWN_DEVIATION
from gslverify.codes.numeric import BACKENDS_DISAGREE
from gslverify.comparison.special import Change, changes_between
from gslverify.finding import Counterexample, Difference, Finding, Mismatch, Tensor
from gslverify.trials import backend
from gslverify.trials.deviations import deviation_of

MOST_ELEMENTS = 4096
"""Values of larger inputs are left out of a reproducer."""


@dataclass(frozen=True, slots=True)
class Reproducer:
    """A network and inputs on which both implementations disagree, and how."""

    outputs: tuple[Expr, ...]
    inputs: Mapping[str, Any]
    differences: tuple[Difference, ...]
    culprit: Call | None = None


def blamed(side: str, outputs: Sequence[Expr], inputs: Mapping[str, Any], said: str) -> Finding:
    """Return the finding about one side of a rule on which TVM `said` something else.

    It holds the one operator that they disagree about, with its operands as inputs, or the whole
    network when every operator alone agrees.
    """
    smallest = smallest_reproducer(outputs, inputs)
    culprit, known = smallest.culprit, None
    if culprit is not None:
        operands = [np.asarray(array) for array in smallest.inputs.values()]
        known = deviation_of(culprit, operands)
    if known is not None:
        message = f"{side}, {known.name}: {known.sentence}"
    else:
        where = f" in {culprit.operator}" if culprit is not None else ""
        message = f"{side}: {said}{where}"
    details = (f"the references agree on source and target; TVM differs on the {side}",)
    code = BACKENDS_DISAGREE if known is None else KNOWN_DEVIATION
    example = _example(smallest)
    whole = tuple(listing(outputs))
    return Finding(code, message, details=(*details, *whole), counterexample=example)


def _example(found: Reproducer) -> Counterexample:
    attributes = dict(found.culprit.attributes) if found.culprit is not None else {}
    tensors = [
        Tensor(name, array.dtype.name, array.shape, array.tolist())
        for name, array in found.inputs.items()
        if array.size <= MOST_ELEMENTS
    ]
    note = "left: NumPy; right: TVM, on the same graph"
    lines = tuple(listing(found.outputs))
    return Counterexample(
        attributes,
        lines,
        lines,
        tuple(tensors),
        found.differences,
        (note,),
        case=case_of(found.outputs, found.outputs, found.outputs, found.inputs),
    )


def smallest_reproducer(outputs: Sequence[Expr], inputs: Mapping[str, Any]) -> Reproducer:
    """Return the first operator that disagrees on its own, else the whole network."""
    values = trace(outputs, inputs)
    for expr in reverse_post_order(outputs):
        if isinstance(expr, Call):
            call, operands = _alone(expr, values)
            found = differences((call,), operands)
            if found:
                return Reproducer((call,), operands, tuple(found), call)
    return Reproducer(tuple(outputs), inputs, tuple(differences(outputs, inputs)))


def _alone(call: Call, values: Mapping[Expr, Any]) -> tuple[Call, dict[str, Any]]:
    """Return a call of variables instead of its operands, and their values."""
    inputs: dict[str, Any] = {}

    def variable(value: Any) -> Var:
        array = np.asarray(value)
        name = f"x{len(inputs)}"
        inputs[name] = array
        return Var(name, array.shape, array.dtype.name)

    operands: list[Expr] = []
    for operand in call.operands:
        value = values[operand]
        if isinstance(operand.type, TupleType):
            operands.append(Tuple([variable(part) for part in value]))
        else:
            operands.append(variable(value))
    return Call(call.operator, operands, call.attributes), inputs


def differences(outputs: Sequence[Expr], inputs: Mapping[str, Any]) -> list[Difference]:
    """Return where TVM differs from the references beyond rounding, special values included."""
    answer = backend.run(outputs, inputs)
    if isinstance(answer, Failure):
        return []
    return [
        *backend.beyond_rounding(outputs, inputs, answer),
        *_special(outputs, inputs, answer),
    ]


def _special(
    outputs: Sequence[Expr], inputs: Mapping[str, Any], answer: list[Any]
) -> Iterator[Difference]:
    values = trace(outputs, inputs)
    for change in changes_between([values[output] for output in outputs], answer, inputs):
        yield difference_of(change)


def difference_of(change: Change) -> Difference:
    """Return a change of special values in the form in which reports show it."""
    places = np.argwhere(change.places)
    worst = tuple(
        Mismatch(tuple(map(int, place)), _shown(change.source, place), _shown(change.target, place))
        for place in places[:5]
    )
    name = f"output {change.output}"
    sentence = f"{name}: {change.kind} changes in {len(places)} of {change.places.size} elements"
    return Difference(name, len(places), change.places.size, float("nan"), worst, sentence)


def _shown(array: Any, place: Any) -> float:
    return float(array[tuple(place)])
