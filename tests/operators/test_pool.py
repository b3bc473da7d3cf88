import itertools

import numpy as np
import pytest
from symbolic import check_symbolic
from three_way import Case, check, infer, reference, sample

from gsl.errors import OperatorError, ShapeError
from gsl.numpy_dtypes import finfo
from gsl.operators.declaration import lookup
from gsl.types import FLOATING, NUMERIC, TensorType

WINDOWS = [
    {},
    {"pool_size": 2},
    {"pool_size": 3, "strides": 2},
    {"pool_size": 3, "strides": 2, "ceil_mode": True},
    {"pool_size": 3, "padding": (1, 2)},
    {"pool_size": 3, "strides": 3, "padding": (1, 1), "ceil_mode": True},
    {"pool_size": 2, "dilation": 3},
    {"pool_size": 3, "dilation": 2, "padding": (2, 1), "strides": 2, "ceil_mode": True},
]
SIZES = (6, 7)
EMPTY_LAST = [
    ((6,), {"pool_size": 1, "strides": 7, "ceil_mode": True}),
    ((4,), {"pool_size": 2, "strides": 5, "ceil_mode": True}),
    ((3,), {"pool_size": 2, "strides": 2, "padding": (1, 1), "ceil_mode": True}),
]


def signals(name, dtype="float64"):
    """Yield poolings of signals, average pooling with and without counting the padding."""
    counted = [{}]
    if name == "AvgPool1D":
        counted = [{"count_include_pad": False}, {"count_include_pad": True}]
    for size, window, count in itertools.product(SIZES, WINDOWS, counted):
        yield Case(lookup(name), (sample(size, (1, 2, size), dtype),), window | count)


def images(name, dtype="float64"):
    """Yield poolings of images in both layouts, with a different window for each axis."""
    rows = {"pool_size": 3, "strides": 2, "dilation": 1, "padding": (1, 2)}
    columns = {"pool_size": 2, "strides": 1, "dilation": 2, "padding": (1, 0)}
    window = {key: (rows[key], columns[key]) for key in ("pool_size", "strides", "dilation")}
    window["padding"] = tuple(
        itertools.chain(*zip(rows["padding"], columns["padding"], strict=True))
    )
    flags = [{}]
    if name == "AvgPool2D":
        flags = [{"count_include_pad": False}, {"count_include_pad": True}]
    for layout, ceil, count in itertools.product(("NCHW", "NHWC"), (False, True), flags):
        data = sample(3, (2, 3, 6, 7) if layout == "NCHW" else (2, 6, 7, 3), dtype)
        yield Case(lookup(name), (data,), window | count | {"layout": layout, "ceil_mode": ceil})


def by_definition(case):
    """Pool a signal window by window, looking only at the elements that a window covers."""
    of, (data,) = case.canonical, case.operands
    (extent,), (stride,), (dilation,) = of["pool_size"], of["strides"], of["dilation"]
    before, after = of["padding"]
    size = data.shape[2]
    free = size + before + after - dilation * (extent - 1) - 1
    places = (free + (stride - 1 if of["ceil_mode"] else 0)) // stride + 1
    columns = []
    for place in range(places):
        taps = [place * stride - before + dilation * tap for tap in range(extent)]
        covered = data[:, :, [tap for tap in taps if 0 <= tap < size]]
        if case.operator.name == "MaxPool1D":
            columns.append(np.max(covered, axis=2))
        else:
            inside = [tap for tap in taps if tap < size + after]
            count = len(inside) if of["count_include_pad"] else covered.shape[2]
            columns.append(np.sum(covered, axis=2) / count)
    return np.stack(columns, axis=2)


@pytest.mark.parametrize("name", ["MaxPool1D", "AvgPool1D"])
def test_the_reference_looks_at_each_window(name):
    for case in signals(name):
        np.testing.assert_allclose(reference(case), by_definition(case), rtol=1e-14)


@pytest.mark.parametrize("kind", ["MaxPool", "AvgPool"])
def test_an_image_is_pooled_along_one_axis_after_the_other(kind):
    data = sample(0, (2, 3, 6, 7), "float64")
    flat = np.reshape(data, (6, 6, 7))
    once = reference(Case(lookup(f"{kind}1D"), (flat,), {"pool_size": 3, "strides": 2}))
    rows = np.reshape(once, (2, 3, 6, 3)).transpose(0, 1, 3, 2).reshape(6, 3, 6)
    twice = reference(Case(lookup(f"{kind}1D"), (rows,), {"pool_size": 2, "dilation": 3}))
    window = {"pool_size": (2, 3), "strides": (1, 2), "dilation": (3, 1)}
    image = reference(Case(lookup(f"{kind}2D"), (data,), window))

    np.testing.assert_allclose(image, twice.reshape(2, 3, 3, 3).transpose(0, 1, 3, 2), rtol=1e-14)


@pytest.mark.parametrize("name", ["MaxPool2D", "AvgPool2D"])
def test_layouts_only_permute_axes(name):
    for case in images(name):
        if case.attributes["layout"] == "NHWC":
            first = np.moveaxis(case.operands[0], -1, 1)
            plain = Case(case.operator, (first,), case.attributes | {"layout": "NCHW"})
            np.testing.assert_array_equal(np.moveaxis(reference(plain), 1, -1), reference(case))


@pytest.mark.parametrize("dtype", NUMERIC)
def test_padding_never_is_the_largest(dtype):
    least = finfo(dtype).min if dtype in FLOATING else np.iinfo(dtype).min
    data = np.full((1, 1, 2), least, dtype)
    result = reference(Case(lookup("MaxPool1D"), (data,), {"pool_size": 2, "padding": 1}))

    np.testing.assert_array_equal(result, np.full((1, 1, 3), least, dtype))


@pytest.mark.parametrize("dtype", FLOATING)
def test_padding_is_not_the_largest_of_infinities(dtype):
    data = np.full((1, 1, 2), -np.inf, dtype)
    result = reference(Case(lookup("MaxPool1D"), (data,), {"pool_size": 2, "padding": 1}))

    np.testing.assert_array_equal(result, np.full((1, 1, 3), -np.inf, dtype))


def test_padding_is_counted_on_demand_but_nothing_behind_it():
    data = np.ones((1, 1, 5))
    window = {"pool_size": 3, "strides": 3, "padding": (2, 1), "ceil_mode": True}
    without = reference(Case(lookup("AvgPool1D"), (data,), window))
    counted = reference(Case(lookup("AvgPool1D"), (data,), window | {"count_include_pad": True}))

    np.testing.assert_array_equal(without, [[[1, 1, 1]]])
    np.testing.assert_allclose(counted, [[[1 / 3, 1, 1 / 2]]])


def test_a_global_average_keeps_the_channels():
    data = sample(0, (2, 3, 4, 5), "float32")
    first = reference(Case(lookup("GlobalAvgPool2D"), (data,), {}))
    last = reference(
        Case(lookup("GlobalAvgPool2D"), (np.moveaxis(data, 1, -1),), {"layout": "NHWC"})
    )

    assert first.shape == (2, 3, 1, 1)
    assert last.shape == (2, 1, 1, 3)
    np.testing.assert_allclose(first[:, :, 0, 0], last[:, 0, 0, :], rtol=1e-6)


@pytest.mark.parametrize("name", ["MaxPool1D", "AvgPool1D", "MaxPool2D", "AvgPool2D"])
def test_the_shape_rule_agrees_with_the_reference_and_with_itself_on_terms(name):
    for dtype in lookup(name).dtypes:
        for case in (signals if name.endswith("1D") else images)(name, dtype):
            reference(case)
            check_symbolic(case)


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("dtype", FLOATING)
def test_the_shape_rule_of_the_global_average_agrees_with_its_reference(dtype, layout):
    case = Case(lookup("GlobalAvgPool2D"), (sample(0, (2, 3, 1, 4), dtype),), {"layout": layout})
    reference(case)
    check_symbolic(case)


ILLEGAL = [
    ((2, 6), {}, "must have rank 3"),
    ((1, 2, 6), {"pool_size": 7}, "window must fit"),
    ((1, 2, 6), {"pool_size": 3, "dilation": 3}, "window must fit"),
    ((1, 2, 6), {"pool_size": 0}, "`pool_size` of MaxPool1D must be legal"),
    ((1, 2, 6), {"strides": 0}, "`strides` of MaxPool1D must be legal"),
    ((1, 2, 6), {"padding": (1, 0)}, "padding must be smaller"),
    ((1, 2, 6), {"pool_size": 2, "padding": (0, 2)}, "padding must be smaller"),
    ((1, 2, 1), {"pool_size": 2, "padding": (1, 1), "dilation": 2}, "must not leap over"),
    ((1, 2, 0), {"pool_size": 2, "padding": (1, 1)}, "must not leap over"),
    *(((1, 2, *size), window, "begin behind the data") for size, window in EMPTY_LAST),
]


@pytest.mark.parametrize(("shape", "attributes", "reason"), ILLEGAL)
def test_violated_preconditions_are_named(shape, attributes, reason):
    with pytest.raises(ShapeError, match=reason):
        infer(lookup("MaxPool1D"), TensorType(shape, "float32"), **attributes)


@pytest.mark.parametrize(("size", "window"), EMPTY_LAST)
def test_the_same_windows_are_fine_when_rounding_down(size, window):
    rounded_down = window | {"ceil_mode": False}
    infer(lookup("MaxPool1D"), TensorType((1, 2, *size), "float32"), **rounded_down)


def test_an_average_is_not_defined_for_integers_nor_for_nothing():
    with pytest.raises(ShapeError, match="not defined for this dtype"):
        infer(lookup("AvgPool2D"), TensorType((1, 1, 2, 2), "int32"))
    with pytest.raises(ShapeError, match="must not be empty"):
        infer(lookup("GlobalAvgPool2D"), TensorType((1, 1, 0, 2), "float32"))
    with pytest.raises(OperatorError, match="count_include_pad"):
        infer(lookup("MaxPool2D"), TensorType((1, 1, 2, 2), "float32"), count_include_pad=True)


@pytest.mark.tvm
@pytest.mark.parametrize("name", ["MaxPool1D", "AvgPool1D", "MaxPool2D", "AvgPool2D"])
def test_tvm_agrees_for_all_windows(name):
    check(list((signals if name.endswith("1D") else images)(name)))


@pytest.mark.tvm
@pytest.mark.parametrize("name", ["MaxPool2D", "AvgPool2D", "GlobalAvgPool2D"])
def test_tvm_agrees_for_all_dtypes(name):
    data = [sample(0, (2, 3, 5, 4), dtype) for dtype in lookup(name).dtypes]
    window = {} if name.startswith("Global") else {"pool_size": 3, "padding": 1, "strides": 2}
    layouts = ({"layout": "NCHW"}, {"layout": "NHWC"})
    check([Case(lookup(name), (d,), window | layout) for d in data for layout in layouts])
