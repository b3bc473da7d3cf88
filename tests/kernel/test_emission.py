"""C and NumPy sources: words of the language, sizes, everything that a kernel can say."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from gsl.attr.term import Symbol, operation
from gsl.errors import KernelError
from gsl.kernel.c import emit_c
from gsl.kernel.expression import Number, Read
from gsl.kernel.gradient import differentiate
from gsl.kernel.numpy_source import emit_numpy
from gsl.kernel.parser import parse
from gsl.kernel.run import run
from gsl.kernel.statement import Kernel, Statement
from tests.kernel.compiled import run_c
from tests.kernel.differences import TOLERANCE, error
from tests.kernel.random_kernels import Drawn, kernels

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")

KERNELS = [
    ("C<n,m>[i,j] = A<n,k>[i,l] * B<k,m>[l,j] + 1 * j;", "AB"),
    ("C<int>[for] = A<int>[for] * exp(A<int>[np]);", "A"),
    (
        "M<3>[i] = A<3>[i-1] // 2 + A<3>[i] % 0.75; C<3>[i] = M<3>[2-i] + total1 * A<3>[total1];",
        "A",
    ),
    ("C<4>[i] = A<4>[(i-2)//2 + (i-9)%4] * sign(A<4>[0-i]) - (i-7)//3 * A<4>[i];", "A"),
    ("C<>[] = A<4>[k] + round(A<4>[1] * 3) + trunc(A<4>[1] * 3);", "A"),
    ("C<4>[i] = select(A<4>[i] > 0 || A<4>[0] < 0, A<4>[i], !(A<4>[i] < -0.5 && i)) * -1.5;", "A"),
    ("C<2>[i] = max<k:3>(A<4>[k+i]) - min<k:3>(A<4>[k]) + product<k:3>(A<4>[k-1]);", "A"),
]
each = pytest.mark.parametrize(("text", "inputs"), KERNELS)

SIZES = {"n": 2, "m": 4, "k": 3, "int": 5}


def made(text: str, inputs: str) -> tuple[Kernel, dict[str, Any], dict[str, Any]]:
    kernel = parse(text, list(inputs), ["C"], "example", "double")
    random = np.random.default_rng(1)
    given = {
        name: random.normal(
            size=[SIZES.get(getattr(d, "name", ""), d) for d in kernel.shapes[name]]
        )
        for name in inputs
    }
    return kernel, given, run(kernel, given)


@needs_compiler
@each
def test_c(text: str, inputs: str, tmp_path: Path) -> None:
    kernel, given, expected = made(text, inputs)
    assert error(run_c(kernel, given, tmp_path)["C"], expected["C"]) < 1e-12


@each
def test_numpy(text: str, inputs: str) -> None:
    kernel, given, expected = made(text, inputs)
    scope: dict[str, Any] = {}
    exec(emit_numpy(kernel), scope)
    assert error(scope["example"](*given.values()), expected["C"]) < 1e-12


@pytest.mark.tvm
@each
def test_tvm(text: str, inputs: str) -> None:
    from gsl.tvm.te import run_te

    kernel, given, expected = made(text, inputs)
    assert error(run_te(kernel, given)["C"], expected["C"]) < 1e-12


@needs_compiler
@given(kernels())
@settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_gradients_of_random_kernels(tmp_path: Path, drawn: Drawn) -> None:
    gradient = differentiate(drawn.kernel, ["A", "B"])
    inputs = {
        name: np.random.default_rng(2).uniform(-1, 1, gradient.shapes[name])
        for name in gradient.inputs
    }
    expected = run(gradient, inputs)
    scope: dict[str, Any] = {}
    exec(emit_numpy(gradient), scope)
    values = scope[gradient.name](*inputs.values())
    folder = tmp_path / str(len(list(tmp_path.iterdir())))
    folder.mkdir()
    compiled = run_c(gradient, inputs, folder)
    for value, name in zip(values, gradient.outputs, strict=True):
        assert error(value, expected[name]) < TOLERANCE
        assert error(compiled[name], expected[name]) < TOLERANCE


def test_certain_checks_are_left_out() -> None:
    kernel = parse("C<4>[i] = A<6>[i+1] + A<6>[i+3]", ["A"], ["C"])
    assert "C[i] = A[i + 1] + ((i + 3) < 6 ? A[i + 3] : 0);" in emit_c(kernel)
    assert "A[i + 1] + read(A, i + 3)" in emit_numpy(kernel)


def test_c_has_no_empty_arrays() -> None:
    kernel = parse("C<4>[i] = A<4,0>[i,k]", ["A"], ["C"])
    with pytest.raises(KernelError, match="`A` has no elements, and C has no empty arrays"):
        emit_c(kernel)
    scope: dict[str, Any] = {}
    exec(emit_numpy(kernel), scope)
    assert scope["kernel"](np.zeros((4, 0))).tolist() == [0, 0, 0, 0]


def test_what_only_operators_say_is_written_too() -> None:
    i = Symbol("i")
    index = operation("cond", operation("min", i, 2) == 2, abs(i - 4), operation("max", i, 1))
    value = Read("A", (index,), guarded=True) + Number(float("inf")) * Number(i)
    kernel = Kernel("k", ("A",), ("C",), "double", {"A": (3,), "C": (4,)},
                    (Statement("C", ((i, 4),), value),))  # fmt: skip
    given = {"A": np.array([3.0, 5, 7])}
    scope: dict[str, Any] = {}
    exec(emit_numpy(kernel), scope)
    with np.errstate(invalid="ignore"):
        found = scope["k"](given["A"])
    np.testing.assert_array_equal(found, run(kernel, given)["C"])
    text = emit_c(kernel)
    ast.parse(emit_numpy(kernel))
    assert "index_max(i, 1)" in text
    assert "INFINITY" in text


def test_a_size_must_be_a_dimension() -> None:
    kernel = parse("C<n>[i] = A<n*2>[2*i]", ["A"], ["C"])
    with pytest.raises(KernelError, match="size `n` is no dimension of an input by itself"):
        emit_numpy(kernel)


@pytest.mark.tvm
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("C<4>[i] = A<4,0>[i,k] + 0", "`A` has no elements, and TVM has no empty tensors"),
        ("C<4>[i] = sum<k:0>(A<4>[k])", "TVM has no reductions over nothing"),
    ],
)
def test_tvm_has_no_empty_tensors(text: str, message: str) -> None:
    from gsl.tvm.te import to_te

    with pytest.raises(KernelError, match=message):
        to_te(parse(text, ["A"], ["C"]))
