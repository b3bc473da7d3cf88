import itertools

import numpy as np
import pytest
from symbolic import check_symbolic
from three_way import Case, check, infer, reference, sample

from gsl.errors import OperatorError, ShapeError
from gsl.operators.convolution import Conv1D, Conv2D, transpose_layout
from gsl.types import FLOATING, INTEGER, NUMERIC, TensorType

LAYOUTS_1D = list(itertools.product(("NCW", "NWC"), ("OIW", "WIO")))
LAYOUTS_2D = list(itertools.product(("NCHW", "NHWC"), ("OIHW", "HWIO")))
PLAIN = {1: ("NCW", "OIW"), 2: ("NCHW", "OIHW")}
WINDOWS_1D = [
    {},
    {"strides": 2},
    {"padding": (1, 2)},
    {"dilation": 2, "padding": 1},
    {"strides": 3, "padding": (0, 1), "dilation": (2,)},
]
WINDOWS_2D = [
    {},
    {"strides": (2, 1)},
    {"padding": (0, 1, 2, 3)},
    {"dilation": (1, 2)},
    {"strides": (3, 2), "padding": (1, 0), "dilation": (2, 1)},
]


def case(operator, dtype, layouts, groups=1, **attributes):
    """Return a convolution of 4 channels to 6 with a 3 (x 2) kernel, in any layout."""
    rank = 1 if operator is Conv1D else 2
    plain = PLAIN[rank]
    data = sample(1, (2, 4, 6, 7)[: rank + 2], dtype)
    weight = sample(2, (6, 4 // groups, 3, 2)[: rank + 2], dtype)
    operands = (
        np.ascontiguousarray(transpose_layout(data, plain[0], layouts[0])),
        np.ascontiguousarray(transpose_layout(weight, plain[1], layouts[1])),
    )
    written = {"groups": groups, "data_layout": layouts[0], "kernel_layout": layouts[1]}
    return Case(operator, operands, written | attributes)


def cases(dtypes=("int64",)):
    for dtype, groups in itertools.product(dtypes, (1, 2)):
        for layouts, window in itertools.product(LAYOUTS_1D, WINDOWS_1D):
            yield case(Conv1D, dtype, layouts, groups, **window)
        for layouts, window in itertools.product(LAYOUTS_2D, WINDOWS_2D):
            yield case(Conv2D, dtype, layouts, groups, **window)


def by_definition(data, weight, strides, padding, dilation, groups):
    """Convolve in two dimensions, one element of the result after the other."""
    data = np.pad(data, [(0, 0), (0, 0), padding[::2], padding[1::2]])
    outputs, inputs, *kernel = weight.shape
    extents = [d * (k - 1) + 1 for d, k in zip(dilation, kernel, strict=True)]
    rows, columns = ((data.shape[2 + i] - extents[i]) // strides[i] + 1 for i in range(2))
    result = np.zeros((data.shape[0], outputs, rows, columns), data.dtype)
    for n, o, *place in np.ndindex(*result.shape):
        first = o // (outputs // groups) * inputs
        begins = [p * s for p, s in zip(place, strides, strict=True)]
        taps = [slice(b, b + e, d) for b, e, d in zip(begins, extents, dilation, strict=True)]
        patch = data[(n, slice(first, first + inputs), *taps)]
        result[(n, o, *place)] = np.sum(patch * weight[o])
    return result


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("window", WINDOWS_2D)
def test_the_reference_sums_over_the_window(window, groups):
    conv = case(Conv2D, "int64", PLAIN[2], groups, **window)
    names = ("strides", "padding", "dilation", "groups")
    expected = by_definition(*conv.operands, **{name: conv.canonical[name] for name in names})

    np.testing.assert_array_equal(reference(conv), expected)


def test_a_signal_is_an_image_of_height_1():
    for window in WINDOWS_1D:
        conv = case(Conv1D, "int64", PLAIN[1], **window)
        of = conv.canonical
        image = {
            "strides": (1, *of["strides"]),
            "padding": (0, of["padding"][0], 0, of["padding"][1]),
            "dilation": (1, *of["dilation"]),
        }
        operands = tuple(np.expand_dims(operand, 2) for operand in conv.operands)
        whole = reference(Case(Conv2D, operands, image))

        np.testing.assert_array_equal(reference(conv), whole[:, :, 0])


@pytest.mark.parametrize(("rank", "layouts"), [(1, LAYOUTS_1D), (2, LAYOUTS_2D)])
def test_layouts_only_permute_axes(rank, layouts):
    operator = {1: Conv1D, 2: Conv2D}[rank]
    plain = reference(case(operator, "int32", PLAIN[rank], 2, strides=2))
    for chosen in layouts:
        other = reference(case(operator, "int32", chosen, 2, strides=2))
        np.testing.assert_array_equal(transpose_layout(plain, PLAIN[rank][0], chosen[0]), other)


def test_the_shape_rule_agrees_with_the_reference_and_with_itself_on_terms():
    for conv in cases():
        reference(conv)
        check_symbolic(conv)


@pytest.mark.parametrize("dtype", NUMERIC)
def test_the_result_has_the_dtype_asked_for(dtype):
    for out_dtype in FLOATING if dtype in FLOATING else INTEGER:
        reference(case(Conv2D, dtype, PLAIN[2], out_dtype=out_dtype))


def test_small_integers_wrap_unless_a_wider_dtype_is_asked_for():
    data, weight = np.full((1, 1, 1), 100, "int8"), np.full((1, 1, 1), 2, "int8")

    assert reference(Case(Conv1D, (data, weight), {})).item() == -56
    assert reference(Case(Conv1D, (data, weight), {"out_dtype": "int32"})).item() == 200


ILLEGAL = [
    ((2, 4, 6), (6, 4, 3, 3), {}, "`data` must have rank 4"),
    ((2, 4, 6, 6), (6, 4, 3), {}, "`weight` must have rank 4"),
    ((2, 4, 6, 6), (6, 3, 3, 3), {}, "channels of data"),
    ((2, 4, 6, 6), (6, 4, 3, 3), {"groups": 2}, "channels of data"),
    ((2, 4, 6, 6), (5, 2, 3, 3), {"groups": 2}, "groups must divide"),
    ((2, 4, 6, 6), (6, 4, 7, 3), {}, "window must fit"),
    ((2, 4, 6, 6), (6, 4, 3, 3), {"dilation": (3, 1)}, "window must fit"),
    ((2, 4, 6, 6), (6, 4, 0, 3), {}, "must not be empty"),
    ((2, 4, 6, 6), (6, 4, 3, 3), {"strides": 0}, "`strides` of Conv2D must be legal"),
    ((2, 4, 6, 6), (6, 4, 3, 3), {"padding": -1}, "`padding` of Conv2D must be legal"),
    ((2, 4, 6, 6), (6, 4, 3, 3), {"dilation": 0}, "`dilation` of Conv2D must be legal"),
    ((2, 4, 6, 6), (6, 4, 3, 3), {"groups": 0}, "`groups` of Conv2D must be legal"),
    ((2, 4, 6, 6), (6, 4, 3, 3), {"out_dtype": "int32"}, "out_dtype must be"),
    ((2, 4, 6, 6), (6, 4, 3, 3), {"out_dtype": "bool"}, "out_dtype must be"),
]


@pytest.mark.parametrize(("data", "weight", "attributes", "reason"), ILLEGAL)
def test_violated_preconditions_are_named(data, weight, attributes, reason):
    operands = TensorType(data, "float32"), TensorType(weight, "float32")
    with pytest.raises(ShapeError, match=reason):
        infer(Conv2D, *operands, **attributes)


@pytest.mark.parametrize(("operator", "layout"), [(Conv1D, "NCHW"), (Conv2D, "CNHW")])
def test_an_unknown_layout_is_refused(operator, layout):
    rank = 3 if operator is Conv1D else 4
    data = TensorType((1,) * rank, "float32")
    with pytest.raises(OperatorError, match="data_layout"):
        infer(operator, data, data, data_layout=layout)


@pytest.mark.tvm
def test_tvm_agrees_for_all_windows_and_layouts():
    check(list(cases(("float64",))))


@pytest.mark.tvm
@pytest.mark.parametrize("dtype", NUMERIC)
def test_tvm_agrees_for_all_dtypes(dtype):
    same_class = FLOATING if dtype in FLOATING else INTEGER
    check(
        [
            case(operator, dtype, PLAIN[rank], 2, out_dtype=out_dtype, padding=1)
            for rank, operator in ((1, Conv1D), (2, Conv2D))
            for out_dtype in (None, *same_class)
        ]
    )
