"""Sizes that only together make a difference, found by a quick look at many of them.

Where operators divide places by sizes, as a resize or an adaptive pooling does, a rule may hold for
nearly all sizes and not for 6, 19 and 3. No decision of the target tells these from others. So many
sizes are tried that fit the rule, along one axis at a time, and both sides are computed once for
each by the references; graphs are drawn where they differ.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, cycle, islice, product, zip_longest
from math import prod
from typing import Any

import numpy as np

from gsl.attr.term import Operation, Symbol, Term, subterms
from gsl.errors import GslError
from gsl.evaluate import evaluate
from gsl.expr import Call, Expr, Var
from gsl.graph import reverse_post_order
from gsl.kernel.expression import Expression, Read, Reduction, Select, walk
from gsl.numpy_dtypes import is_floating, kind_of
from gslverify.networks.generation import has_at_most
from gslverify.networks.rare_sizes import Given, with_few_sizes
from gslverify.structures.kernels import elements_of
from gslverify.structures.models.concrete import concrete_outputs, target_outputs
from gslverify.structures.models.sampling import Sampler
from gslverify.structures.models.simple_values import Preferred

LARGEST: Mapping[int, int] = {1: 64, 2: 32, 3: 24}
"""How large so many symbols become that vary together."""
MOST_TRIED, MOST_COMPUTED = (16_000, 3_000), (1_500, 300)
"""Sizes of a structure that are tried, and those that fit for which both sides are computed.

The first are for sizes that divisions relate, the second for any two of them.
"""
MOST_FOUND = 2
MOST_IN_PAIRS = 8
MOST_ELEMENTS = 4_000
CLOSE = 1e-3
"""What rounding may make of numbers as large as these, relative to them."""
DIVIDING = frozenset({"//", "%", "floor", "ceil"})


def joint_sizes(samplers: Sequence[Sampler]) -> Iterator[tuple[Sampler, Given]]:
    """Yield structures with sizes at which both sides differ on some inputs."""
    for number, sampler in enumerate(with_few_sizes(samplers)):
        for point in islice(_differing(sampler, random.Random(number)), MOST_FOUND):
            yield sampler, tuple((symbol.name, value) for symbol, value in point.items())


Point = Mapping[Symbol, int]
Group = tuple[Symbol, ...]
Sides = tuple[Sequence[Expr], Sequence[Expr]]


def _differing(sampler: Sampler, draw: random.Random) -> Iterator[Point]:
    generator, usual = np.random.default_rng(0), _some_model(sampler)
    if not _divides(sampler, usual):
        return
    for groups, tried, computed in zip(_groups(sampler), MOST_TRIED, MOST_COMPUTED, strict=True):
        points = islice(_points(sampler, groups, draw), tried)
        fitting = ((one, sides) for one in points if (sides := _sides(sampler, one, usual)))
        for point, sides in islice(fitting, computed):
            if _differ(*sides, generator):
                yield point


def _divides(sampler: Sampler, usual: Mapping[Symbol, Any]) -> bool:
    """Tell whether either side divides places, as far as a simple model shows of the target."""
    if not usual:
        return False
    source, target = _sides(sampler, {}, usual) or ((), ())
    known = (node.expr for node in sampler.instance.outputs)
    return any(map(_divides_places, reverse_post_order((*known, *source, *target))))


def _points(sampler: Sampler, groups: Iterable[Group], draw: random.Random) -> Iterator[Point]:
    """Yield sizes of which those of a group, in turn, are more than they have to be."""
    least = {symbol: max(int(symbol.low or 0), 1) for symbol in sampler.extents}
    every: list[list[Point]] = []
    for few in groups:
        ranges = [range(int(one.low or 0), LARGEST[len(few)] + 1) for one in few]
        points = list(product(*ranges))
        draw.shuffle(points)
        every.append([dict(zip(few, values, strict=True)) for values in points])
    in_turn = (one for turn in zip_longest(*every) for one in turn if one is not None)
    yield from ({**least, **one} for one in in_turn)


def _groups(sampler: Sampler) -> tuple[list[Group], list[Group]]:
    """Return symbols that vary together: those of divisions that have some in common, and pairs."""
    related: list[set[Symbol]] = []
    for few in _divided(sampler):
        apart = [other for other in related if few.isdisjoint(other)]
        joined = few.union(*(other for other in related if other not in apart))
        related = [*apart, joined]
    extents = sampler.extents
    groups = [tuple(one for one in extents if one in few) for few in related]
    symbols = [one for few in groups for one in few] or extents
    pairs: list[Group] = list(combinations(symbols[:MOST_IN_PAIRS], 2))
    return [few for few in groups if len(few) in LARGEST], pairs


def _divided(sampler: Sampler) -> Iterator[set[Symbol]]:
    """Yield the free symbols of every division in a kernel of the source."""
    calls = reverse_post_order([node.expr for node in sampler.instance.outputs])
    for term in chain.from_iterable(map(_divisions, calls)):
        found = _symbols_in(term)
        for symbol in reversed(sampler.order):
            if symbol in found:
                found |= _symbols_in(sampler.definitions[symbol])
        few = found.intersection(sampler.extents)
        if few:
            yield few


def _symbols_in(term: Any) -> set[Symbol]:
    parts = subterms(term) if isinstance(term, Term) else ()
    return {part for part in parts if isinstance(part, Symbol)}


def _some_model(sampler: Sampler) -> Mapping[Symbol, Any]:
    """Return a model with small sizes; the solver is asked where there are no simple ones."""
    found = sampler.simple_model()
    return found or sampler.model(Preferred(cycle((1, 2, 3))), may_be_empty=False) or {}


def _sides(sampler: Sampler, point: Point, usual: Mapping[Symbol, Any]) -> Sides | None:
    """Return source and target at some sizes; None where the rule does not hold or is refused.

    So it is where an operator of others takes part, whose reference may take any time.
    """

    def preference(symbol: Symbol, options: tuple[Any, ...]) -> Any:
        return point[symbol] if symbol in point else usual[symbol]

    try:
        model = sampler.granted(preference, may_be_empty=False)
        if model is None:
            return None
        source = concrete_outputs(sampler.instance, model, lambda variable: _filled(variable, None))
        target = target_outputs(sampler.instance.subst, source)
    except (GslError, IndexError):
        return None
    every = reverse_post_order((*source, *(target or ())))
    return (source, target) if target and all(map(_is_small, every)) else None


def _is_small(expr: Expr) -> bool:
    is_known = not isinstance(expr, Call) or expr.operator.is_built_in
    return is_known and has_at_most(expr, MOST_ELEMENTS)


def _divides_places(expr: Expr) -> bool:
    return next(_divisions(expr), None) is not None


def _divisions(expr: Expr) -> Iterator[Term]:
    """Yield the divisions in terms of a kernel, which are about places and sizes."""
    if not isinstance(expr, Call) or not expr.operator.is_built_in:
        return
    try:
        elements = elements_of(expr)
    except GslError:  # a structure that depends on sizes
        return
    nodes = (node for element in elements for node in walk(element.value))
    for term in chain.from_iterable(map(_terms, nodes)):
        yield from filter(_is_division, subterms(term))


def _terms(node: Expression) -> Iterator[Term]:
    found: Sequence[Any] = ()
    match node:
        case Read(indices=indices):
            found = indices
        case Select(condition=condition):
            found = (condition,)
        case Reduction(variables=variables):
            found = [extent for _, extent in variables]
    yield from (one for one in found if isinstance(one, Term))


def _is_division(term: Term) -> bool:
    return isinstance(term, Operation) and term.head in DIVIDING


def _differ(source: Sequence[Expr], target: Sequence[Expr], generator: np.random.Generator) -> bool:
    """Tell whether outputs differ by more than rounding on inputs of different elements."""
    variables = (one for one in reverse_post_order((*source, *target)) if isinstance(one, Var))
    inputs = {one.name: _filled(one, generator) for one in variables}
    try:
        with np.errstate(all="ignore"):
            pairs = zip(evaluate(source, inputs), evaluate(target, inputs), strict=True)
            return any(_is_apart(np.asarray(one), np.asarray(other)) for one, other in pairs)
    except (GslError, IndexError, ValueError):
        return False


def _is_apart(one: Any, other: Any) -> bool:
    if one.shape != other.shape or not is_floating(one.dtype):
        return not np.array_equal(one, other)
    return not np.allclose(one, other, rtol=CLOSE, atol=CLOSE, equal_nan=True)


def _filled(variable: Var, generator: np.random.Generator | None) -> Any:
    """Return different elements, or ones for a constant that the rule leaves open."""
    dtype = np.dtype(variable.dtype)
    if generator is None or kind_of(dtype) == "b":
        return np.ones(variable.shape, dtype)
    if is_floating(dtype):
        numbers = generator.permutation(prod(variable.shape)) + 1.0
        return numbers.reshape(variable.shape).astype(dtype)
    return generator.integers(0, 100, variable.shape).astype(dtype)
