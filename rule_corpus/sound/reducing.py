"""Reductions of reductions, of other arrangements of the same elements, and along one element."""

from gsl import Subst, attr, op, pat, rule

FLOATS = ("float16", "float32", "float64")


def both_axes(inner: pat.Call, outer: pat.Call, x: pat.Pattern) -> attr.Term:
    """Return the axes of x that two reductions along one axis each, one after the other, remove."""
    return inner.axis + attr.renumbered(outer.axis, attr.axes_left(inner.axis, x.ndim))


@rule(
    tags={"reduction", "lattice", "bit-exact", "fusion"},
    origin="XLA: HandleReduce, reduce of reduce with maximum",
    flags={"nsz"},
)
def max_of_max() -> Subst:
    """max[b](max[a](x))  =>  max[(a, b')](x) with b' = b, or b + 1 from a onwards

    The largest of the largest. When axis a has disappeared, those behind it count one less.
    """
    x = pat.Wildcard()
    inner = op.Max(x, axis=(None,), keepdims=False)
    outer = op.Max(inner, axis=(None,), keepdims=False)
    return Subst(outer, op.Max(x, axis=both_axes(inner, outer, x)))


@rule(
    tags={"reduction", "lattice", "bit-exact", "fusion"},
    origin="XLA: HandleReduce, reduce of reduce with minimum",
    flags={"nsz"},
)
def min_of_min() -> Subst:
    """min[b](min[a](x))  =>  min[(a, b')](x) with b' = b, or b + 1 from a onwards

    As for the maximum.
    """
    x = pat.Wildcard()
    inner = op.Min(x, axis=(None,), keepdims=False)
    outer = op.Min(inner, axis=(None,), keepdims=False)
    return Subst(outer, op.Min(x, axis=both_axes(inner, outer, x)))


@rule(
    tags={"reduction", "same-terms", "fusion"},
    origin="XLA: HandleReduce, reduce of reduce with multiplication",
    flags={"reassoc"},
)
def product_of_products() -> Subst:
    """prod[b](prod[a](x))  =>  prod[(a, b')](x) with b' = b, or b + 1 from a onwards

    Factors in any order, also of integers that wrap.
    """
    x = pat.Wildcard()
    inner = op.Prod(x, axis=(None,), keepdims=False)
    outer = op.Prod(inner, axis=(None,), keepdims=False)
    return Subst(outer, op.Prod(x, axis=both_axes(inner, outer, x)))


@rule(
    tags={"reduction", "concatenate", "lattice", "bit-exact", "algebraic-distrib"},
    origin="Enzyme-JAX: ReduceConcat, for the maximum",
    flags={"nsz"},
)
def max_of_concat() -> Subst:
    """max[a](cat[a](x, y))  =>  maximum(max[a](x), max[a](y)) if neither is empty along a

    Nothing has no maximum, while the concatenation with it may have one.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    whole = op.Concatenate((x, y))
    largest = op.Max(whole, axis=(None,))
    one, two = (op.Max(part, **pat.same_attr(largest)) for part in (x, y))
    same = largest.axis[0] % whole.ndim == whole.axis % whole.ndim
    filled = [x.shape[whole.axis] >= 1, y.shape[whole.axis] >= 1]
    return Subst(largest, op.Maximum(one, two), where=[same, *filled])


@rule(
    tags={"reduction", "concatenate", "same-terms", "algebraic-distrib"},
    origin="Enzyme-JAX: ReduceConcat, for the product",
    flags={"ninf", "reassoc"},
)
def product_of_concat() -> Subst:
    """prod[a](cat[a](x, y))  =>  prod[a](x) * prod[a](y)

    A product in two parts; the empty one is 1.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    whole = op.Concatenate((x, y))
    total = op.Prod(whole, axis=(None,))
    one, two = (op.Prod(part, **pat.same_attr(total)) for part in (x, y))
    same = total.axis[0] % whole.ndim == whole.axis % whole.ndim
    return Subst(total, one * two, where=[same])


@rule(
    tags={"reduction", "flip", "same-terms", "identity-elim"},
    origin="XLA: HandleReduce, reduce of reverse",
    twin="sum_of_flip_other_axis",
    flags=(),
)
def sum_of_flip() -> Subst:
    """sum[a](flip[a](x))  =>  sum[a](x)

    Summands in another order. Both axes have to be the same one.
    """
    x = pat.Wildcard()
    turned = op.Flip(x)
    total = op.Sum(turned, axis=(None,))
    same = total.axis[0] % x.ndim == turned.axis % x.ndim
    return Subst(total, op.Sum(x, **pat.same_attr(total)), where=[same])


@rule(
    tags={"reduction", "flip", "lattice", "bit-exact", "identity-elim"},
    origin="XLA: HandleReduce, reduce of reverse with maximum",
    twin="max_of_flip_keeps_zeros",
    flags={"nsz"},
)
def max_of_flip() -> Subst:
    """max[a](flip[a](x))  =>  max[a](x)

    The largest element is the same from whichever end they are read; its place is not. Of a
    positive and a negative zero either may be taken for the largest.
    """
    x = pat.Wildcard()
    turned = op.Flip(x)
    largest = op.Max(turned, axis=(None,))
    same = largest.axis[0] % x.ndim == turned.axis % x.ndim
    return Subst(largest, op.Max(x, **pat.same_attr(largest)), where=[same])


@rule(
    tags={"reduction", "reshape", "same-terms", "identity-elim"},
    origin="XLA: HandleReduce, reduce of reshape",
    flags=(),
)
def sum_of_reshape() -> Subst:
    """sum(reshape[s](x))  =>  sum(x) over all axes

    All elements are added, however they are arranged.
    """
    x = pat.Wildcard()
    shaped = op.Reshape(x)
    total = op.Sum(shaped, keepdims=False)
    every = attr.Variadic(lambda i: i, length=x.ndim)
    target = op.Sum(x, axis=every)
    return Subst(total, target, where=[attr.Length(total.axis) == shaped.ndim])


@rule(
    tags={"reduction", "squeeze", "bit-exact", "identity-elim"},
    origin="XLA: HandleReduce, reduce of dimensions of size 1; TensorRight: xla/reduce, rule 07",
    flags={"nsz"},
)
def sum_of_unit_axis() -> Subst:
    """sum[a](x)  =>  squeeze[a](x) if x has size 1 along a

    A sum of one summand. The squeeze keeps a negative zero, which a sum may turn positive.
    """
    x = pat.Wildcard()
    total = op.Sum(x, axis=(None,), keepdims=False)
    alone = x.shape[total.axis[0]] == 1
    return Subst(total, op.Squeeze(x, axis=total.axis), where=[alone])


@rule(
    tags={"reduction", "identity", "lattice", "bit-exact", "identity-elim"},
    origin="XLA: HandleReduce, reduce of dimensions of size 1 with maximum",
    flags=(),
)
def max_of_unit_axis() -> Subst:
    """max[a, keep](x)  =>  x if x has size 1 along a

    The only element is the largest one.
    """
    x = pat.Wildcard()
    largest = op.Max(x, axis=(None,), keepdims=True)
    return Subst(largest, x, where=[x.shape[largest.axis[0]] == 1])


@rule(
    tags={"reduction", "negation", "same-terms", "algebraic-distrib"},
    origin="textbook: a negated sum",
    flags={"nsz"},
)
def sum_of_negative() -> Subst:
    """sum(-x)  =>  -sum(x)

    A common factor -1, also of integers that wrap.
    """
    x = pat.Wildcard()
    total = op.Sum(-x)
    return Subst(total, -op.Sum(x, **pat.same_attr(total)))


@rule(
    tags={"reduction", "negation", "lattice", "bit-exact", "algebraic-distrib"},
    origin="textbook: duality of maximum and minimum",
    twin="max_of_negative_any_dtype",
    flags=(),
)
def max_of_negative() -> Subst:
    """max(-x)  =>  -min(x) for floats

    Negation turns the order around. The smallest integer would stay the smallest.
    """
    x = pat.Wildcard()
    largest = op.Max(-x)
    target = -op.Min(x, **pat.same_attr(largest))
    return Subst(largest, target, where=[attr.In(x.dtype, FLOATS)])


@rule(
    tags={"reduction", "argument", "create", "bit-exact", "const-fold"},
    origin="MLIR TOSA: ArgMaxOp fold",
    flags=(),
)
def argmax_of_unit_axis() -> Subst:
    """argmax[a](x)  =>  zeros if x has size 1 along a

    The only place there is, in the dtype in which places are counted. (TVM says -1 where the only
    element is the least of its dtype, of which the verifier warns.)
    """
    x = pat.Wildcard()
    place = op.Argmax(x)
    target = op.Zeros(shape=place.shape, dtype=place.dtype)
    return Subst(place, target, where=[x.shape[place.axis] == 1])


@rule(
    tags={"reduction", "relu", "lattice", "bit-exact", "algebraic-distrib"},
    origin="textbook: monotone functions keep the maximum",
    twin="sum_of_relu",
    flags=(),
)
def max_of_relu() -> Subst:
    """max(relu(x))  =>  relu(max(x))

    A function that never decreases keeps the largest element the largest.
    """
    x = pat.Wildcard()
    largest = op.Max(op.Relu(x))
    return Subst(largest, op.Relu(op.Max(x, **pat.same_attr(largest))))


@rule(
    tags={"pool", "identity", "bit-exact", "identity-elim"},
    origin="MLIR TOSA: MaxPool2dIsNoOp",
    twin="max_pool_of_one_any_stride",
    flags=(),
)
def max_pool_of_one() -> Subst:
    """max_pool2d{1x1, strides 1, no padding}(x)  =>  x

    Each window is one element. At larger strides some would be left out.
    """
    x = pat.Wildcard()
    pool = op.MaxPool2D(x, pool_size=(1, 1), strides=(1, 1), padding=(0, 0, 0, 0))
    return Subst(pool, x)


@rule(
    tags={"pool", "identity", "bit-exact", "identity-elim"},
    origin="MLIR TOSA: AvgPool2dIsNoOp",
    flags={"nsz"},
)
def avg_pool_of_one() -> Subst:
    """avg_pool2d{1x1, strides 1, no padding}(x)  =>  x

    The mean of one element.
    """
    x = pat.Wildcard()
    pool = op.AvgPool2D(x, pool_size=(1, 1), strides=(1, 1), padding=(0, 0, 0, 0))
    return Subst(pool, x)


@rule(
    tags={"reduction", "argument", "exponential", "cast", "bit-exact", "strength-reduction"},
    origin="onnxoptimizer: eliminate_nop_monotone_argmax.h, with its condition",
    twin="argmax_of_exponential_any_dtype",
    flags=(),
)
def argmax_of_exponential_of_bytes() -> Subst:
    """argmax[a](exp(cast[float64](x)))  =>  argmax[a](x) for x of int8 or uint8

    In float64, exponentials of -128 up to 255 are finite, not 0 and all unlike, so that the order
    and the ties stay. (TVM says -1 where all elements are the least of their dtype.)
    """
    x = pat.Wildcard()
    place = op.Argmax(op.Exp(op.Cast(x, dtype="float64")))
    target = op.Argmax(x, **pat.same_attr(place))
    return Subst(place, target, where=[attr.In(x.dtype, ("int8", "uint8"))])


@rule(
    tags={"reduction", "argument", "logarithm", "exact-real", "strength-reduction"},
    origin="onnxoptimizer: eliminate_nop_monotone_argmax.h, with its condition",
    twin="argmax_of_logarithm_any_sign",
    flags={"ninf", "afn"},
)
def argmax_of_logarithm_of_size() -> Subst:
    """argmax[a](log(abs(x)) or sqrt(abs(x)))  =>  argmax[a](abs(x))

    Both functions increase from 0 on, where nothing becomes NaN but NaN. Numbers that round to one
    logarithm are a tie in the source only. (TVM says -1 where every logarithm is that of 0.)
    """
    x = pat.Wildcard()
    size = op.Abs(x)
    place = op.Argmax(pat.Alt(op.Log(size), op.Sqrt(size)))
    return Subst(place, op.Argmax(size, **pat.same_attr(place)))
