"""Padding between the elements, which XLA has an attribute for.

Relax pads around a tensor only. A new axis that is padded behind every element, and reshaped away,
does the same, with the padding also behind the last element.
"""

from gsl import Subst, attr, op, pat, rule
from gsl.pat import Call, Pattern

SPREAD = {"data-movement", "padding", "reshape", "bit-exact"}


def padded_behind(x: Pattern) -> Call:
    """Return elements of a vector as rows of a matrix, each with padding behind it."""
    return op.Pad(op.ExpandDims(x, axis=(1,)))


@rule(
    tags=SPREAD | {"slice"},
    origin="TensorRight: xla/slice, rule 04, for padding between elements",
    nan="same",
    twin="slice_of_spread_too_wide",
)
def slice_of_spread() -> Subst:
    """reshape[n * (k + 1)](pad{k behind each element}(x))[0:e:k + 1]  =>  x for vectors of size n

    Every step of k + 1 leads to the next element of x, and e is behind the last one.
    """
    x = pat.Wildcard()
    rows = padded_behind(x)
    part = op.StridedSlice(op.Reshape(rows))
    step = part.strides[0] == rows.shape[1]
    only_behind = [rows.pad_width[i] == 0 for i in range(3)]
    start = [part.ndim == 1, part.begin[0] == 0, part.shape[0] == x.shape[0]]
    return Subst(part, x, where=[x.ndim == 1, *only_behind, *start, step])


@rule(
    tags=SPREAD | {"slice", "create"},
    origin="TensorRight: xla/slice, rule 05, for padding between elements",
    nan="same",
    twin="slice_beside_spread_from_front",
)
def slice_beside_spread() -> Subst:
    """reshape[n * (k + 1)](pad{k, v behind each element}(x))[b:e:k + 1]  =>  full(v), 1 <= b <= k

    Every step of k + 1 leads from padding to padding.
    """
    x = pat.Wildcard()
    rows = padded_behind(x)
    part = op.StridedSlice(op.Reshape(rows))
    step, begin = part.strides[0] == rows.shape[1], part.begin[0]
    only_behind = [rows.pad_width[i] == 0 for i in range(3)]
    start = [part.ndim == 1, begin >= 1, begin <= rows.pad_width[3]]
    target = op.Full(shape=part.shape, fill_value=rows.pad_value, dtype=x.dtype)
    return Subst(part, target, where=[x.ndim == 1, *only_behind, *start, step])


@rule(
    tags=SPREAD | {"slice", "identity"},
    origin="TensorRight: xla/pad, rule 02",
    flags=(),
)
def spread_of_one() -> Subst:
    """reshape[k + 1](pad{k behind each element}(x))[0:1:s]  =>  x for vectors of size 1

    There is nothing between the elements of a vector that has only one.
    """
    x = pat.Wildcard()
    rows = padded_behind(x)
    part = op.StridedSlice(op.Reshape(rows))
    only_behind = [rows.pad_width[i] == 0 for i in range(3)]
    first = [part.ndim == 1, part.begin[0] == 0, part.shape[0] == 1]
    return Subst(part, x, where=[x.ndim == 1, x.shape[0] == 1, *only_behind, *first])


@rule(
    tags={"conv", "padding", "reshape", "slice", "same-terms"},
    origin="TensorRight: xla/conv, rule 00, for padding between the taps of a kernel; "
    "PET: DilatedConv",
    twin="conv1d_of_spread_kernel_undilated",
    flags={"nnan"},
)
def conv1d_of_spread_kernel() -> Subst:
    """conv1d{A}(x, w with d - 1 zeros between its taps)  =>  conv1d{A, dilation d}(x, w)

    A dilated kernel leaves out what a kernel with zeros multiplies by them.
    """
    x, w = pat.Wildcard(), pat.Variable()
    rows = op.Pad(op.ExpandDims(w, axis=(3,)), pad_value=0.0)
    last = rows.pad_width[7]
    taps, apart = w.shape[2], last + 1
    flat = op.Reshape(rows, shape=(w.shape[0], w.shape[1], taps * apart))
    ends = (w.shape[0], w.shape[1], (taps - 1) * apart + 1)
    spread = op.StridedSlice(flat, begin=(0, 0, 0), end=ends, strides=(1, 1, 1))
    source = op.Conv1D(x, spread, dilation=(1,), kernel_layout="OIW")
    kept = pat.same_attr(source, ("strides", "padding", "groups", "data_layout", "out_dtype"))
    target = op.Conv1D(x, w, dilation=(apart,), kernel_layout="OIW", **kept)
    around = attr.All(lambda i: rows.pad_width[i] == 0, length=7)
    return Subst(source, target, where=[w.ndim == 3, around])


@rule(
    tags={"conv", "transposed", "padding", "slice", "lowering", "same-terms"},
    origin="torch-mlir: transposed convolutions, padding larger than the kernel",
    twin="transposed_conv_of_cropped",
    flags=(),
)
def crop_of_transposed_conv() -> Subst:
    """conv1d_transpose{A, p}(x, w)  =>  conv1d_transpose{A, 0}(x, w)[:, :, p_0:L - p_1]

    Padding of a transposed convolution is what is missing of its result, of size L without it:
    strides have spread the data before. Without padding, this would be the rule's own result.
    """
    x, w = pat.Wildcard(), pat.Variable()
    conv = op.Conv1DTranspose(x, w, data_layout="NCW")
    whole = op.Conv1DTranspose(x, w, **{**pat.same_attr(conv), "padding": (0, 0)})
    before, after = conv.padding[0], conv.padding[1]
    ends = (conv.shape[0], conv.shape[1], before + conv.shape[2])
    target = op.StridedSlice(whole, begin=(0, 0, before), end=ends, strides=(1, 1, 1))
    return Subst(conv, target, where=[before + after >= 1])
