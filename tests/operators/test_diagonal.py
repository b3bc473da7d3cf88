import numpy as np
import pytest
from symbolic import check_symbolic
from three_way import Case, check, infer, reference, sample

from gsl.errors import ShapeError
from gsl.operators.declaration import lookup
from gsl.types import ALL_DTYPES, TensorType

MATRICES = [(3, 3), (2, 4), (4, 2), (1, 1), (2, 3, 4), (1, 2, 1, 3), (0, 3), (3, 0)]
DIAGONALS = [0, 1, -1, 3, -4, 2**40, -(2**40)]


def triangles(dtype):
    for seed, shape in enumerate(MATRICES):
        for name in ("Tril", "Triu"):
            for k in DIAGONALS:
                yield Case(lookup(name), (sample(seed, shape, dtype),), {"k": k} if k else {})


def settings(dtype):
    for seed, shape in enumerate(MATRICES):
        short = (*shape[:-2], min(shape[-2:]))
        operands = sample(seed, shape, dtype), sample(seed + 1, short, dtype)
        yield Case(lookup("MatrixSetDiag"), operands, {})


@pytest.mark.parametrize("dtype", ALL_DTYPES)
def test_the_type_stays(dtype):
    for case in [*triangles(dtype), *settings(dtype)]:
        assert case.operator.infer(case.types, case.canonical) == case.types[0]
        reference(case)


def test_the_rule_says_the_same_on_unknown_sizes():
    for case in [*triangles("float32"), *settings("float32")]:
        check_symbolic(case)


@pytest.mark.parametrize("k", DIAGONALS[:-2])
def test_triangles_are_those_of_numpy(k):
    for shape in MATRICES:
        data = sample(0, shape, "int8")
        np.testing.assert_array_equal(lookup("Tril").reference(data, k=k), np.tril(data, k))
        np.testing.assert_array_equal(lookup("Triu").reference(data, k=k), np.triu(data, k))


def test_only_the_diagonal_is_replaced():
    data = np.zeros((2, 3), np.int32)
    changed = lookup("MatrixSetDiag").reference(data, np.array([7, 8], np.int32))
    assert changed.tolist() == [[7, 0, 0], [0, 8, 0]]
    changed = lookup("MatrixSetDiag").reference(data.T, np.array([7, 8], np.int32))
    assert changed.tolist() == [[7, 0], [0, 8], [0, 0]]


@pytest.mark.parametrize("name", ["Tril", "Triu"])
@pytest.mark.parametrize("shape", [(), (3,)])
def test_a_matrix_has_two_axes(name, shape):
    with pytest.raises(ShapeError, match="two axes"):
        infer(lookup(name), TensorType(shape, "float32"))


@pytest.mark.parametrize(
    ("shape", "diagonal"),
    [((2, 3), (3,)), ((2, 3), (2, 1)), ((4, 2, 3), (2,)), ((4, 2, 3), (1, 2)), ((3,), ())],
)
def test_the_diagonal_must_fit(shape, diagonal):
    operands = TensorType(shape, "float32"), TensorType(diagonal, "float32")
    with pytest.raises(ShapeError):
        infer(lookup("MatrixSetDiag"), *operands)


def test_the_diagonal_has_the_dtype_of_the_matrices():
    with pytest.raises(ShapeError, match="one dtype"):
        infer(lookup("MatrixSetDiag"), TensorType((2, 2), "int8"), TensorType((2,), "uint8"))


@pytest.mark.tvm
def test_tvm_agrees_with_the_references():
    cases = [case for dtype in ALL_DTYPES for case in [*triangles(dtype), *settings(dtype)]]
    check([case for case in cases if 0 not in case.operands[0].shape])
