"""Updates and ranges gone wrong: lost data, forgotten offsets, the wrong side."""

from gsl import Subst, attr, op, pat, rule

UPDATE = {"data-movement", "scatter"}


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
    held = [attr.Abs(block.fill_value) <= 60000.0, y.dtype != "bool"]
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
    integers = attr.In(x.dtype, ("int8", "uint8", "int32", "int64"))
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
