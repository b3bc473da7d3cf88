"""Rows taken by index: of one another, of what was moved or computed, all of them or just one."""

from gsl import Subst, attr, op, pat, rule

TAKE = {"data-movement", "take", "bit-exact"}


@rule(
    tags=TAKE | {"slice"},
    origin="TensorRight: xla/dyslice, rule 01",
    flags=(),
)
def take_of_known_row() -> Subst:
    """take[a](x, c)  =>  squeeze[a](x[c:c + 1]) for a constant c of rank 0 in range

    A position known when the rule is applied makes the read a slice. An index beyond the end has
    no meaning in the source, so none has to be clamped.
    """
    x, c = pat.Wildcard(), pat.Const(shape=())
    row = op.Take(x, c)
    axis = row.axis % x.ndim
    begin = attr.Variadic(lambda i: attr.Cond(i == axis, c.value, 0), length=x.ndim)
    end = attr.Variadic(lambda i: attr.Cond(i == axis, c.value + 1, x.shape[i]), length=x.ndim)
    part = op.StridedSlice(x, begin=begin, end=end)
    inside = (c.value >= 0) & (c.value < x.shape[row.axis])
    return Subst(row, op.Squeeze(part, axis=(row.axis,)), where=[inside])


@rule(
    tags=TAKE | {"squeeze", "identity"},
    origin="TensorRight: xla/dyslice, rule 02",
    flags=(),
)
def take_of_only_row() -> Subst:
    """take[a](x, i)  =>  squeeze[a](x) for an index i of rank 0 if x has size 1 along a

    There is one row only, so the index must be 0, whatever computes it.
    """
    x, index = pat.Wildcard(), pat.Wildcard()
    row = op.Take(x, index)
    alone = x.shape[row.axis] == 1
    return Subst(row, op.Squeeze(x, axis=(row.axis,)), where=[index.ndim == 0, alone])


@rule(
    tags=TAKE | {"transpose"},
    origin="TensorRight: xla/dyslice, rule 04",
    flags=(),
    twin="take_of_transpose_same_axis",
)
def take_of_transpose() -> Subst:
    """take[a](T[p](x), i)  =>  T[p](take[p[a]](x, i)) for vectors i

    Axis a of the transposed tensor is axis p[a] of x. A vector of indices replaces the axis by
    one axis, so that the permutation still fits.
    """
    x, indices = pat.Wildcard(), pat.Wildcard()
    moved = op.Transpose(x)
    rows = op.Take(moved, indices)
    inside = op.Take(x, indices, axis=moved.axes[rows.axis])
    return Subst(rows, op.Transpose(inside, axes=moved.axes), where=[indices.ndim == 1])


@rule(
    tags=TAKE,
    origin="TensorRight: xla/dyslice, rule 05",
    nan="same",
    twin="take_of_take_exchanged",
)
def take_of_take() -> Subst:
    """take[a](take[a](x, i), j)  =>  take[a](x, take[0](i, j)) for vectors i

    Row k of the result is row j[k] of the rows i, which is row i[j[k]] of x. Both axes have to be
    the same one, from whichever end they are counted.
    """
    x, i, j = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    inner = op.Take(x, i)
    outer = op.Take(inner, j)
    same = inner.axis % x.ndim == outer.axis % inner.ndim
    axis = inner.axis % x.ndim
    target = op.Take(x, op.Take(i, j, axis=0), axis=axis)
    return Subst(outer, target, where=[i.ndim == 1, same])


@rule(tags=TAKE | {"elementwise"}, origin="Enzyme-JAX: GatherElementwise", flags=())
def take_of_unary() -> Subst:
    """take[a](f{A}(x), i)  =>  f{A}(take[a](x, i)) for an element-wise f

    Chosen rows of results are results of chosen rows.
    """
    x, indices = pat.Wildcard(), pat.Wildcard()
    call = op.trait("unary")(x)
    rows = op.Take(call, indices)
    inside = op.Take(x, indices, axis=rows.axis)
    return Subst(rows, op.same(call)(inside, **pat.same_attr(call)))


@rule(
    tags=TAKE | {"identity"},
    origin="XLA: HandleGather, gather of an iota, for two rows",
    nan="same",
    twin="take_of_two_rows_of_more",
)
def take_of_both_rows() -> Subst:
    """take[a](x, (0, 1))  =>  x if x has two rows along a

    Every row in its place. A longer axis would lose the others.
    """
    x, indices = pat.Wildcard(), pat.Const((0, 1))
    rows = op.Take(x, indices)
    return Subst(rows, x, where=[x.shape[rows.axis] == 2])
