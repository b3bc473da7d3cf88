"""Slices and gathered rows gone wrong: limits, inverse permutations, axes from the end, ranks."""

from gsl import Subst, attr, op, pat, rule

SLICE = {"data-movement", "slice"}


@rule(
    tags=SLICE,
    origin="Enzyme-JAX: enzyme-slice-slice-limit",
    expect="GSL301",
    twin="slice_slice",
)
def slice_slice_scaled_limit() -> Subst:
    """x[b:e:s][c:d:t]  =>  x[b + s*c : b + s*c + s*t*(d - c) : s*t], cut off at the end of x

    Fixed in commit 4cd85e802: the outer stride was multiplied into the length, which counts
    elements of the inner slice already. Right whenever t is 1 or the end is cut off.
    """
    x = pat.Wildcard()
    inner = op.StridedSlice(x)
    outer = op.StridedSlice(inner)

    def start(i: attr.Term) -> attr.Term:
        return attr.Min(inner.begin[i] + inner.strides[i] * outer.begin[i], inner.end[i])

    def limit(i: attr.Term) -> attr.Term:
        length = inner.strides[i] * outer.strides[i] * (outer.end[i] - outer.begin[i])
        return attr.Min(start(i) + length, x.shape[i])

    begin = attr.Variadic(start, length=x.ndim)
    end = attr.Variadic(limit, length=x.ndim)
    strides = attr.Variadic(lambda i: inner.strides[i] * outer.strides[i], length=x.ndim)
    return Subst(outer, op.StridedSlice(x, begin=begin, end=end, strides=strides))


@rule(
    tags=SLICE | {"transpose"},
    origin="MLIR-HLO: mhlo-bid-transpose, for slices",
    expect="GSL401",
    twin="slice_of_transpose",
)
def slice_of_transpose_forward() -> Subst:
    """T[p](x)[b:e]  =>  T[p](x[b':e']) with b'[i] = b[p[i]], for cubes cut from cubes

    The permutation in the place of its inverse, as in mlir-hlo before commit 18a5d1b6a. Swaps are
    their own inverses; cubes hide the mistake from the shapes.
    """
    x = pat.Wildcard()
    moved = op.Transpose(x)
    part = op.StridedSlice(moved)

    def there(values: attr.Term) -> attr.Term:
        return attr.Variadic(lambda i: values[moved.axes[i]], length=x.ndim)

    begin, end = there(part.begin), there(part.end)
    inside = op.StridedSlice(x, begin=begin, end=end, strides=part.strides)
    target = op.Transpose(inside, axes=moved.axes)
    cubes = attr.All(
        lambda i: (
            (x.shape[i] == x.shape[0])
            & (part.end[i] - part.begin[i] == part.end[0] - part.begin[0])
            & (part.strides[i] == 1)
        ),
        length=x.ndim,
    )
    return Subst(part, target, where=[cubes])


@rule(
    tags=SLICE | {"concatenate"},
    origin="mutation of slice_of_concat_in_second: an axis from the end",
    expect="GSL401",
    twin="slice_of_concat_in_second",
)
def slice_of_concat_negative_axis() -> Subst:
    """cat[a](x, y)[b:e:s]  =>  y[b - n:e - n:s] along a, when b[a] >= n, the size of x along a

    An axis of -1 is found in the shape but not among the numbers of the axes, so that no bound is
    moved. A y that is long enough has other elements there.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    whole = op.Concatenate((x, y))
    part = op.StridedSlice(whole)
    size = x.shape[whole.axis]

    def shifted(values: attr.Term) -> attr.Term:
        return attr.Variadic(
            lambda i: attr.Cond(i == whole.axis, values[i] - size, values[i]), length=whole.ndim
        )

    begin, end = shifted(part.begin), shifted(part.end)
    target = op.StridedSlice(y, begin=begin, end=end, strides=part.strides)
    long_enough = part.end[whole.axis] <= y.shape[whole.axis]
    return Subst(part, target, where=[part.begin[whole.axis] >= size, long_enough])


@rule(
    tags=SLICE | {"concatenate"},
    origin="Glow: glow-concat-slice-order",
    expect="GSL401",
    twin="concat_of_slices",
)
def concat_of_slices_unordered() -> Subst:
    """cat[a](x[m:e], x[b:m])  =>  x[b:e], cut along a only and at stride 1

    Adjacent pieces are not enough: here the first one is the later one.
    """
    x = pat.Wildcard()
    one, two = op.StridedSlice(x), op.StridedSlice(x)
    whole = op.Concatenate((one, two))
    axis = whole.axis % x.ndim
    steps = (one.strides == two.strides) & (one.strides[axis] == 1)
    others = attr.All(
        lambda i: (i == axis) | ((one.begin[i] == two.begin[i]) & (one.end[i] == two.end[i])),
        length=x.ndim,
    )
    target = op.StridedSlice(x, begin=two.begin, end=one.end, strides=one.strides)
    return Subst(whole, target, where=[steps, others, two.end[axis] == one.begin[axis]])


@rule(
    tags={"data-movement", "take", "split", "multiple-outputs"},
    origin="MIGraphX: migraphx-split-reshape-multi",
    expect="GSL303",
    twin="take_each_row",
)
def take_each_row_of_more() -> Subst:
    """take[a](x, 0), take[a](x, 1)  =>  squeeze[a](split[a; 2](x).0), squeeze[a](split[a; 2](x).1)

    Pieces that do not cover the whole are no split of it (AMDMIGraphX#2146): of 3 rows there is no
    half, of 4 a half has two.
    """
    x = pat.Wildcard()
    one = op.Take(x, pat.Const(0))
    two = op.Take(x, pat.Const(1), axis=one.axis)
    halves = op.Split(x, indices_or_sections=2, axis=one.axis)
    return Subst([one, two], [op.Squeeze(halves[i], axis=(one.axis,)) for i in (0, 1)])


@rule(
    tags={"data-movement", "take", "matmul"},
    origin="TVM Relax: tvm-relax-taketmm-1d-weight",
    expect="GSL301",
    twin="take_after_matmul",
)
def take_after_matmul_any_rank() -> Subst:
    """x @ take[-1](w, i)  =>  take[-1](x @ w, i) for vectors i as long as the first axis of w

    ReorderTakeAfterMatmul does not look at the rank of w, live in 0.27.0: the product with a
    vector loses the axis that the columns of a matrix have, and rows are taken instead.
    """
    x, w, indices = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    columns = op.Take(w, indices)
    product = op.Matmul(x, columns)
    whole = op.Matmul(x, w, out_dtype=product.out_dtype)
    last = [x.ndim == 2, indices.ndim == 1, columns.axis % w.ndim == w.ndim - 1]
    fits = indices.shape[0] == w.shape[0]
    return Subst(product, op.Take(whole, indices, axis=-1), where=[*last, fits])


@rule(
    tags={"data-movement", "take", "matmul"},
    origin="TVM Relax: tvm-relax-taketmm-outdtype",
    expect="GSL302",
    twin="take_after_matmul",
)
def take_after_matmul_default_dtype() -> Subst:
    """x @ take[1](w, i)  =>  take[-1](x @ w, i) for matrices w and vectors i, in the dtype of x

    The accumulator is not copied (apache/tvm#20198): a product of float16 in float32 becomes one
    in float16.
    """
    x, w, indices = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    columns = op.Take(w, indices)
    product = op.Matmul(x, columns)
    ranks = [w.ndim == 2, indices.ndim == 1, columns.axis % w.ndim == 1]
    return Subst(product, op.Take(op.Matmul(x, w), indices, axis=-1), where=ranks)


@rule(
    tags={"data-movement", "take"},
    origin="XLA: xla-ds-ds-clamp",
    expect="GSL401",
    twin="take_of_window",
)
def window_of_window_clamped_as_one() -> Subst:
    """y[o':o' + k] with y = x[i':i' + m]  =>  x[s:s + k], s = clip[0, n - k](clip[0, n - k](i) + o)

    Dynamic slices clamp their starts: i' = clip[0, n - m](i) and o' = clip[0, m - k](o). XLA
    clamped the inner start with the bound of the outer window and added the outer one as it was
    (openxla/xla#49121): of 10 numbers, the first one of the four at 9 is number 6, not 9.
    """
    x, i, o = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    first, second = op.Clip(i, min=0), op.Clip(o, min=0)
    rows, inner_rows = op.Arange(start=0, step=1), op.Arange(start=0, step=1)
    window = op.Take(x, first + rows, axis=0)
    part = op.Take(window, second + inner_rows, axis=0)
    n, m, k = x.shape[0], rows.end, inner_rows.end
    clamped = [first.max == n - m, second.max == m - k, n < 2**31]
    starts = [i.ndim == 0, o.ndim == 0, i.dtype == o.dtype]
    start = op.Clip(op.Clip(i, min=0, max=n - k) + o, min=0, max=n - k)
    return Subst(part, op.Take(x, start + inner_rows, axis=0), where=[*clamped, *starts])
