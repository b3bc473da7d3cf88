"""What of ONNX is read and written: `python benchmarks/conformance.py [--quick] [--json] [--list]`.

The node tests of the package `onnx`, its extra `models` pinned. A test belongs to GSL if all of its
tensors have a dtype of GSL and its operators are ONNX's own, without random numbers. Such a test is
read (inputs that a row needs to know, such as axes, become constants), computed with the references
and compared with what the test expects; then it is written again and run in onnxruntime. `--list`
names all that fail, with reasons; operators that are carried as they are count as such, too.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import onnxruntime
from figures import Figure, at_least, figure, report
from onnx.backend.test.case.node import collect_testcases

from gsl import Workload
from gsl.errors import GslError
from gsl.evaluate import evaluate
from gsl.onnx.inputs import KNOWN
from gsl.onnx.loading import tensors_of
from gsl.onnx.reader import RANDOM, Carried, from_onnx

QUICK = 8
"""With --quick, every eighth test."""

MOST_BOUND = 4


@dataclass
class Outcome:
    """What became of one test; a stage that failed has its reason."""

    name: str
    outside: str = ""
    failed: dict[str, str] = field(default_factory=dict)
    carried: str = ""


UNDEFINED = {
    "_nan_robustness": "a query that sees no key",
    "test_mod_float_edge_cases": "remainders by zero and of infinity",
    "_negative_shift": "a shift by less than no bit",
    "test_training_dropout": "random numbers",
    "test_image_decoder": "images in files",
}
"""Parts of the names of tests about what operators of GSL are not defined on, and what that is."""


def outside(name: str, model: onnx.ModelProto) -> str:
    """Return why a test is no matter of GSL, or an empty text."""
    for part, why in UNDEFINED.items():
        if part in name:
            return why
    values = [*model.graph.input, *model.graph.output]
    for value in values:
        if not value.type.HasField("tensor_type"):
            return "values that are no tensors"
        if value.type.tensor_type.elem_type not in KNOWN:
            return f"elements of {onnx.TensorProto.DataType.Name(value.type.tensor_type.elem_type)}"
    for tensor in tensors_of(model):
        if tensor.data_type not in KNOWN:
            return f"elements of {onnx.TensorProto.DataType.Name(tensor.data_type)}"
    for node in model.graph.node:
        if node.domain not in ("", "ai.onnx"):
            return f"the domain {node.domain}"
        if node.op_type in RANDOM:
            return "random numbers"
        for one in node.attribute:
            if one.name in ("to", "dtype") and one.i and one.i not in KNOWN:
                return f"elements of {onnx.TensorProto.DataType.Name(one.i)}"
    return ""


def bound(model: onnx.ModelProto, names: set[str], given: dict[str, Any]) -> onnx.ModelProto:
    """Return a model in which some inputs are constants."""
    result = onnx.ModelProto()
    result.CopyFrom(model)
    kept = [value for value in result.graph.input if value.name not in names]
    del result.graph.input[:]
    result.graph.input.extend(kept)
    result.graph.initializer.extend(
        onnx.numpy_helper.from_array(np.asarray(given[name]), name) for name in sorted(names)
    )
    return result


def read(model: onnx.ModelProto, given: dict[str, Any]) -> tuple[Workload, list[Carried]]:
    """Return the workload of a test, with as few inputs made constant as can be."""
    shapes = {name: np.shape(array) for name, array in given.items()}
    fixed: set[str] = set()
    for _ in range(MOST_BOUND):
        record: list[Carried] = []
        kept = {name: shape for name, shape in shapes.items() if name not in fixed}
        try:
            workload = from_onnx(bound(model, fixed, given), kept, record)
            wanted = {name for one in record for name in one.wanted}
        except GslError as error:
            wanted = set(getattr(error, "wanted", ()))
            if not wanted:
                raise
        if not wanted:
            break
        fixed |= wanted
    return workload, record


def outcome(case: Any) -> Outcome:
    """Take one test through all stages."""
    model, result = case.model, Outcome(case.name)
    result.outside = outside(case.name, model)
    if result.outside:
        return result
    inputs, expected = case.data_sets[0]
    names = [value.name for value in model.graph.input]
    given = dict(zip(names, map(array_of, inputs), strict=False))
    stage = "read"
    try:
        workload, record = read(model, given)
        result.carried = "; ".join(f"{one.operator}: {one.reason}" for one in record)
        arrays = {one.name: np.asarray(given[one.name]) for one in workload.inputs}
        stage = "references"
        found = evaluate(workload.outputs, {**workload.parameters, **arrays})
        compare(found, expected, case)
        stage = "written"
        text = workload.to_onnx().SerializeToString()
        stage = "onnxruntime"
        session = onnxruntime.InferenceSession(text, options(), ["CPUExecutionProvider"])
        compare(session.run(None, arrays), expected, case)
    except Exception as error:
        if stage == "onnxruntime" and same_as_before(model, given, text):
            stage = "onnxruntime itself"
        result.failed[stage] = f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]
    return result


def same_as_before(model: onnx.ModelProto, given: dict[str, Any], text: bytes) -> bool:
    """Tell whether onnxruntime fails at the test itself, or computes what it does after."""
    try:
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), options(), ["CPUExecutionProvider"]
        )
        before = session.run(None, {one.name: given[one.name] for one in session.get_inputs()})
    except Exception:
        return True
    session = onnxruntime.InferenceSession(text, options(), ["CPUExecutionProvider"])
    after = session.run(None, {one.name: given[one.name] for one in session.get_inputs()})
    pairs = zip(before, after, strict=True)
    return all(np.allclose(a, b, rtol=1e-5, equal_nan=True) for a, b in pairs)


def options() -> Any:
    """Return options of onnxruntime that keep it quiet and on one core."""
    chosen = onnxruntime.SessionOptions()
    chosen.log_severity_level = 4
    chosen.intra_op_num_threads = 1
    return chosen


def array_of(given: Any) -> Any:
    """Return the elements of an input or a result of a test."""
    is_proto = isinstance(given, onnx.TensorProto)
    return onnx.numpy_helper.to_array(given) if is_proto else np.asarray(given)


def compare(found: Any, expected: Any, case: Any) -> None:
    """Raise AssertionError unless results are those that a test expects."""
    for one, other in zip(found, expected, strict=True):
        wanted = array_of(other)
        assert np.asarray(one).dtype == wanted.dtype, f"{np.asarray(one).dtype}, not {wanted.dtype}"
        rtol = max(case.rtol, 2e-3) if wanted.dtype == np.float16 else case.rtol
        np.testing.assert_allclose(one, wanted, rtol=rtol, atol=max(case.atol, 1e-6))


def measured(quick: bool, listed: bool) -> Iterator[Figure]:
    warnings.simplefilter("ignore")
    onnxruntime.set_default_logger_severity(4)
    cases = [case for case in collect_testcases(None) if case.kind == "node"]
    started = time.perf_counter()
    outcomes = [outcome(case) for case in cases[:: QUICK if quick else 1]]
    seconds = time.perf_counter() - started
    if listed:
        show(outcomes)
    ours = [one for one in outcomes if not one.outside]
    stages = {
        stage: [one for one in ours if stage in one.failed]
        for stage in ("read", "references", "written", "onnxruntime", "onnxruntime itself")
    }
    agree = len(ours) - len(stages["read"]) - len(stages["references"])
    through = agree - sum(len(stages[stage]) for stage in list(stages)[2:])
    yield figure("node tests", len(outcomes), "tests")
    yield figure("of dtypes and domains that GSL has", len(ours), "tests")
    yield at_least("read", 100 * (1 - len(stages["read"]) / len(ours)), "%", 97)
    yield at_least("read, and the references agree", 100 * agree / len(ours), "%", 97)
    plain = sum(not one.carried for one in ours if not one.failed)
    yield figure("all of whose operators GSL knows", 100 * plain / len(ours), "%")
    yield at_least("written, and onnxruntime agrees", 100 * through / len(ours), "%", 90)
    own = len(stages["onnxruntime itself"])
    yield figure("onnxruntime fails before, too, or differs alike", own, "tests")
    wrong = len(stages["written"]) + len(stages["onnxruntime"])
    yield figure("not written, or onnxruntime differs after", wrong, "tests", 0)
    yield figure("reading, computing, writing and running all", seconds, "s", 60)


def show(outcomes: list[Outcome]) -> None:
    """Print why tests are no matter of GSL, which operators are carried, and all that failed."""
    for reason, count in Counter(one.outside for one in outcomes if one.outside).most_common():
        print(f"outside, {count}: {reason}")
    carried = Counter(one.carried for one in outcomes if one.carried and not one.failed)
    for reason, count in carried.most_common():
        print(f"carried, {count}: {reason}")
    for one in outcomes:
        for stage, reason in one.failed.items():
            print(f"{stage}, {one.name}: {reason}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="every eighth test")
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    parser.add_argument("--list", action="store_true", help="what fails, and why")
    chosen = parser.parse_args()
    report(measured(chosen.quick, chosen.list), chosen.json)
