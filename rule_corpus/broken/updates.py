"""Updates and ranges gone wrong: lost data, forgotten offsets, the wrong side."""

from gsl import Subst, attr, op, pat, rule
from gsl.pat import Pattern
from gsl.types import INTEGER, NUMERIC

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


@rule(
    tags=UPDATE | {"elementwise"},
    origin="TensorRight: xla/dyupslice, rule 01, one mistake away",
    expect="GSL401",
    twin="add_update_of_zeros",
)
def add_update_without_data() -> Subst:
    """x + update[0, i](zeros[s], y)  =>  update[0, i](x, y) for x of shape s

    What x has in the place of the update is part of the sum.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    zeros = op.Zeros()
    update = op.SliceScatter(zeros, y)
    target = op.SliceScatter(x, y, **pat.same_attr(update))
    return Subst(x + update, target, where=[x.shape == zeros.shape])


@rule(
    tags=UPDATE | {"padding", "create"},
    origin="TensorRight: xla/dyupslice, rule 02, one mistake away",
    expect="GSL401",
    twin="update_of_full",
)
def update_of_full_padded_behind() -> Subst:
    """update[0, i](full[(n,)](v), y)  =>  pad{(0, n - m), v}(y) for vectors

    The padding in front is forgotten; sizes agree.
    """
    y = pat.Variable(shape=(None,))
    block = op.Full()
    update = op.SliceScatter(block, y)
    widths = (0, block.shape[0] - y.shape[0])
    target = op.Pad(y, pad_width=widths, pad_value=block.fill_value)
    held = [attr.Abs(block.fill_value) <= 60000.0, attr.In(y.dtype, NUMERIC)]
    return Subst(update, target, where=held)


@rule(
    tags=UPDATE | {"identity"},
    origin="TensorRight: xla/dyupslice, rule 03, where the start is not clamped",
    expect="GSL301",
    twin="update_of_everything",
)
def update_of_any_part() -> Subst:
    """update[a, 0](x, y)  =>  y

    An update that begins at 0 need not reach the end.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.SliceScatter(x, y, start=0), y)


@rule(
    tags=UPDATE | {"slice"},
    origin="TensorRight: xla/dyupslice, rule 04, one mistake away",
    expect="GSL401",
    twin="update_of_updated_part",
)
def update_of_updated_part_unshifted() -> Subst:
    """update[0, b](x, update[0, j](x[b:e], y))  =>  update[0, b](x, y) for vectors

    The place inside of the part is lost.
    """
    x, y = pat.Variable(shape=(None,)), pat.Variable(shape=(None,))
    part = op.StridedSlice(x, strides=(1,))
    outer = op.SliceScatter(x, op.SliceScatter(part, y))
    target = op.SliceScatter(x, y, **pat.same_attr(outer))
    return Subst(outer, target, where=[part.begin[0] == outer.start])


@rule(
    tags={"range", "create", "const-fold"},
    origin="TensorRight: xla/iota, rule 01, one mistake away",
    expect="GSL401",
    twin="range_of_one_number",
)
def range_of_one_as_zeros() -> Subst:
    """arange{b, b + 1}()  =>  zeros[(1,)]()

    A range of one number begins anywhere.
    """
    numbers = op.Arange()
    target = op.Zeros(shape=(1,), dtype=numbers.dtype)
    return Subst(numbers, target, where=[numbers.end == numbers.start + 1])


@rule(
    tags={"range", "algebra", "identity-elim"},
    origin="TensorRight: xla/divmod, rule 06, one mistake away",
    expect="GSL401",
    twin="remainder_of_range",
)
def remainder_of_any_range() -> Subst:
    """arange{b, e, s}() % c  =>  arange{b, e, s}() for int32, 0 <= b and e <= c + 1, c of rank 0

    The divisor itself can be among the numbers.
    """
    numbers = op.Arange(dtype="int32")
    c = pat.Const(shape=())
    near = [numbers.start >= 0, c.value >= 1, c.value + 1 >= numbers.end]
    return Subst(numbers % c, numbers, where=near)


@rule(
    tags={"algebra", "integers", "strength-reduction"},
    origin="TensorRight: xla/divmod, rule 08, where integers have no bounds",
    expect="GSL401",
)
def remainder_of_shifted() -> Subst:
    """(x + c) % c  =>  x % c for integers and a constant c > 0 of rank 0

    Where the sum wraps around, its remainder is another, unless c is a power of two.
    """
    x, c = pat.Wildcard(), pat.Const(shape=())
    integers = attr.In(x.dtype, INTEGER)
    return Subst((x + c) % c, x % c, where=[integers, c.value >= 1])


@rule(
    tags=UPDATE | {"transpose"},
    origin="XLA: xla-transpose-scatter",
    expect="GSL303",
    twin="transpose_of_update",
)
def transpose_of_update_same_axis() -> Subst:
    """T[p](update[a, i](x, y))  =>  update[a, i](T[p](x), T[p](y))

    openxla/xla#44890: both operands were permuted, but some of the axes that the scatter names -
    its batching dimensions - were not, and the scatter became illegal.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    update = op.SliceScatter(x, y)
    moved = op.Transpose(update)
    parts = [op.Transpose(part, axes=moved.axes) for part in (x, y)]
    return Subst(moved, op.SliceScatter(*parts, **pat.same_attr(update)))


@rule(
    tags=UPDATE | {"take", "fusion"},
    origin="XLA: xla-dus-dus-ds-clamp",
    expect="GSL401",
    twin="update_of_clamped_window",
)
def update_of_clamped_window_added() -> Subst:
    """dus[i'](x, dus[j'](x[i':i' + m], c))  =>  dus[s](x, c) with s = clip[0, n - k](i + j)

    Starts of dynamic slices and updates are clamped: i' = clip[0, n - m](i) and
    j' = clip[0, m - k](j). openxla/xla#48024 added them as they were: of 10 numbers, the window of
    four at 9 begins at 6, and so does what is written to its first place.
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
    target = updated(x, c, op.Clip(i + j, min=0, max=n - k), rows)
    return Subst(outer, target, where=[*ranks, *clamped, *inner_fits, *outer_fits])


@rule(
    tags=UPDATE | {"create"},
    origin="XLA: xla-dus-constant-gpu",
    expect="GSL303",
    twin="update_at_constant",
)
def update_at_constant_unclamped() -> Subst:
    """dus[s'](x, y)  =>  update[0, s](x, y) for a constant s, where s' = clip[0, n - k](s)

    openxla/xla#49120: the copy went to where the constant said, beyond the end of x.
    """
    x, y, s = pat.Wildcard(), pat.Wildcard(), pat.Const(shape=(), dtype="int64")
    rows = op.Arange(start=0, step=1, dtype="int64")
    first = op.Clip(s, min=0)
    update, fits = dynamic_update(x, y, first, rows)
    last = x.shape[0] - y.shape[0]
    clamped = [rows.end == x.shape[0], x.shape[0] < 2**31, first.max == last]
    target = op.SliceScatter(x, y, start=s.value, axis=0)
    return Subst(update, target, where=[x.ndim == 1, y.ndim == 1, *clamped, *fits])
