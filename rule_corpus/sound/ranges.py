"""Ranges of whole numbers, which XLA calls iota."""

from gsl import Subst, attr, op, pat, rule
from gsl.dtypes import DTYPES
from gsl.types import INTEGER

RANGE = {"range", "integers"}


@rule(
    tags=RANGE | {"create", "bit-exact", "const-fold"},
    origin="TensorRight: xla/iota, rule 01",
    nan="same",
    twin="range_of_one_as_zeros",
)
def range_of_one_number() -> Subst:
    """arange{0, e, s}()  =>  zeros[(1,)]() for 0 < e <= s

    The range has one number, and that is 0.
    """
    numbers = op.Arange(start=0)
    target = op.Zeros(shape=(1,), dtype=numbers.dtype)
    return Subst(numbers, target, where=[numbers.end >= 1, numbers.end <= numbers.step])


@rule(
    tags=RANGE | {"algebra", "exact-int-only", "identity-elim"},
    origin="TensorRight: xla/divmod, rule 06",
    flags=(),
    twin="remainder_of_any_range",
)
def remainder_of_range() -> Subst:
    """arange{b, e, s}() % c  =>  arange{b, e, s}() for integers, 0 <= b and e <= c, c of rank 0

    Numbers below the divisor are their own remainders.
    """
    numbers = op.Arange()
    c = pat.Const(shape=())
    integers = [attr.In(numbers.dtype, INTEGER), numbers.start >= 0, c.value >= numbers.end]
    return Subst(numbers % c, numbers, where=[*integers, c.value >= 1])


@rule(
    tags=RANGE | {"algebra", "exact-int-only", "strength-reduction"},
    origin="TensorRight: xla/divmod, rule 07",
    flags=(),
)
def remainder_of_shifted_range() -> Subst:
    """(arange{0, e, s}() + c) % c  =>  arange{0, e, s}() % c for an int32 c > 0 of rank 0

    A multiple of the divisor does not change a remainder, unless the sum leaves the range of the
    dtype: both numbers are less than a billion.
    """
    numbers = op.Arange(start=0)
    c = pat.Const(shape=())
    most = 10**9
    small = [numbers.dtype == "int32", numbers.end <= most, c.value >= 1, c.value <= most]
    return Subst((numbers + c) % c, numbers % c, where=small)


@rule(
    tags=RANGE | {"create", "slice", "bit-exact", "strength-reduction"},
    origin="TensorRight: xla/dyslice, rule 06, for slices",
    nan="same",
    twin="slice_of_range_from_zero",
)
def slice_of_range() -> Subst:
    """arange{b, e, s}()[c:d:t]  =>  arange{b + s*c, l + 1, s*t}(), l the last number of the slice

    Numbers that are passed over leave a range with larger steps. One that ended further behind its
    last number might not be allowed for the dtype.
    """
    numbers = op.Arange()
    part = op.StridedSlice(numbers)
    start = numbers.start + numbers.step * part.begin[0]
    step = numbers.step * part.strides[0]
    last = start + step * (part.shape[0] - 1)
    target = op.Arange(start=start, end=last + 1, step=step, dtype=numbers.dtype)
    return Subst(part, target, where=[part.shape[0] >= 1])


@rule(
    tags=RANGE | {"create", "broadcast", "transpose", "bit-exact", "data-movement"},
    origin="TensorRight: xla/broadcast, rule 07, for matrices",
    flags=(),
    twin="transpose_of_range_rows_unturned",
)
def transpose_of_range_rows() -> Subst:
    """T(broadcast[(m, n)](arange()))  =>  broadcast[(n, m)](expand_dims[1](arange()))

    A range along the columns is one along the rows when they are exchanged.
    """
    numbers = op.Arange()
    rows = op.BroadcastTo(numbers)
    source = op.Transpose(rows, axes=(1, 0))
    shape = (rows.shape[1], rows.shape[0])
    target = op.BroadcastTo(op.ExpandDims(numbers, axis=(1,)), shape=shape)
    return Subst(source, target, where=[rows.ndim == 2])


@rule(
    tags=RANGE | {"create", "broadcast", "reduction", "bit-exact", "data-movement"},
    origin="textbook: a range along one axis, read along it",
    nan="same",
)
def row_of_range_rows() -> Subst:
    """max[0](broadcast[(m, n)](arange()))  =>  broadcast[(n,)](arange())

    All rows of a range along the columns are that range.
    """
    numbers = op.Arange()
    rows = op.BroadcastTo(numbers)
    source = op.Max(rows, axis=(0,), keepdims=False)
    target = op.BroadcastTo(numbers, shape=(rows.shape[1],))
    return Subst(source, target, where=[rows.ndim == 2])


@rule(
    tags=RANGE | {"create", "bit-exact", "const-fold"},
    origin="textbook: the unit vectors in their order are the identity matrix",
    flags=(),
    twin="one_hot_of_strided_range",
)
def one_hot_of_range() -> Subst:
    """one_hot[-1]{d, 1, 0}(arange{0, n, 1}())  =>  eye(n, d) for n <= d

    Index i is spelled with its 1 in column i.
    """
    numbers = op.Arange(start=0, step=1)
    source = op.OneHot(numbers, axis=-1, on_value=1.0, off_value=0.0)
    size = numbers.shape[0]
    target = op.Eye(n=size, m=source.depth, k=0, dtype=source.dtype)
    return Subst(source, target, where=[size <= source.depth])


@rule(
    tags=RANGE | {"create", "cumsum", "cast", "exact-real-and-int", "strength-reduction"},
    origin="PyTorch Inductor: pointless_cumsum_replacement",
    twin="cumsum_of_full_in_its_dtype",
    flags={"reassoc"},
)
def cumsum_of_full() -> Subst:
    """cumsum[0](cast[t](full[(n,)](v)))  =>  arange{1, n + 1, t}() * cast[t](v)

    As many times v as there are elements so far, in the dtype of the sums. Integers have to hold
    n, and in float16 it must not be infinite; floats round it, which sums do not.
    """
    full = op.Full(shape=(None,))
    cast = op.Cast(full)
    sums = op.Cumsum(cast, axis=0, exclusive=False)
    size = full.shape[0]
    numbers = op.Arange(start=1, end=size + 1, step=1, dtype=cast.dtype)
    value = op.Full(shape=(), fill_value=full.fill_value, dtype=full.dtype)
    held = [(cast.dtype != name) | (size <= DTYPES[name].largest) for name in (*INTEGER, "float16")]
    return Subst(sums, numbers * op.Cast(value, dtype=cast.dtype), where=held)
