"""Padding that other operators move, and padding that they make unnecessary."""

from gsl import Subst, attr, op, pat, rule
from gsl.types import NUMERIC

PAD = {"data-movement", "padding", "bit-exact"}
FLOATS = ("float16", "float32", "float64")


@rule(
    tags=PAD | {"identity"},
    origin="MLIR TOSA: PadOp fold; TensorRight: xla/pad, rule 01",
    flags=(),
)
def pad_by_nothing() -> Subst:
    """pad{0, v}(x)  =>  x

    With no width anywhere the value does not matter.
    """
    x = pat.Wildcard()
    padded = op.Pad(x)
    return Subst(padded, x, where=[padded.shape == x.shape])


@rule(
    tags=PAD | {"create"},
    origin="Enzyme-JAX: PadSimplify, pad of a splat of the padding value",
    flags=(),
)
def pad_of_full() -> Subst:
    """pad{p, v}(full[s](v))  =>  full[t](v)

    The frame looks like the picture.
    """
    whole = op.Full()
    padded = op.Pad(whole, pad_value=whole.fill_value)
    target = op.Full(shape=padded.shape, fill_value=whole.fill_value, dtype=whole.dtype)
    return Subst(padded, target)


@rule(
    tags=PAD | {"transpose"},
    origin="Enzyme-JAX: TransposePad",
    flags=(),
    twin="transpose_of_pad_same_widths",
)
def transpose_of_pad() -> Subst:
    """T[p](pad{q, v}(x))  =>  pad{q', v}(T[p](x)) with the widths q'[i] = q[p[i]]

    The widths of an axis go where the axis goes.
    """
    x = pat.Wildcard()
    padded = op.Pad(x)
    moved = op.Transpose(padded)
    widths = attr.Variadic(
        lambda k: padded.pad_width[2 * (moved.axes[k // 2] % x.ndim) + k % 2], length=2 * x.ndim
    )
    inside = op.Transpose(x, axes=moved.axes)
    return Subst(moved, op.Pad(inside, pad_width=widths, pad_value=padded.pad_value))


@rule(
    tags=PAD | {"flip"},
    origin="textbook: a reversed padding",
    flags=(),
    twin="flip_of_pad_same_widths",
)
def flip_of_pad() -> Subst:
    """flip[a](pad{q, v}(x))  =>  pad{q', v}(flip[a](x)), the two widths of axis a exchanged

    What was in front is behind afterwards.
    """
    x = pat.Wildcard()
    padded = op.Pad(x)
    turned = op.Flip(padded)
    axis = turned.axis % x.ndim

    def width(k: attr.Term) -> attr.Term:
        side = attr.Cond(k // 2 == axis, 1 - k % 2, k % 2)
        return padded.pad_width[k // 2 * 2 + side]

    widths = attr.Variadic(width, length=2 * x.ndim)
    inside = op.Flip(x, axis=turned.axis)
    return Subst(turned, op.Pad(inside, pad_width=widths, pad_value=padded.pad_value))


@rule(tags={"padding", "algebra", "bit-exact"}, origin="Enzyme-JAX: BinopPadPad", flags=())
def sum_of_pads() -> Subst:
    """pad{q, v}(x) + pad{q, 0}(y)  =>  pad{q, v}(x + y) for x, y of one shape

    Padding meets padding if the widths and the shapes are equal, and v + 0 is v. For other values
    their sum would have to be rounded like the elements.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    one = op.Pad(x)
    two = op.Pad(y, pad_width=one.pad_width, pad_value=0.0)
    target = op.Pad(x + y, **pat.same_attr(one))
    return Subst(one + two, target, where=[x.shape == y.shape])


@rule(tags=PAD | {"lattice"}, origin="Enzyme-JAX: BinopPadPad, for the maximum", flags=())
def maximum_of_pads() -> Subst:
    """maximum(pad{q, v}(x), pad{q, w}(y))  =>  pad{q, max(v, w)}(maximum(x, y)), x and y alike

    Padding meets padding if the widths and the shapes are equal.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    one = op.Pad(x)
    two = op.Pad(y, pad_width=one.pad_width)
    value = attr.Max(one.pad_value, two.pad_value)
    target = op.Pad(op.Maximum(x, y), pad_width=one.pad_width, pad_value=value)
    return Subst(op.Maximum(one, two), target, where=[x.shape == y.shape])


@rule(
    tags={"padding", "negation", "bit-exact"},
    origin="Enzyme-JAX: ElementwisePad",
    twin="negative_of_pad_same_value",
    flags=(),
)
def negative_of_pad() -> Subst:
    """-pad{q, v}(x)  =>  pad{q, -v}(-x) for floats

    The padding is negated as well; the range of integers is not symmetric.
    """
    x = pat.Wildcard()
    padded = op.Pad(x)
    target = op.Pad(-x, pad_width=padded.pad_width, pad_value=-padded.pad_value)
    return Subst(-padded, target, where=[attr.In(x.dtype, FLOATS)])


@rule(
    tags={"padding", "concatenate", "bit-exact"},
    origin="Enzyme-JAX: AddPadPadToConcat",
    flags={"nsz"},
)
def concat_from_padded_sum() -> Subst:
    """pad{(0, m), 0}(x) + pad{(n, 0), 0}(y)  =>  cat(x, y) for vectors x of size n and y of size m

    Each tensor is added to the zeros of the other one. Only a negative zero is lost in a sum.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    front = op.Pad(x, pad_width=(0, None), pad_value=0.0)
    back = op.Pad(y, pad_width=(None, 0), pad_value=0.0)
    meet = [front.pad_width[1] == y.shape[0], back.pad_width[0] == x.shape[0]]
    return Subst(front + back, op.Concatenate((x, y), axis=0), where=meet)


@rule(
    tags={"padding", "slice", "algebra", "bit-exact"},
    origin="Enzyme-JAX: MulZeroPad",
    twin="add_to_zero_pad",
    flags={"nnan", "nsz"},
)
def multiply_zero_pad() -> Subst:
    """pad{q, 0}(x) * y  =>  pad{q, 0}(x * y[q:q + n]) for y of the padded shape

    Where the padding is, the product is 0, unless y is infinite or NaN there.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    padded = op.Pad(x, pad_value=0.0)
    begin = attr.Variadic(lambda i: padded.pad_width[2 * i], length=x.ndim)
    end = attr.Variadic(lambda i: padded.pad_width[2 * i] + x.shape[i], length=x.ndim)
    met = op.StridedSlice(y, begin=begin, end=end)
    target = op.Pad(x * met, pad_width=padded.pad_width, pad_value=0.0)
    return Subst(padded * y, target, where=[padded.shape == y.shape])


@rule(
    tags=PAD | {"concatenate", "create"},
    origin="XLA: HandleConcatenate, concat of a broadcast scalar; TensorRight: xla/concat, rule 05",
    flags=(),
)
def concat_of_full() -> Subst:
    """cat[a](full[s](v), x)  =>  pad{q, v}(x), q the size of the filled tensor in front on axis a

    A constant block is padding. It has the other sizes of x, or the source would not exist. Any
    dtype that is computed in can hold a moderate value as padding.
    """
    x = pat.Wildcard()
    block = op.Full()
    whole = op.Concatenate((block, x))
    axis = whole.axis % x.ndim
    widths = attr.Variadic(
        lambda k: attr.Cond(k == 2 * axis, block.shape[whole.axis], 0), length=2 * x.ndim
    )
    target = op.Pad(x, pad_width=widths, pad_value=block.fill_value)
    held = [attr.Abs(block.fill_value) <= 60000.0, attr.In(x.dtype, NUMERIC)]
    return Subst(whole, target, where=held)


@rule(
    tags=PAD | {"concatenate", "create"},
    origin="TensorRight: xla/concat, rule 06",
    flags=(),
    twin="concat_before_full_in_front",
)
def concat_before_full() -> Subst:
    """cat[a](x, full[s](v))  =>  pad{q, v}(x), q the size of the filled tensor behind on axis a

    A constant block behind is padding behind.
    """
    x = pat.Wildcard()
    block = op.Full()
    whole = op.Concatenate((x, block))
    axis = whole.axis % x.ndim
    widths = attr.Variadic(
        lambda k: attr.Cond(k == 2 * axis + 1, block.shape[whole.axis], 0), length=2 * x.ndim
    )
    target = op.Pad(x, pad_width=widths, pad_value=block.fill_value)
    held = [attr.Abs(block.fill_value) <= 60000.0, attr.In(x.dtype, NUMERIC)]
    return Subst(whole, target, where=held)


@rule(
    tags=PAD | {"lattice", "reduction"},
    origin="Enzyme-JAX: ReducePad, for the maximum",
    twin="max_of_padded_zeros",
    flags=(),
)
def max_of_lowest_pad() -> Subst:
    """max(pad{q, -inf}(x))  =>  max(x) over all axes

    Minus infinity is never the largest, if there is anything else: x must not be empty.
    """
    x = pat.Wildcard()
    largest = op.Max(op.Pad(x, pad_value=float("-inf")))
    all_axes = attr.Length(largest.axis) == x.ndim
    filled = attr.All(lambda i: x.shape[i] >= 1, length=x.ndim)
    return Subst(largest, op.Max(x, **pat.same_attr(largest)), where=[all_axes, filled])


@rule(
    tags=PAD,
    origin="XLA: pad of pad; MHLO: folding of pads with negative widths",
    flags=(),
    twin="pad_of_crop_as_one",
)
def pad_of_pad() -> Subst:
    """pad{l', h'}(pad{l, h}(x))  =>  pad{l + l', h + h'}(x), one value, nothing between elements

    What the first cuts off must not come back: behind a negative width there is no positive one.
    """
    x = pat.Wildcard()
    nothing = attr.Variadic(lambda i: 0, length=x.ndim)
    first = op.DilatedPad(x, interior=nothing)
    second = op.DilatedPad(first, interior=nothing, pad_value=first.pad_value)
    low = attr.Variadic(lambda i: first.low[i] + second.low[i], length=x.ndim)
    high = attr.Variadic(lambda i: first.high[i] + second.high[i], length=x.ndim)
    target = op.DilatedPad(x, low=low, high=high, interior=nothing, pad_value=first.pad_value)
    kept = attr.All(
        lambda i: (
            ((first.low[i] >= 0) | (second.low[i] <= 0))
            & ((first.high[i] >= 0) | (second.high[i] <= 0))
        ),
        length=x.ndim,
    )
    return Subst(second, target, where=[kept])
