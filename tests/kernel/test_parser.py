"""What texts mean, and where what has no meaning is reported."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl.errors import KernelError
from gsl.kernel.parser import parse
from gsl.kernel.printer import print_kernel
from gsl.kernel.run import run

A = np.arange(12.0).reshape(3, 4) - 5
V = np.array([2.0, -1.0, 0.5])


def outcome(text: str, **inputs: Any) -> Any:
    return run(parse(text, list(inputs), ["C"]), inputs)["C"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("C<3>[i] = A<3,4>[i,j] * V<3>[i]", A.sum(axis=1) * V),
        ("C<3>[i] = A<3,4>[i,j] + V<3>[i]", A.sum(axis=1) + V),
        ("C<3>[i] = (A<3,4>[i,j] + V<3>[i]) * 1", A.sum(axis=1) + 4 * V),
        ("C<3>[i] = -(A<3,4>[i,j] - V<3>[i])", V - A.sum(axis=1)),
        ("C<3>[i] = V<3>[i] - V<3>[k] - A<3,4>[i,k]", V - V.sum() - A.sum(axis=1)),
        ("C<3>[i] = V<3>[i-1] + A<3,4>[i,9] + 0", np.array([0.0, 2.0, -1.0])),
        ("C<3>[i] = V<3>[i] - V<3>[i] * 2 / 4 - 1 + 0 * A<3,4>[0,0]", V / 2 - 1),
        ("C<3>[i] = V<3>[i] * -1 - -1.5e0 + A<3,4>[5,5]", 1.5 - V),
        ("C<>[] = max<i:3, j:4>(A<3,4>[i,j]) + V<3>[0]", 8.0),
        ("C<3>[i] = select(i > 0 && !(i == 2) || i < 0, V<3>[i], A<3,4>[i,0])", [-5, -1, 3]),
        ("C<3>[i] = select(V<3>[i] < 1 && V<3>[i] > 0, i, 9) + A<3,4>[3,3]", [9, 9, 2]),
        ("C<3>[i] = select(1 < 2, V<3>[i], A<3,4>[i,0])", V),
        ("C<3>[i] = 2 * i + 1 + (V<3>[i] + A<3,4>[i,0]) * 0", [1, 3, 5]),
        ("B<3>[i] = V<3>[2-i]; C<3>[i] = B<3>[i] * A<3,4>[0,3]", -2 * V[::-1]),
        ("C<3>[i] = (V<3>[i] <= 0.5) + (V<3>[i] != 2) * 2 + A<3,4>[9,0]", [0, 3, 3]),
        ("C<3>[i] = A<3,4>[i,j] * sum<j:2>(V<3>[j])", A.sum(axis=1)),
    ],
)
def test_meanings(text: str, value: Any) -> None:
    inputs = {name: array for name, array in (("A", A), ("V", V)) if f"{name}<" in text}
    np.testing.assert_allclose(outcome(text, **inputs), value)


def test_sizes_may_be_names() -> None:
    kernel = parse("C<n,m>[i,j] = A<n,k>[i,l] * B<k,m>[l,j] + i // n + m - m", ["A", "B"], ["C"])
    left, right = np.ones((2, 3)), np.arange(12.0).reshape(3, 4)

    assert [size.name for size in kernel.sizes] == ["n", "k", "m"]
    np.testing.assert_allclose(run(kernel, {"A": left, "B": right})["C"], left @ right)
    with pytest.raises(KernelError, match=r"input `B` has shape \(2, 4\), not \(3, 4\)"):
        run(kernel, {"A": left, "B": right[:2]})
    with pytest.raises(KernelError, match="input `B` of kernel has no value"):
        run(kernel, {"A": left})
    with pytest.raises(KernelError, match="`D` is no input of kernel, which has A, B"):
        run(kernel, {"A": left, "B": right, "D": right})


def test_a_size_that_no_input_has_is_not_known() -> None:
    kernel = parse("C<n>[i] = A<n*2>[2*i]", ["A"], ["C"])
    with pytest.raises(KernelError, match="size `n` is no dimension of an input by itself"):
        run(kernel, {"A": np.ones(4)})


MISTAKES = [
    ("", "1:1", "expected a tensor, such as C<4,16>[i,j], found the end"),
    ("C<4>[i]", "1:8", "expected `=`, found the end"),
    ("C<4> = 3", "1:6", "expected `[`, found `=`"),
    ("C<4>[i] = A<4>[i", "1:17", "expected `,` or `]`, found the end"),
    ("C<4>[i] =\n  A<4>[i] +", "2:12", "expected a number, a name or `(`, found the end"),
    ("C<4>[i] = (A<4>[i]", "1:19", "expected `)` or an operator, found the end"),
    ("C<4>[i] = A<4>[i] A<4>[i]", "1:19", "expected `;` or an operator, found `A`"),
    ("C<4>[i] = A<4,16[i]", "1:17", "expected `,` or `>`, found `[`"),
    ("C<4>[i] = A[i]", "1:12", "expected the dimensions of `A`, such as A<4,16>[i,j]"),
    ("C<4>[i] = A<4>[i] @ 2", "1:19", "`@` has no meaning here"),
    ("C<4>[i] = A<4>[i] * \u00e9", "1:21", "`\u00e9` has no meaning here"),
    ("C<4>[i] = \x1b", "1:11", r"`\x1b` has no meaning here"),
    ("C<4>[2*i] = A<4>[i]", "1:7", "an index on the left must be a variable"),
    ("C<4,4>[i,i] = A<4>[i]", "1:1", "an index variable occurs twice on the left"),
    ("C<n>[n] = A<n>[i]", "1:6", "an index on the left must be a variable"),
    ("C<4>[i] = A<4>[j+k]", "1:16", "index variable `j` has no domain; use it as an index of its"),
    ("C<4>[i] = A<4>[i] * k", "1:21", "index variable `k` has no domain"),
    ("C<4>[i] = A<4>[i-k]", "1:18", "index variable `k` has no domain"),
    ("C<n>[i] = A<n>[i+k]", "1:18", "index variable `k` has no domain"),
    ("C<4>[i] = A<4>[0*k]", "1:18", "index variable `k` has no domain"),
    ("C<4>[i] = A<4,4>[i]", "1:11", "dimension mismatch: `A` has 2 dimensions, but 1 indices"),
    ("C<4>[i] = A<4>[i] * A<5>[i]", "1:21", "dimension mismatch: `A` is <5> here and <4> before"),
    ("C<n>[i] = A<n>[i] * A<n+1>[i]", "1:21", "dimension mismatch: `A` is <n + 1> here and <n>"),
    ("C<4>[i] = A<4,5>[k,k]", "1:18", "dimension mismatch: `k` takes 4 for `A` and 5 for `A`"),
    ("C<-1>[i] = A<4>[i]", "1:3", "a dimension cannot be -1"),
    ("C<9999999999>[i] = A<4>[i]", "1:3", "a dimension cannot be 9999999999"),
    ("C<4>[i] = D<4>[i]", "1:11", "`D` is neither an input nor computed before; list it among"),
    ("C<4>[i] = AA<4>[i]", "1:11", "did you mean `A`?"),
    ("C<4>[i] = C<4>[i]", "1:11", "`C` is neither an input nor computed before"),
    ("C<4>[i] = A<4>[i]; C<4>[i] = A<4>[i]", "1:20", "`C` is given or computed before"),
    ("A<4>[i] = 1; C<4>[i] = 2", "1:1", "`A` is given or computed before"),
    ("C<4>[i] = tanhh(A<4>[i])", "1:11", "there is no function `tanhh`; did you mean `tanh`?"),
    ("C<4>[i] = zzz(A<4>[i])", "1:11", "there is no function `zzz`; known: pow, max, min"),
    ("C<4>[i] = max(A<4>[i])", "1:11", "`max` takes 2 arguments, not 1"),
    ("C<4>[i] = A<4>[A<4>[i]]", "1:16", "expected an index made of index variables"),
    ("C<4>[i] = A<4>[i*1.5]", "1:18", "expected an index made of index variables"),
    ("C<4>[i] = A<4>[i/2]", "1:17", "whole numbers, + - * // and %, found `/`"),
    ("C<4>[i] = A<4>[i//0]", "1:17", "an index is divided by positive whole numbers"),
    ("C<4>[i] = A<4>[i%(1-1)]", "1:17", "an index is divided by positive whole numbers"),
    ("C<4>[i] = A<4>[i//-2]", "1:17", "an index is divided by positive whole numbers"),
    ("C<4,4>[i,j] = A<4>[i//j]", "1:21", "an index is divided by positive whole numbers"),
    ("C<4>[i] = summ<k:4>(A<4>[k])", "1:11", "`summ` is no reduction; did you mean `sum`?"),
    ("C<4>[i] = sum<k:4,k:2>(A<4>[k])", "1:19", "`k` stands for something else already"),
    ("C<4>[i] = sum<k:j>(A<4>[k])", "1:17", "expected an index made of"),
    ("C<4>[i] = 1e999 * A<4>[i]", "1:11", "`1e999` is too large for a number"),
    ("C<4>[i] = A<4>[i] * " + "9" * 5000, "1:21", f"`{'9' * 20}` is too large for a number"),
    ("C<4>[i] = A<4>[i+" + "9" * 5000 + "]", "1:18", f"`{'9' * 20}` is too large for a number"),
    ("C<4>[i] = A<4>[i+2147483648]", "1:18", "`2147483648` is too large for an index"),
    ("C<4>[i] = " + "(" * 200 + "A<4>[i]" + ")" * 200, "1:111", "nested more than 100 deep"),
    ("C<4>[i] = " + "-" * 500 + "A<4>[i]", "1:111", "nested more than 100 deep"),
    ("C<4>[i] = A<4>[i]" + " + 1" * 500, "1:1615", "nested more than 100 deep"),
]


@pytest.mark.parametrize(("text", "place", "message"), MISTAKES)
def test_mistakes_are_reported_where_they_are(text: str, place: str, message: str) -> None:
    with pytest.raises(KernelError) as caught:
        parse(text, ["A"], ["C"])
    assert f"{caught.value.line}:{caught.value.column}" == place
    assert message in str(caught.value)
    line, column = place.split(":")
    assert str(caught.value).startswith(f"line {line}, column {column}: ")


@pytest.mark.parametrize(
    ("inputs", "outputs", "data_type", "message"),
    [
        ("A", "D", "float", "no statement computes the output `D`"),
        ("A", "CC", "float", "`C` is listed twice among inputs and outputs"),
        ("AC", "C", "float", "`C` is listed twice among inputs and outputs"),
        ("AB", "C", "float", "no statement reads the input `B`; remove it"),
        ("A", "C", "int", "`int` is no data type of kernels, which are float, double"),
    ],
)
def test_names_and_types_must_fit(inputs: str, outputs: str, data_type: str, message: str) -> None:
    with pytest.raises(KernelError, match=message):
        parse("C<4>[i] = A<4>[i]", list(inputs), list(outputs), "k", data_type)


@pytest.mark.parametrize(
    "text",
    [
        "C<4>[i] = -A<4>[i] * (A<4>[i] - (A<4>[i] - 1)) / (A<4>[i] / 2.5);",
        "C<n,m>[i, j] = A<n>[i // m * 2 % n] - --(A<n>[-i] + 1e-07);",
        "C<4>[i] = select(!(i < 2 && i > 0) || i == 3, A<4>[i], i) * (i + 1);",
        "C<4>[i] = select(A<4>[i] < 1 || !(A<4>[i] == 2), A<4>[3 - i], -2);",
        "C<4>[i] = A<4>[k] * sum<k1:4>(A<4>[k1] * max<k2:2>(A<4>[k2 + k1])) + A<4>[k];",
        "C<4>[i] = sum<k:2>(A<4>[k]) + sum<k:4>(A<4>[k] + 1) - product<k:4>(A<4>[k]);",
        "C<>[] = A<4>[0] + A<4>[k];",
    ],
)
def test_printing_gives_back_what_was_written(text: str) -> None:
    assert print_kernel(parse(text, ["A"], ["C"])) == text + "\n"


def test_a_variable_called_like_a_tensor_is_renamed() -> None:
    kernel = parse("C<4>[C] = A<4>[C] * A<4>[A]", ["A"], ["C"])
    assert print_kernel(kernel) == "C<4>[C1] = A<4>[C1] * A<4>[A1];\n"
