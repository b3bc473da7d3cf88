"""Attention of com.microsoft, and with a past, is read; onnxruntime computes the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gsl import Workload
from gsl.evaluate import run
from gsl.expr import Call

onnx = pytest.importorskip("onnx", reason="ONNX needs the extra `models`")
pytest.importorskip("onnx_ir", reason="ONNX needs the extra `models`")
runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

reader = pytest.importorskip("gsl.onnx.reader")
FLOAT = onnx.TensorProto.FLOAT
SHAPES = {
    "q": (2, 3, 8),
    "k": (2, 5, 8),
    "v": (2, 5, 12),
    "bias": (28,),
    "mask": (1, 2, 3, 5),
    "pk": (2, 2, 4, 4),
    "pv": (2, 2, 4, 6),
    "w": (2, 5, 8),
    "pw": (2, 2, 4, 4),
    "wide": (2, 2, 3, 9),
    "gq": (2, 3, 64),
    "gk": (2, 3, 32),
    "gv": (2, 3, 32),
    "cos": (7, 8),
    "sin": (7, 8),
}
LENGTHS = {"ends": np.array([2, 2], np.int32), "total": np.array(3, np.int32)}
HEADS = {"num_heads": 2}
GROUPS = {"num_heads": 4, "kv_num_heads": 2}
ALL = ("y", "keys", "values")
NODES: dict[str, tuple[str, list[str], tuple[str, ...], dict[str, Any], str]] = {
    "many heads": ("MultiHeadAttention", ["q", "k", "v"], ALL[:1], HEADS, "com.microsoft"),
    "with a bias and a mask": (
        "MultiHeadAttention",
        ["q", "k", "v", "bias", "", "mask"],
        ALL[:1],
        {**HEADS, "scale": 0.25},
        "com.microsoft",
    ),
    "causal": (
        "MultiHeadAttention",
        ["q", "q", "q"],
        ALL[:1],
        {**HEADS, "unidirectional": 1},
        "com.microsoft",
    ),
    "with a past": (
        "MultiHeadAttention",
        ["q", "k", "w", "", "", "wide", "pk", "pw"],
        ALL,
        HEADS,
        "com.microsoft",
    ),
    "groups": (
        "GroupQueryAttention",
        ["gq", "gk", "gv", "", "", "ends", "total"],
        ALL,
        GROUPS,
        "com.microsoft",
    ),
    "turned groups": (
        "GroupQueryAttention",
        ["gq", "gk", "gv", "", "", "ends", "total", "cos", "sin"],
        ALL,
        {**GROUPS, "do_rotary": 1},
        "com.microsoft",
    ),
    "a past of ONNX": (
        "Attention",
        ["q", "k", "v", "wide", "pk", "pv"],
        ALL,
        {"q_num_heads": 2, "kv_num_heads": 2},
        "",
    ),
}


def model(name: str) -> tuple[Any, dict[str, Any]]:
    """Return a model of one node, and its inputs."""
    kind, inputs, outputs, attributes, domain = NODES[name]
    helper, random = onnx.helper, np.random.default_rng(0)
    node = helper.make_node(kind, inputs, outputs, domain=domain, **attributes)
    given = {one: random.uniform(-1, 1, SHAPES[one]).astype("f") for one in inputs if one in SHAPES}
    declared = [helper.make_tensor_value_info(one, FLOAT, SHAPES[one]) for one in given]
    known = [onnx.numpy_helper.from_array(LENGTHS[one], one) for one in inputs if one in LENGTHS]
    results = [helper.make_tensor_value_info(one, FLOAT, None) for one in outputs]
    graph = helper.make_graph([node], "attention", declared, results, known)
    opsets = [helper.make_opsetid("", 23), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10), given


@pytest.mark.parametrize("name", NODES)
def test_attention_is_read(name: str):
    written, given = model(name)
    workload = Workload.from_onnx(written)
    names = [one.operator.name for one in workload.order if isinstance(one, Call)]
    assert "MaskedAttention" in names
    assert not any("." in one for one in names)
    found = run(workload, given)
    for one in (written, workload.to_onnx()):
        wanted = runtime.InferenceSession(one.SerializeToString()).run(None, given)
        for own, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(own, other, rtol=1e-4, atol=1e-5)


REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "behind a past": ("with a past", {"unidirectional": 1}, "it is causal behind a past"),
    "a past of ONNX": ("a past of ONNX", {"is_causal": 1}, "it is causal behind a past"),
    "a window": ("groups", {"local_window_size": 2}, "its local_window_size changes the scores"),
    "a softcap": ("groups", {"softcap": 2.0}, "its softcap changes the scores"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_attention_is_carried_as_it_is(name: str):
    """Its type is declared, so that it can be."""
    base, attributes, reason = REFUSED[name]
    written, _ = model(base)
    node = written.graph.node[0]
    for one, value in attributes.items():
        node.attribute.append(onnx.helper.make_attribute(one, value))
    node.output[:] = node.output[:1]
    del written.graph.output[1:]
    shape = (2, 3, 64) if base == "groups" else (2, 3, 8 if node.domain else 12)
    written.graph.output[0].CopyFrom(onnx.helper.make_tensor_value_info("y", FLOAT, shape))
    record: list[Any] = []
    workload = reader.from_onnx(written, record=record)
    assert [one.reason for one in record] == [reason]
    assert "." in workload.outputs[0].operator.name
