"""Convolution and batch norm become one convolution and one addition.

The example of the section on parameter folding in the thesis.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import gsl
from gsl import Call, Expr, Proj, Subst, Var, Workload
from gsl.evaluate import run
from gsl.graph import reverse_post_order
from rule_corpus.sound.bias import bias_add_bias_add, scale_of_bias
from rule_corpus.sound.convolution import conv_mul
from rule_corpus.sound.normalisation import lower_batch_norm
from tests.random_workloads import call

RULES = (lower_batch_norm(), conv_mul())


def network(
    dtype: str = "float32", biased: bool = False, layers: int = 1, **attributes: Any
) -> Any:
    """Return a workload of convolutions, each with a batch norm behind it."""
    generator = np.random.default_rng(7)
    parameters: dict[str, Any] = {}

    def parameter(name: str, *shape: int) -> Var:
        parameters[name] = generator.uniform(0.5, 1.5, shape).astype(dtype)
        return Var(name, shape, dtype)

    channels_last = attributes.get("data_layout") == "NHWC"
    value: Expr = Var("x", (2, 7, 6, 4) if channels_last else (2, 4, 7, 6), dtype)
    axis = 3 if channels_last else 1
    inputs = 4 // attributes.get("groups", 1)
    for i in range(layers):
        hwio = attributes.get("kernel_layout") == "HWIO"
        weight = parameter(f"w{i}", *((3, 3, inputs, 4) if hwio else (4, inputs, 3, 3)))
        value = call("Conv2D", value, weight, padding=1, **attributes)
        if biased:
            value = call("BiasAdd", value, parameter(f"bias{i}", 4), axis=axis)
        statistics = [parameter(f"{name}{i}", 4) for name in ("gamma", "beta", "mean", "var")]
        value = Proj(call("BatchNorm", value, *statistics, axis=axis), 0)
        value = call("Relu", value)
    return Workload(value, parameters)


def operators(workload: Workload) -> Counter[str]:
    order = reverse_post_order(workload.outputs)
    return Counter(expr.operator.name for expr in order if isinstance(expr, Call))


def folded(workload: Workload, rules: Sequence[Subst] = RULES) -> Workload:
    return gsl.apply(workload, rules).fold()


def image(workload: Workload) -> dict[str, Any]:
    (x,) = workload.inputs
    values = np.random.default_rng(3).normal(size=x.shape).astype(x.dtype)
    return {"x": values}


def assert_close(left: Sequence[Any], right: Sequence[Any]) -> None:
    for one, other in zip(left, right, strict=True):
        assert one.dtype == other.dtype
        tolerance = {"float16": 2e-2, "float32": 1e-4, "float64": 1e-12}[one.dtype.name]
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance * 10)


NETWORKS = {
    "plain": network(),
    "float64": network("float64"),
    "float16": network("float16"),
    "groups": network(groups=2, strides=(2, 1)),
    "channels last": network(data_layout="NHWC"),
    "HWIO": network(data_layout="NHWC", kernel_layout="HWIO"),
    "three layers": network(layers=3),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_batch_norm_disappears_into_the_convolution(name: str) -> None:
    workload = NETWORKS[name]
    layers = operators(workload)["Conv2D"]

    result = folded(workload)

    assert operators(result) == {"Conv2D": layers, "BiasAdd": layers, "Relu": layers}
    assert len(result.parameters) == 2 * layers
    assert_close(run(result, image(workload)), run(workload, image(workload)))


def test_new_parameters_are_named_after_the_old_ones() -> None:
    result = folded(network(layers=2))

    names = ["w0_multiply", "beta0_subtract", "w1_multiply", "beta1_subtract"]
    assert list(result.parameters) == names


def test_bias_of_the_convolution_goes_into_the_bias_that_is_left() -> None:
    workload = network(biased=True, layers=2)

    result = folded(workload, [*RULES, scale_of_bias(), bias_add_bias_add()])

    assert operators(result) == {"Conv2D": 2, "BiasAdd": 2, "Relu": 2}
    assert_close(run(result, image(workload)), run(workload, image(workload)))


def test_without_folding_the_network_has_more_to_compute() -> None:
    rewritten = gsl.apply(network(), RULES)

    assert sum(operators(rewritten).values()) > 3
    assert sum(operators(rewritten.fold()).values()) == 3


def test_folded_network_survives_a_file(tmp_path: Any) -> None:
    workload = folded(network())
    workload.save(tmp_path / "network")

    loaded = Workload.load(tmp_path / "network")

    np.testing.assert_array_equal(run(loaded, image(loaded)), run(workload, image(workload)))


@pytest.mark.tvm
@pytest.mark.parametrize("name", NETWORKS)
def test_tvm_computes_the_same_before_and_after(name: str) -> None:
    on_tvm = pytest.importorskip("gsl.tvm.run")
    workload = NETWORKS[name]

    before = on_tvm.run(workload, image(workload))
    after = on_tvm.run(folded(workload), image(workload))

    assert_close(after, before)
    assert_close(after, run(workload, image(workload)))
