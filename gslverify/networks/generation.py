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
from gsl.types import ANY_FLOAT, TensorType
from gslverify.networks.arrays import random_array
from gslverify.networks.choices import Choices, NothingDrawnError, UnmetError, one_of
from gslverify.networks.contexts import (
    AROUND,
    CONTEXTS,
    ONE_A_TURN,
    Site,
    inner_values,
    may_have_place,
)
from gslverify.networks.cost import cost_of, costs_at_most
from gslverify.networks.network import NOT_APPLICABLE, Network
from gslverify.networks.preferences import (
    BEYOND_NARROW_DTYPES,
    DTYPES,
    LONG,
    ROOMY,
    SIZES,
    VERY_LONG,
    preferences,
)
from gslverify.networks.values import value_ranges, within
from gslverify.structures.instance import Instance
from gslverify.structures.models.concrete import (
    Fill,
    concrete_exprs,
    constant_names,
    meets,
    ones,
)
from gslverify.structures.models.sampling import Preference, Sampler
from gslverify.structures.models.symbols import is_size, written_numbers

MOST_ATTEMPTS = 2
"""More would favour models that preferences meet by chance: equal sizes, and small ones."""
MOST_TURNS = 8
MOST_ELEMENTS = 20_000
MOST_ELEMENTS_OF_LARGE_RULES = 2_000_000
MOST_COST = 4_000_000
"""Values that an operator may compute (`cost_of`), unless its structure always needs as many."""
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
    turn: int | None = None,
    given: Sequence[tuple[str, int | str]] = (),
) -> Network:
    """Choose a network that contains a match of the rule the samplers belong to.

    `dtypes` are preferred where the rule leaves a choice, and sizes in one of the modes `sizes`
    (see `preferences`), or as `given` by name, as dtypes can be; models lie in the `corner` of that
    number, if there is one. Which inner value, or axis, has its `turn` is chosen unless it is
    given. Raises NothingDrawnError.
    """
    context, sampler = one_of(choices, contexts), one_of(choices, samplers)
    if turn is None:
        turn = choices.number(MOST_TURNS - 1) if takes_turns(context, sizes) else 0
    axes, numbers = sum(map(is_size, sampler.free)), written_numbers(sampler.instance)
    demand = sampler.corners[corner] if 0 <= corner < len(sampler.corners) else None

    def preference() -> Preference:
        usual, known = preferences(choices, dtypes, sizes, turn, axes, numbers), dict(given)
        return lambda symbol, options: (
            known[symbol.name] if symbol.name in known else usual(symbol, options)
        )

    wanted = demand
    if demand is not None and sizes == ROOMY:
        wanted = sampler.selections.seen_where(demand)
    model = _model(preference, sampler, choices.number(7) == 7, wanted)
    if model is None:
        raise UnmetError(sampler.obstacle(preference()))
    longest = max((value for _, value in given if isinstance(value, int)), default=0)
    is_long = "very long" in sizes or longest > MOST_ELEMENTS or demand is not None
    elements = MOST_ELEMENTS_OF_LARGE_RULES if is_long else 0
    network = network_in(choices, sampler, model, context, turn, elements)
    return replace(
        network,
        in_corner=demand is not None and meets(model, demand),
        at_limits=any(isinstance(value, str) for _, value in given),
    )


def takes_turns(context: str, sizes: Sequence[str]) -> bool:
    """Tell whether one of several inner values, of several axes or of some numbers has its turn."""
    return context in ONE_A_TURN or sizes in (LONG, VERY_LONG, BEYOND_NARROW_DTYPES)


def network_in(
    choices: Choices,
    sampler: Sampler,
    model: Mapping[Symbol, Any],
    context: str = "alone",
    turn: int = 0,
    elements: int = 0,
) -> Network:
    """Choose the constants of the network that a structure becomes in a model.

    Its tensors have no more than some `elements`, or if that is 0 than its rule needs. Raises
    NothingDrawnError for one that would take too long or is not defined.
    """
    style, start = one_of(choices, STYLES_OF_CONSTANTS), choices.number(255)
    try:
        fill = filled_constants(sampler.instance, model, style, np.random.default_rng(start))
        network = network_of(sampler, model, fill, context, turn, _Limits(sampler, elements).demand)
    except GslError as error:
        raise NothingDrawnError(str(error)) from error
    misused = misused_constant(network.matched)
    if misused is not None:
        users = [one for one in reverse_post_order(network.matched) if misused in one.operands]
        names = ", ".join(sorted({str(one.operator) for one in users if isinstance(one, Call)}))
        raise NothingDrawnError(f"a constant is outside the domain of {names or 'an operator'}")
    return network


class _Limits:
    """How large tensors may be, and how much an operator may compute, in networks of a sampler."""

    def __init__(self, sampler: Sampler, elements: int) -> None:
        self.elements, self.cost = elements or most_elements(sampler), most_cost(sampler)

    def demand(self, expr: Expr) -> None:
        """Raise NothingDrawnError for a tensor that is too large or takes too long."""
        if not has_at_most(expr, self.elements):
            raise NothingDrawnError(f"a tensor has more than {self.elements:,} elements")
        if isinstance(expr, Call) and not costs_at_most(expr, self.cost):
            raise NothingDrawnError(f"{expr.operator} computes more than {self.cost:,} values")


def network_of(
    sampler: Sampler,
    model: Mapping[Symbol, Any],
    fill: Fill = ones,
    context: str = "alone",
    turn: int = 0,
    demand: Callable[[Expr], None] | None = None,
) -> Network:
    """Return the network that a structure becomes in a model, with a context around the match.

    What `demand` refuses has no context made around it. Raises NothingDrawnError if there is no
    place for the context, and as `concrete_exprs` does.
    """
    constants: dict[str, Any] = {}

    def remembering(variable: Var) -> Any:
        constants[variable.name] = fill(variable)
        return constants[variable.name]

    built = concrete_exprs(sampler.instance, model, remembering)
    site = _site_of(sampler.instance, built)
    if demand is not None:
        for expr in reverse_post_order(site.outputs):
            demand(expr)
    around = AROUND[context](replace(site, turn=turn))
    if around is None:
        raise NothingDrawnError(f"{NOT_APPLICABLE} `{context}`")
    return replace(around, model=by_name(model), sampler=sampler, constants=constants)


def _model(
    preference: Callable[[], Preference], sampler: Sampler, may_be_empty: bool, demand: Term | None
) -> dict[Symbol, Any] | None:
    """Choose preferences until all are granted; after a few attempts, have some of them dropped."""
    for _ in range(MOST_ATTEMPTS):
        model = sampler.granted(preference(), may_be_empty, demand)
        if model is not None:
            return model
    return sampler.model(preference(), may_be_empty, demand)


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


def most_cost(sampler: Sampler) -> int:
    """A rule that fixes large sizes may cost much, but not much more than it has to."""
    if not sampler.cost:
        sampler.cost = max(MOST_COST, 2 * _least_cost(sampler))
    return sampler.cost


def _least_cost(sampler: Sampler) -> int:
    """Return the cost of the simplest model of a structure with large tensors."""
    model = sampler.simple_model() if most_elements(sampler) > MOST_ELEMENTS else None
    if model is None:
        return 0
    try:
        exprs = concrete_exprs(sampler.instance, model).values()
    except GslError:
        return 0
    return max((cost_of(expr) for expr in exprs if isinstance(expr, Call)), default=0)


def has_at_most(expr: Expr, count: int) -> bool:
    """Tell whether the value of an expression is no tensor with more elements, nor a longer one."""
    if not isinstance(expr.type, TensorType):
        return True
    return expr.type.size <= count and max(expr.type.shape, default=0) <= count


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


def misused_constant(outputs: Sequence[Expr]) -> Const | None:
    """Return a constant on which an operator is not defined, such as 0 to divide by; or None.

    What floats are declared to be keeps those that are drawn sane; a rule may write any other.
    """
    ranges = value_ranges(outputs, guarded=False)
    found = (
        e for e, values in ranges.items() if isinstance(e, Const) and not within(e.value, values)
    )
    return next((one for one in found if not _is_float_of_floats(one, outputs)), None)


def _is_float_of_floats(constant: Const, outputs: Sequence[Expr]) -> bool:
    """Tell whether a constant is a float that only operators use which return floats."""
    users = [one for one in reverse_post_order(outputs) if constant in one.operands]
    types = [one.type for one in (constant, *users)]
    return 0 not in constant.value and all(
        isinstance(one, TensorType) and one.dtype in ANY_FLOAT for one in types
    )
