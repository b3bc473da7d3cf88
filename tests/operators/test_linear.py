import math
from dataclasses import replace

import numpy as np
import pytest
from symbolic import check_symbolic
from three_way import ROUNDING, Case, check, infer, on_tvm, reference, sample

from gsl.errors import OperatorError, ShapeError
from gsl.operators.linear import Attention, BiasAdd, Dense, Matmul
from gsl.types import FLOATING, INTEGER, NUMERIC, TensorType

PRODUCTS = [
    ((3,), (3,)),
    ((3,), (3, 2)),
    ((2, 3), (3,)),
    ((2, 3), (3, 4)),
    ((1, 1), (1, 1)),
    ((3,), (5, 3, 2)),
    ((5, 2, 3), (3,)),
    ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)),
    ((5, 2, 3), (5, 3, 4)),
    ((4, 1, 2, 3), (5, 3, 1)),
    ((1, 2, 3), (4, 5, 3, 2)),
]
DENSE = [((3,), (4, 3)), ((2, 3), (4, 3)), ((2, 1, 5, 3), (1, 3)), ((1, 1), (1, 1))]
BIASED = [((3,), 0), ((3,), -1), ((2, 3), 1), ((2, 3, 1), 1), ((2, 3, 4, 5), -4), ((1, 4, 5), -1)]


def products(dtype, out_dtype=None):
    for left, right in PRODUCTS:
        operands = sample(1, left, dtype), sample(2, right, dtype)
        yield Case(Matmul, operands, {"out_dtype": out_dtype})


def dense(dtype, out_dtype=None):
    for data, weight in DENSE:
        operands = sample(1, data, dtype), sample(2, weight, dtype)
        yield Case(Dense, operands, {"out_dtype": out_dtype})


def biased(dtype):
    for shape, axis in BIASED:
        yield Case(
            BiasAdd, (sample(1, shape, dtype), sample(2, (shape[axis],), dtype)), {"axis": axis}
        )


def attention(dtype="float64", **attributes):
    """Return an attention of 2 batches, 3 queries, 5 keys and 4 heads of size 6 and 7."""
    shapes = (2, 3, 4, 6), (2, 5, 4, 6), (2, 5, 4, 7)
    return Case(
        Attention, tuple(sample(s, shape, dtype) for s, shape in enumerate(shapes)), attributes
    )


def cases(dtype):
    yield from (*products(dtype), *dense(dtype), *biased(dtype))
    if dtype in FLOATING:
        yield from (attention(dtype), attention(dtype, scale=-0.5))


@pytest.mark.parametrize("dtype", NUMERIC)
def test_the_shape_rules_agree_with_the_references_and_with_themselves_on_terms(dtype):
    for case in cases(dtype):
        reference(case)
        check_symbolic(case)


@pytest.mark.parametrize("dtype", NUMERIC)
def test_products_have_the_dtype_asked_for(dtype):
    for out_dtype in FLOATING if dtype in FLOATING else INTEGER:
        for case in (*products(dtype, out_dtype), *dense(dtype, out_dtype)):
            reference(case)


def test_small_integers_wrap_unless_a_wider_dtype_is_asked_for():
    row = np.full((3,), 100, "int8")
    weight = np.full((1, 3), 2, "int8")

    assert reference(Case(Matmul, (row, row), {"out_dtype": "int32"})) == 30000
    assert reference(Case(Dense, (row, weight), {})).item() == 600 - 2 * 256
    assert reference(Case(Dense, (row, weight), {"out_dtype": "int32"})).item() == 600


def test_dense_multiplies_by_the_transposed_weight():
    for case in dense("int64"):
        data, weight = case.operands
        np.testing.assert_array_equal(reference(case), data @ weight.T)


def test_a_bias_is_added_along_its_axis():
    data, bias = np.zeros((2, 3, 4), "int32"), np.arange(3, dtype="int32")
    for axis in (1, -2):
        result = reference(Case(BiasAdd, (data, bias), {"axis": axis}))
        np.testing.assert_array_equal(result[1, :, 2], bias)


def test_attention_to_one_key_returns_its_value():
    query, key, value = attention().operands
    one = Case(Attention, (query, key[:, :1], value[:, :1]), {})

    np.testing.assert_allclose(reference(one), np.broadcast_to(value[:, :1], (2, 3, 4, 7)))


def test_attention_without_scale_averages_and_a_large_scale_selects():
    query, key, value = attention().operands
    average = reference(attention(scale=0))
    best = np.argmax(np.einsum("bsnh,btnh->bsnt", query, key), axis=-1)
    chosen = np.take_along_axis(value.transpose(0, 2, 1, 3), best.transpose(0, 2, 1)[..., None], 2)

    np.testing.assert_allclose(average, np.mean(value, 1, keepdims=True).repeat(3, 1), rtol=1e-12)
    np.testing.assert_allclose(reference(attention(scale=1e6)), chosen.transpose(0, 2, 1, 3))


def test_the_usual_scale_is_one_over_the_root_of_the_head_size():
    assert attention().canonical["scale"] == 1 / math.sqrt(6)
    assert attention(scale=2).canonical["scale"] == 2.0
    empty = TensorType((2, 3, 4, 0), "float32")
    with pytest.raises(OperatorError, match="empty heads"):
        infer(Attention, empty, empty, empty)


MATRIX = TensorType((2, 3), "float32")
QUERY = TensorType((2, 3, 4, 6), "float32")
ILLEGAL = [
    (Matmul, [(), (3,)], {}, "at least one axis"),
    (Matmul, [(3,), ()], {}, "at least one axis"),
    (Matmul, [(2, 3), (2, 3)], {}, "must agree"),
    (Matmul, [(3,), (2,)], {}, "must agree"),
    (Matmul, [(2, 2, 3), (3, 3, 4)], {}, "broadcast"),
    (Matmul, [(2, 3), (3, 4)], {"out_dtype": "int32"}, "out_dtype must be"),
    (Dense, [(), (3, 4)], {}, "at least one axis"),
    (Dense, [(2, 3), (3,)], {}, "`weight` must have rank 2"),
    (Dense, [(2, 3), (3, 4)], {}, "must agree"),
    (Dense, [(2, 3), (4, 3)], {"out_dtype": "bool"}, "out_dtype must be"),
    (BiasAdd, [(2, 3), (1, 3)], {}, "`bias` must have rank 1"),
    (BiasAdd, [(2, 3), (2,)], {}, "one element for each index"),
    (BiasAdd, [(2, 3), (1,)], {}, "one element for each index"),
    (BiasAdd, [(3,), (3,)], {}, "`axis` of BiasAdd must be legal"),
    (Attention, [(2, 3, 4), (2, 5, 4, 6), (2, 5, 4, 7)], {}, "`query` must have rank 4"),
    (Attention, [(2, 3, 4, 6), (1, 5, 4, 6), (2, 5, 4, 7)], {}, "the key must fit"),
    (Attention, [(2, 3, 4, 6), (2, 6, 4, 6), (2, 5, 4, 7)], {}, "the key must fit"),
    (Attention, [(2, 3, 4, 6), (2, 5, 4, 6), (2, 5, 1, 7)], {}, "the value must have"),
    (Attention, [(2, 3, 4, 6), (2, 0, 4, 6), (2, 0, 4, 7)], {}, "must be a key"),
]


@pytest.mark.parametrize(("operator", "shapes", "attributes", "reason"), ILLEGAL)
def test_violated_preconditions_are_named(operator, shapes, attributes, reason):
    operands = [TensorType(shape, "float32") for shape in shapes]
    with pytest.raises(ShapeError, match=reason):
        infer(operator, *operands, **attributes)


def test_operands_of_different_dtypes_are_refused():
    with pytest.raises(ShapeError, match="one dtype"):
        infer(Matmul, TensorType((2, 3), "int8"), TensorType((3, 2), "uint8"))


@pytest.mark.tvm
@pytest.mark.parametrize("dtype", NUMERIC)
def test_tvm_agrees(dtype):
    check(list(cases(dtype)))


@pytest.mark.tvm
@pytest.mark.parametrize("dtype", NUMERIC)
def test_tvm_agrees_for_all_result_dtypes(dtype):
    wanted = FLOATING if dtype in FLOATING else INTEGER
    check([case for out in wanted for case in (*products(dtype, out), *dense(dtype, out))][::5])


@pytest.mark.tvm
@pytest.mark.parametrize("scale", [None, 0.25])
def test_attention_is_that_of_relax(scale):
    case = attention("float32", scale=scale)
    native = replace(Attention, lowering=None, relax_name="nn.attention")
    (computed,) = on_tvm([case._replace(operator=native)])

    np.testing.assert_allclose(computed, reference(case), atol=ROUNDING["float32"])
