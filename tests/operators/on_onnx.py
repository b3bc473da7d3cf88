"""Runs one node of ONNX by the reference evaluator of the `onnx` package."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import helper
from onnx.reference import ReferenceEvaluator


def node(kind: str, *operands: Any, outputs: int = 1, opset: int = 21, **attributes: Any) -> Any:
    """Return the result of a node on arrays (None for one that is absent), a list of several."""
    names = [f"x{number}" for number in range(len(operands))]
    given = {n: np.asarray(o) for n, o in zip(names, operands, strict=True) if o is not None}
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), None)
        for name, array in given.items()
    ]
    results = [f"y{number}" for number in range(outputs)]
    written = [name if name in given else "" for name in names]
    made = helper.make_node(kind, written, results, **attributes)
    infos = [onnx.ValueInfoProto(name=name) for name in results]
    graph = helper.make_graph([made], "one", inputs, infos)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    found = ReferenceEvaluator(model).run(None, given)
    return found[0] if outputs == 1 else found
