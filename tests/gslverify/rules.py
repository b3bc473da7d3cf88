"""Rules for the tests of generation and of the stages: every form of pattern, right and wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, settings

from gsl import Subst, attr, op, pat
from gslverify.semantics.solver import Answer, Solver, new_context
from gslverify.structures.models.sampling import Sampler
from gslverify.structures.variants import enumerate_variants


def twice_transposed() -> Subst:
    x = pat.Wildcard()
    inner = op.Transpose(x)
    outer = op.Transpose(inner)
    order = attr.Variadic(lambda i: inner.axes[outer.axes[i]], length=x.ndim)
    return Subst(outer, op.Transpose(x, axes=order))


def common_factor() -> Subst:
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    same = [y.shape == z.shape]
    return Subst(x * y + x * z, x * (y + z), where=same)


def diamond_convolution() -> Subst:
    x, w = pat.Wildcard(), pat.Variable()
    v = pat.Variable(shape=w.shape)
    first = op.Conv2D(x, w)
    second = op.Conv2D(x, v, **pat.same_attr(first))
    merged = op.Conv2D(x, w + v, **pat.same_attr(first))
    return Subst(first + second, merged, where=[first.out_dtype == x.dtype])


def either_activation() -> Subst:
    x = pat.Wildcard()
    inner = pat.Alt(op.Relu(x), op.Sigmoid(x))
    return Subst(op.Relu(inner), inner)


def same_elementwise() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    first = op.trait("unary")(x)
    second = op.same(first)(y, **pat.same_attr(first))
    both = op.Concatenate((first, second), axis=0)
    merged = op.same(first)(op.Concatenate((x, y), axis=0), **pat.same_attr(first))
    return Subst(both, merged, where=[x.dtype == y.dtype])


def scaled_by_constant() -> Subst:
    x, c, d = pat.Wildcard(), pat.Const(shape=(None,)), pat.Const(shape=(None,))
    return Subst((x * c) * d, x * (c * d), where=[c.shape == d.shape])


def times_one() -> Subst:
    x = pat.Wildcard()
    return Subst(x * 1.0, x)


def halves_of_split() -> Subst:
    x = pat.Wildcard()
    pieces = op.Split(x, indices_or_sections=2)
    return Subst(op.Concatenate((pieces[0], pieces[1]), axis=pieces.axis), x)


def pieces_in_order() -> Subst:
    x, i = pat.Wildcard(), attr.Symbol("i")
    pieces = op.Split(x, axis=0)
    piece = pieces[i]
    whole = op.Concatenate(pat.Variadic(piece, templates=[piece], index=i), axis=0)
    return Subst(whole, x, where=[whole.shape == x.shape])


def parallel_dense() -> Subst:
    x, w0, w = pat.Wildcard(), pat.Variable(), pat.Variable()
    first = op.Dense(x, w0)
    dense = op.Dense(x, w, **pat.same_attr(first))
    every = pat.Variadic(dense, templates=[dense, w], first=[first, w0], min_len=2)
    i, k = attr.Symbol("i"), attr.Symbol("k")
    weight = every(w, i)
    weights = pat.Variadic(weight, templates=[weight], index=i, length=every.length)
    merged = op.Dense(x, op.Concatenate(weights, axis=0), **pat.same_attr(first))
    cuts = attr.Variadic(
        lambda j: attr.Sum(lambda n: every(w, n).shape[0], length=j + 1), length=every.length - 1
    )
    piece = op.Split(merged, indices_or_sections=cuts, axis=-1)[k]
    return Subst(every, pat.Variadic(piece, templates=[piece], index=k))


def two_outputs() -> Subst:
    x, w, v = pat.Wildcard(), pat.Variable(), pat.Variable()
    first = op.Dense(x, w)
    second = op.Dense(x, v, **pat.same_attr(first))
    merged = op.Dense(x, op.Concatenate((w, v), axis=0), **pat.same_attr(first))
    pieces = op.Split(merged, indices_or_sections=(w.shape[0],), axis=-1)
    return Subst([first, second], [pieces[0], pieces[1]])


def taken_twice() -> Subst:
    x, i = pat.Wildcard(), pat.Wildcard()
    taken = op.Take(op.Relu(x), i)
    return Subst(taken, op.Relu(op.Take(x, i, axis=taken.axis)))


def root_of_transposed() -> Subst:
    x = pat.Wildcard()
    moved = op.Transpose(x)
    return Subst(op.Sqrt(moved), op.Transpose(op.Sqrt(x), axes=moved.axes))


SOUND: dict[str, Callable[[], Subst]] = {
    rule.__name__: rule
    for rule in (
        twice_transposed,
        common_factor,
        diamond_convolution,
        either_activation,
        same_elementwise,
        scaled_by_constant,
        times_one,
        halves_of_split,
        pieces_in_order,
        parallel_dense,
        two_outputs,
        taken_twice,
        root_of_transposed,
    )
}


def samplers_of(subst: Subst, most: int = 12) -> list[Sampler]:
    """Return samplers of some structures of a rule, spread over all of them."""
    context, found = new_context(), enumerate_variants(subst).variants
    chosen = found[:: max(1, len(found) // most)]
    result: list[Sampler] = []
    for variant in chosen:
        instance = variant.instance(subst)
        solver = Solver([claim.term for claim in instance.claims], 4_000_000, context)
        if solver.check().answer is Answer.SAT:
            result.append(Sampler(instance, solver))
    return result


def draws(count: int) -> Any:
    """Return the settings of a property that is only a way to draw."""
    return settings(
        max_examples=count,
        deadline=None,
        database=None,
        derandomize=True,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
