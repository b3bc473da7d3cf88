"""What a rule of onnxscript does at two choices of sizes, to be lifted."""

from __future__ import annotations

from collections.abc import Sequence, Set
from random import Random
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
from onnxscript.rewriter import _rewrite_rule as rewriting

from gsl.expr import Expr, Var
from gsl.lift import CannotLiftError, Instance, LiftedRule, lift
from gsl.numpy_dtypes import is_floating
from gsl.onnx import from_onnx
from gsl.workload import Workload
from gslverify.adapters.onnx_graphs.choosers import drawn
from gslverify.adapters.onnx_graphs.drawing import PRIMES
from gslverify.adapters.onnx_graphs.sketch import Sketch
from gslverify.adapters.onnxscript_weights import (
    Key,
    filled,
    is_uniform,
    key_of,
    noted,
    substituted,
)
from gslverify.networks.choices import NothingDrawnError, Tape

MOST_DRAWS = 400
"""Draws after which no instance of a rule is found."""

MOST_CANDIDATES = 25
ENOUGH = 4
"""Instances that can be lifted, of which the most general is taken."""


def instances(rule: Any, sketches: Sequence[Sketch]) -> list[Instance]:
    """Return what a rule does at two choices of sizes of one structure.

    Several structures are tried, because a rule of gsl cannot always be made of the first one, and
    some say more than others. Raises CannotLiftError when no graph is found that it rewrites, and
    what gsl cannot read.
    """
    reason: Exception = CannotLiftError("its pattern matches none of the graphs that were drawn")
    random, candidates = Random(0), 0
    found: list[tuple[LiftedRule, list[Instance]]] = []
    for number in range(MOST_DRAWS):
        try:
            models = _models(rule, sketches[number % len(sketches)], Tape((), random))
            candidates += bool(models)
            found += [_lifted(rule, models)] if models else []
        except NothingDrawnError:
            continue
        except Exception as error:  # another graph may do
            reason, candidates = error, candidates + 1
        if candidates >= MOST_CANDIDATES or len(found) == ENOUGH:
            break
    if not found:
        raise reason
    return max(found, key=lambda one: _generality(*one))[1]


def _lifted(
    rule: Any, models: tuple[onnx.ModelProto, onnx.ModelProto]
) -> tuple[LiftedRule, list[Instance]]:
    """Return the rule of two models, with numbers for what was a number, if that can be lifted."""
    pair = _pair(rule, *models, least=0)
    try:
        return lift("candidate", pair), pair
    except CannotLiftError:
        pair = _pair(rule, *models, least=1)
        return lift("candidate", pair), pair


def _generality(lifted: LiftedRule, instances: Sequence[Instance]) -> tuple[bool, bool, int, int]:
    """Return how much a rule leaves open: inputs, numbers, and axes that are longer than 1.

    Weights of integers stay constants, so that as few inputs as possible are of another dtype than
    what rules are mostly about.
    """
    source = instances[0].source
    long = sum(size > 1 for one in source.variables for size in one.shape)
    unusual = sum(one.dtype != "float32" for one in source.variables)
    return bool(source.inputs), "INF" not in lifted.text, -unusual, long


def _models(
    rule: Any, sketch: Sketch, tape: Tape
) -> tuple[onnx.ModelProto, onnx.ModelProto] | None:
    """Return a structure at two choices of sizes, None where the rule rewrites not both."""
    first, _ = drawn(sketch, tape, PRIMES[0])
    second, _ = drawn(sketch, Tape(tape.taken), PRIMES[1])
    both = first, second
    return None if any(optimiser(rule, model) is None for model in both) else both


def _pair(rule: Any, first: onnx.ModelProto, second: onnx.ModelProto, least: int) -> list[Instance]:
    """Return the instances of two models.

    The second one gets other weights, as far as the rule matches it with these, so that numbers
    which depend on them are not taken for constants. Those of rank below `least` stay.
    """
    fixed: set[str] = set()
    for place, tensor in enumerate(second.graph.initializer):
        array = onnx.numpy_helper.to_array(tensor)
        if not is_floating(array.dtype) or not array.size or not np.isfinite(array).all():
            continue
        other = onnx.ModelProto()
        other.CopyFrom(second)
        varied = onnx.numpy_helper.from_array(_varied(array, place), tensor.name)
        other.graph.initializer[place].CopyFrom(varied)
        if optimiser(rule, other) is None:
            fixed.add(tensor.name)
        elif array.ndim >= least:
            second = other
    return [_instance(rule, model, fixed) for model in (first, second)]


def _varied(array: Any, seed: int) -> Any:
    """Return other elements of the same signs."""
    factors = np.random.default_rng(seed).uniform(1.25, 3.0, array.shape)
    return (np.where(array == 0, 1.0, array.astype(np.float64)) * factors).astype(array.dtype)


def optimiser(rule: Any, model: onnx.ModelProto) -> onnx.ModelProto | None:
    """Apply a rule; None where it does not match."""
    made = ir.from_proto(model)
    return ir.to_proto(made) if _applied(rule, made) else None


def _applied(rule: Any, model: ir.Model) -> int:
    return int(rewriting.RewriteRuleSet([rule]).apply_to_model(model))


def _instance(rule: Any, model: onnx.ModelProto, fixed: Set[str]) -> Instance:
    """Return what a rule makes of a model; weights that are `fixed` are no inputs of it."""
    before = ir.from_proto(model)
    notes: dict[Key, Expr] = {}
    old: dict[str, Any] = {}
    for name, value in before.graph.initializers.items():
        array = np.array(value.const_value.numpy())  # type: ignore[union-attr]
        old[name] = array
        if array.ndim and is_floating(array.dtype):
            leaf = Var(name, array.shape, array.dtype.name)
            value.const_value = ir.tensor(noted(array, leaf, notes), name=name)
    if not _applied(rule, before):
        raise CannotLiftError("it matches a graph once and not again")
    computed = _computed(before, old, notes)
    source = from_onnx(model, literal=True)
    target = from_onnx(ir.to_proto(before), literal=True)
    uniform = {n: filled(old[n]) for n in fixed if old[n].ndim and is_uniform(old[n])}
    outputs = substituted(target.outputs, computed)
    return Instance(
        _with(substituted(source.outputs, uniform), source),
        _with(substituted(outputs, uniform), source),
    )


def _with(outputs: Sequence[Expr], source: Workload) -> Workload:
    """Return a workload whose parameters are those of the source that it uses."""
    used = {one.name for one in Workload(outputs).variables}
    return Workload(outputs, {n: one for n, one in source.parameters.items() if n in used})


def _computed(model: ir.Model, old: dict[str, Any], notes: dict[Key, Expr]) -> dict[str, Expr]:
    """Return what the initializers that a rule has made are computed of.

    Raises CannotLiftError for one of which that is not known.
    """
    found = {}
    for name, value in model.graph.initializers.items():
        array = np.asarray(value.const_value.numpy())  # type: ignore[union-attr]
        known = old.get(name)
        is_new = known is None or key_of(known) != key_of(array)
        if not is_new or array.ndim == 0 or not is_floating(array.dtype):
            continue
        if key_of(array) in notes:
            found[name] = notes[key_of(array)]
        elif array.size > 1 and is_uniform(array):
            found[name] = filled(array)
        else:
            raise CannotLiftError(f"how it computes the weight {name} cannot be followed")
    return found
