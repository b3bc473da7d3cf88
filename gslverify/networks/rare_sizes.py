"""Sizes and attributes at which what no input decides comes out otherwise than at small ones.

A rule may compute with numbers that it makes of sizes, as `Where(Equal(Size(x), 143), ...)` does,
or round them in an attribute of its target. What it asks about them is no condition of the rule. So
sizes and integer attributes are tried one after the other, and two sizes together if they decide a
comparison, those near numbers that the rule writes among them. Everything is computed that does not
need inputs. Where something is not what it is for small sizes, but one of few things that it is at
all, graphs are drawn.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, islice, product, zip_longest
from typing import Any

import numpy as np

from gsl.attr.term import Operation, Projection, Symbol, subterms
from gsl.errors import GslError
from gsl.evaluate import value_or_error
from gsl.expr import Call, Const, Expr, Var
from gsl.graph import reverse_post_order
from gsl.kernel.expression import reads_of
from gsl.numpy_dtypes import kind_of
from gsl.subst import Subst
from gsl.types import TensorType
from gslverify.networks.generation import has_at_most
from gslverify.structures.kernels import elements_of
from gslverify.structures.models.concrete import concrete_outputs, ones, target_outputs
from gslverify.structures.models.sampling import Sampler
from gslverify.structures.models.symbols import is_size
from gslverify.structures.written_values import leaves, names_any, written_values

DENSE, FEW = range(1, 41), range(1, 13)
SPARSE = (48, 64, 96, 128, 192, 256, 384, 512)
LARGEST_WRITTEN = 200_000
LARGEST_PLACE, MOST_PLACES, LEAST_COUNT = 60, 3, 8
MOST_ELEMENTS = 2 * LARGEST_WRITTEN
MOST_INTEGERS = 4
"""So many sizes and attributes of a structure are tried."""
MOST_STRUCTURES, MOST_POINTS, POINTS_OF_A_VALUE = 2, 16, 2
MOST_VALUES = 4
"""A tensor with more different elements is not told from others like it."""
BYTES, NUMBERS_OF_A_BYTE, ROOT_OF_BYTES = frozenset({"int8", "uint8"}), 256, 16
"""Where a rule names one of these dtypes, two axes have as many elements as it has numbers."""
SEVERAL = "several"
SMALL, MOST_OUTLINES = 5, 8
"""Sizes up to the first are drawn often; what comes out in more ways than the second varies."""
IN_PAIRS, MOST_PAIRED = range(1, 27), 3
TRUTH_VALUES = frozenset({"[False]", "[True]"})
ROUNDED = frozenset({"floor", "ceil"})

Given = tuple[tuple[str, int], ...]
"""What symbols are, by their names."""
Seen = dict[tuple[Hashable, ...], Hashable]
"""What is known without inputs: values, and attributes of the target, by where they are."""


def rare_sizes(samplers: Sequence[Sampler]) -> Iterator[tuple[Sampler, Given]]:
    """Yield structures with values of their free sizes and integer attributes that are rare."""
    for sampler in with_few_sizes(samplers):
        for given in islice(_rare(sampler), MOST_POINTS):
            yield sampler, given
        for given in chain(_with_room(sampler), _as_many(sampler)):
            yield sampler, given


def sizes_with_room(samplers: Sequence[Sampler], beyond: int) -> Iterator[tuple[Sampler, Given]]:
    """Yield structures with sizes that leave room for places beyond a number, if some are named."""
    for sampler in with_few_sizes(samplers):
        for given in _with_room(sampler, beyond):
            yield sampler, given


def _with_room(sampler: Sampler, beyond: int = SMALL) -> Iterator[Given]:
    """Yield sizes that are a little more than numbers that the rule writes, which may be places.

    All sizes and attributes are that, or one of them while others are 1.
    """
    written = _written(sampler.instance.subst)
    numbers = [one for one in written if beyond < one <= LARGEST_PLACE][:MOST_PLACES]
    sizes = [symbol.name for symbol in sampler.free if is_size(symbol)]
    if len(sizes) > 1 and names_any(sampler.instance.subst, BYTES):
        yield tuple((name, ROOT_OF_BYTES) for name in sizes)
    names = [symbol.name for symbol in sampler.extents if is_size(symbol) or symbol.low == 1]
    for number in sorted(numbers, reverse=True):
        yield tuple((name, number + 2) for name in names)
    if len(names) > 1:
        yield from _one_alone(names, [number + 2 for number in numbers])


def _as_many(sampler: Sampler) -> Iterator[Given]:
    """Yield sizes and integers of attributes of which one is a number that the rule writes.

    Elements may be counted, up to that number or below it.
    """
    written = _written(sampler.instance.subst)
    numbers = [one for one in written if one >= LEAST_COUNT][:MOST_PLACES]
    sizes = [symbol.name for symbol in sampler.free if is_size(symbol)]
    others = [symbol.name for symbol in sampler.extents if symbol.name not in sizes]
    below = (one - 1 for one in numbers if one > LARGEST_PLACE)
    yield from _one_alone(sizes, chain(numbers, below))
    for number in chain(numbers, (one - 1 for one in numbers)):
        yield from (((name, number),) for name in others[:MOST_INTEGERS])


def _one_alone(names: Sequence[str], numbers: Iterable[int]) -> Iterator[Given]:
    """Yield one of the first sizes as each of the numbers, while all others are 1."""
    for number in numbers:
        for name in names[:MOST_INTEGERS]:
            yield tuple((other, number if other == name else 1) for other in names)


def single_elements(samplers: Sequence[Sampler]) -> Iterator[tuple[Sampler, Given]]:
    """Yield every structure with one size or number of an attribute that is 1, each in turn.

    References treat axes with one element apart, such as those that are resized to it.
    """
    names = [
        [symbol.name for symbol in sampler.extents if is_size(symbol) or symbol.low in (0, 1)]
        for sampler in samplers
    ]
    for turn in zip_longest(*names):
        for sampler, name in zip(samplers, turn, strict=True):
            if name is not None:
                yield sampler, ((name, 1),)


def with_few_sizes(samplers: Sequence[Sampler]) -> list[Sampler]:
    """Return the first structures with few free sizes, no two with as many."""
    found: dict[int, Sampler] = {}
    for sampler in samplers:
        found.setdefault(sum(map(is_size, sampler.free)), sampler)
    return [found[count] for count in sorted(found) if found[count].extents][:MOST_STRUCTURES]


def _rare(sampler: Sampler) -> Iterator[Given]:
    simple = sampler.simple_model()
    if simple is None:
        return
    base = {symbol: simple[symbol] for symbol in sampler.free}
    subst = sampler.instance.subst
    if not (_rounds(subst) or any(kind == "value" for kind, *_ in _seen(sampler, base))):
        return
    sweeps = chain(_sweeps(sampler), _pairs(sampler) if _decides(sampler, base) else ())
    found = [list(_otherwise(_tried(sampler, base, points))) for points in sweeps]
    in_turn = chain.from_iterable(zip_longest(*found))
    yield from dict.fromkeys(given for given in in_turn if given is not None)


def _tried(
    sampler: Sampler, base: Mapping[Symbol, Any], points: Iterable[Mapping[Symbol, int]]
) -> dict[Given, Seen]:
    tried: dict[Given, Seen] = {}
    for point in points:
        seen = _seen(sampler, {**base, **point})
        if seen:
            whole = {**{symbol: base[symbol] for symbol in sampler.extents}, **point}
            tried[tuple((symbol.name, value) for symbol, value in whole.items())] = seen
    return tried


def _rounds(subst: Subst) -> bool:
    """Tell whether an attribute of the target is rounded, or taken from a list."""
    terms = (term for pattern in subst.target_patterns for term in pattern.terms())
    parts = chain.from_iterable(map(subterms, terms))
    return any(
        isinstance(part, Projection) or (isinstance(part, Operation) and part.head in ROUNDED)
        for part in parts
    )


def _sweeps(sampler: Sampler) -> Iterator[list[dict[Symbol, int]]]:
    """Yield values: of one symbol while the sizes are alike and few, and of many sizes at once."""
    numbers = _numbers(sampler.instance.subst)
    sizes = [symbol for symbol in sampler.free if is_size(symbol)]
    for symbol in sampler.extents[:MOST_INTEGERS]:
        for others, some in ((1, numbers), (2, FEW), (3, FEW)):
            if len(sizes) > 1 or others == 1:
                yield [{**dict.fromkeys(sizes, others), symbol: number} for number in some]
    for first in ((), sizes[:1]) if len(sizes) > 1 else ():
        alone: dict[Symbol, int] = dict.fromkeys(first, 1)
        yield [{**dict.fromkeys(sizes, number), **alone} for number in numbers]


def _decides(sampler: Sampler, base: Mapping[Symbol, Any]) -> bool:
    """Tell whether truth values are computed without inputs."""
    return not {*_seen(sampler, base).values()}.isdisjoint(TRUTH_VALUES)


def _pairs(sampler: Sampler) -> Iterator[list[dict[Symbol, int]]]:
    """Yield values of two sizes that vary together while others are 1."""
    sizes = [symbol for symbol in sampler.free if is_size(symbol)][:MOST_PAIRED]
    written = sorted(_written(sampler.instance.subst))[:MOST_PLACES]
    sums = (one + step for one in written for step in (-1, 0, 1, *written))
    numbers = sorted({*IN_PAIRS, *sums} - {0})
    usual = dict.fromkeys(sizes, 1)
    for first, second in combinations(sizes, 2):
        yield [{**usual, first: one, second: other} for one, other in product(numbers, numbers)]


def _numbers(subst: Subst) -> list[int]:
    written = _written(subst)
    near = {number + step for number in written for step in (-1, 0, 1)}
    if names_any(subst, BYTES):
        near.update(NUMBERS_OF_A_BYTE - one for one in written if one < NUMBERS_OF_A_BYTE)
    return sorted({*DENSE, *SPARSE, *near} - {0})


def _written(subst: Subst) -> list[int]:
    """Return the numbers that a rule writes, rounded to integers, if they are not too large."""
    parts = (leaf for value in written_values(subst) for leaf in leaves(value))
    numbers = (abs(one) for one in parts if type(one) in (int, float))
    return list(dict.fromkeys(round(one) for one in numbers if 1 < one <= LARGEST_WRITTEN))


def _seen(sampler: Sampler, values: Mapping[Symbol, Any]) -> Seen:
    """Return what is known at some sizes and attributes; nothing if they are none."""
    model = sampler.granted(lambda symbol, options: values[symbol])
    if model is None:
        return {}
    try:
        source = concrete_outputs(sampler.instance, model, _few_ones)
        target = target_outputs(sampler.instance.subst, source)
        if target is None:
            return {}
        exprs = reverse_post_order((*source, *target))
        if not all(has_at_most(expr, MOST_ELEMENTS) for expr in exprs):
            return {}
        with np.errstate(all="ignore"):
            seen, known = _of_both(exprs, set(reverse_post_order(source)))
    except (GslError, IndexError):  # a constant index may be outside
        return {}
    sides = ([known.get(output) for output in side] for side in (source, target))
    seen["differs",] = any(map(_are_apart, *sides))
    return seen


def _are_apart(one: Any, other: Any) -> bool:
    """Tell whether two values that need no input are known, and are different integers."""
    if not (
        isinstance(one, np.ndarray | np.generic) and isinstance(other, np.ndarray | np.generic)
    ):
        return False
    return kind_of(one.dtype) in "iub" and not np.array_equal(one, other)


def _few_ones(variable: Var) -> Any:
    """Return the value of a constant that the rule leaves open; raise GslError for a large one."""
    if not has_at_most(variable, MOST_ELEMENTS):
        raise GslError("a constant is too large")
    return ones(variable)


def _of_both(exprs: Sequence[Expr], source: set[Expr]) -> tuple[Seen, Mapping[Expr, Any]]:
    seen: Seen = {}
    known: dict[Expr, Any] = {}
    for place, expr in enumerate(exprs):
        if isinstance(expr, Call) and expr not in source:
            attributes = expr.attributes.items()
            seen.update((("attribute", place, name), value) for name, value in attributes)
        if _is_of_others(expr) or not (_reads_nothing(expr) or known.keys() >= {*expr.operands}):
            continue
        operands = [known[one] if one in known else _any_elements(one) for one in expr.operands]
        known[expr] = value_or_error(expr, operands, {})
        if not isinstance(expr, Const) and isinstance(expr.type, TensorType):
            seen["value", place] = _outline(known[expr])
    return seen, known


def _is_of_others(expr: Expr) -> bool:
    """Tell whether an expression is an input, or a call of what may take any time."""
    return isinstance(expr, Var) or (isinstance(expr, Call) and not expr.operator.is_built_in)


def _reads_nothing(expr: Expr) -> bool:
    """Tell whether what a call returns does not depend on the elements of its operands."""
    if not isinstance(expr, Call) or not all(isinstance(o.type, TensorType) for o in expr.operands):
        return False
    elements = elements_of(expr)
    return bool(elements) and not any(reads_of(one.value) for one in elements)


def _any_elements(expr: Expr) -> Any:
    return np.zeros(expr.shape, expr.dtype)


def _outline(value: Any) -> Hashable:
    """Return the elements of a tensor, each once, if these are few."""
    different = np.unique(np.asarray(value))
    return repr(different.tolist()) if different.size <= MOST_VALUES else SEVERAL


def _otherwise(tried: Mapping[Given, Seen]) -> Iterator[Given]:
    """Yield the points at which something is not what it is for small sizes, truth values first."""
    columns: dict[Hashable, dict[Given, Hashable]] = defaultdict(dict)
    for given, seen in tried.items():
        for key, value in seen.items():
            columns[key][given] = value
    found: dict[Given, None] = {}
    for column in sorted(columns.values(), key=_is_number):
        outlines = {given: repr(value) for given, value in column.items()}
        usual = {text for given, text in outlines.items() if max(v for _, v in given) <= SMALL}
        left = dict.fromkeys(outlines.values(), POINTS_OF_A_VALUE)
        for given, text in outlines.items() if len(left) <= MOST_OUTLINES else ():
            if text not in usual and left[text]:
                left[text] -= 1
                found[given] = None
    yield from found


def _is_number(column: Mapping[Given, Hashable]) -> bool:
    return TRUTH_VALUES.isdisjoint(column.values())
