"""When a slice leaves elements out between others, which few draws do by chance."""

from __future__ import annotations

from collections.abc import Iterator

from gsl.attr.evaluate import conjunction, disjunction
from gsl.attr.term import Term
from gsl.expr import Call
from gsl.operators.declaration import tensors
from gslverify.instances.instance import Instance


def leaping_slices(instance: Instance) -> Iterator[Term]:
    """Yield for every slice in an instance the condition that it does so along some axis."""
    for node in instance.graph:
        if isinstance(node.expr, Call) and node.expr.operator.name == "StridedSlice":
            (result,) = tensors((node.expr.type,))
            axes = zip(node.expr.attributes["strides"], result.shape, strict=True)
            demand = disjunction(*(conjunction(step >= 2, size >= 2) for step, size in axes))
            if isinstance(demand, Term):
                yield demand
