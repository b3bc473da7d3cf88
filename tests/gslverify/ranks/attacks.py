"""Rules that are right for tensors of up to four axes and wrong for some of more."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from gsl import Subst, attr, op, pat
from gsl.attr.term import Term

Write = Callable[[], Subst]

FOUR = 4


def wrong_if(condition: Callable[[pat.Pattern], Term]) -> Write:
    """Return a rule that drops two negations, but adds 1 where a condition holds."""

    def write() -> Subst:
        x = pat.Wildcard()
        return Subst(op.Negative(op.Negative(x)), pat.Cond(condition(x), x + 1, x))

    return write


def allowed_if(condition: Callable[[pat.Pattern], Term]) -> Write:
    """Return a rule for floats that a condition allows for integers, of which it is wrong."""

    def write() -> Subst:
        x = pat.Wildcard()
        floating = attr.In(x.dtype, ("float16", "float32", "float64"))
        target = op.Negative(op.Min(x, axis=0, keepdims=True))
        largest = op.Max(op.Negative(x), axis=0, keepdims=True)
        return Subst(largest, target, where=[floating | condition(x)])

    return write


def of_softmax(condition: Callable[[pat.Pattern, pat.Call], Term]) -> Write:
    """Return a rule that is wrong where a condition on an axis holds."""

    def write() -> Subst:
        x = pat.Wildcard()
        soft = op.Softmax(op.Negative(op.Negative(x)))
        right = op.Softmax(x, axis=soft.axis)
        return Subst(soft, pat.Cond(condition(x, soft), right + 1, right))

    return write


def of_sum(condition: Callable[[pat.Pattern, pat.Call], Term]) -> Write:
    """Return a rule that is wrong where a condition on the axes of a sum holds."""

    def write() -> Subst:
        x = pat.Wildcard()
        total = op.Sum(op.Negative(x), keepdims=True)
        right = op.Negative(op.Sum(x, **pat.same_attr(total)))
        return Subst(total, pat.Cond(condition(x, total), right + 1, right))

    return write


def of_transpose(condition: Callable[[pat.Pattern, pat.Call], Term]) -> Write:
    """Return a rule that is wrong where a condition on a permutation holds."""

    def write() -> Subst:
        x = pat.Wildcard()
        moved = op.Transpose(op.Negative(x))
        right = op.Negative(op.Transpose(x, axes=moved.axes))
        return Subst(moved, pat.Cond(condition(x, moved), right + 1, right))

    return write


def of_two(condition: Callable[[pat.Pattern, pat.Pattern], Term]) -> Write:
    """Return a rule of two inputs that is wrong where a condition on both holds."""

    def write() -> Subst:
        x, y = pat.Wildcard(), pat.Wildcard()
        return Subst(x + y, pat.Cond(condition(x, y), x + y + 1, y + x))

    return write


def five_flips(condition: Callable[[list[pat.Call]], Term]) -> Write:
    """Return a rule about five flips that is wrong where their axes differ in some way."""

    def write() -> Subst:
        x = pat.Wildcard()
        flips: list[pat.Call] = []
        value: pat.Pattern = x
        for _ in range(5):
            value = op.Flip(value)
            flips.append(value)
        right = op.Negative(op.Negative(x))
        for flip in flips:
            right = op.Flip(right, axis=flip.axis)
        in_order = [a.axis <= b.axis for a, b in pairwise(flips)]
        target = pat.Cond(condition(flips), right + 1, right)
        return Subst(value, target, where=[flips[0].axis >= 0, *in_order])

    return write


def _distinct(flips: list[pat.Call]) -> Term:
    apart: Term = attr.Const(True)
    for one, other in pairwise(flips):
        apart = apart & (one.axis != other.axis)
    return apart


def broadcast_far() -> Subst:
    """Wrong where more than four axes are added in front."""
    x = pat.Wildcard()
    wide = op.BroadcastTo(op.Negative(x))
    right = op.Negative(op.BroadcastTo(x, shape=wide.shape))
    return Subst(wide, pat.Cond(wide.ndim - x.ndim > FOUR, right + 1, right))


def many_new_axes() -> Subst:
    """Wrong where more than four axes are added."""
    x = pat.Wildcard()
    wide = op.ExpandDims(op.Negative(x))
    right = op.Negative(op.ExpandDims(x, axis=wide.axis))
    return Subst(wide, pat.Cond(attr.Length(wide.axis) > FOUR, right + 1, right))


def many_squeezed() -> Subst:
    """Wrong where more than four axes are squeezed."""
    x = pat.Wildcard()
    thin = op.Squeeze(op.Negative(x))
    right = op.Negative(op.Squeeze(x, axis=thin.axis))
    return Subst(thin, pat.Cond(attr.Length(thin.axis) > FOUR, right + 1, right))


def rank_by_constant() -> Subst:
    """Wrong where there are more axes than a constant of at least 4 says."""
    x, c = pat.Wildcard(), pat.Const(shape=())
    right = c + x
    target = pat.Cond(x.ndim > c.value, right + 1, right)
    return Subst(x + c, target, where=[c.value >= FOUR])


def sum_without_the_fifth() -> Subst:
    """Adds up along the first four axes only."""
    x = pat.Wildcard()
    total = op.Sum(op.Negative(x), keepdims=True)
    few = attr.Cond(attr.Length(total.axis) > FOUR, total.axis[:FOUR], total.axis)
    return Subst(total, op.Negative(op.Sum(x, axis=few, keepdims=True)))


def softmax_along_another() -> Subst:
    """Takes axis 3 for every axis behind it."""
    x = pat.Wildcard()
    soft = op.Softmax(op.Negative(op.Negative(x)))
    own = soft.axis % x.ndim
    return Subst(soft, op.Softmax(x, axis=attr.Min(own, FOUR - 1)))


def transposed_by_halves() -> Subst:
    """Keeps the axes from the fifth on where they are."""
    x = pat.Wildcard()
    moved = op.Transpose(op.Negative(x))
    order = attr.Variadic(lambda i: attr.Cond(i >= FOUR, i, moved.axes[i]), length=x.ndim)
    return Subst(moved, op.Negative(op.Transpose(x, axes=order)))


def five_inputs_broadcast() -> Subst:
    """Wrong where five inputs together have more than sixteen axes."""
    inputs = [pat.Wildcard() for _ in range(4)]
    whole = inputs[0] + inputs[1] + inputs[2] + inputs[3]
    count = inputs[0].ndim + inputs[1].ndim + inputs[2].ndim + inputs[3].ndim
    other = inputs[3] + inputs[2] + inputs[1] + inputs[0]
    return Subst(whole, pat.Cond(count > 4 * FOUR, other + 1, other))


def _power(places: Callable[[Term], Term], axis: Term, exponent: int) -> Term:
    for _ in range(exponent):
        axis = places(axis)
    return axis


def _eleventh(places: Callable[[Term], Term], rank: Term) -> Term:
    """Demand that a permutation, done eleven times, does nothing: it does nothing up to rank 10."""
    return attr.All(lambda i: _power(places, i, 11) == i, length=rank)


def permuted_by_order_eleven() -> Subst:
    """Wrong for permutations of eleven axes that are one cycle."""
    x = pat.Wildcard()
    moved = op.Transpose(x)
    where = [_eleventh(lambda i: moved.axes[i], x.ndim), moved.shape == x.shape]
    return Subst(moved, op.Negative(op.Negative(x)), where=where)


def sum_with_order_eleven() -> Subst:
    """The same where a sum aligns both."""
    x = pat.Wildcard()
    moved = op.Transpose(x)
    return Subst(moved + x, x + x, where=[_eleventh(lambda i: moved.axes[i], x.ndim)])


def two_transposes_of_order_eleven() -> Subst:
    """The same for the difference of two permutations."""
    x = pat.Wildcard()
    one, two = op.Transpose(x), op.Transpose(x)
    places = attr.inverse(one.axes)
    where = [_eleventh(lambda i: two.axes[places[i]], x.ndim)]
    return Subst(one + two, op.Transpose(x + x, axes=one.axes), where=where)


def bridge_of_order_eleven() -> Subst:
    """The same where only a shape is demanded to be equal."""
    x = pat.Wildcard()
    y = pat.Wildcard(shape=x.shape)
    moved = op.Transpose(x)
    return Subst(moved + y, x + y, where=[_eleventh(lambda i: moved.axes[i], x.ndim)])


def sum_of_broadcast_and_rows() -> Subst:
    """Right only where one axis is summed along: the mean of sums is taken for a sum."""
    x = pat.Wildcard()
    total = op.Sum(op.Negative(x), keepdims=True)
    size = attr.Product(lambda i: x.shape[total.axis[i]], length=attr.Length(total.axis))
    more = attr.Cond(attr.Length(total.axis) > FOUR, size, 1)
    right = op.Negative(op.Sum(x, **pat.same_attr(total)))
    return Subst(total, right * pat.Const(more, dtype=x.dtype))


def rank_of_a_sum() -> Subst:
    """Wrong where a sum along one axis has more than three axes."""
    x = pat.Wildcard()
    total = op.Sum(op.Negative(x), axis=(None,), keepdims=False)
    right = op.Negative(op.Sum(x, **pat.same_attr(total)))
    return Subst(total, pat.Cond(total.ndim > FOUR - 1, right + 1, right))


def rank_of_a_sum_of_full() -> Subst:
    """The same where the tensor is no input."""
    ones = op.Ones()
    total = op.Sum(ones, axis=(None,), keepdims=False)
    right = op.Sum(op.Ones(shape=ones.shape, dtype=ones.dtype), **pat.same_attr(total))
    return Subst(total, pat.Cond(total.ndim > FOUR - 1, right + 1, right))


def axis_far_from_the_end() -> Subst:
    """Wrong for a softmax along an axis with four others behind it."""
    x = pat.Wildcard()
    soft = op.Softmax(op.Negative(op.Negative(x)))
    right = op.Softmax(x, axis=soft.axis)
    return Subst(soft, pat.Cond(soft.axis % x.ndim < x.ndim - FOUR, right + 1, right))


def third_axis_of_five() -> Subst:
    """Wrong for a softmax along the axis that is the third from both ends."""
    x = pat.Wildcard()
    soft = op.Softmax(op.Negative(op.Negative(x)))
    right = op.Softmax(x, axis=soft.axis)
    middle = (soft.axis == 2) & (soft.axis == x.ndim - 3)
    return Subst(soft, pat.Cond(middle, right + 1, right))


def every(x: pat.Pattern) -> Term:
    """Return all axes of a tensor."""
    return attr.Variadic(lambda i: i, length=x.ndim)


ATTACKS: dict[str, Write] = {
    "rank above four": wrong_if(lambda x: x.ndim > FOUR),
    "rank at least five": wrong_if(lambda x: x.ndim >= FOUR + 1),
    "rank is five": wrong_if(lambda x: x.ndim == FOUR + 1),
    "rank is seven": wrong_if(lambda x: x.ndim == 7),
    "rank is twelve": wrong_if(lambda x: x.ndim == 12),
    "rank not below five": wrong_if(lambda x: ~(x.ndim < FOUR + 1)),
    "five below rank": wrong_if(lambda x: attr.Const(FOUR) < x.ndim),
    "rank minus two": wrong_if(lambda x: x.ndim - 2 > 2),
    "rank plus one": wrong_if(lambda x: x.ndim + 1 > FOUR + 1),
    "rank squared": wrong_if(lambda x: x.ndim * x.ndim > FOUR * FOUR),
    "rank by five": wrong_if(lambda x: x.ndim // (FOUR + 1) == 1),
    "rank modulo five": wrong_if(lambda x: (x.ndim % (FOUR + 1) == 0) & (x.ndim > 0)),
    "larger of rank and four": wrong_if(lambda x: attr.Max(x.ndim, FOUR) != FOUR),
    "rank in a tuple": wrong_if(lambda x: ~attr.In(x.ndim, (0, 1, 2, 3, 4))),
    "entry at the rank": wrong_if(
        lambda x: attr.Tuple(0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1)[x.ndim] == 1
    ),
    "length of the shape": wrong_if(lambda x: attr.Length(x.shape) > FOUR),
    "length of a slice": wrong_if(lambda x: attr.Length(x.shape[FOUR:]) > 0),
    "length of all axes": wrong_if(lambda x: attr.Length(every(x)) > FOUR),
    "ones added up": wrong_if(lambda x: attr.Sum(lambda i: 1, length=x.ndim) > FOUR),
    "axes added up": wrong_if(lambda x: attr.Sum(lambda i: i, length=x.ndim) > 6),
    "twos multiplied": wrong_if(lambda x: attr.Product(lambda i: 2, length=x.ndim) > 16),
    "largest axis": wrong_if(
        lambda x: attr.ReduceIndexed(attr.BinaryOp.MAX, lambda i: i, x.ndim) == FOUR
    ),
    "some axis is the fifth": wrong_if(lambda x: attr.Exists(lambda i: i == FOUR, length=x.ndim)),
    "some axis is behind": wrong_if(lambda x: attr.Exists(lambda i: i > 3, length=x.ndim)),
    "not all axes are in front": wrong_if(lambda x: ~attr.All(lambda i: i < FOUR, length=x.ndim)),
    "last of all axes": wrong_if(lambda x: every(x)[-1] == FOUR),
    "last of all axes behind": wrong_if(lambda x: every(x)[-1] > 3),
    "axes left": wrong_if(lambda x: attr.axes_left((0, 1, 2, 3), x.ndim)[0] == FOUR),
    "allowed from rank five on": allowed_if(lambda x: x.ndim > FOUR),
    "allowed if an axis is the fifth": allowed_if(
        lambda x: attr.Exists(lambda i: i == FOUR, length=x.ndim)
    ),
    "allowed if not all sizes are small": allowed_if(
        lambda x: ~attr.All(lambda i: (i < FOUR) | (x.shape[i] < 1), length=x.ndim)
    ),
    "axis is the fifth": of_softmax(lambda x, s: s.axis == FOUR),
    "axis is the fifth from the end": of_softmax(lambda x, s: s.axis == -FOUR - 1),
    "axis modulo rank": of_softmax(lambda x, s: s.axis % x.ndim == FOUR),
    "axis behind the fourth": of_softmax(lambda x, s: s.axis > 3),
    "axis before the end": of_softmax(lambda x, s: s.axis < -FOUR),
    "axis plus four": of_softmax(lambda x, s: s.axis % x.ndim + FOUR < x.ndim),
    "axis in the middle": of_softmax(
        lambda x, s: (s.axis % x.ndim >= 2) & (s.axis % x.ndim + 3 <= x.ndim)
    ),
    "fifth axis in axes": of_sum(lambda x, t: attr.In(FOUR, t.axis)),
    "more than four axes": of_sum(lambda x, t: attr.Length(t.axis) > FOUR),
    "five axes": of_sum(lambda x, t: attr.Length(t.axis) == FOUR + 1),
    "axes are a tuple of five": of_sum(lambda x, t: t.axis == (0, 1, 2, 3, 4)),
    "four axes besides": of_sum(lambda x, t: x.ndim - attr.Length(t.axis) > FOUR),
    "axes of a sum added up": of_sum(
        lambda x, t: attr.Sum(lambda i: 1, length=attr.Length(t.axis)) > FOUR
    ),
    "five axes left": of_sum(lambda x, t: attr.Length(attr.axes_left(t.axis, x.ndim)) > FOUR),
    "permutation of five": of_transpose(lambda x, t: attr.Length(t.axes) == FOUR + 1),
    "fifth axis in front": of_transpose(lambda x, t: attr.inverse(t.axes)[0] == FOUR),
    "in front from behind": of_transpose(lambda x, t: attr.Tuple(t.axes[0])[0] > 3),
    "an axis moved far": of_transpose(
        lambda x, t: attr.Exists(lambda i: t.axes[i] - i > 3, length=x.ndim)
    ),
    "rotation of five": of_transpose(lambda x, t: t.axes == (1, 2, 3, 4, 0)),
    "ranks added up": of_two(lambda x, y: x.ndim + y.ndim > 2 * FOUR),
    "ranks far apart": of_two(lambda x, y: x.ndim - y.ndim > FOUR),
    "both ranks above four": of_two(lambda x, y: (x.ndim > FOUR) & (y.ndim > FOUR)),
    "five distinct axes": five_flips(_distinct),
    "cycle of eleven axes": permuted_by_order_eleven,
    "cycle of eleven axes added": sum_with_order_eleven,
    "cycle of eleven axes between two": two_transposes_of_order_eleven,
    "cycle of eleven axes and a shape": bridge_of_order_eleven,
    "scaled sum of five": sum_of_broadcast_and_rows,
    "rank of a sum": rank_of_a_sum,
    "rank of a sum of ones": rank_of_a_sum_of_full,
    "axis far from the end": axis_far_from_the_end,
    "third axis of five": third_axis_of_five,
    "far broadcast": broadcast_far,
    "many new axes": many_new_axes,
    "many squeezed axes": many_squeezed,
    "rank by a constant": rank_by_constant,
    "first four axes of a sum": sum_without_the_fifth,
    "axis cut to four": softmax_along_another,
    "half of a permutation": transposed_by_halves,
    "ranks of four inputs": five_inputs_broadcast,
}
"""Attacks by their names."""
