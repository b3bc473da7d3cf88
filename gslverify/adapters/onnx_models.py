"""ONNX models before and after a rewrite: whether both compute the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

from gsl.evaluate import evaluate
from gsl.numpy_dtypes import is_floating
from gsl.onnx import from_onnx, load
from gslverify.adapters.onnx_graphs.choosers import drawn
from gslverify.adapters.onnx_graphs.sketch import Sketch
from gslverify.networks.choices import Choices
from gslverify.passes.isolation import raised, survived
from gslverify.passes.judging import ROUNDING, agreement
from gslverify.passes.verdicts import Ending, Verdict, not_of_the_pass

Model = onnx.ModelProto
Optimiser = Callable[[Model], Model | None]
"""Returns the rewritten model, None where nothing was rewritten; may raise anything."""

Case = tuple[bytes, list[dict[str, Any]]]
"""A model and several choices of its inputs."""

SECONDS = 20.0
"""Time for an optimiser alone, after a process has ended or hung with it."""

MOVEMENT = ("Concat", "Expand", "Flatten", "Gather", "Identity", "Pad", "Reshape", "ScatterND")
VIEWS = ("Slice", "Split", "Squeeze", "Transpose", "Unsqueeze")
DISAGREE = "the references of ONNX disagree"
EXACT = frozenset((*MOVEMENT, *VIEWS, "Cast", "Constant", "Clip", "Max", "Min", "Relu"))
"""Operators that round nothing, or as IEEE 754 says."""


@dataclass(frozen=True, slots=True)
class ModelExperiment:
    """An optimiser on the models of one sketch.

    `call` is how a script applies it to `model`, after the lines of `imports`.
    """

    sketch: Sketch
    optimise: Optimiser
    imports: Sequence[str] = ()
    call: str = ""

    @property
    def name(self) -> str:
        """The name of the sketch."""
        return self.sketch.name

    def draw(self, choices: Choices) -> Case:
        """Draw a model and inputs."""
        model, inputs = drawn(self.sketch, choices)
        return model.SerializeToString(), inputs

    def examine(self, case: Case) -> Verdict:
        """Rewrite the model and compare."""
        model, inputs = onnx.load_model_from_string(case[0]), case[1]
        before = text_of(model)
        try:
            new = self.optimise(onnx.load_model_from_string(case[0]))
        except BaseException as error:  # optimisers raise anything, SystemExit included
            said = raised(error)
            kind = f"{said.kind} in {said.where}"
            script = self.script(model, inputs[0])
            message = f"{said} ({said.where})"
            return Verdict(Ending.RAISES, message, before, script=script, kind=kind)
        if new is None or (isinstance(new, Model) and new.graph == model.graph):
            return Verdict(Ending.UNCHANGED, before=before)
        if not isinstance(new, Model):
            message = f"it returned {type(new).__name__}, which is no model"
            return Verdict(Ending.ILL_FORMED, message, before)
        ending, message = compared(model, new, inputs)
        script = self.script(model, inputs[0]) if ending is not Ending.AGREES else ""
        return Verdict(ending, message, before, text_of(new), script)

    def describe(self, case: Case, verdict: Verdict) -> Verdict:
        """Add the model to a verdict about a child that ended, if the optimiser has ended it."""
        model = onnx.load_model_from_string(case[0])
        if survived(lambda: self.alone(model, case[1]), SECONDS):
            return not_of_the_pass(verdict)
        script = self.script(model, case[1][0])
        return Verdict(verdict.ending, verdict.message, text_of(model), script=script)

    def alone(self, model: Model, inputs: Sequence[Mapping[str, Any]]) -> None:
        """Do nothing but what the optimiser does."""
        self.optimise(model)

    def script(self, model: Model, inputs: Mapping[str, Any]) -> str:
        """Return a script that needs onnx and the optimiser only."""
        arrays = ", ".join(f"{name!r}: {_array(value)}" for name, value in inputs.items())
        lines = ["import numpy as np", "import onnx", "import onnx.parser"]
        lines += ["from onnx.reference import ReferenceEvaluator", *self.imports]
        lines += [
            'model = onnx.parser.parse_model("""',
            onnx.printer.to_text(model).strip(),
            '""")',
        ]
        lines += [f"inputs = {{{arrays}}}", f"new = {self.call or 'optimised(model)'}"]
        lines += ["print(onnx.printer.to_text(new))", "for one in (model, new):"]
        lines += ["    print(ReferenceEvaluator(one).run(None, inputs))", ""]
        return "\n".join(lines)


def _array(value: Any) -> str:
    flat = " ".join(repr(value.tolist()).split())
    return f"np.array({flat}, {value.dtype.name!r}).reshape({value.shape})"


def text_of(model: Model) -> tuple[str, ...]:
    """Return the nodes of a model, one a line, after its inputs."""
    text = onnx.printer.to_text(model.graph)
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def compared(
    before: Model, after: Model, inputs: Sequence[Mapping[str, Any]]
) -> tuple[Ending, str]:
    """Compare two models on inputs, by several references."""
    try:
        onnx.checker.check_model(after, full_check=True)
    except Exception as error:
        return Ending.ILL_FORMED, f"the checker of ONNX refuses the new model: {raised(error)}"
    names, new_names = ([one.name for one in m.graph.output] for m in (before, after))
    if len(names) != len(new_names):
        return Ending.OTHER_TYPES, f"{len(names)} outputs became {len(new_names)}"
    agrees, undecided = False, ""
    for arrays in inputs:
        ending, message = _on(before, after, arrays)
        if ending is Ending.UNDECIDED:
            undecided = undecided if undecided.startswith(DISAGREE) else message
        elif ending is Ending.AGREES:
            agrees = True
        else:
            return ending, message
    refused = _refusal(before, after, inputs[0])
    if refused:
        return Ending.ILL_FORMED, refused
    is_compared = agrees and not undecided.startswith(DISAGREE)
    return (Ending.AGREES, "") if is_compared else (Ending.UNDECIDED, undecided)


def _refusal(before: Model, after: Model, inputs: Mapping[str, Any]) -> str:
    """Return why onnxruntime refuses a model that the reference runs, if it ran the old one."""
    wanted = {one.name for one in after.graph.input}
    try:
        run_in_onnxruntime(before, inputs)
    except Exception:  # it lacks some operators and dtypes
        return ""
    try:
        run_in_onnxruntime(after, {name: one for name, one in inputs.items() if name in wanted})
    except Exception as error:
        said = raised(error)
        return "" if said.kind == "NotImplemented" else f"onnxruntime refuses the new model: {said}"
    return ""


def _on(before: Model, after: Model, inputs: Mapping[str, Any]) -> tuple[Ending, str]:
    """Compare on one choice of inputs: what differs has to differ in two references.

    They have to agree about the old model: which element of several NaN is the largest, for
    example, is up to an implementation.
    """
    untold, agrees = "", 0
    differs: list[tuple[Ending, str]] = []
    first: Sequence[Any] = ()
    for name, running in REFERENCES.items():
        expected, ending, message = _with(running, before, after, inputs)
        if ending is Ending.UNDECIDED:
            untold = untold or message
            continue
        if differs and agreed(before, before, first, expected)[0] is not Ending.AGREES:
            return Ending.UNDECIDED, f"{DISAGREE}; {differs[0][1]}"
        if ending is Ending.AGREES:
            agrees += 1
            if agrees > len(differs):
                return ending, ""
        else:
            first = first or expected
            differs.append((ending, message if differs else f"{name}: {message}"))
            if len(differs) > 1:
                return differs[-1]
    if not differs:
        return Ending.UNDECIDED, untold
    why = DISAGREE if agrees else "no other reference can tell"
    return Ending.UNDECIDED, f"{why}; {differs[0][1]}"


def _with(
    running: Callable[[Model, Mapping[str, Any]], list[Any]],
    before: Model,
    after: Model,
    inputs: Mapping[str, Any],
) -> tuple[Sequence[Any], Ending, str]:
    """Return what the old model computes by one reference, and how the new one compares."""
    try:
        expected = running(before, inputs)
    except Exception as error:
        return (), Ending.UNDECIDED, f"the model cannot be run: {raised(error)}"
    wanted = {one.name for one in after.graph.input}
    try:
        actual = running(after, {name: one for name, one in inputs.items() if name in wanted})
    except Exception as error:
        return expected, Ending.ILL_FORMED, f"the new model cannot be run: {raised(error)}"
    return expected, *agreed(before, after, expected, actual)


def agreed(
    before: Model, after: Model, expected: Sequence[Any], actual: Sequence[Any]
) -> tuple[Ending, str]:
    """Compare outputs: exactly where neither model rounds, else apart from rounding."""
    for number, (one, other) in enumerate(zip(expected, actual, strict=True)):
        if one.dtype != other.dtype or one.shape != other.shape:
            types = [f"{array.dtype}{list(array.shape)}" for array in (one, other)]
            return Ending.OTHER_TYPES, f"output {number} of {types[0]} became {types[1]}"
    if is_exact(before, after):
        return _exactly(expected, actual)
    if not all(map(_is_finite, expected)):
        return Ending.UNDECIDED, "outputs are not finite"
    return agreement(expected, actual, rounding=_coarsest(before))


def _exactly(expected: Sequence[Any], actual: Sequence[Any]) -> tuple[Ending, str]:
    for number, (one, other) in enumerate(zip(expected, actual, strict=True)):
        wrong = (one != other) & ~((one != one) & (other != other))
        if np.any(wrong):
            place = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
            pair = f"{one[place]!s} became {other[place]!s}"
            return Ending.DIFFERS, f"output {number} differs: {pair}"
    return Ending.AGREES, ""


def _is_finite(array: Any) -> bool:
    return not is_floating(array.dtype) or bool(np.all(np.isfinite(array)))


def is_exact(before: Model, after: Model) -> bool:
    """Tell whether two models only have operators that round nothing of their own."""
    return all(node.op_type in EXACT for m in (before, after) for node in m.graph.node)


def _coarsest(model: Model) -> float:
    kinds = {one.type.tensor_type.elem_type for one in _typed(model)}
    names = (str(onnx.helper.tensor_dtype_to_np_dtype(kind)) for kind in kinds if kind)
    return max((ROUNDING.get(name, 0.0) for name in names), default=0.0)


def _typed(model: Model) -> list[onnx.ValueInfoProto]:
    graph = model.graph
    return [*graph.input, *graph.output, *graph.value_info]


def run(model: Model, inputs: Mapping[str, Any]) -> list[Any]:
    """Return the outputs of a model, by the reference of ONNX, else by onnxruntime."""
    try:
        return run_by_reference(model, inputs)
    except Exception:  # the reference lacks some operators and raises anything
        return run_in_onnxruntime(model, inputs)


def run_by_reference(model: Model, inputs: Mapping[str, Any]) -> list[Any]:
    """Return the outputs of a model by the reference of ONNX."""
    evaluator: Any = ReferenceEvaluator(model)
    with np.errstate(all="ignore"):
        return [np.asarray(one) for one in evaluator.run(None, dict(inputs))]


def run_in_onnxruntime(model: Model, inputs: Mapping[str, Any]) -> list[Any]:
    """Return the outputs of a model by onnxruntime, which rewrites nothing first."""
    found: list[Any] = load("run", "running ONNX models").run_model(model, inputs)
    return found


def run_by_gsl(model: Model, inputs: Mapping[str, Any]) -> list[Any]:
    """Return the outputs of a model by the references of gsl."""
    workload = from_onnx(model)
    return list(evaluate(workload.outputs, {**workload.parameters, **inputs}))


REFERENCES: Mapping[str, Callable[[Model, Mapping[str, Any]], list[Any]]] = {
    "the reference of ONNX": run_by_reference,
    "onnxruntime": run_in_onnxruntime,
    "gsl": run_by_gsl,
}
"""What runs models, in the order in which they are asked."""
