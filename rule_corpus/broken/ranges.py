"""Ranges gone wrong: other starts, other steps, another axis."""

from gsl import Subst, op, rule

RANGE = {"range", "integers", "create"}


@rule(
    tags=RANGE | {"slice", "strength-reduction"},
    origin="TensorRight: xla/dyslice, rule 06, one mistake away",
    expect="GSL401",
    twin="slice_of_range",
)
def slice_of_range_from_zero() -> Subst:
    """arange{b, e, s}()[c:d:t]  =>  arange{c, c + n, 1}() for a slice of n numbers, t = 1

    A place in a range is a number of it only where the range starts at 0 with steps of 1.
    """
    numbers = op.Arange()
    part = op.StridedSlice(numbers, strides=(1,))
    start = part.begin[0]
    target = op.Arange(start=start, end=start + part.shape[0], step=1, dtype=numbers.dtype)
    fits = [start + part.shape[0] <= 100, part.shape[0] >= 1]
    return Subst(part, target, where=fits)


@rule(
    tags=RANGE | {"broadcast", "transpose", "data-movement"},
    origin="TensorRight: xla/broadcast, rule 07, one mistake away",
    expect="GSL401",
    twin="transpose_of_range_rows",
)
def transpose_of_range_rows_unturned() -> Subst:
    """T(broadcast[(n, n)](arange()))  =>  broadcast[(n, n)](arange())

    In a square matrix nothing but the numbers tells along which axis the range lies.
    """
    numbers = op.Arange()
    rows = op.BroadcastTo(numbers)
    source = op.Transpose(rows, axes=(1, 0))
    target = op.BroadcastTo(numbers, shape=rows.shape)
    return Subst(source, target, where=[rows.ndim == 2, rows.shape[0] == rows.shape[1]])


@rule(
    tags=RANGE | {"const-fold"},
    origin="textbook: unit vectors, one mistake away",
    expect="GSL401",
    twin="one_hot_of_range",
)
def one_hot_of_strided_range() -> Subst:
    """one_hot[-1]{d, 1, 0}(arange{0, e, s}())  =>  eye(n, d) for n <= d, n the size of the range

    With steps of s the ones lie s columns apart.
    """
    numbers = op.Arange(start=0)
    source = op.OneHot(numbers, axis=-1, on_value=1.0, off_value=0.0)
    size = numbers.shape[0]
    target = op.Eye(n=size, m=source.depth, k=0, dtype=source.dtype)
    return Subst(source, target, where=[size <= source.depth])


@rule(
    tags=RANGE | {"cumsum", "cast", "strength-reduction"},
    origin="PyTorch Inductor: inductor-cumsum-dtype",
    expect="GSL302",
    twin="cumsum_of_full",
)
def cumsum_of_full_in_its_dtype() -> Subst:
    """cumsum[0](cast[t](full[(n,), int64](v)))  =>  arange{1, n + 1, int64}() * v

    pointless_cumsum_replacement did not read the dtype that the sums are asked for in
    (pytorch#189518): sums of integers in float32 became integers.
    """
    full = op.Full(shape=(None,), dtype="int64")
    sums = op.Cumsum(op.Cast(full), axis=0, exclusive=False)
    size = full.shape[0]
    numbers = op.Arange(start=1, end=size + 1, step=1, dtype="int64")
    value = op.Full(shape=(), fill_value=full.fill_value, dtype="int64")
    return Subst(sums, numbers * value, where=[size < 2**63])
