import itertools

import numpy as np
import pytest
from symbolic import check_symbolic
from three_way import Case, check, infer, reference, sample

from gsl.errors import ShapeError
from gsl.operators.convolution import Conv1D, Conv2D, Conv3D
from gsl.operators.convolution_transpose import Conv1DTranspose, Conv2DTranspose, Conv3DTranspose
from gsl.types import FLOATING, INTEGER, NUMERIC, TensorType

WINDOWS_1D = [
    {},
    {"strides": 2},
    {"strides": 3, "output_padding": 2},
    {"padding": (1, 2)},
    {"padding": (3, 3)},
    {"dilation": 3},
    {"strides": 2, "padding": (0, 2), "dilation": 2, "output_padding": 1},
]
WINDOWS_2D = [
    {},
    {"strides": (2, 3)},
    {"strides": (2, 3), "output_padding": (0, 2)},
    {"padding": (0, 1, 2, 3)},
    {"dilation": (2, 1)},
    {"strides": (3, 2), "padding": (1, 0), "dilation": (2, 3), "output_padding": (2, 1)},
]
WINDOWS_3D = [
    {},
    {"strides": (2, 1, 3), "output_padding": (1, 0, 2)},
    {"padding": (0, 1, 1, 2, 0, 1), "dilation": (1, 2, 1)},
]
FORWARD = {Conv1DTranspose: Conv1D, Conv2DTranspose: Conv2D, Conv3DTranspose: Conv3D}


def case(operator, dtype="int64", groups=1, layout=None, **attributes):
    """Return a transposed convolution of 4 channels to 6 with a 3 (x 2 (x 2)) kernel."""
    rank = 1 + [*FORWARD].index(operator)
    weight = sample(2, (4, 6 // groups, 3, 2, 2)[: rank + 2], dtype)
    data = sample(1, (2, 4, 5, 7, 3)[: rank + 2], dtype)
    written = {"groups": groups} | attributes
    if layout is not None:
        data = np.ascontiguousarray(np.moveaxis(data, 1, -1))
        written["data_layout"] = layout
    return Case(operator, (data, weight), written)


def cases(dtype="int64"):
    for groups, last in itertools.product((1, 2), (False, True)):
        for window in WINDOWS_1D:
            yield case(Conv1DTranspose, dtype, groups, "NWC" if last else None, **window)
        for window in WINDOWS_2D:
            yield case(Conv2DTranspose, dtype, groups, "NHWC" if last else None, **window)
        for window in WINDOWS_3D:
            yield case(Conv3DTranspose, dtype, groups, "NDHWC" if last else None, **window)


@pytest.mark.parametrize("transposed", [c for c in cases() if "data_layout" not in c.attributes])
def test_it_is_the_adjoint_of_the_convolution(transposed):
    data, weight = transposed.operands
    result = reference(transposed)
    shared = ("strides", "padding", "dilation", "groups")
    forward = FORWARD[transposed.operator]
    attributes = {name: transposed.canonical[name] for name in shared}
    probe = sample(3, result.shape, "int64")
    back = reference(Case(forward, (probe, weight), attributes))

    assert back.shape == data.shape
    assert np.sum(back * data) == np.sum(probe * result)


def test_channels_may_come_last():
    for last in cases():
        if "data_layout" in last.attributes:
            data, weight = last.operands
            window = {k: v for k, v in last.attributes.items() if k != "data_layout"}
            first = Case(last.operator, (np.moveaxis(data, -1, 1), weight), window)
            np.testing.assert_array_equal(np.moveaxis(reference(first), 1, -1), reference(last))


def test_output_padding_lengthens_the_result_at_its_end():
    short = reference(case(Conv1DTranspose, strides=3, dilation=2))
    long = reference(case(Conv1DTranspose, strides=3, dilation=2, output_padding=2))

    assert long.shape == (2, 6, 19)
    np.testing.assert_array_equal(long, np.pad(short, [(0, 0), (0, 0), (0, 2)]))


def test_the_shape_rule_agrees_with_the_reference_and_with_itself_on_terms():
    for transposed in cases():
        reference(transposed)
        check_symbolic(transposed)


@pytest.mark.parametrize("dtype", NUMERIC)
def test_the_result_has_the_dtype_asked_for(dtype):
    for out_dtype in (None, *(FLOATING if dtype in FLOATING else INTEGER)):
        reference(case(Conv2DTranspose, dtype, out_dtype=out_dtype))


ILLEGAL = [
    ((2, 4), (4, 6, 3), {}, "`data` must have rank 3"),
    ((2, 4, 5), (4, 6), {}, "`weight` must have rank 3"),
    ((2, 4, 5), (3, 6, 3), {}, "channels of data"),
    ((2, 4, 5), (4, 6, 3), {"groups": 3}, "groups must divide"),
    ((2, 4, 0), (4, 6, 3), {}, "data must not be empty"),
    ((2, 4, 5), (4, 6, 0), {}, "window must not be empty"),
    ((2, 4, 5), (4, 6, 3), {"output_padding": 1}, "output_padding must be smaller"),
    ((2, 4, 5), (4, 6, 3), {"padding": (3, 4)}, "must leave something"),
    ((2, 4, 5), (4, 6, 3), {"out_dtype": "int8"}, "out_dtype must be"),
]


@pytest.mark.parametrize(("data", "weight", "attributes", "reason"), ILLEGAL)
def test_violated_preconditions_are_named(data, weight, attributes, reason):
    operands = TensorType(data, "float32"), TensorType(weight, "float32")
    with pytest.raises(ShapeError, match=reason):
        infer(Conv1DTranspose, *operands, **attributes)


def test_padding_may_leave_one_element():
    data, weight = TensorType((2, 4, 5), "float32"), TensorType((4, 6, 3), "float32")
    assert infer(Conv1DTranspose, data, weight, padding=(3, 3)).shape == (2, 6, 1)


@pytest.mark.tvm
def test_tvm_agrees_for_all_windows_and_layouts():
    check(list(cases("float64")))


@pytest.mark.tvm
@pytest.mark.parametrize("dtype", NUMERIC)
def test_tvm_agrees_for_all_dtypes(dtype):
    same_class = FLOATING if dtype in FLOATING else INTEGER
    check(
        [
            case(operator, dtype, 2, strides=2, out_dtype=out_dtype)
            for operator in FORWARD
            for out_dtype in (None, *same_class)
        ]
    )
