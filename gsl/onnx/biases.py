"""Biases that operators of ONNX have as an operand of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from gsl.expr import Call, Expr
from gsl.types import FLOATING
from gsl.workload import Workload


def biased(workload: Workload) -> Mapping[Expr, Call]:
    """Return for each sum with a bias the convolution or product that has it as an operand in ONNX.

    Nothing else uses these.
    """
    uses = Counter(operand for expr in workload.order for operand in expr.operands)
    uses.update(workload.outputs)
    found: dict[Expr, Call] = {}
    for expr in workload.order:
        if isinstance(expr, Call) and expr.operator.name == "BiasAdd":
            product = expr.operands[0]
            if isinstance(product, Call) and uses[product] == 1 and _takes(product, expr):
                found[expr] = product
    return found


def _takes(product: Call, total: Call) -> bool:
    axis = total.attributes["axis"] % len(total.shape)
    if product.operator.name == "Dense":
        return len(product.operands[0].shape) == 2 and axis == 1 and product.dtype in FLOATING
    layout = product.attributes.get("data_layout")
    return layout is not None and axis == layout.index("C")
