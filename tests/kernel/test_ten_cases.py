"""Every case of the report gives its gradient, and three ways of computing it agree."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from gsl.kernel.c import emit_c
from gsl.kernel.numpy_source import emit_numpy
from gsl.kernel.printer import print_kernel
from tests.kernel.compiled import run_c
from tests.kernel.differences import TOLERANCE, check, error, gradients, random_inputs, seeds
from tests.kernel.ten_cases import LIFTED, TEN, Example

ALL = [*TEN, *LIFTED]
each = pytest.mark.parametrize("example", ALL, ids=[example.name for example in ALL])


@each
def test_the_gradient_is_what_the_report_says(example: Example) -> None:
    kernel = example.kernel()
    gradient = check(kernel, random_inputs(kernel), list(example.wanted))

    assert example.gradient in ("", print_kernel(gradient).strip())
    assert " ".join(gradient.inputs) == example.takes
    assert gradient.outputs == tuple(f"d{name}" for name in example.wanted)


def computed(example: Example, data_type: str = "double") -> tuple[Any, dict[str, Any], Any]:
    kernel = example.kernel(data_type)
    inputs = random_inputs(kernel)
    above = seeds(kernel, inputs)
    gradient, results = gradients(kernel, inputs, above, list(example.wanted))
    given = {f"d{name}": value for name, value in above.items()} | inputs
    return gradient, {name: given[name] for name in gradient.inputs}, results


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler here")
@pytest.mark.parametrize("data_type", ["double", "float"])
@each
def test_compiled_c_agrees(example: Example, data_type: str, tmp_path: Path) -> None:
    gradient, given, results = computed(example, data_type)
    found = run_c(gradient, given, tmp_path)
    for name, expected in results.items():
        assert error(found[name], expected) < (TOLERANCE if data_type == "double" else 1e-4)
    assert emit_c(gradient) == emit_c(computed(example, data_type)[0])


@each
def test_numpy_source_agrees(example: Example) -> None:
    gradient, given, results = computed(example)
    scope: dict[str, Any] = {}
    exec(emit_numpy(gradient), scope)
    found = scope[gradient.name](*given.values())
    values = found if isinstance(found, tuple) else (found,)
    for value, expected in zip(values, results.values(), strict=True):
        assert error(value, expected) < TOLERANCE


@pytest.mark.tvm
@each
def test_tvm_agrees(example: Example) -> None:
    from gsl.tvm.te import run_te

    gradient, given, results = computed(example)
    found = run_te(gradient, given)
    for name, expected in results.items():
        assert error(found[name], expected) < TOLERANCE
