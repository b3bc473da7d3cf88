"""Whether a rewritten network is sound as a graph, whatever it computes."""

from __future__ import annotations

from collections.abc import Sequence

from gsl.errors import GslError
from gsl.expr import Call, Expr
from gsl.graph import reverse_post_order
from gslverify.networks.network import PLANTED, Network
from gslverify.structures.models.concrete import Rewritten


def damage(network: Network, rewritten: Rewritten) -> str:
    """Return what is wrong with a rewritten network, or an empty text.

    All types must be those that the operators infer, outputs that do not depend on the match the
    very same objects, and as many matches rewritten as the context has.
    """
    outputs = rewritten.outputs
    if [expr.type for expr in outputs] != [expr.type for expr in network.outputs]:
        return "an output of the rewritten network has another type"
    planted = PLANTED.get(network.context, 1)
    if rewritten.rewrites < planted and not rewritten.endless:
        return f"{rewritten.rewrites} of {planted} matches were rewritten"
    return _touched(network, outputs) or _ill_typed(outputs)


def _touched(network: Network, outputs: Sequence[Expr]) -> str:
    if network.context in PLANTED:
        return ""
    matched = set(network.matched)
    for number, (old, new) in enumerate(zip(network.outputs, outputs, strict=True)):
        if old is not new and not matched.intersection(reverse_post_order([old])):
            return f"output {number}, which does not depend on the match, was made anew"
    return ""


def _ill_typed(outputs: Sequence[Expr]) -> str:
    for expr in reverse_post_order(outputs):
        if isinstance(expr, Call):
            try:
                types = tuple(operand.type for operand in expr.operands)
                inferred = expr.operator.infer(types, expr.attributes)
            except GslError as error:
                return f"{expr.operator} of the rewritten network is not well typed: {error}"
            if inferred != expr.type:
                return f"{expr.operator} of the rewritten network is {expr.type}, not {inferred}"
    return ""
