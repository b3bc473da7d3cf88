"""When slices and ranges leave out what lies between others, which few draws do by chance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gsl.attr.evaluate import conjunction, disjunction
from gsl.attr.term import Term
from gsl.expr import Call
from gsl.operators.declaration import tensors
from gslverify.structures.instance import Instance


def strided(instance: Instance) -> Iterator[Term]:
    """Yield for every slice and range in an instance that it skips elements along an axis."""
    for node in instance.graph:
        steps = _steps(node.expr) if isinstance(node.expr, Call) else ()
        if steps:
            (result,) = tensors((node.expr.type,))
            axes = zip(steps, result.shape, strict=True)
            demand = disjunction(*(conjunction(step >= 2, size >= 2) for step, size in axes))
            if isinstance(demand, Term):
                yield demand


def _steps(call: Call) -> tuple[Any, ...]:
    match call.operator.name:
        case "StridedSlice":
            strides: tuple[Any, ...] = call.attributes["strides"]
            return strides
        case "Arange":
            return (call.attributes["step"],)
    return ()
