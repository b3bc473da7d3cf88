"""Tensors that are written into others, along one axis and at a known place."""

from gsl import Subst, attr, op, pat, rule
from gsl.pat import Pattern
from gsl.types import NUMERIC

UPDATE = {"data-movement", "scatter"}


def dynamic_update(
    x: Pattern, update: Pattern, start: Pattern, rows: Pattern
) -> tuple[Pattern, list[attr.Term]]:
    """Return a source: rows of x from `start` on are those of `update`; and what has to hold.

    `rows` are the numbers of the rows of x. No operator writes where a tensor says.
    """
    size = pat.Const(shape=(), dtype="int64")
    behind = rows - start
    place = op.Clip(behind, min=0)
    inside = op.LogicalAnd(op.GreaterEqual(behind, 0), op.Less(behind, size))
    fits = [size.value == update.shape[0], place.max == update.shape[0] - 1]
    return op.Where(inside, op.Take(update, place, axis=0), x), fits


def updated(x: Pattern, update: Pattern, start: Pattern, rows: Pattern) -> Pattern:
    """Return the same as a target."""
    count = update.shape[0]
    behind = rows - start
    place = op.Clip(behind, min=0, max=count - 1)
    before_end = op.Less(behind, pat.Const(count, dtype="int64"))
    inside = op.LogicalAnd(op.GreaterEqual(behind, 0), before_end)
    return op.Where(inside, op.Take(update, place, axis=0), x)


def before(axis: attr.Term, value: attr.Term, rank: attr.Term) -> attr.Term:
    """Return positions on all axes: `value` on `axis`, which is counted from the front, else 0."""
    return attr.Variadic(lambda i: attr.Cond(i == axis, value, 0), length=rank)


def behind(axis: attr.Term, value: attr.Term, whole: pat.Pattern) -> attr.Term:
    """Return positions on all axes: `value` on `axis`, else the size of `whole`."""
    return attr.Variadic(lambda i: attr.Cond(i == axis, value, whole.shape[i]), length=whole.ndim)


@rule(
    tags=UPDATE | {"elementwise", "bit-exact"},
    origin="TensorRight: xla/dyupslice, rule 01",
    twin="add_update_without_data",
    flags={"nsz"},
)
def add_update_of_zeros() -> Subst:
    """x + update[a, i](zeros[s], y)  =>  update[a, i](x, x[i:i + n] + y) for x of shape s

    Only the slices that are written change, by what is written. A signed zero of x can lose its
    sign in the sum, and keeps it where nothing is added.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    zeros = op.Zeros()
    update = op.SliceScatter(zeros, y)
    axis, start = update.axis % x.ndim, update.start
    part = op.StridedSlice(
        x, begin=before(axis, start, x.ndim), end=behind(axis, start + y.shape[update.axis], x)
    )
    target = op.SliceScatter(x, part + y, start=start, axis=update.axis)
    return Subst(x + update, target, where=[x.shape == zeros.shape])


@rule(
    tags=UPDATE | {"padding", "create", "bit-exact"},
    origin="TensorRight: xla/dyupslice, rule 02",
    flags=(),
    twin="update_of_full_padded_behind",
)
def update_of_full() -> Subst:
    """update[a, i](full[s](v), y)  =>  pad{(i, n - i - m), v}(y) on axis a, n and m the two sizes

    What stays of a constant tensor surrounds the update. Any dtype can hold a moderate value as
    padding; truth values are left out.
    """
    y = pat.Wildcard()
    block = op.Full()
    update = op.SliceScatter(block, y)
    axis = update.axis % y.ndim
    last = block.shape[update.axis] - update.start - y.shape[update.axis]
    widths = attr.Variadic(
        lambda k: attr.Cond(k == 2 * axis, update.start, attr.Cond(k == 2 * axis + 1, last, 0)),
        length=2 * y.ndim,
    )
    target = op.Pad(y, pad_width=widths, pad_value=block.fill_value)
    held = [attr.Abs(block.fill_value) <= 60000.0, attr.In(y.dtype, NUMERIC)]
    return Subst(update, target, where=held)


@rule(
    tags=UPDATE | {"identity", "bit-exact"},
    origin="TensorRight: xla/dyupslice, rule 03",
    nan="same",
    twin="update_of_any_part",
)
def update_of_everything() -> Subst:
    """update[a, i](x, y)  =>  y for y of the shape of x

    An update of the size of the axis can only begin at 0, and leaves nothing of x.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.SliceScatter(x, y), y, where=[x.shape == y.shape])


@rule(
    tags=UPDATE | {"slice", "bit-exact"},
    origin="TensorRight: xla/dyupslice, rule 04",
    nan="same",
    twin="update_of_updated_part_unshifted",
)
def update_of_updated_part() -> Subst:
    """update[a, b[a]](x, update[c, j](x[b:e], y))  =>  update[a, b[a] + j](x, y) when a and c meet

    A part of x that is changed and written back to where it came from: the rest of the part is
    what x has there anyway. The part is cut along axis a alone.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    part = op.StridedSlice(x)
    inner = op.SliceScatter(part, y)
    outer = op.SliceScatter(x, inner)
    axis = outer.axis % x.ndim
    cut = attr.All(
        lambda i: attr.Cond(i == axis, part.strides[i] == 1, part.shape[i] == x.shape[i]),
        length=x.ndim,
    )
    target = op.SliceScatter(x, y, start=outer.start + inner.start, axis=outer.axis)
    same = inner.axis % x.ndim == axis
    back = part.begin[outer.axis] == outer.start
    return Subst(outer, target, where=[same, back, cut])


@rule(
    tags=UPDATE | {"transpose", "bit-exact"},
    origin="XLA: HandleTranspose, transpose of scatter",
    flags=(),
    twin="transpose_of_update_same_axis",
)
def transpose_of_update() -> Subst:
    """T[p](update[a, i](x, y))  =>  update[c, i](T[p](x), T[p](y)) with p[c] = a

    The axis goes where its elements go: c is the place of `a` in the permutation.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    update = op.SliceScatter(x, y)
    moved = op.Transpose(update)
    parts = [op.Transpose(part, axes=moved.axes) for part in (x, y)]
    axis = attr.inverse(moved.axes)[update.axis]
    return Subst(moved, op.SliceScatter(*parts, start=update.start, axis=axis))


@rule(
    tags=UPDATE | {"take", "fusion", "bit-exact"},
    origin="XLA: update of an updated dynamic slice",
    flags=(),
    twin="update_of_clamped_window_added",
)
def update_of_clamped_window() -> Subst:
    """dus[i'](x, dus[j'](x[i':i' + m], c))  =>  dus[i' + j'](x, c)

    A window is taken, a part of it is written, and it is put back. Both starts are clamped, each
    with its own bound: i' = clip[0, n - m](i) and j' = clip[0, m - k](j).
    """
    x, c, i, j = (pat.Wildcard() for _ in range(4))
    rows, inner_rows = (op.Arange(start=0, step=1, dtype="int64") for _ in range(2))
    first, second = op.Clip(i, min=0), op.Clip(j, min=0)
    window = op.Take(x, first + inner_rows, axis=0)
    inner, inner_fits = dynamic_update(window, c, second, inner_rows)
    outer, outer_fits = dynamic_update(x, inner, first, rows)
    n, m, k = x.shape[0], inner_rows.end, c.shape[0]
    starts = [index.ndim == 0 for index in (i, j)] + [i.dtype == "int64", j.dtype == "int64"]
    clamped = [rows.end == n, n < 2**31, first.max == n - m, second.max == m - k]
    ranks = [x.ndim == 1, c.ndim == 1, *starts]
    target = updated(x, c, first + second, rows)
    return Subst(outer, target, where=[*ranks, *clamped, *inner_fits, *outer_fits])


@rule(
    tags=UPDATE | {"create", "bit-exact"},
    origin="XLA: dynamic update at a constant",
    flags=(),
    twin="update_at_constant_unclamped",
)
def update_at_constant() -> Subst:
    """dus[s'](x, y)  =>  update[0, s'](x, y) for a constant s, where s' = clip[0, n - k](s)

    The place is known when the rule is applied, and it is clamped as it would be later.
    """
    x, y, s = pat.Wildcard(), pat.Wildcard(), pat.Const(shape=(), dtype="int64")
    rows = op.Arange(start=0, step=1, dtype="int64")
    first = op.Clip(s, min=0)
    update, fits = dynamic_update(x, y, first, rows)
    last = x.shape[0] - y.shape[0]
    clamped = [rows.end == x.shape[0], x.shape[0] < 2**31, first.max == last]
    start = attr.Max(0, attr.Min(s.value, last))
    target = op.SliceScatter(x, y, start=start, axis=0)
    return Subst(update, target, where=[x.ndim == 1, y.ndim == 1, *clamped, *fits])
