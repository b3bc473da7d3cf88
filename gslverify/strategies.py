"""Hypothesis strategies: networks that a rule matches, networks around them, and their inputs.

A public library: ``matching_networks(subst)`` may be used in any property. All choices are bounded
and small ones come first, so that shrinking ends at what a person can check by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, floor, inf
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from gsl.attr.term import Symbol
from gsl.errors import GslError
from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.graph import reverse_post_order
from gsl.operators import lookup
from gsl.operators.declaration import Values
from gsl.pat import Wildcard
from gsl.subst import Subst
from gsl.types import TensorType, TupleType
from gslverify.concrete import Fill, concrete_exprs, ones
from gslverify.instance import Instance
from gslverify.sampling import Sampler, Wish
from gslverify.smt import Answer, Solver, new_context
from gslverify.variants import enumerate_variants

MOST_ELEMENTS = 20_000
DTYPES = ("float32", "float64", "int32", "float16", "int64", "int8", "uint8", "bool")
REALS = (1.0, 0.5, 2.0, 0.0, 0.25, -1.0, 3.0, -0.5, 1e-5)
INTEGERS = (1, 2, 0, -1, 3, -2, 5, 100)
CONTEXTS = ("alone", "outputs used", "inputs computed", "twice", "inner value used")
"""What is built around a match."""
STYLES = ("small integers", "distinct integers", "reals", "halves", "wide", "edges")


@dataclass(frozen=True, slots=True)
class Network:
    """A generated network.

    `outputs` contains the match; `matched` are the expressions that the outputs of the rule must
    match, `context` what was built around them, `model` the attributes and sizes by name. With
    `escaping` a value inside the match is an output, too, so the match has to be declined.
    """

    outputs: tuple[Expr, ...]
    matched: tuple[Expr, ...]
    context: str
    model: Mapping[str, Any] = field(default_factory=dict)
    escaping: bool = False

    @property
    def variables(self) -> list[Var]:
        """The inputs of the network."""
        return [expr for expr in reverse_post_order(self.outputs) if isinstance(expr, Var)]


@st.composite
def networks(
    draw: st.DrawFn,
    samplers: Sequence[Sampler],
    contexts: Sequence[str] = CONTEXTS,
    dtypes: Sequence[str] = DTYPES,
) -> Network:
    """Draw a network that contains a match of the rule the samplers belong to.

    `dtypes` are preferred where the rule leaves a choice.
    """
    context = draw(st.sampled_from(contexts))
    sampler = samplers[draw(st.integers(0, len(samplers) - 1))]
    model = sampler.model(wishes(draw, dtypes), may_be_empty=draw(st.integers(0, 7)) == 7)
    assume(model is not None)
    assert model is not None
    generator = np.random.default_rng(draw(st.integers(0, 255)))
    try:
        fill = _filled(sampler.instance, model, generator)
        site = concrete_site(sampler.instance, model, fill)
    except GslError:
        assume(False)
        raise
    assume(all(_is_small(expr) for expr in reverse_post_order(site.outputs)))
    assume(_constants_are_defined(site.outputs))
    named = {symbol.name: model[symbol] for symbol in sorted(model, key=lambda s: s.name)}
    return replace(AROUND[context](site), model=named)


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
    instance: Instance, model: Mapping[Symbol, Any], generator: np.random.Generator
) -> Fill:
    """Fill constants with values for which the operators that use them are defined."""
    built = concrete_exprs(instance, model)
    ranges = value_ranges([built[node.expr] for node in instance.outputs])
    named = {
        expr.name: ranges.get(concrete) for expr, concrete in built.items() if isinstance(expr, Var)
    }

    def fill(variable: Var) -> Any:
        return random_array(variable, "small integers", named[variable.name], generator)

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


def _is_small(expr: Expr) -> bool:
    return not isinstance(expr.type, TensorType) or expr.type.size <= MOST_ELEMENTS


def _constants_are_defined(outputs: Sequence[Expr]) -> bool:
    """Tell whether operators are defined on all constants, which divide by zero for instance."""
    return all(
        np.array_equal(expr.value, restricted(expr.value, values, expr.value.dtype))
        for expr, values in value_ranges(outputs).items()
        if isinstance(expr, Const) and expr.value.dtype.kind != "b"
    )


def wishes(draw: st.DrawFn, dtypes: Sequence[str] = DTYPES) -> Wish:
    """Return a chooser of values for symbols: sizes free, all equal, or all different."""
    mode = draw(st.sampled_from(("free", "equal", "distinct")))
    common = draw(st.integers(1, 4))
    same = common if mode == "equal" else 0
    count = 0

    def wish(symbol: Symbol, options: tuple[Any, ...]) -> Any:
        nonlocal count
        if symbol.sort == "text":
            likely = [dtype for dtype in dtypes if not options or dtype in options]
            return draw(st.sampled_from(likely or list(options)))
        if symbol.sort == "real":
            return draw(st.sampled_from(REALS))
        if symbol.sort == "bool":
            return draw(st.booleans())
        if symbol.low is None:
            return draw(st.sampled_from(INTEGERS))
        if ".shape[" not in symbol.name:
            return draw(st.integers(int(symbol.low), int(symbol.low) + 3))
        count += 1
        # Every mode draws as often, or shrinking would prefer the mode that draws least.
        size = draw(st.integers(1, 5))
        return same or (1 + (size + count) % 6 if mode == "distinct" else size)

    return wish


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
    "inner value used": _inner_value_used,
    "twice": _twice,
}


@st.composite
def arrays(draw: st.DrawFn, network: Network) -> dict[str, Any]:
    """Draw a value for every input of a network, within the domains of its operators."""
    style = draw(st.sampled_from(STYLES))
    return _filled_inputs(network, style, draw(st.integers(0, 255)))


@st.composite
def arrays_of_every_style(draw: st.DrawFn, network: Network) -> list[dict[str, Any]]:
    """Draw the inputs of a network once in every style, simple values first."""
    seed = draw(st.integers(0, 255))
    return [_filled_inputs(network, style, seed) for style in STYLES]


def _filled_inputs(network: Network, style: str, seed: int) -> dict[str, Any]:
    generator = np.random.default_rng(seed)
    ranges = value_ranges(network.outputs)
    return {v.name: random_array(v, style, ranges.get(v), generator) for v in network.variables}


def value_ranges(outputs: Sequence[Expr]) -> dict[Expr, list[Values]]:
    """Return for expressions the values on which the operators that use them are defined.

    Restrictions pass through operators that only rearrange or copy their operand.
    """
    ranges: dict[Expr, list[Values]] = {}
    for expr in reversed(reverse_post_order(outputs)):
        if not isinstance(expr, Call):
            inherited = ranges.get(expr, [])
            for operand in expr.operands:
                ranges.setdefault(operand, []).extend(inherited)
            continue
        types = tuple(operand.type for operand in expr.operands)
        for declared, operand in zip(expr.operator.operands, expr.operands, strict=True):
            rule = expr.operator.values.get(declared.name)
            if rule is not None:
                known = rule if isinstance(rule, Values) else rule(types, expr.attributes)
                ranges.setdefault(operand, []).append(known)
            if expr.operator.name in MOVES_VALUES:
                ranges.setdefault(operand, []).extend(ranges.get(expr, []))
    return ranges


MOVES_VALUES = frozenset(
    {
        *("Transpose", "Reshape", "Flatten", "ExpandDims", "Squeeze", "Flip", "Where"),
        *("Concatenate", "Stack", "Split", "StridedSlice", "BroadcastTo", "Repeat", "Tile"),
        *("Maximum", "Minimum"),
    }
)
"""Operators of which every element of the result is an element of an operand."""


def random_array(
    variable: Var, style: str, ranges: list[Values] | None, generator: np.random.Generator
) -> Any:
    """Return values of one style for a variable, brought into its ranges."""
    dtype = np.dtype(variable.dtype)
    if dtype.kind == "b":
        return generator.integers(0, 2, variable.shape).astype(bool)
    raw = _STYLES[style](variable.shape, dtype, generator)
    return np.asarray(restricted(raw, ranges or (), dtype)).astype(dtype)


def restricted(raw: Any, ranges: Iterable[Values], dtype: np.dtype[Any]) -> Any:
    """Return `raw` brought into all `ranges`; what lies inside already stays."""
    is_integral = dtype.kind in "iu"
    for values in ranges:
        low, high = _limits(values, dtype)
        if is_integral:
            raw = raw.astype(np.int64)
        if is_integral and None not in (values.low, values.high):
            raw = _wrapped(raw, low, high)
        if low >= 0:
            raw = np.abs(raw)
        raw = np.minimum(np.maximum(raw, low), high)
        if values.nonzero:
            raw = np.where(raw == 0, min(max(1, low), high), raw)
    return raw


def _limits(values: Values, dtype: np.dtype[Any]) -> tuple[Any, Any]:
    low = -inf if values.low is None else values.low
    high = inf if values.high is None else values.high
    if dtype.kind not in "iu":
        return low, high
    held = np.iinfo(dtype)
    return ceil(max(low, held.min)), floor(min(high, held.max))


def _wrapped(raw: Any, low: int, high: int) -> Any:
    """Spread what lies outside over the whole range, if that is small."""
    if high - low >= 2**31:
        return raw
    return np.where((raw < low) | (raw > high), raw % (high - low + 1) + low, raw)


def _small_integers(shape: Any, dtype: np.dtype[Any], generator: np.random.Generator) -> Any:
    return generator.integers(0 if dtype.kind == "u" else -3, 4, shape)


def _distinct_integers(shape: Any, dtype: np.dtype[Any], generator: np.random.Generator) -> Any:
    count = int(np.prod(shape, dtype=np.int64))
    ramp = np.arange(count) - (0 if dtype.kind == "u" else count // 2)
    limit = 100 if dtype.itemsize == 1 else 1000
    return generator.permutation(ramp % limit if count > limit else ramp).reshape(shape)


def _reals(shape: Any, dtype: np.dtype[Any], generator: np.random.Generator) -> Any:
    if dtype.kind != "f":
        return _wide(shape, dtype, generator)
    return generator.standard_normal(shape).astype(dtype)


def _halves(shape: Any, dtype: np.dtype[Any], generator: np.random.Generator) -> Any:
    """Values on which rounding, comparing and choosing meet ties."""
    small = _small_integers(shape, dtype, generator)
    return small / 2 if dtype.kind == "f" else small


def _wide(shape: Any, dtype: np.dtype[Any], generator: np.random.Generator) -> Any:
    if dtype.kind != "f":
        limits = np.iinfo(dtype)
        return generator.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)
    return (generator.standard_normal(shape) * 16.0).astype(dtype)


def _edges(shape: Any, dtype: np.dtype[Any], generator: np.random.Generator) -> Any:
    """The least and largest integers; floats just beside a tie between two float16 numbers."""
    if dtype.kind != "f":
        limits = np.iinfo(dtype)
        edges = (limits.min, limits.min + 1, 0, 1, limits.max - 1, limits.max)
        return generator.choice(np.array(edges, dtype), shape)
    halfway = 1.0 + (generator.integers(0, 1024, shape) + 0.5) * 2.0**-10
    return generator.choice([-1.0, 1.0], shape) * (halfway + generator.choice([-1, 1]) * 2.0**-30)


_STYLES: dict[str, Callable[..., Any]] = {
    "small integers": _small_integers,
    "distinct integers": _distinct_integers,
    "reals": _reals,
    "halves": _halves,
    "wide": _wide,
    "edges": _edges,
}
