"""What is built around a match, to see whether the engine and the rule mind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.graph import reverse_post_order
from gsl.operators import lookup
from gsl.types import STORED, TensorType, TupleType, Type
from gslverify.networks.arrays import random_array
from gslverify.networks.network import Network
from gslverify.networks.values import value_ranges


@dataclass(frozen=True, slots=True)
class Site:
    """A match without anything around it.

    `inputs` are the expressions that inputs of the rule stand for, `free` those among them that
    may be computed by other operators. Of several inner values, the `turn` says which is needed
    elsewhere.
    """

    outputs: list[Expr]
    inputs: frozenset[Expr]
    free: frozenset[Expr]
    turn: int = 0


def _alone(site: Site) -> Network:
    return Network(tuple(site.outputs), tuple(site.outputs), "alone")


def _outputs_used(site: Site) -> Network:
    used = [same_value(expr) for expr in site.outputs]
    leaves = [expr for expr in reverse_post_order(site.outputs) if not expr.operands]
    beside = [same_value(leaf) for leaf in leaves[:1]]
    return Network((*used, *site.outputs, *beside), tuple(site.outputs), "outputs used")


def _inputs_computed(site: Site) -> Network:
    outputs = tuple(_rebuilt(site, site.free))
    return Network(outputs, outputs, "inputs computed")


def _rebuilt(site: Site, computed: frozenset[Expr]) -> list[Expr]:
    """Make all calls of a match anew; `computed` inputs become results of another operator.

    What has no operands stays, unless it is an output and the whole match.
    """
    copies: dict[Expr, Expr] = {}
    for expr in reverse_post_order(site.outputs):
        operands = tuple(copies[operand] for operand in expr.operands)
        is_call = bool(operands) or (isinstance(expr, Call) and expr in site.outputs)
        copy = expr.with_operands(operands) if is_call else expr
        copies[expr] = same_value(expr) if expr in computed else copy
    return [copies[expr] for expr in site.outputs]


def _inputs_constant(site: Site) -> Network:
    """Put constants in the place of all free inputs, or of all but one; sizes decide which."""
    free = [expr for expr in reverse_post_order(site.outputs) if expr in site.free]
    tensors = [expr for expr in free if isinstance(expr, Var)]
    kept = sum(sum(variable.shape) for variable in tensors) % (len(tensors) + 1)
    ranges = value_ranges(site.outputs)
    generator = np.random.default_rng(len(tensors))
    constants: dict[Expr, Expr] = {
        variable: Const(random_array(variable, "small integers", ranges.get(variable), generator))
        for place, variable in enumerate(tensors)
        if place != kept or len(tensors) == 1
    }
    outputs = tuple(_replaced(site.outputs, constants))
    return Network(outputs, outputs, "inputs constant")


def _replaced(outputs: Sequence[Expr], others: Mapping[Expr, Expr]) -> list[Expr]:
    copies: dict[Expr, Expr] = {}
    for expr in reverse_post_order(outputs):
        operands = tuple(copies[operand] for operand in expr.operands)
        copies[expr] = others.get(expr) or (expr.with_operands(operands) if operands else expr)
    return [copies[expr] for expr in outputs]


def inner_values(site: Site) -> list[Expr]:
    """Return what a match computes on the way, operands first."""
    return [
        expr
        for expr in reverse_post_order(site.outputs)
        if expr.operands and expr not in site.outputs and expr not in site.inputs
    ]


def _inner_value_used(site: Site) -> Network | None:
    inner = inner_values(site)
    if not inner:
        return None
    outputs = (*site.outputs, same_value(inner[site.turn % len(inner)]))
    return Network(outputs, tuple(site.outputs), "inner value used", escaping=True)


def _inner_value_returned(site: Site) -> Network | None:
    inner = inner_values(site)
    if not inner:
        return None
    outputs = (*site.outputs, inner[-1 - site.turn % len(inner)])
    return Network(outputs, tuple(site.outputs), "inner value returned", escaping=True)


def _one_tensor_for_two(site: Site) -> Network | None:
    """Give two inputs that may be anything, and that have one type, the same tensor."""
    for first, second in _pairs([expr for expr in _free(site) if isinstance(expr, Var)]):
        if first.type == second.type:
            outputs = tuple(_replaced(site.outputs, {second: first}))
            return Network(outputs, outputs, "one tensor for two")
    return None


def _weight_shared(site: Site) -> Network | None:
    """Match twice, with another tensor in the place of one input and the others shared."""
    variables = [e for e in reverse_post_order(site.outputs) if isinstance(e, Var)]
    if len(variables) < 2:
        return None
    first = next((expr for expr in _free(site) if isinstance(expr, Var)), variables[0])
    used = {variable.name for variable in variables}
    names = (f"{first.name}_{number}" for number in range(2, len(used) + 3))
    other = Var(next(name for name in names if name not in used), first.shape, first.dtype)
    second = _replaced(site.outputs, {first: other})
    return Network((*site.outputs, *second), tuple(site.outputs), "weight shared")


def _one_root_on_another(site: Site) -> Network | None:
    """Compute an input of one output from another output, which a rewrite would make a cycle."""
    for user in site.outputs:
        below = set(reverse_post_order([user]))
        for root in site.outputs:
            own = set(reverse_post_order([root]))
            if root in below or user in own:
                continue
            for expr in _free(site):
                if expr in below and expr not in own and expr.type == root.type:
                    return _chained_roots(site, root, expr)
    return None


def _chained_roots(site: Site, root: Expr, expr: Expr) -> Network:
    copies: dict[Expr, Expr] = {expr: same_value(root)}
    for one in reverse_post_order(site.outputs):
        operands = tuple(copies.get(operand, operand) for operand in one.operands)
        if operands != one.operands:
            copies[one] = one.with_operands(operands)
    outputs = tuple(copies.get(output, output) for output in site.outputs)
    return Network(outputs, outputs, "one root on another", escaping=True)


def _one_match_on_another(site: Site) -> Network | None:
    """Let the output of a match be an input of another, so that the two may overlap."""
    for expr in _free(site):
        for root in site.outputs:
            if expr.type == root.type:
                second = tuple(_replaced(site.outputs, {expr: root}))
                return Network(second, second, "one match on another")
    return None


def _names_clash(site: Site) -> Network:
    """Call the variables as compilers call values of their own."""
    variables = [e for e in reverse_post_order(site.outputs) if isinstance(e, Var)]
    names = [*AWKWARD_NAMES, *(f"{AWKWARD_NAMES[0]}{n}" for n in range(len(variables)))]
    renamed: dict[Expr, Expr] = {
        variable: Var(name, variable.shape, variable.dtype)
        for variable, name in zip(variables, names, strict=False)
    }
    outputs = tuple(_replaced(site.outputs, renamed))
    return Network(outputs, outputs, "names clash")


AWKWARD_NAMES = ("lv", "main", "gv", "x0", "wildcard", "weight", "lv_1", "two words", "0")


def _inside_a_tuple(site: Site) -> Network | None:
    """Put the outputs into a tuple, which is returned, and of which a field is used."""
    tensors = [expr for expr in site.outputs if isinstance(expr.type, TensorType)]
    if not tensors:
        return None
    whole = Tuple([*tensors, tensors[0]])
    field = same_value(Proj(whole, len(tensors)))
    rest = [expr for expr in site.outputs if expr not in tensors]
    return Network((whole, field, *rest), tuple(site.outputs), "inside a tuple")


def _free(site: Site) -> list[Expr]:
    """Return the inputs that may be anything, in the order in which they are used."""
    return [expr for expr in reverse_post_order(site.outputs) if expr in site.free]


def _pairs(exprs: Sequence[Expr]) -> Iterator[tuple[Expr, Expr]]:
    for position, first in enumerate(exprs):
        for second in exprs[position + 1 :]:
            yield first, second


def _twice(site: Site) -> Network:
    second = _rebuilt(site, frozenset())
    return Network((*site.outputs, *second), tuple(site.outputs), "twice")


def same_value(expr: Expr) -> Expr:
    """Return a call that has the value of `expr` but is another node."""
    if isinstance(expr.type, TupleType):
        fields = range(len(expr.type.fields))
        return Tuple([same_value(Proj(expr, index)) for index in fields])
    if expr.type.dtype in STORED:
        return Call(lookup("Where"), [Const(True), expr, expr])
    name = "LogicalOr" if expr.type.dtype == "bool" else "Maximum"
    return Call(lookup(name), [expr, expr])


ONE_A_TURN = frozenset({"inner value used", "inner value returned"})
"""Contexts that concern one value of a match, so that each value is given its turn."""

AROUND: dict[str, Callable[[Site], Network | None]] = {
    "alone": _alone,
    "outputs used": _outputs_used,
    "inputs computed": _inputs_computed,
    "inputs constant": _inputs_constant,
    "twice": _twice,
    "inner value used": _inner_value_used,
    "inner value returned": _inner_value_returned,
    "one tensor for two": _one_tensor_for_two,
    "weight shared": _weight_shared,
    "one root on another": _one_root_on_another,
    "one match on another": _one_match_on_another,
    "names clash": _names_clash,
    "inside a tuple": _inside_a_tuple,
}
"""Makes a network of a match, or None where that is impossible."""

CONTEXTS = tuple(AROUND)
"""What is built around a match."""


def may_have_place(context: str, site: Site) -> bool:
    """Tell whether a context may surround matches of the structure of `site`, whatever its sizes.

    Sizes and dtypes of the site may be symbols. False spares drawing matches in vain.
    """
    match context:
        case "inner value used" | "inner value returned":
            return bool(inner_values(site))
        case "one tensor for two":
            free = [expr for expr in _free(site) if isinstance(expr, Var)]
            return any(_may_agree(one.type, other.type) for one, other in _pairs(free))
        case "weight shared":
            return sum(isinstance(e, Var) for e in reverse_post_order(site.outputs)) > 1
        case "one root on another":
            return len(site.outputs) > 1
        case "one match on another":
            pairs = ((expr, root) for expr in _free(site) for root in site.outputs)
            return any(_may_agree(expr.type, root.type) for expr, root in pairs)
        case "inside a tuple":
            return any(isinstance(expr.type, TensorType) for expr in site.outputs)
    return True


def _may_agree(one: Type, other: Type) -> bool:
    if isinstance(one, TensorType) and isinstance(other, TensorType):
        return one.ndim == other.ndim
    return type(one) is type(other)
