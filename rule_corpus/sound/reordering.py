"""Flips, transposes and concatenations past other operators, and moves that are mere reshapes."""

from gsl import Subst, attr, op, pat, rule

MOVE = {"data-movement", "bit-exact"}


@rule(
    tags=MOVE | {"flip", "identity"},
    origin="TensorRight: xla/reverse, rule 01",
    flags=(),
    twin="flip_of_pairs",
)
def flip_of_unit_axis() -> Subst:
    """flip[a](x)  =>  x if x has at most one element along a

    There is nothing to exchange.
    """
    x = pat.Wildcard()
    turned = op.Flip(x)
    return Subst(turned, x, where=[x.shape[turned.axis] <= 1])


@rule(
    tags=MOVE | {"flip"},
    origin="TensorRight: xla/reverse, rule 03",
    flags=(),
)
def flip_flip_flip() -> Subst:
    """flip[a](flip[b](flip[c](x)))  =>  flip[b](x) when a and c are the same axis

    Axes are reversed independently of each other, and an axis that is reversed twice stays; the
    set of those reversed an odd number of times remains. If b is the same axis, too, one is left.
    """
    x = pat.Wildcard()
    first = op.Flip(x)
    second = op.Flip(first)
    third = op.Flip(second)
    same = first.axis % x.ndim == third.axis % x.ndim
    return Subst(third, op.Flip(x, axis=second.axis), where=[same])


@rule(
    tags=MOVE | {"flip", "elementwise"},
    origin="TensorRight: xla/reverse, rule 04",
    flags=(),
)
def flip_of_shifted() -> Subst:
    """flip[a](x + c)  =>  flip[a](x) + c for a constant c of rank 0

    The same number is added everywhere. One that differs along a would have to be reversed, too.
    """
    x, c = pat.Wildcard(), pat.Const(shape=())
    turned = op.Flip(x + c)
    return Subst(turned, op.Flip(x, axis=turned.axis) + c)


@rule(
    tags=MOVE | {"flip", "transpose"},
    origin="Enzyme-JAX: ReverseTranspose",
    nan="same",
)
def flip_of_transpose() -> Subst:
    """flip[a](T[p](x))  =>  T[p](flip[p[a]](x))

    Axis a of the transposed tensor is axis p[a] of x.
    """
    x = pat.Wildcard()
    moved = op.Transpose(x)
    turned = op.Flip(moved)
    inside = op.Flip(x, axis=moved.axes[turned.axis])
    return Subst(turned, op.Transpose(inside, axes=moved.axes))


@rule(
    tags=MOVE | {"flip", "concatenate"},
    origin="XLA: HandleReverse, reverse of concatenate",
    nan="same",
    twin="flip_of_concat_same_order",
)
def flip_of_concat() -> Subst:
    """flip[a](cat[a](x, y))  =>  cat[a](flip[a](y), flip[a](x))

    Read from behind, y comes first. Both axes have to be the same one.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    whole = op.Concatenate((x, y))
    turned = op.Flip(whole)
    fields = op.Flip(y, axis=turned.axis), op.Flip(x, axis=turned.axis)
    same = turned.axis % whole.ndim == whole.axis % whole.ndim
    return Subst(turned, op.Concatenate(fields, axis=whole.axis), where=[same])


@rule(
    tags=MOVE | {"flip", "concatenate"},
    origin="XLA: HandleReverse, reverse of concatenate along another dimension",
    flags=(),
)
def flip_of_concat_across() -> Subst:
    """flip[b](cat[a](x, y))  =>  cat[a](flip[b](x), flip[b](y)), a other than b

    Rows are reversed, each for itself.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    whole = op.Concatenate((x, y))
    turned = op.Flip(whole)
    fields = op.Flip(x, axis=turned.axis), op.Flip(y, axis=turned.axis)
    other = turned.axis % whole.ndim != whole.axis % whole.ndim
    return Subst(turned, op.Concatenate(fields, axis=whole.axis), where=[other])


@rule(
    tags=MOVE | {"concatenate"},
    origin="TensorRight: xla/concat, rule 02",
    flags=(),
)
def concat_regrouped() -> Subst:
    """cat[a](x, cat[b](y, z))  =>  cat[a](cat[a](x, y), z) when a and b are the same axis

    One after the other, however they are grouped.
    """
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    inner = op.Concatenate((y, z))
    outer = op.Concatenate((x, inner))
    same = inner.axis % inner.ndim == outer.axis % outer.ndim
    left = op.Concatenate((x, y), axis=outer.axis)
    return Subst(outer, op.Concatenate((left, z), axis=outer.axis), where=[same])


@rule(
    tags=MOVE | {"concatenate"},
    origin="TensorRight: xla/concat, rule 03",
    flags=(),
)
def concat_nested() -> Subst:
    """cat[a](x, y, z)  =>  cat[a](x, cat[a](y, z))

    For operators that take two tensors only.
    """
    x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    whole = op.Concatenate((x, y, z))
    rest = op.Concatenate((y, z), axis=whole.axis)
    return Subst(whole, op.Concatenate((x, rest), axis=whole.axis))


@rule(
    tags=MOVE | {"concatenate", "identity"},
    origin="TensorRight: xla/concat, rule 01, for one operand",
    flags=(),
)
def concat_of_one() -> Subst:
    """cat[a](x)  =>  x

    There is nothing to put behind x.
    """
    x = pat.Wildcard()
    return Subst(op.Concatenate((x,)), x)


@rule(
    tags=MOVE | {"concatenate", "elementwise"},
    origin="Enzyme-JAX: ConcatPushBinop, splat operands",
    flags=(),
)
def concat_of_shifted() -> Subst:
    """cat[a](x + c, y + c)  =>  cat[a](x, y) + c for a constant c of rank 0

    The same number is added to all of it.
    """
    x, y, c = pat.Wildcard(), pat.Wildcard(), pat.Const(shape=())
    whole = op.Concatenate((x + c, y + c))
    return Subst(whole, op.Concatenate((x, y), axis=whole.axis) + c)


@rule(tags=MOVE | {"concatenate", "elementwise"}, origin="Enzyme-JAX: ConcatElementwise", flags=())
def concat_of_unary() -> Subst:
    """cat[a](f{A}(x), f{A}(y))  =>  f{A}(cat[a](x, y)) for an element-wise f

    One call on the whole instead of one on each piece, with the attributes of both.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    one = op.trait("unary")(x)
    two = op.same(one)(y, **pat.same_attr(one))
    whole = op.Concatenate((one, two))
    joined = op.Concatenate((x, y), axis=whole.axis)
    return Subst(whole, op.same(one)(joined, **pat.same_attr(one)), where=[x.dtype == y.dtype])


@rule(
    tags=MOVE | {"concatenate", "algebra"},
    origin="Enzyme-JAX: ConcatPushBinop",
    flags=(),
)
def concat_of_sums() -> Subst:
    """cat[a](x + y, z + w)  =>  cat[a](x, z) + cat[a](y, w) for x, y and z, w of one shape each

    The halves meet again what they have met before. With broadcasting they might not.
    """
    x, y, z, w = pat.Wildcard(), pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    whole = op.Concatenate((x + y, z + w))
    one, two = op.Concatenate((x, z), axis=whole.axis), op.Concatenate((y, w), axis=whole.axis)
    return Subst(whole, one + two, where=[x.shape == y.shape, z.shape == w.shape])


@rule(
    tags=MOVE | {"transpose", "reshape"},
    origin="XLA: HandleTranspose, TransposeIsBitcast",
    flags=(),
    twin="transpose_with_unit_axis_as_reshape",
)
def transpose_as_reshape() -> Subst:
    """T[p](x)  =>  reshape[s](x), s the permuted shape, if p keeps the order of axes longer than 1

    Elements are stored in the order of these axes; where the others stand does not matter.
    """
    x = pat.Wildcard()
    moved = op.Transpose(x)

    def unit(i: attr.Term) -> attr.Term:
        return moved.shape[i] == 1

    def pair(i: attr.Term) -> attr.Term:
        def with_later(j: attr.Term) -> attr.Term:
            ordered = moved.axes[i] % x.ndim < moved.axes[j] % x.ndim
            return (j <= i) | ordered | unit(i) | unit(j)

        return attr.All(with_later, length=x.ndim)

    target = op.Reshape(x, shape=moved.shape)
    return Subst(moved, target, where=[attr.All(pair, length=x.ndim)])


@rule(
    tags=MOVE | {"reshape", "identity"},
    origin="XLA: HandleReshape, same shape",
    flags=(),
)
def reshape_to_own_shape() -> Subst:
    """reshape[s](x)  =>  x if s is the shape of x

    The order of the elements is kept, so that nothing moves.
    """
    x = pat.Wildcard()
    shaped = op.Reshape(x)
    return Subst(shaped, x, where=[shaped.shape == x.shape])


@rule(
    tags={"transpose", "softmax", "same-terms", "data-movement"},
    origin="Enzyme-JAX: transposes past operators with an axis",
    twin="softmax_of_transpose_same_axis",
    flags=(),
)
def softmax_of_transpose() -> Subst:
    """softmax[a](T[p](x))  =>  T[p](softmax[p[a]](x))

    Axis a of the transposed tensor is axis p[a] of x.
    """
    x = pat.Wildcard()
    moved = op.Transpose(x)
    powers = op.Softmax(moved)
    inside = op.Softmax(x, axis=moved.axes[powers.axis])
    return Subst(powers, op.Transpose(inside, axes=moved.axes))
