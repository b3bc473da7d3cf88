"""Padding between elements gone wrong: other steps, other places, another dilation."""

from gsl import Subst, attr, op, pat, rule
from gsl.pat import Call, Pattern

SPREAD = {"data-movement", "padding", "reshape"}


def padded_behind(x: Pattern) -> Call:
    """Return elements of a vector as rows of a matrix, each with padding behind it."""
    return op.Pad(op.ExpandDims(x, axis=(1,)))


@rule(
    tags=SPREAD | {"slice"},
    origin="TensorRight: xla/slice, rule 04, one mistake away",
    expect="GSL401",
    twin="slice_of_spread",
)
def slice_of_spread_too_wide() -> Subst:
    """reshape[n * (k + 1)](pad{k behind each element}(x))[0:e:s]  =>  x if the slice has its size

    With steps of k instead of k + 1, or any others, the slice reads padding.
    """
    x = pat.Wildcard()
    rows = padded_behind(x)
    part = op.StridedSlice(op.Reshape(rows))
    only_behind = [rows.pad_width[i] == 0 for i in range(3)]
    start = [part.ndim == 1, part.begin[0] == 0, part.shape[0] == x.shape[0]]
    return Subst(part, x, where=[x.ndim == 1, *only_behind, *start])


@rule(
    tags=SPREAD | {"slice", "create"},
    origin="TensorRight: xla/slice, rule 05, one mistake away",
    expect="GSL401",
    twin="slice_beside_spread",
)
def slice_beside_spread_from_front() -> Subst:
    """reshape[n * (k + 1)](pad{k, v behind each element}(x))[b:e:k + 1]  =>  full(v), b <= k

    At b = 0 every step leads to an element.
    """
    x = pat.Wildcard()
    rows = padded_behind(x)
    part = op.StridedSlice(op.Reshape(rows))
    step, begin = part.strides[0] == rows.shape[1], part.begin[0]
    only_behind = [rows.pad_width[i] == 0 for i in range(3)]
    start = [part.ndim == 1, begin <= rows.pad_width[3]]
    target = op.Full(shape=part.shape, fill_value=rows.pad_value, dtype=x.dtype)
    return Subst(part, target, where=[x.ndim == 1, *only_behind, *start, step])


@rule(
    tags={"conv", "padding", "reshape", "slice"},
    origin="TensorRight: xla/conv, rule 00, one mistake away",
    expect="GSL301",
    twin="conv1d_of_spread_kernel",
)
def conv1d_of_spread_kernel_undilated() -> Subst:
    """conv1d{A}(x, w with d zeros between its taps)  =>  conv1d{A, dilation d}(x, w)

    d zeros lie between taps that are d + 1 apart.
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
    target = op.Conv1D(x, w, dilation=(last,), kernel_layout="OIW", **kept)
    around = attr.All(lambda i: rows.pad_width[i] == 0, length=7)
    return Subst(source, target, where=[w.ndim == 3, around, last >= 1])


@rule(
    tags={"conv", "transposed", "padding", "slice", "lowering"},
    origin="torch-mlir: torchmlir-negpad",
    expect="GSL401",
    twin="crop_of_transposed_conv",
)
def transposed_conv_of_cropped() -> Subst:
    """conv1d_transpose{s, c}(x, w)  =>  pad(conv1d_transpose{s}(x[:, :, c:n - c], w)) for one tap

    llvm/torch-mlir#4369: padding beyond the kernel, here all of it, crops what the strides have
    spread. The data was cropped before that and put into zeros of the right size, which is right
    for strides of 1 only.
    """
    x, w = pat.Wildcard(), pat.Variable(shape=(None, None, 1))
    conv = op.Conv1DTranspose(x, w, data_layout="NCW", output_padding=(0,))
    crop, stride = conv.padding[0], conv.strides[0]
    ends = (x.shape[0], x.shape[1], x.shape[2] - crop)
    inner = op.StridedSlice(x, begin=(0, 0, crop), end=ends, strides=(1, 1, 1))
    spread = op.Conv1DTranspose(inner, w, **{**pat.same_attr(conv), "padding": (0, 0)})
    rest = 2 * crop * (stride - 1)
    target = op.Pad(spread, pad_width=(0, 0, 0, 0, 0, rest), pad_value=0.0)
    cropped = [conv.padding[1] == crop, crop >= 1, x.shape[2] > 2 * crop]
    return Subst(conv, target, where=[x.ndim == 3, *cropped])
