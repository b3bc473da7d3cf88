"""Sizes and attributes at which what no input decides comes out otherwise than at most others.

A target may compute with numbers that it makes of sizes, as `Where(Equal(Size(x), 143), ...)` does,
or round them in an attribute. What it asks about them is no condition of the rule. So sizes and
integer attributes are tried one after the other, those near numbers that the rule writes among
them, and everything is computed that does not need inputs. Where a value that is the same at most
of them is another one, a graph is drawn.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np

from gsl.attr.term import Operation, Projection, Symbol, subterms
from gsl.errors import GslError
from gsl.evaluate import value_or_error
from gsl.expr import Call, Const, Expr, Var
from gsl.graph import reverse_post_order
from gsl.kernel.expression import reads_of
from gsl.subst import Subst
from gsl.types import TensorType
from gslverify.networks.generation import has_at_most
from gslverify.structures.concrete import concrete_outputs, target_outputs
from gslverify.structures.kernels import elements_of
from gslverify.structures.sampling import Sampler
from gslverify.structures.symbols import is_size
from gslverify.structures.written_values import leaves, written_values

DENSE, FEW = range(1, 41), range(1, 13)
SPARSE = (48, 64, 96, 128, 192, 256, 384, 512)
LARGEST_WRITTEN = 2_000
MOST_ELEMENTS = 20_000
MOST_INTEGERS = 4
"""So many sizes and attributes of a structure are tried."""
MOST_STRUCTURES, MOST_POINTS, POINTS_OF_A_VALUE = 2, 12, 2
MOST_VALUES = 4
"""A tensor with more different elements is not told from others like it."""
SHARE_OF_USUAL = 0.5
ROUNDED = frozenset({"floor", "ceil"})

Given = tuple[tuple[str, int], ...]
"""What symbols are, by their names."""
Seen = dict[Hashable, Hashable]
"""What is known of a target without inputs, by where it is."""


def rare_sizes(samplers: Sequence[Sampler]) -> Iterator[tuple[Sampler, Given]]:
    """Yield structures with values of their free sizes and integer attributes that are rare."""
    for sampler in _few(samplers):
        for given in islice(_rare(sampler), MOST_POINTS):
            yield sampler, given


def _few(samplers: Sequence[Sampler]) -> list[Sampler]:
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
    if not (_rounds(subst) or _is_of_interest(_seen(sampler, base))):
        return
    tried: dict[Given, Seen] = {}
    for point in _points(sampler):
        seen = _seen(sampler, {**base, **point})
        if seen:
            tried[tuple((symbol.name, value) for symbol, value in point.items())] = seen
    yield from _otherwise(tried)


def _rounds(subst: Subst) -> bool:
    """Tell whether an attribute of the target is rounded, or taken from a list."""
    terms = (term for pattern in subst.target_patterns for term in pattern.terms())
    parts = chain.from_iterable(map(subterms, terms))
    return any(
        isinstance(part, Projection) or (isinstance(part, Operation) and part.head in ROUNDED)
        for part in parts
    )


def _is_of_interest(seen: Seen) -> bool:
    return any(key[0] == "value" for key in seen if isinstance(key, tuple))


def _points(sampler: Sampler) -> Iterator[dict[Symbol, int]]:
    """Yield values: of one symbol while the sizes are alike and few, and of all sizes at once."""
    numbers = _numbers(sampler.instance.subst)
    sizes = [symbol for symbol in sampler.free if is_size(symbol)]
    for number in numbers if len(sizes) > 1 else ():
        yield dict.fromkeys(sizes, number)
    for others, some in ((1, numbers), (2, FEW), (3, FEW)):
        for symbol in sampler.extents[:MOST_INTEGERS]:
            for number in some if len(sizes) > 1 or others == 1 else ():
                yield {**dict.fromkeys(sizes, others), symbol: number}


def _numbers(subst: Subst) -> list[int]:
    written = {
        round(abs(leaf))
        for value in written_values(subst)
        for leaf in leaves(value)
        if type(leaf) in (int, float) and 1 < abs(leaf) <= LARGEST_WRITTEN
    }
    near = {number + step for number in written for step in (-1, 0, 1)}
    return sorted({*DENSE, *SPARSE, *near} - {0})


def _seen(sampler: Sampler, values: Mapping[Symbol, Any]) -> Seen:
    """Return what is known of the target at some sizes and attributes; nothing if they are none."""
    model = sampler.granted(lambda symbol, options: values[symbol])
    if model is None:
        return {}
    try:
        source = concrete_outputs(sampler.instance, model)
        target = target_outputs(sampler.instance.subst, source)
        exprs = [] if target is None else reverse_post_order(target)
        if not all(has_at_most(expr, MOST_ELEMENTS) for expr in exprs):
            return {}
        return _of_target(exprs, set(reverse_post_order(source)))
    except GslError:
        return {}


def _of_target(exprs: Sequence[Expr], source: set[Expr]) -> Seen:
    seen: Seen = {}
    known: dict[Expr, Any] = {}
    for place, expr in enumerate(exprs):
        if isinstance(expr, Call) and expr not in source:
            attributes = expr.attributes.items()
            seen.update((("attribute", place, name), value) for name, value in attributes)
        if isinstance(expr, Var) or not (_reads_nothing(expr) or known.keys() >= {*expr.operands}):
            continue
        operands = [known[one] if one in known else _any_elements(one) for one in expr.operands]
        known[expr] = value_or_error(expr, operands, {})
        if not isinstance(expr, Const) and expr not in source and isinstance(expr.type, TensorType):
            seen["value", place] = _outline(known[expr])
    return seen


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
    return repr(different.tolist()) if different.size <= MOST_VALUES else ""


def _otherwise(tried: Mapping[Given, Seen]) -> Iterator[Given]:
    """Yield the points at which something is not what it is at most points, truth values first."""
    columns: dict[Hashable, dict[Given, Hashable]] = defaultdict(dict)
    for given, seen in tried.items():
        for key, value in seen.items():
            columns[key][given] = value
    found: dict[Given, None] = {}
    for column in sorted(columns.values(), key=_is_number):
        counted = Counter(map(repr, column.values()))
        usual, times = counted.most_common(1)[0]
        if len(counted) == 1 or times < SHARE_OF_USUAL * len(column):
            continue
        left = dict.fromkeys(counted, POINTS_OF_A_VALUE)
        for given, value in column.items():
            text = repr(value)
            if text != usual and left[text]:
                left[text] -= 1
                found[given] = None
    yield from found


def _is_number(column: Mapping[Given, Hashable]) -> bool:
    return not any(value in ("[False]", "[True]") for value in column.values())
