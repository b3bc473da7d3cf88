"""Rules of onnxscript.rewriter: tried on graphs made of their patterns, and lifted from these."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnxscript.rewriter import _pattern_ir as patterns
from onnxscript.rewriter import _rewrite_rule as rewriting

from gsl.onnx import to_onnx
from gsl.workload import Workload
from gslverify.adapters.foreign import (
    ForeignRule,
    Names,
    Options,
    PassResult,
    Replayed,
    place_of,
)
from gslverify.adapters.onnx_graphs.drawing import values
from gslverify.adapters.onnx_graphs.sketch import Sketch, Step
from gslverify.adapters.onnx_graphs.styles import OPSETS
from gslverify.adapters.onnx_models import ModelExperiment
from gslverify.adapters.onnxscript_instances import instances, optimiser
from gslverify.adapters.passes import result_of
from gslverify.case import Case
from gslverify.passes.checking import reported
from gslverify.passes.exploring import explore
from gslverify.passes.verdicts import Ending

ROUNDS = 10
"""How often graphs are drawn again until enough of them are rewritten."""


@dataclass(frozen=True, slots=True)
class Named:
    """A rule with its name and where it is written; `module` and `number` find it again."""

    name: str
    place: str
    rule: Any
    module: str
    number: int


def found(targets: Sequence[str]) -> list[Named]:
    """Return the rules that targets define: modules, packages of them, or `module:name`.

    Raises ImportError for a module that is not there, AttributeError for such a name.
    """
    known: dict[int, Named] = {}
    names = Names()
    for target in targets:
        name, _, attribute = target.partition(":")
        module = importlib.import_module(name)
        modules = [module]
        if hasattr(module, "__path__") and not attribute:
            walked = pkgutil.iter_modules(module.__path__, f"{name}.")
            modules = [importlib.import_module(one.name) for one in walked]
        for one in modules:
            values = [getattr(one, attribute)] if attribute else list(vars(one).values())
            for number, rule in enumerate(_rules(values)):
                if id(rule) not in known:
                    known[id(rule)] = _named(rule, one.__name__, number, names)
    return list(known.values())


def _rules(values: Sequence[Any]) -> Iterator[Any]:
    """Yield rules, those of sets, and those of classes of which there is no rule among them."""
    made = []
    for value in values:
        if isinstance(value, rewriting.RewriteRule):
            made.append(value)
        elif isinstance(value, rewriting.RewriteRuleSet):
            made += value.rules
    owners = {type(getattr(one._condition_function, "__self__", None)) for one in made}
    yield from made
    for value in values:
        if _is_rule_class(value) and value not in owners:
            try:
                yield value.rule()
            except Exception:  # a base class, or one that wants arguments
                continue


def _is_rule_class(value: Any) -> bool:
    base = rewriting.RewriteRuleClassBase
    is_class = inspect.isclass(value) and issubclass(value, base) and value is not base
    return is_class and not inspect.isabstract(value)


def _named(rule: Any, module: str, number: int, names: Names) -> Named:
    function = rule._condition_function
    owner = getattr(function, "__self__", None)
    written = type(owner) if owner is not None else rule._replacement_pattern._function
    name = rule.name or getattr(written, "__name__", "rule")
    return Named(names.unique(str(name)), place_of(written), rule, module, number)


def sketches(rule: Any) -> list[Sketch]:
    """Return what a pattern looks like; one sketch for each choice of its alternatives."""
    pattern = rule._target_pattern
    alternatives = _alternatives(pattern)
    return [_Reading(chosen).sketch(pattern, number) for number, chosen in enumerate(alternatives)]


def _alternatives(pattern: Any) -> list[int]:
    """Return as many numbers as the pattern with most alternatives has."""
    counts = [1]
    pending = list(pattern.outputs)
    while pending:
        value = pending.pop()
        if isinstance(value, patterns.BacktrackingOr):
            counts.append(len(value._values))
            pending += value._values
        elif isinstance(value, patterns.OpIdDispatchOr):
            options = [one for _, one in value._op_to_pattern.values()]
            counts.append(len(options))
            pending += options
        elif isinstance(value, patterns.NodeOutputPattern):
            pending += [one for one in value.producer().inputs if one is not None]
    return list(range(max(counts)))


class _Reading:
    """Reads a pattern, with the alternative of a number in the place of every choice."""

    def __init__(self, chosen: int) -> None:
        self.chosen = chosen
        self.steps: list[Step] = []
        self.constants: dict[str, Any] = {}
        self.names: dict[int, str] = {}
        self.results: dict[int, tuple[str, ...]] = {}

    def sketch(self, pattern: Any, number: int) -> Sketch:
        outputs = tuple(str(self.value(one)) for one in pattern.outputs)
        return Sketch(f"pattern_{number}", tuple(self.steps), outputs, self.constants)

    def value(self, value: Any) -> str | None:
        if value is None:
            return None
        if isinstance(value, patterns.BacktrackingOr):
            return self.value(value._values[self.chosen % len(value._values)])
        if isinstance(value, patterns.OpIdDispatchOr):
            options = [one for _, one in value._op_to_pattern.values()]
            return self.value(options[self.chosen % len(options)])
        if isinstance(value, patterns.NodeOutputPattern):
            place: int = value.output_index
            return self.node(value.producer())[place]
        if isinstance(value, patterns.Constant):
            name = f"k{len(self.constants)}"
            self.constants[name] = _constant(value.value)
            return name
        if value.can_match_none and self.chosen % 2:
            return None
        if id(value) not in self.names:
            plain = value.name if value.name and value.name.isidentifier() else ""
            self.names[id(value)] = f"in_{plain or len(self.names)}"
        return self.names[id(value)]

    def node(self, node: Any) -> tuple[str, ...]:
        if id(node) in self.results:
            return self.results[id(node)]
        operands = tuple(self.value(one) for one in node.inputs)
        number = len(self.steps)
        results = tuple(f"v{number}_{place}" for place in range(len(node.outputs)))
        given = node.attributes.items()
        fixed = {
            name: one._value for name, one in given if isinstance(one, patterns.AttrConstantPattern)
        }
        wanted = tuple(name for name, _ in given if name not in fixed)
        others = node.allow_other_attributes is not False
        more = bool(node.allow_other_inputs) if node.allow_other_inputs is not None else False
        step = Step(node.op_type, operands, results, fixed, others, more, wanted, "")
        self.steps.append(step)
        self.results[id(node)] = results
        return results


def _constant(value: Any) -> Any:
    if isinstance(value, list):
        kind = np.float32 if any(isinstance(one, float) for one in value) else np.int64
        return np.array(value, kind)
    return np.array(value, np.int64 if isinstance(value, bool) else np.float32)


def names(targets: Sequence[str]) -> list[str]:
    """Return the names of the rules that targets define."""
    return [one.name for one in found(targets)]


def reports(targets: Sequence[str], options: Options) -> Iterator[PassResult]:
    """Yield what is found when each rule is tried on graphs made of its pattern."""
    for one in found(targets):
        if one.name in options.known_passes:
            continue
        experiments = _experiments(one)
        result = explore(experiments, options.graphs, options.seed, options.seconds, ROUNDS)
        yield result_of(reported(one.name, one.place, result), _target(one))


def _experiments(one: Named) -> list[ModelExperiment]:
    return [_experiment(one, sketch) for sketch in sketches(one.rule)]


def _experiment(one: Named, sketch: Sketch) -> ModelExperiment:
    imports = ("import onnxscript.rewriter", *_finding(one))
    call = "onnxscript.rewriter.rewrite(model, [rule])"
    return ModelExperiment(sketch, functools.partial(optimiser, one.rule), imports, call)


def _target(one: Named) -> str:
    """Return what names a rule alone, or the set or module that it is part of."""
    for name, value in vars(importlib.import_module(one.module)).items():
        is_set = isinstance(value, rewriting.RewriteRuleSet) and one.rule in value.rules
        if value is one.rule or is_set:
            return f"{one.module}:{name}"
    return one.module


def _finding(one: Named) -> Sequence[str]:
    """Return lines of a script that find a rule in its module."""
    module = importlib.import_module(one.module)
    for name, value in vars(module).items():
        if value is one.rule:
            return [f"from {one.module} import {name} as rule"]
        if isinstance(value, rewriting.RewriteRuleSet) and one.rule in value.rules:
            number = list(value.rules).index(one.rule)
            return [f"from {one.module} import {name}", f"rule = {name}.rules[{number}]"]
    return [f"rule = ...  # {one.name} of {one.module}"]


def rules(targets: Sequence[str]) -> Iterator[ForeignRule]:
    """Yield the rules that can be lifted from instances."""
    for one in found(targets):
        make = functools.partial(instances, one.rule, sketches(one.rule))
        replay = functools.partial(replayed, one)
        yield ForeignRule(one.name, one.place, make, replay=replay)


def replayed(one: Named, case: Case) -> Replayed:
    """Apply a rule to the graph of a counterexample, with its inputs free and as weights."""
    outcome = Replayed(False, "it leaves the graph as it is")
    for as_weights in (False, True):
        model, inputs = _model_of(case, as_weights)
        experiment = _experiment(one, Sketch("counterexample", (), ()))
        verdict = experiment.examine((model.SerializeToString(), [inputs]))
        if verdict.is_finding:
            return Replayed(True, f"{verdict.ending.value}: {verdict.message}", verdict.script)
        if verdict.ending is not Ending.UNCHANGED:
            outcome = Replayed(False, verdict.message or "it makes what computes the same")
    return outcome


def _model_of(case: Case, as_weights: bool) -> tuple[onnx.ModelProto, dict[str, Any]]:
    """Return the network of a counterexample as a model, with the inputs that are left."""
    exprs = case.exprs()
    plain = Workload([exprs[place] for place in case.source])
    types = {one.name: one.tensor_type for one in plain.variables}
    given = {
        name: case.inputs.get(name, values(one.shape, one.dtype, "integers", place))
        for place, (name, one) in enumerate(types.items())
    }
    workload = Workload(plain.outputs, given if as_weights else {})
    model = onnx.shape_inference.infer_shapes(to_onnx(workload, opset=OPSETS[0]))
    return model, {} if as_weights else given
