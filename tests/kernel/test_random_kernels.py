"""Gradients of random kernels are their slopes, and what is printed is read back."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings

from gsl.kernel.gradient import differentiate
from gsl.kernel.parser import parse
from gsl.kernel.printer import print_kernel
from tests.kernel.differences import TOLERANCE, directions, gradients, random_inputs, seeds, slope
from tests.kernel.random_kernels import Drawn, kernels


@given(kernels())
@settings(max_examples=80, deadline=None, derandomize=True)
def test_gradients_are_slopes(drawn: Drawn) -> None:
    kernel = drawn.kernel
    inputs = random_inputs(kernel)
    above = seeds(kernel, inputs)
    gradient, found = gradients(kernel, inputs, above, ["A", "B"])
    for name in "AB":
        for direction in directions(inputs[name]):
            slopes = [slope(kernel, inputs, above, name, direction, step) for step in (1e-5, 4e-6)]
            # Where another step gives another slope there is a joint nearby.
            assume(abs(slopes[0] - slopes[1]) < 1e-7 * max(1.0, abs(slopes[0])))
            along = float(np.sum(found[f"d{name}"] * direction))
            assert abs(along - slopes[0]) < TOLERANCE * max(1.0, abs(along)), print_kernel(gradient)


@given(kernels())
@settings(max_examples=200, deadline=None, derandomize=True)
def test_what_is_printed_is_read_back(drawn: Drawn) -> None:
    kernel = drawn.kernel
    for one in (kernel, differentiate(kernel, ["A", "B"])):
        text = print_kernel(one)
        again = parse(text, one.inputs, one.outputs, one.name, one.data_type)
        assert print_kernel(again) == text
