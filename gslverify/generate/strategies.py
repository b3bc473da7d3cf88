"""Hypothesis strategies: networks that a rule matches, networks around them, and their inputs.

A public library: ``matching_networks(subst)`` may be used in any property. All choices are bounded
and small ones come first, so that shrinking ends at what a person can check by hand.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np
from hypothesis import reject
from hypothesis import strategies as st

from gsl.attr.term import Symbol
from gsl.errors import GslError
from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.graph import reverse_post_order
from gsl.operators import lookup
from gsl.pat import Wildcard
from gsl.subst import Subst
from gsl.types import TensorType, TupleType
from gslverify.concrete import Fill, concrete_exprs, ones, value_in
from gslverify.generate.arrays import random_array
from gslverify.generate.network import Network
from gslverify.generate.values import value_ranges, within
from gslverify.generate.wishes import DTYPES, SIZES, wishes
from gslverify.instance import Instance
from gslverify.sampling import Sampler
from gslverify.smt import Answer, Solver, new_context
from gslverify.variants import enumerate_variants

MOST_ELEMENTS = 20_000
MOST_ELEMENTS_OF_LARGE_RULES = 2_000_000
CONTEXTS = (
    "alone",
    "outputs used",
    "inputs computed",
    "inputs constant",
    "twice",
    "inner value used",
)
"""What is built around a match."""
STYLES_OF_CONSTANTS = (
    "small integers",
    "small integers",
    "halves",
    "distinct integers",
    "reals",
    "wide",
    "edges",
)


@st.composite
def networks(
    draw: st.DrawFn,
    samplers: Sequence[Sampler],
    contexts: Sequence[str] = CONTEXTS,
    dtypes: Sequence[str] = DTYPES,
    refused: Counter[str] | None = None,
    sizes: Sequence[str] = SIZES,
    corner: int = -1,
) -> Network:
    """Draw a network that contains a match of the rule the samplers belong to.

    `dtypes` are preferred where the rule leaves a choice, and sizes in one of the modes `sizes`
    (see `wishes`); models lie in the `corner` of that number, if there is one. What could not be
    drawn is counted in `refused` by its reason.
    """

    def refuse(reason: str) -> NoReturn:
        if refused is not None:
            refused[reason] += 1
        reject()

    context = draw(st.sampled_from(contexts))
    sampler = samplers[draw(st.integers(0, len(samplers) - 1))]
    demand = sampler.corners[corner] if 0 <= corner < len(sampler.corners) else None
    may_be_empty = draw(st.integers(0, 7)) == 7
    model = sampler.model(wishes(draw, dtypes, sizes), may_be_empty, demand)
    if model is None:
        refuse("no sizes and attributes were found that meet all conditions")
    style = draw(st.sampled_from(STYLES_OF_CONSTANTS))
    generator = np.random.default_rng(draw(st.integers(0, 255)))
    try:
        fill = _filled(sampler.instance, model, style, generator)
        site = concrete_site(sampler.instance, model, fill)
    except GslError as error:
        refuse(str(error))
    largest = _most_elements(sampler)
    if not all(_has_at_most(expr, largest) for expr in reverse_post_order(site.outputs)):
        refuse(f"a tensor has more than {largest:,} elements")
    if not _constants_are_defined(site.outputs):
        refuse("a constant is outside the domain of an operator that uses it")
    named = {symbol.name: model[symbol] for symbol in sorted(model, key=lambda s: s.name)}
    in_corner = demand is not None and value_in(demand, model) is True
    return replace(AROUND[context](site), model=named, in_corner=in_corner)


def _most_elements(sampler: Sampler) -> int:
    """A rule that fixes large sizes, or has no model with small ones, may have large tensors."""
    fixed = [
        math.prod(node.expr.shape)
        for node in sampler.instance.graph
        if isinstance(node.expr, Var) and all(isinstance(size, int) for size in node.expr.shape)
    ]
    is_large = sampler.largest or max(fixed, default=0) > MOST_ELEMENTS
    return MOST_ELEMENTS_OF_LARGE_RULES if is_large else MOST_ELEMENTS


def _has_at_most(expr: Expr, count: int) -> bool:
    return not isinstance(expr.type, TensorType) or expr.type.size <= count


@dataclass(frozen=True, slots=True)
class Site:
    """A match without anything around it.

    `inputs` are the expressions that inputs of the rule stand for, `free` those among them that
    may be computed by other operators.
    """

    outputs: list[Expr]
    inputs: frozenset[Expr]
    free: frozenset[Expr]


def concrete_site(instance: Instance, model: Mapping[Symbol, Any], fill: Fill = ones) -> Site:
    """Return the match that an instance becomes in a model; raises as `concrete_exprs` does."""
    built = concrete_exprs(instance, model, fill)
    inputs = [(key[0], built[instance.bindings.nodes[key].expr]) for key in instance.inputs]
    return Site(
        outputs=[built[node.expr] for node in instance.outputs],
        inputs=frozenset(expr for _, expr in inputs),
        free=frozenset(expr for pattern, expr in inputs if isinstance(pattern, Wildcard)),
    )


def _filled(
    instance: Instance, model: Mapping[Symbol, Any], style: str, generator: np.random.Generator
) -> Fill:
    """Fill constants with values for which the operators that use them are defined."""
    built = concrete_exprs(instance, model)
    ranges = value_ranges([built[node.expr] for node in instance.outputs], guarded=False)
    named = {
        expr.name: ranges.get(concrete) for expr, concrete in built.items() if isinstance(expr, Var)
    }

    def fill(variable: Var) -> Any:
        return random_array(variable, style, named[variable.name], generator)

    return fill


def matching_networks(subst: Subst, limit: int = 4_000_000) -> st.SearchStrategy[Network]:
    """Return a strategy for networks that the source of `subst` matches."""
    context = new_context()
    samplers = []
    for variant in enumerate_variants(subst).variants[:64]:
        instance = variant.instance(subst)
        solver = Solver([claim.term for claim in instance.claims], limit, context)
        if solver.check().answer is Answer.SAT:
            samplers.append(Sampler(instance, solver))
    return networks(samplers)


def _constants_are_defined(outputs: Sequence[Expr]) -> bool:
    """Tell whether operators are defined on all constants, which divide by zero for instance."""
    return all(
        within(expr.value, values)
        for expr, values in value_ranges(outputs, guarded=False).items()
        if isinstance(expr, Const)
    )


def _alone(site: Site) -> Network:
    return Network(tuple(site.outputs), tuple(site.outputs), "alone")


def _outputs_used(site: Site) -> Network:
    used = [same_value(expr) for expr in site.outputs]
    return Network((*used, *site.outputs), tuple(site.outputs), "outputs used")


def _inputs_computed(site: Site) -> Network:
    outputs = tuple(_rebuilt(site, site.free))
    return Network(outputs, outputs, "inputs computed")


def _rebuilt(site: Site, computed: frozenset[Expr]) -> list[Expr]:
    """Make all calls of a match anew; `computed` inputs become results of another operator."""
    copies: dict[Expr, Expr] = {}
    for expr in reverse_post_order(site.outputs):
        operands = tuple(copies[operand] for operand in expr.operands)
        copy = expr.with_operands(operands) if operands else expr
        copies[expr] = same_value(expr) if expr in computed else copy
    return [copies[expr] for expr in site.outputs]


def _inputs_constant(site: Site) -> Network:
    """Put constants in the place of every second free input; sizes decide which ones."""
    free = [expr for expr in reverse_post_order(site.outputs) if expr in site.free]
    tensors = [expr for expr in free if isinstance(expr, Var)]
    first = sum(sum(variable.shape) for variable in tensors) % 2 if len(tensors) > 1 else 0
    ranges = value_ranges(site.outputs)
    generator = np.random.default_rng(len(tensors))
    constants: dict[Expr, Expr] = {
        variable: Const(random_array(variable, "small integers", ranges.get(variable), generator))
        for variable in tensors[first::2]
    }
    outputs = tuple(_replaced(site.outputs, constants))
    return Network(outputs, outputs, "inputs constant")


def _replaced(outputs: Sequence[Expr], others: Mapping[Expr, Expr]) -> list[Expr]:
    copies: dict[Expr, Expr] = {}
    for expr in reverse_post_order(outputs):
        operands = tuple(copies[operand] for operand in expr.operands)
        copies[expr] = others.get(expr) or (expr.with_operands(operands) if operands else expr)
    return [copies[expr] for expr in outputs]


def _inner_value_used(site: Site) -> Network:
    inner = [
        expr
        for expr in reverse_post_order(site.outputs)
        if expr.operands and expr not in site.outputs and expr not in site.inputs
    ]
    outputs = (*site.outputs, *inner[-1:])
    return Network(outputs, tuple(site.outputs), "inner value used", escaping=bool(inner))


def _twice(site: Site) -> Network:
    second = _rebuilt(site, frozenset())
    return Network((*site.outputs, *second), tuple(site.outputs), "twice")


def same_value(expr: Expr) -> Expr:
    """Return a call that has the value of `expr` but is another node."""
    if isinstance(expr.type, TupleType):
        fields = range(len(expr.type.fields))
        return Tuple([same_value(Proj(expr, index)) for index in fields])
    name = "LogicalOr" if expr.type.dtype == "bool" else "Maximum"
    return Call(lookup(name), [expr, expr])


AROUND: dict[str, Callable[[Site], Network]] = {
    "alone": _alone,
    "outputs used": _outputs_used,
    "inputs computed": _inputs_computed,
    "inputs constant": _inputs_constant,
    "inner value used": _inner_value_used,
    "twice": _twice,
}
