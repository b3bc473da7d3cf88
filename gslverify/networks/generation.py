"""From choices to a network that a rule matches: its structure, sizes, constants and context."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gsl.attr.term import Symbol, Term
from gsl.errors import GslError
from gsl.expr import Call, Const, Expr, Var
from gsl.graph import reverse_post_order
from gsl.pat import Wildcard
from gsl.types import TensorType
from gslverify.networks.arrays import random_array
from gslverify.networks.choices import Choices, NothingDrawnError, UnmetError, one_of
from gslverify.networks.contexts import (
    AROUND,
    CONTEXTS,
    Site,
    inner_values,
    may_have_place,
)
from gslverify.networks.network import NOT_APPLICABLE, Network
from gslverify.networks.values import value_ranges, within
from gslverify.networks.wishes import DTYPES, SIZES, wishes
from gslverify.networks.work import takes_at_most, work_of
from gslverify.structures.concrete import (
    Fill,
    concrete_exprs,
    constant_names,
    ones,
    value_in,
)
from gslverify.structures.instance import Instance
from gslverify.structures.sampling import Sampler, Wish

MOST_WISHES = 2
"""More would favour models that wishes meet by chance: equal sizes, and small ones."""
MOST_ELEMENTS = 20_000
MOST_ELEMENTS_OF_LARGE_RULES = 2_000_000
MOST_WORK = 4_000_000
"""Values that an operator may compute (`work_of`), unless its structure always needs as many."""
STYLES_OF_CONSTANTS = (
    "small integers",
    "small integers",
    "halves",
    "distinct integers",
    "reals",
    "wide",
    "edges",
)


def network_from(
    choices: Choices,
    samplers: Sequence[Sampler],
    contexts: Sequence[str] = CONTEXTS,
    dtypes: Sequence[str] = DTYPES,
    sizes: Sequence[str] = SIZES,
    corner: int = -1,
    turn: int = 0,
) -> Network:
    """Choose a network that contains a match of the rule the samplers belong to.

    `dtypes` are preferred where the rule leaves a choice, and sizes in one of the modes `sizes`
    (see `wishes`); models lie in the `corner` of that number, if there is one. Which inner value
    has its `turn` is not chosen. Raises NothingDrawnError.
    """
    context, sampler = one_of(choices, contexts), one_of(choices, samplers)
    demand = sampler.corners[corner] if 0 <= corner < len(sampler.corners) else None

    def wish() -> Wish:
        return wishes(choices, dtypes, sizes)

    model = _model(wish, sampler, choices.number(7) == 7, demand)
    if model is None:
        raise UnmetError(sampler.obstacle(wish()))
    style, start = one_of(choices, STYLES_OF_CONSTANTS), choices.number(255)
    constants: dict[str, Any] = {}
    try:
        fill = filled_constants(sampler.instance, model, style, np.random.default_rng(start))
        site = concrete_site(sampler.instance, model, remembering(fill, constants))
    except GslError as error:
        raise NothingDrawnError(str(error)) from error
    _examine(site, sampler)
    in_corner = demand is not None and value_in(demand, model) is True
    around = AROUND[context](replace(site, turn=turn))
    if around is None:
        raise NothingDrawnError(f"{NOT_APPLICABLE} `{context}`")
    return replace(
        around,
        model=by_name(model),
        in_corner=in_corner,
        sampler=sampler,
        constants=constants,
    )


def remembering(fill: Fill, constants: dict[str, Any]) -> Fill:
    """Return what fills constants and remembers by their names with what."""

    def filled(variable: Var) -> Any:
        constants[variable.name] = fill(variable)
        return constants[variable.name]

    return filled


def _examine(site: Site, sampler: Sampler) -> None:
    """Raise NothingDrawnError for a match that would take too long or is not defined."""
    exprs, largest = reverse_post_order(site.outputs), most_elements(sampler)
    if not all(has_at_most(expr, largest) for expr in exprs):
        raise NothingDrawnError(f"a tensor has more than {largest:,} elements")
    limit = most_work(sampler)
    for expr in exprs:
        if isinstance(expr, Call) and not takes_at_most(expr, limit):
            raise NothingDrawnError(f"{expr.operator} computes more than {limit:,} values")
    if not constants_are_defined(site.outputs):
        raise NothingDrawnError("a constant is outside the domain of an operator that uses it")


def _model(
    wish: Callable[[], Wish], sampler: Sampler, may_be_empty: bool, demand: Term | None
) -> dict[Symbol, Any] | None:
    """Choose wishes until all are granted; after a few attempts, have some of them dropped."""
    for _ in range(MOST_WISHES):
        model = sampler.granted(wish(), may_be_empty, demand)
        if model is not None:
            return model
    return sampler.model(wish(), may_be_empty, demand)


def by_name(model: Mapping[Symbol, Any]) -> dict[str, Any]:
    """Return the values of a model by the names of its symbols, in their order."""
    return {symbol.name: model[symbol] for symbol in sorted(model, key=lambda s: s.name)}


def most_elements(sampler: Sampler) -> int:
    """A rule that fixes large sizes, or has no model with small ones, may have large tensors."""
    fixed = [
        math.prod(node.expr.shape)
        for node in sampler.instance.graph
        if isinstance(node.expr, Var) and all(isinstance(size, int) for size in node.expr.shape)
    ]
    is_large = max(fixed, default=0) > MOST_ELEMENTS or sampler.is_large
    return MOST_ELEMENTS_OF_LARGE_RULES if is_large else MOST_ELEMENTS


def most_work(sampler: Sampler) -> int:
    """A rule that fixes large sizes may need much work, but not much more than it has to."""
    if not sampler.work:
        sampler.work = max(MOST_WORK, 2 * _least_work(sampler))
    return sampler.work


def _least_work(sampler: Sampler) -> int:
    """Return the work of the simplest model of a structure with large tensors."""
    model = sampler.simple_model() if most_elements(sampler) > MOST_ELEMENTS else None
    if model is None:
        return 0
    try:
        exprs = concrete_exprs(sampler.instance, model).values()
    except GslError:
        return 0
    return max((work_of(expr) for expr in exprs if isinstance(expr, Call)), default=0)


def has_at_most(expr: Expr, count: int) -> bool:
    """Tell whether the value of an expression is no tensor with more elements, nor a longer one."""
    if not isinstance(expr.type, TensorType):
        return True
    return expr.type.size <= count and max(expr.type.shape, default=0) <= count


def concrete_site(instance: Instance, model: Mapping[Symbol, Any], fill: Fill = ones) -> Site:
    """Return the match that an instance becomes in a model; raises as `concrete_exprs` does."""
    return _site_of(instance, concrete_exprs(instance, model, fill))


def _site_of(instance: Instance, built: Mapping[Expr, Expr]) -> Site:
    inputs = [(key[0], built[instance.bindings.nodes[key].expr]) for key in instance.inputs]
    return Site(
        outputs=[built[node.expr] for node in instance.outputs],
        inputs=frozenset(expr for _, expr in inputs),
        free=frozenset(expr for pattern, expr in inputs if isinstance(pattern, Wildcard)),
    )


def has_place(sampler: Sampler, context: str) -> bool:
    """Tell whether a context may surround matches of a structure."""
    if context not in sampler.places:
        exprs = {node.expr: node.expr for node in sampler.instance.graph}
        site = _site_of(sampler.instance, exprs)
        sampler.places.update((one, may_have_place(one, site)) for one in CONTEXTS)
    return sampler.places[context]


def most_inner_values(samplers: Sequence[Sampler]) -> int:
    """Return how many inner values the structure with most of them has."""
    instances = (sampler.instance for sampler in samplers)
    sites = (_site_of(one, {node.expr: node.expr for node in one.graph}) for one in instances)
    return max((len(inner_values(site)) for site in sites), default=0)


def filled_constants(
    instance: Instance, model: Mapping[Symbol, Any], style: str, generator: np.random.Generator
) -> Fill:
    """Return what fills constants with values for which the operators that use them are defined."""
    if not constant_names(instance):
        return ones
    built = concrete_exprs(instance, model)
    ranges = value_ranges([built[node.expr] for node in instance.outputs], guarded=False)
    named = {
        expr.name: ranges.get(concrete) for expr, concrete in built.items() if isinstance(expr, Var)
    }

    def fill(variable: Var) -> Any:
        return random_array(variable, style, named[variable.name], generator)

    return fill


def constants_are_defined(outputs: Sequence[Expr]) -> bool:
    """Tell whether operators are defined on all constants, which divide by zero for instance."""
    return all(
        within(expr.value, values)
        for expr, values in value_ranges(outputs, guarded=False).items()
        if isinstance(expr, Const)
    )
