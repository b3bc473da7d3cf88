"""Structures in which tensors lack elements: which sizes can be 0 together.

Sizes are at least 1 wherever solvers and proofs speak about all of them; here they are at least 0
and one of them is 0. Two matches are alike if the same sizes of their tensors are 0, those of
results among them, so one of each kind is enough. Results alone may lack elements anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, combinations, count
from typing import Any

from gsl.attr.evaluate import conjunction, disjunction, equal, negation
from gsl.attr.memory import Memory
from gsl.attr.term import Symbol
from gsl.errors import GslError
from gsl.expr import Const, Expr, Var
from gsl.operators.declaration import tensors
from gsl.types import TensorType
from gslverify.semantics.solver import Answer, Context, Solver
from gslverify.structures.choices import Steps
from gslverify.structures.instance import Instance
from gslverify.structures.models.concrete import value_in
from gslverify.structures.models.sampling import Preference, Sampler
from gslverify.structures.models.simple_values import Preferred
from gslverify.structures.models.symbols import is_size
from gslverify.structures.variants import Variant

Model = dict[Symbol, Any]

MOST_TOGETHER = 64
"""So many ways to make some of the free sizes 0 are tried before the solver is asked for others."""

MOST_ASKED = 4
"""How often the solver is asked for one more kind of match of a structure."""

SMALL = 6
"""The solver looks for sizes up to this."""

PREFERRED = ("float32", "int32", "bool")


def emptied(
    sampler: Sampler, steps: Steps | None = None, context: Context | None = None
) -> Sampler:
    """Return what finds models of the same structure in which sizes may be 0.

    What other structures of the rule have left in `steps` and in a `context` is not made again.
    """
    instance = sampler.instance
    extent = replace(instance.extent, least_size=0)
    lowered = Variant(instance.choices, extent, steps).instance(instance.subst)
    claims = [claim.term for claim in lowered.claims]
    return Sampler(lowered, Solver(claims, sampler.solver.limit, context))


def empty_models(sampler: Sampler) -> Iterator[Model]:
    """Yield a model for each set of sizes that can be 0 together, as far as they are found.

    The `sampler` is one that `emptied` returned. First come those with few free sizes 0.
    """
    given = dict.fromkeys(_sizes(sampler.instance, lambda expr: isinstance(expr, Var | Const)))
    sizes = list(dict.fromkeys((*given, *_sizes(sampler.instance, lambda expr: True))))
    known: set[tuple[bool, ...]] = set()
    for model in chain(_guessed(sampler), _asked(sampler, sizes, len(given), known)):
        pattern = _pattern(sizes, model)
        if pattern is not None and any(pattern[: len(given)]) and pattern not in known:
            known.add(pattern)
            yield model


def deciding_models(sampler: Sampler, known: set[tuple[Hashable, int]]) -> Iterator[Model]:
    """Yield a model for each way in which sizes and attributes decide the target.

    The `sampler` is one that `emptied` returned. Ways that are `known`, of this or of another
    structure that decides the rest alike, are left out, and added where they have a model. Where it
    can be, some result has elements: else there are no values to compare.
    """
    given = _sizes(sampler.instance, lambda expr: isinstance(expr, Var | Const))
    some = disjunction(*(equal(size, 0) for size in given))
    full = [conjunction(*(size >= 1 for size in one.shape)) for one in _results(sampler.instance)]
    for number, (demand, _) in enumerate(sampler.decisive):
        if (sampler.way, number) in known:
            continue
        for further in (disjunction(*full), True):
            model = _model_with(sampler, (some, demand, further))
            if model is not None:
                known.add((sampler.way, number))
                yield model
                break


def _results(instance: Instance) -> list[TensorType]:
    return tensors(tuple(node.expr.type for node in instance.outputs))


def _model_with(sampler: Sampler, demands: Iterable[Any]) -> Model | None:
    """Return a model with small sizes that meets demands, if the solver finds one."""
    asked = list(demands)
    if any(one is False for one in asked):
        return None
    small = [symbol <= SMALL for symbol in sampler.free if is_size(symbol)]
    for limits in (small, []):
        try:
            result = sampler.solver.check(*limits, *(one for one in asked if one is not True))
        except GslError:
            return None
        model = {**dict.fromkeys(sampler.free), **result.model}
        if result.answer is Answer.SAT and sampler.satisfies(model):
            return model
    return None


def _sizes(instance: Instance, fits: Callable[[Expr], bool]) -> Iterator[Any]:
    """Yield the sizes of those tensors of a source that fit."""
    types = [node.expr.type for node in instance.graph if fits(node.expr)]
    return (size for one in tensors(tuple(types)) for size in one.shape)


def _pattern(sizes: list[Any], model: Mapping[Symbol, Any]) -> tuple[bool, ...] | None:
    """Return which sizes are 0 in a model, None where one has no value."""
    known = Memory()
    try:
        return tuple(value_in(size, model, known) == 0 for size in sizes)
    except GslError:
        return None


def _guessed(sampler: Sampler) -> Iterator[Model]:
    """Yield models in which some free sizes are 0, and the others 1 or different."""
    free = [symbol for symbol in sampler.free if is_size(symbol)]
    groups = chain.from_iterable(combinations(free, n) for n in range(1, len(free) + 1))
    for several in (group for _, group in zip(range(MOST_TOGETHER), groups, strict=False)):
        for others in (count(2), iter(lambda: 1, 0)):
            model = sampler.near(_with_empty(frozenset(several), others))
            if model is not None:
                yield model


def _asked(
    sampler: Sampler, sizes: list[Any], leaves: int, known: set[tuple[bool, ...]]
) -> Iterator[Model]:
    """Yield models with other sets of sizes 0 than those that are `known` by then.

    One of the first sizes, those of the `leaves`, is 0.
    """
    zeros = [equal(size, 0) for size in sizes]
    some = disjunction(*zeros[:leaves])
    for _ in range(MOST_ASKED):
        others = (_unlike(zeros, pattern) for pattern in known)
        model = _model_with(sampler, (some, *others))
        if model is None:
            return
        yield model


def _unlike(zeros: list[Any], pattern: tuple[bool, ...]) -> Any:
    pairs = zip(zeros, pattern, strict=True)
    return disjunction(*(negation(zero) if is_zero else zero for zero, is_zero in pairs))


def _with_empty(empty: frozenset[Symbol], others: Iterator[int]) -> Preference:
    """Return a chooser of plain values: sizes that are `empty` are 0, else those that come next."""
    plain = Preferred(others, dtypes=PREFERRED)
    return lambda symbol, options: 0 if symbol in empty else plain(symbol, options)
