"""What has a gradient, and what the gradient is called."""

from __future__ import annotations

import numpy as np
import pytest

from gsl.errors import KernelError
from gsl.kernel.derivative import DERIVATIVES
from gsl.kernel.functions import FUNCTIONS
from gsl.kernel.gradient import differentiate
from gsl.kernel.parser import parse
from gsl.kernel.printer import print_kernel
from gsl.kernel.run import run
from gsl.kernel.statement import Kernel
from tests.kernel.differences import check, random_inputs


def kernel(text: str, inputs: str = "A", outputs: str = "C") -> Kernel:
    return parse(text, list(inputs), list(outputs), "k")


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (["B"], "a gradient to `B`, which is no input; inputs are A"),
        (["C"], "a gradient to `C`, which is no input"),
        (["A", "A"], "the gradient to `A` is asked for twice"),
        ([], "a gradient to nothing; name an input"),
    ],
)
def test_gradients_that_do_not_exist(wanted: list[str], message: str) -> None:
    with pytest.raises(KernelError, match=message):
        differentiate(kernel("C<4>[i] = A<4>[i]"), wanted)


BETWEEN = {
    **dict.fromkeys(("log", "sqrt"), (0.25, 1.75)),
    **dict.fromkeys(("asin", "acos", "atanh"), (-0.9, 0.9)),
    "acosh": (1.25, 3.0),
}


@pytest.mark.parametrize("name", [n for n, f in FUNCTIONS.items() if f.arity == 1 and n != "not"])
def test_functions_of_one_value(name: str) -> None:
    written = "-" if name == "neg" else name
    one = kernel(f"C<5>[i] = {written}(A<5>[i])")
    low, high = BETWEEN.get(name, (-1.0, 1.75))
    check(one, random_inputs(one, low, high), ["A"])


@pytest.mark.parametrize("sign", ["+", "-", "*", "/", "//", "%", "<", "==", "&&"])
def test_functions_of_two_values(sign: str) -> None:
    one = kernel(f"C<5>[i] = (A<5>[i] {sign} B<5>[i]) * A<5>[i]", "AB")
    check(one, random_inputs(one, 0.3, 4.0), ["A", "B"])


def test_power() -> None:
    one = kernel("C<5>[i] = pow(A<5>[i], B<5>[i]) + pow(A<5>[i], -2)", "AB")
    check(one, random_inputs(one, 0.3, 2.0), ["A", "B"])


def test_rules_have_one_entry_for_each_argument() -> None:
    assert {n: len(r) for n, r in DERIVATIVES.items()} == {
        n: FUNCTIONS[n].arity for n in DERIVATIVES
    }


def test_what_nothing_depends_on_has_the_gradient_zero() -> None:
    gradient = differentiate(kernel("D<4>[i] = A<4>[i]; C<4>[i] = B<4>[i]", "AB"), ["A"])
    assert print_kernel(gradient) == "dA<4>[i] = 0.0;\n"
    assert (gradient.inputs, gradient.outputs, gradient.name) == ((), ("dA",), "grad_k")


def test_an_output_that_is_read_again_adds_its_own_adjoint() -> None:
    one = kernel("C<4>[i] = A<4>[i] * A<4>[i]; D<4>[i] = sin(C<4>[3 - i])", "A", "CD")
    check(one, random_inputs(one), ["A"])
    assert print_kernel(differentiate(one, ["A"])).splitlines()[1] == (
        "dC1<4>[a] = dC<4>[a] + dD<4>[3 - a] * cos(C<4>[a]);"
    )


def test_names_that_are_taken_are_not_used() -> None:
    text = "dA<4>[i] = A<4>[i] * A<4>[i]; C<4>[i] = dA<4>[i] * B<4,3>[i,A]"
    one = kernel(text, "AB")
    gradient = differentiate(one, ["A"])
    assert gradient.outputs == ("dA1",)
    check(one, random_inputs(one), ["A", "B"])


def test_a_gradient_of_a_gradient() -> None:
    one = kernel("C<4>[i] = A<4>[i] * A<4>[i] * A<4>[3-i]")
    twice = differentiate(differentiate(one, ["A"]), ["A"])
    a, seed, again = np.arange(1.0, 5.0), np.array([1.0, -1, 2, 3]), np.array([2.0, 1, -1, 0.5])
    found = run(twice, {"A": a, "dC": seed, "ddA": again})[
        "dA1" if "dA1" in twice.outputs else "dA"
    ]

    def first(x: np.ndarray) -> float:
        return float(run(differentiate(one, ["A"]), {"A": x, "dC": seed})["dA"] @ again)

    slopes = [(first(a + h) - first(a - h)) / 2e-5 for h in 1e-5 * np.eye(4)]
    np.testing.assert_allclose(found, slopes, rtol=1e-6, atol=1e-8)


def test_the_elements_that_are_the_maximum_share() -> None:
    gradient = differentiate(kernel("C<2>[i] = max<k:3>(A<2>[i])"), ["A"])
    found = run(gradient, {"A": np.array([2.0, 3.0]), "dC": np.array([5.0, 7.0])})["dA"]
    np.testing.assert_allclose(found, [5, 7])


def test_sizes_stay_names() -> None:
    gradient = differentiate(kernel("C<n>[i] = A<n>[n-1-i] * A<n>[i]"), ["A"])
    a, d = np.arange(4.0), np.array([1.0, 2, 3, 5])
    np.testing.assert_allclose(run(gradient, {"A": a, "dC": d})["dA"], (d + d[::-1]) * a[::-1])
    assert print_kernel(gradient).startswith("dA<n>[a] = dC<n>[n - a - 1] * A<n>[n - a - 1] + ")


def test_an_adjoint_outside_is_not_multiplied_by_infinity() -> None:
    """Elsewhere a factor that reads 0 replaces the condition; 0 divided by 0 would be none."""
    gradient = differentiate(kernel("C<2>[i] = A<5>[i+1] / B<2>[i]", "AB"), ["A"])
    found = run(gradient, {"B": np.array([2.0, 4.0]), "dC": np.ones(2)})["dA"]
    assert found.tolist() == [0, 0.5, 0.25, 0, 0]
