"""Presets: their rules are those of the corpus, and models become what they are meant to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gsl import Record, Workload, presets
from gsl.command import main
from gsl.errors import RuleFileError
from gsl.evaluate import run
from gsl.expr import Call, Const, Expr, Proj, Var
from gsl.operators import lookup


def call(name: str, *operands: Expr, **attributes: Any) -> Call:
    return Call(lookup(name), operands, attributes)


def heads(x: Expr, weight: str, bias: str) -> Expr:
    """Return the projection of x [1, 3, 4] to two heads of two features, heads first."""
    projected = call("Add", call("Matmul", x, Var(weight, (4, 4))), Var(bias, (4,)))
    return call("Transpose", call("Reshape", projected, shape=(1, 3, 2, 2)), axes=(0, 2, 1, 3))


def exported_attention() -> Workload:
    """Return attention as torch exports it to ONNX: scales apart, keys transposed in one batch."""
    x, mask = Var("x", (1, 3, 4)), Var("mask", (1, 1, 3, 3))
    query, key, value = (heads(x, f"w{i}", f"b{i}") for i in range(3))
    root = Const(np.float32(2**-0.25))
    flat = call("Transpose", call("Reshape", key, shape=(2, 3, 2)), axes=(0, 2, 1))
    apart = call("Reshape", flat, shape=(1, 2, 2, 3))
    scores = call("Matmul", call("Multiply", query, root), call("Multiply", apart, root))
    weights = call("Softmax", call("Add", scores, mask), axis=-1)
    safe = call("Where", call("IsNaN", weights), Const(np.float32(0)), weights)
    mixed = call("Transpose", call("Matmul", safe, value), axes=(0, 2, 1, 3))
    random = np.random.default_rng(0)
    names = {f"w{i}": (4, 4) for i in range(3)} | {f"b{i}": (4,) for i in range(3)}
    parameters = {n: random.standard_normal(shape, np.float32) for n, shape in names.items()}
    return Workload(call("Reshape", mixed, shape=(1, 3, 4)), parameters)


def normalised(x: Expr, channels: int) -> Expr:
    vectors = (Var(f"norm{place}", (channels,)) for place in range(4))
    return Proj(call("BatchNorm", x, *vectors, axis=1), 0)


def biased(x: Expr, channels: int, axis: int = 1) -> Expr:
    return call("BiasAdd", x, Var("bias", (channels,)), axis=axis)


IMAGE, SIGNAL, ROWS = Var("x", (1, 3, 6, 6)), Var("x", (1, 3, 6)), Var("x", (2, 3))
VOLUME, WEIGHT = Var("x", (1, 3, 3, 4, 5)), Var("w", (3, 4))
CONVOLVED = {
    "Conv1D": call("Conv1D", SIGNAL, Var("w", (4, 3, 3)), padding=(1, 1)),
    "Conv2D": call("Conv2D", IMAGE, Var("w", (4, 3, 3, 3)), padding=(1, 1, 1, 1)),
    "Conv3D": call("Conv3D", VOLUME, Var("w", (4, 3, 2, 2, 2)), strides=(1, 2, 1)),
    "Conv1DTranspose": call("Conv1DTranspose", SIGNAL, Var("w", (3, 4, 3)), strides=(2,)),
    "Conv2DTranspose": call("Conv2DTranspose", IMAGE, Var("w", (3, 4, 3, 3)), strides=(2, 2)),
    "Dense": call("Dense", ROWS, Var("w", (4, 3))),
    "Matmul": call("Matmul", ROWS, WEIGHT),
}
NORMALISED = {
    **{name: normalised(product, 4) for name, product in CONVOLVED.items()},
    **{f"{name}, bias": normalised(biased(y, 4), 4) for name, y in CONVOLVED.items()},
    "Add": normalised(call("Add", CONVOLVED["Matmul"], Var("c", (4,))), 4),
    "Conv2D behind": call("Conv2D", normalised(IMAGE, 3), Var("w", (4, 3, 3, 3))),
    "Matmul behind": call("Matmul", normalised(ROWS, 3), WEIGHT),
}
"""Batch norms behind products, and in front of them."""


@pytest.mark.parametrize("name", NORMALISED)
def test_batch_norms_go_into_weights(name: str) -> None:
    assert "BatchNorm" not in operators(rewritten(NORMALISED[name]))


def rewritten(output: Expr) -> Workload:
    """Return what becomes of a network, which computes the same as before."""
    random = np.random.default_rng(0)
    variables = Workload(output).variables
    values = {v.name: random.uniform(0.5, 1.5, v.shape).astype("f") for v in variables}
    parameters = {name: array for name, array in values.items() if name != "x"}
    before = Workload(output, parameters)
    after = presets.inference.apply(before)
    found, wanted = (run(one, {**one.parameters, "x": values["x"]})[0] for one in (after, before))
    np.testing.assert_allclose(found, wanted, rtol=1e-4)
    return after


def test_linear_layers_become_one() -> None:
    inner = call("Add", call("Matmul", ROWS, WEIGHT), Var("c", (4,)))
    outer = call("Add", Var("d", (3,)), call("Matmul", inner, Var("v", (4, 3))))
    assert operators(rewritten(outer)) == ["Matmul", "Add"]


def test_linear_layers_of_rows_become_one_product() -> None:
    x = Var("x", (2, 3, 4))
    rows = call("Reshape", x, shape=(6, 4))
    sums = [
        call("Add", call("Matmul", rows, Var(f"w{i}", (4, 5))), Var(f"c{i}", (5,)))
        for i in range(2)
    ]
    gate, up = (call("Reshape", one, shape=(2, 3, 5)) for one in sums)
    after = rewritten(call("Multiply", call("Silu", gate), up))
    assert sorted(operators(after)) == ["Add", "Matmul", "Multiply", "Silu", "Split"]


def test_norms_and_activations_of_the_older_exporter_of_torch_are_found() -> None:
    gain, shift = Var("g", (3,)), Var("b", (3,))
    along = {"axis": (-1,), "keepdims": True}
    apart = call("Subtract", ROWS, call("Mean", ROWS, **along))
    square = call("Mean", call("Power", apart, Const(np.float32(2))), **along)
    root = call("Sqrt", call("Add", square, Const(np.float32(1e-12))))
    scaled = call("Multiply", call("Divide", apart, root), gain)
    assert operators(rewritten(call("Add", scaled, shift))) == ["LayerNorm"]
    part = call("Erf", call("Divide", ROWS, Const(np.float32(2**0.5))))
    doubled = call("Multiply", ROWS, call("Add", part, Const(np.float32(1))))
    assert operators(rewritten(call("Multiply", doubled, Const(np.float32(0.5))))) == ["Gelu"]


def test_padding_goes_into_windows() -> None:
    around = (0, 0, 0, 0, 1, 1, 1, 1)
    padded = call("Pad", IMAGE, pad_width=around)
    assert operators(rewritten(call("Conv2D", padded, Var("w", (4, 3, 3, 3))))) == ["Conv2D"]
    pool = call("AvgPool2D", padded, pool_size=(2, 2), count_include_pad=True)
    assert operators(rewritten(pool)) == ["AvgPool2D"]


def operators(workload: Workload) -> list[str]:
    return [str(expr.operator) for expr in workload.order if isinstance(expr, Call)]


def test_attention_is_found_in_what_exporters_write() -> None:
    before, record = exported_attention(), Record()
    after = presets.inference.apply(before, record=record)
    assert operators(after) == ["SelfAttention"]
    random = np.random.default_rng(1)
    inputs = {one.name: random.standard_normal(one.shape, np.float32) for one in before.inputs}
    found, wanted = (run(one, {**one.parameters, **inputs})[0] for one in (after, before))
    np.testing.assert_allclose(found, wanted, rtol=1e-5)
    assert record.total > 5


def test_every_phase_has_rules_of_its_own_name() -> None:
    for preset in presets.PRESETS.values():
        for phase, named in zip(preset.phases, preset.loaded, strict=True):
            wanted = [name for _, names in phase.rules for name in names.split()]
            assert list(named.values()) == wanted


def test_an_unknown_rule_is_named() -> None:
    with pytest.raises(RuleFileError, match="no rule `add_zerro`"):
        presets.Phase("any", (("identities", "add_zerro"),)).load()
    with pytest.raises(RuleFileError, match="not installed"):
        presets.Phase("any", (("no_such_file", "add_zero"),)).load()


def test_a_preset_is_applied_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    exported_attention().save("model.gsl")
    assert main(["apply", "inference", "model.gsl", "-o", "out.gsl"]) == 0
    assert "masked_attention_fused" in capfd.readouterr().out
    assert operators(Workload.load("out.gsl")) == ["SelfAttention"]
