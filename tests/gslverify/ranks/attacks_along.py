"""More rules that are right for tensors of few axes and wrong for some of more.

Most are about slices and padding: along each axis something may be done at another place, and it
takes so many axes to do it everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import combinations, pairwise
from operator import mul

from gsl import Subst, attr, op, pat
from gsl.attr.term import Term
from tests.gslverify.ranks.attacks import FOUR, Write


def product_of(values: Sequence[pat.Pattern]) -> pat.Pattern:
    """Return the product of all of some tensors."""
    return reduce(mul, values)


def at_most_one(entries: Sequence[Term], rank: Term) -> Term:
    """Demand that along each axis no more than one of some attributes has another entry than 0."""

    def holds(i: Term) -> Term:
        pairs = combinations(entries, 2)
        return reduce(attr.And, [(one[i] == 0) | (other[i] == 0) for one, other in pairs])

    return attr.All(holds, length=rank)


def slices_apart(count: int) -> Subst:
    """The product of all differences of slices is 0 until each can be at a place of its own.

    One may begin at the origin, and each of the others needs an axis along which it is elsewhere.
    """
    x = pat.Wildcard(dtype="float32")
    parts = [op.StridedSlice(x) for _ in range(count)]
    source = product_of([one - other for one, other in combinations(parts, 2)])
    alike = [one.shape == other.shape for one, other in pairwise(parts)]
    begins = at_most_one([part.begin for part in parts], x.ndim)
    zeros = op.Zeros(shape=parts[0].shape, dtype="float32")
    return Subst(source, zeros, where=[*alike, begins])


def paddings_meet(count: int) -> Subst:
    """The product of shifted tensors is that of the padding where each shift has put some.

    That takes an axis for each of them.
    """
    x = pat.Wildcard(dtype="float32")
    none = attr.Variadic(lambda i: 0, length=x.ndim)
    moved = [op.DilatedPad(x, interior=none, pad_value=1.0) for _ in range(count)]
    shifts = [attr.All(lambda i, m=m: m.high[i] == -m.low[i], length=x.ndim) for m in moved]
    lows = at_most_one([one.low for one in moved], x.ndim)
    target = product_of([x] * count)
    return Subst(product_of(moved), target, where=[*shifts, lows])


def of_slice(condition: Callable[[pat.Pattern, pat.Call], Term]) -> Write:
    """Return a rule that is wrong where a condition on a slice holds."""

    def write() -> Subst:
        x = pat.Wildcard()
        part = op.StridedSlice(op.Negative(x))
        right = op.Negative(op.StridedSlice(x, **pat.same_attr(part)))
        return Subst(part, pat.Cond(condition(x, part), right + 1, right))

    return write


def of_pad(condition: Callable[[pat.Pattern, pat.Call], Term]) -> Write:
    """Return a rule that is wrong where a condition on a padding holds."""

    def write() -> Subst:
        x = pat.Wildcard()
        padded = op.Pad(op.Negative(x), pad_value=0.0)
        right = op.Negative(op.Pad(x, **pat.same_attr(padded)))
        return Subst(padded, pat.Cond(condition(x, padded), right + 1, right))

    return write


def of_widths(width: Callable[[pat.Call, Term], Term]) -> Write:
    """Return a rule that gives a padding other widths."""

    def write() -> Subst:
        x = pat.Wildcard()
        padded = op.Pad(op.Negative(x), pad_value=0.0)
        widths = attr.Variadic(lambda k: width(padded, k), length=2 * x.ndim)
        return Subst(padded, op.Negative(op.Pad(x, pad_width=widths, pad_value=0.0)))

    return write


def all_apart(sizes: Sequence[Term]) -> Term:
    """Demand that no two of some sizes are equal, which takes as many axes."""
    return reduce(attr.And, [one != other for one, other in combinations(sizes, 2)])


def sizes_apart() -> Subst:
    """Wrong where five sizes from both ends differ."""
    x = pat.Wildcard(dtype="float32")
    apart = all_apart([x.shape[0], x.shape[1], x.shape[-1], x.shape[-2], x.shape[-3]])
    target = pat.Cond(apart, x + 1, x)
    return Subst(op.Negative(op.Negative(x)), target, where=[x.ndim >= 3])


def sizes_apart_beside_a_matrix() -> Subst:
    """Wrong where sizes in front of a product, and those of its matrix, differ from each other."""
    x, w = pat.Wildcard(dtype="float32"), pat.Variable(shape=(None, None), dtype="float32")
    product = op.Matmul(op.Negative(x), w)
    right = op.Negative(op.Matmul(x, w))
    sizes = [x.shape[0], x.shape[1], product.shape[-1], x.shape[-1], x.shape[-2], x.shape[-3]]
    return Subst(product, pat.Cond(all_apart(sizes), right + 1, right), where=[x.ndim >= 3])


def allowed_if_five_slices_begin_elsewhere() -> Subst:
    """Right for floats, allowed for integers where five slices begin along axes of their own."""
    x = pat.Wildcard()
    parts = [op.StridedSlice(x) for _ in range(FOUR + 1)]
    begins = [part.begin for part in parts]
    elsewhere = [attr.Exists(lambda i, b=b: b[i] > 0, length=x.ndim) for b in begins]
    floating = attr.In(x.dtype, ("float16", "float32", "float64"))
    allowed = reduce(attr.And, elsewhere, at_most_one(begins, x.ndim))
    largest = op.Max(op.Negative(x), axis=0, keepdims=True)
    target = op.Negative(op.Min(x, axis=0, keepdims=True))
    copies = [op.StridedSlice(x, **pat.same_attr(part)) for part in parts]
    return Subst([largest, *parts], [target, *copies], where=[floating | allowed])


SECOND_FIELDS = 2 * FOUR
"""Where the entries for the fifth axis begin, if there are two for each."""

ATTACKS_ALONG: dict[str, Write] = {
    "six slices apart": lambda: slices_apart(6),
    "five paddings meet": lambda: paddings_meet(5),
    "five sizes apart": sizes_apart,
    "sizes apart beside a matrix": sizes_apart_beside_a_matrix,
    "five slices begin elsewhere": allowed_if_five_slices_begin_elsewhere,
    "five strides": of_slice(lambda x, s: attr.Length(s.strides) > FOUR),
    "begins added up": of_slice(
        lambda x, s: attr.Sum(lambda i: attr.Min(s.begin[i], 1), length=x.ndim) > FOUR
    ),
    "a slice somewhere behind": of_slice(
        lambda x, s: attr.Exists(lambda i: (i >= FOUR) & (s.begin[i] > 0), length=x.ndim)
    ),
    "ten widths": of_pad(lambda x, p: attr.Length(p.pad_width) > SECOND_FIELDS),
    "twice the rank": of_pad(lambda x, p: 2 * x.ndim > SECOND_FIELDS),
    "no small number of widths": of_pad(
        lambda x, p: ~attr.All(lambda k: k < SECOND_FIELDS, length=2 * x.ndim)
    ),
    "no small axes": of_pad(lambda x, p: ~attr.All(lambda k: k // 2 < FOUR, length=2 * x.ndim)),
    "widths by their number": of_widths(
        lambda p, k: p.pad_width[k] + attr.Cond(k >= SECOND_FIELDS, 1, 0)
    ),
    "widths at the fifth axis": of_widths(
        lambda p, k: p.pad_width[k] + attr.Cond(k == SECOND_FIELDS, 1, 0)
    ),
    "widths of other remainders": of_widths(
        lambda p, k: p.pad_width[k] + attr.Cond(k % 9 == SECOND_FIELDS, 1, 0)
    ),
    "widths of other quotients": of_widths(
        lambda p, k: p.pad_width[k] + attr.Cond(k // SECOND_FIELDS == 1, 1, 0)
    ),
    "widths of axes behind": of_widths(
        lambda p, k: p.pad_width[k] + attr.Cond(k // 2 > FOUR - 1, 1, 0)
    ),
    "widths of others": of_widths(
        lambda p, k: p.pad_width[attr.Cond(k // 2 * 2 + p.pad_width[k] >= 2 * FOUR, 0, k)]
    ),
    "widths by themselves": of_widths(lambda p, k: p.pad_width[k // 2 * 2 + p.pad_width[0]]),
}
"""Attacks by their names."""
