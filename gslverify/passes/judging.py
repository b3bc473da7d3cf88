"""A graph before and after a pass: whether both compute the same, apart from rounding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gsl.errors import GraphError, GslError
from gsl.evaluate import evaluate
from gsl.expr import Call, Const, Expr
from gsl.graph import reverse_post_order
from gsl.numpy_dtypes import is_floating, kind_of
from gsl.text.listing import listing
from gsl.workload import Workload
from gslverify.comparison.compare import evaluate_bounded
from gslverify.networks.network import Network
from gslverify.passes.identity import Identity, identity
from gslverify.passes.isolation import raised
from gslverify.passes.rewriters import Executable, FaultError, Rewriter, Rewritten
from gslverify.passes.verdicts import Ending, Verdict
from gslverify.structures.models.concrete import Rewritten as RewrittenNetwork
from gslverify.trials.trial import judge

ROUNDING = {"float64": 1e-9, "float32": 1e-3, "float16": 3e-2, "bfloat16": 2e-1}
"""Differences relative to the largest magnitude that may be rounding alone, by dtype.

A pass computes constants in the dtype of the graph, which bounds on the source do not know of.
"""


NO_REFERENCE = "has no NumPy reference"
"""What is said about operators that gsl carries without understanding them."""


def examined(rewriter: Rewriter, network: Network, inputs: Sequence[Mapping[str, Any]]) -> Verdict:
    """Rewrite a graph and compare it with what it was; for a process that may end."""
    before, known = tuple(listing(network.outputs)), identity(network.outputs)
    workload = Workload(network.outputs)
    try:
        rewritten = rewriter.rewrite(workload)
    except FaultError as error:
        script = _script(rewriter, workload, inputs[0])
        return Verdict(error.ending, str(error), before, error.after, script)
    except BaseException as error:  # passes of others raise anything, SystemExit included
        script = _script(rewriter, workload, inputs[0])
        said = raised(error)
        message, kind = f"{said} ({said.where})", f"{said.kind} in {said.where}"
        return Verdict(Ending.RAISES, message, before, script=script, kind=kind)
    if _identity(network) != known:
        return Verdict(Ending.MUTATES, "the graph that it was given is another one", before)
    if rewritten is None:
        return Verdict(Ending.UNCHANGED, before=before)
    if not isinstance(rewritten, Workload | Executable):
        kind = type(rewritten).__name__
        return Verdict(Ending.ILL_FORMED, f"it returned {kind}, which is no graph", before)
    if isinstance(rewritten, Workload):
        new = _identity(rewritten)
        if new == known:
            return Verdict(Ending.UNCHANGED, before=before)
        if flaw := new if isinstance(new, str) else _flaw(rewritten):
            script = _script(rewriter, workload, inputs[0])
            return Verdict(Ending.ILL_FORMED, flaw, before, script=script)
        if _is_random(rewriter, workload, new):
            return Verdict(Ending.RANDOM, "the same graph is rewritten in another way", before)
    return compared(rewriter, network, rewritten, inputs)


def _flaw(workload: Workload) -> str:
    """Return what is wrong with the types in a graph whose expressions were changed in place."""
    for expr in reverse_post_order(workload.outputs):
        if not isinstance(expr, Call):
            continue
        try:
            made = Call(expr.operator, expr.operands, expr.attributes)
        except GslError as error:
            return f"it returned an ill-typed graph: {error}"
        if made.type != expr.type:
            return f"it returned an ill-typed graph: {expr.operator} of type {expr.type}"
    return ""


def _identity(graph: Network | Workload) -> Identity | str:
    """Return what tells a graph from others, or what keeps it from being one."""
    try:
        return identity(graph.outputs)
    except GraphError as error:
        return f"it returned what is no graph: {error}"


def _is_random(rewriter: Rewriter, workload: Workload, new: Identity | str) -> bool:
    """Tell whether a rewriter makes another graph when it is asked again."""
    try:
        again = rewriter.rewrite(workload)
    except BaseException:  # it did not raise before
        return True
    return not isinstance(again, Workload) or _identity(again) != new


def compared(
    rewriter: Rewriter,
    network: Network,
    rewritten: Workload | Executable,
    inputs: Sequence[Mapping[str, Any]],
) -> Verdict:
    """Compare a graph with what a rewriter made of it, on each of the inputs."""
    before, after = tuple(listing(network.outputs)), _text(rewritten)
    workload = Workload(network.outputs)
    if message := _other_types(network, rewritten):
        script = _script(rewriter, workload, inputs[0])
        return Verdict(Ending.OTHER_TYPES, message, before, after, script)
    undecided = ""
    for arrays in inputs:
        ending, message = _one(rewriter, network, rewritten, arrays)
        if ending in (Ending.DIFFERS, Ending.ILL_FORMED, Ending.OTHER_TYPES):
            return Verdict(ending, message, before, after, _script(rewriter, workload, arrays))
        if ending is Ending.UNDECIDED:
            undecided = message
    if undecided:
        return Verdict(Ending.UNDECIDED, undecided, before, after)
    return Verdict(Ending.AGREES, "", before, after)


def _other_types(network: Network, rewritten: Workload | Executable) -> str:
    """Return which types of inputs or outputs are others, as far as they are known."""
    types, others = [str(one.type) for one in network.outputs], _types(rewritten)
    if others is not None and others != types:
        return f"outputs of type {', '.join(types)} became {', '.join(others)}"
    if isinstance(rewritten, Workload):
        given = {one.name: one.type for one in Workload(network.outputs).inputs}
        for one in rewritten.inputs:
            if given.get(one.name, one.type) != one.type:
                return f"the input {one.name} of type {given[one.name]} became {one.type}"
    return ""


def _one(
    rewriter: Rewriter,
    network: Network,
    rewritten: Workload | Executable,
    inputs: Mapping[str, Any],
) -> tuple[Ending, str]:
    if isinstance(rewritten, Executable):
        return _ran(rewriter, network, rewritten, inputs)
    outputs = tuple(with_shortest_numbers(rewritten.outputs))
    given = {**inputs, **rewritten.parameters}
    outcome = judge(network, RewrittenNetwork(outputs), given)
    if NO_REFERENCE in (outcome.message or outcome.rejected):
        return _both_ran(rewriter, network, rewritten, inputs)
    if outcome.rejected:
        return Ending.UNDECIDED, outcome.rejected
    if outcome.code is None:
        return Ending.AGREES, ""
    if is_rounding(network.outputs, outputs, given):
        return Ending.UNDECIDED, "the difference may be rounding"
    return Ending.DIFFERS, outcome.message


def _ran(
    rewriter: Rewriter, network: Network, rewritten: Executable, inputs: Mapping[str, Any]
) -> tuple[Ending, str]:
    """Compare with what a graph that gsl cannot read computes."""
    expected: Sequence[Any]
    bounds: list[Any] = []
    try:
        bounded, _ = evaluate_bounded(network.outputs, inputs)
        expected = [getattr(one, "value", one) for one in bounded]
        bounds = [getattr(one, "error", 0.0) for one in bounded]
    except GslError as error:
        if NO_REFERENCE not in str(error):
            return Ending.UNDECIDED, str(error)
        try:
            expected = rewriter.run(Workload(network.outputs), inputs)
        except Exception as failure:
            return Ending.UNDECIDED, f"the graph cannot be run: {raised(failure)}"
    try:
        actual = rewritten.run(inputs)
    except Exception as error:
        return _not_run(rewriter, network, inputs, error)
    return agreement(expected, actual, bounds, _rounding(network.outputs))


def _not_run(
    rewriter: Rewriter, network: Network, inputs: Mapping[str, Any], error: Exception
) -> tuple[Ending, str]:
    """Return what it says that a new graph cannot be run: nothing unless the old one can be."""
    message = f"the new graph cannot be run: {raised(error)}"
    try:
        rewriter.run(Workload(network.outputs), inputs)
    except Exception:  # the library lacks some operators and dtypes
        return Ending.UNDECIDED, message
    return Ending.ILL_FORMED, message


def _both_ran(
    rewriter: Rewriter, network: Network, rewritten: Workload, inputs: Mapping[str, Any]
) -> tuple[Ending, str]:
    """Compare what the foreign library computes for both graphs."""
    try:
        expected = rewriter.run(Workload(network.outputs), inputs)
    except Exception as error:
        return Ending.UNDECIDED, f"the graph cannot be run: {raised(error)}"
    try:
        actual = rewriter.run(rewritten, inputs)
    except Exception as error:
        ending = Ending.UNDECIDED if NO_REFERENCE in str(error) else Ending.ILL_FORMED
        return ending, f"the new graph cannot be run: {raised(error)}"
    return agreement(expected, actual, rounding=_rounding(network.outputs))


def _rounding(outputs: Sequence[Expr]) -> float:
    """Return the rounding of the floating dtype of a graph that rounds most."""
    dtypes = (str(getattr(expr.type, "dtype", "")) for expr in reverse_post_order(outputs))
    return max((ROUNDING.get(dtype, 0.0) for dtype in dtypes), default=0.0)


def agreement(
    expected: Sequence[Any],
    actual: Sequence[Any],
    bounds: Sequence[Any] = (),
    rounding: float = 0.0,
) -> tuple[Ending, str]:
    """Compare arrays; floats may differ as rounding explains, or as far as `bounds` tell.

    What `rounding` explains is relative to the largest magnitude, and at least that of the dtype.
    """
    if len(expected) != len(actual):
        return Ending.OTHER_TYPES, f"{len(expected)} outputs became {len(actual)}"
    for number, (one, other) in enumerate(zip(expected, actual, strict=True)):
        one, other = np.asarray(one), np.asarray(other)
        if one.shape != other.shape:
            message = f"output {number}: the shape {one.shape} became {other.shape}"
            return Ending.OTHER_TYPES, message
        bound = bounds[number] if bounds else 0.0
        wrong = differing(one, other, bound, rounding)
        if wrong.any():
            place = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
            message = f"{int(wrong.sum())} of {wrong.size} elements of output {number} differ"
            return Ending.DIFFERS, f"{message}: {one[place]!s} became {other[place]!s}"
    return Ending.AGREES, ""


def differing(one: Any, other: Any, bound: Any = 0.0, least: float = 0.0) -> Any:
    """Return where two arrays of one shape differ by more than rounding and `bound` explain."""
    if kind_of(one.dtype) not in "fV" and kind_of(other.dtype) not in "fV":
        return np.asarray(one != other)
    rounding = max(least, *(ROUNDING.get(array.dtype.name, 1e-3) for array in (one, other)))
    wide, new = one.astype(np.float64), other.astype(np.float64)
    with np.errstate(all="ignore"):
        finite = np.isfinite(wide) & np.isfinite(new)
        largest = np.max(np.abs(np.where(np.isfinite(wide), wide, 0.0)), initial=0.0)
        limit = rounding * max(1.0, float(largest)) + np.where(np.isfinite(bound), bound, np.inf)
        far = finite & (np.abs(wide - new) > limit)
    same = (wide == new) | (np.isnan(wide) & np.isnan(new))
    return np.asarray(far | (~finite & ~same))


def is_rounding(before: Sequence[Expr], after: Sequence[Expr], inputs: Mapping[str, Any]) -> bool:
    """Tell whether what both graphs compute in floats is the same but for rounding."""
    floats = {e.dtype for e in reverse_post_order([*before, *after]) if _is_float(e)}
    if not floats:
        return False
    try:
        with np.errstate(all="ignore"):
            expected, actual = (evaluate(outputs, inputs) for outputs in (before, after))
    except Exception:  # what cannot be computed is no excuse
        return False
    coarsest = max(ROUNDING[dtype] for dtype in floats)
    return agreement(expected, actual, rounding=coarsest)[0] is Ending.AGREES


def _is_float(expr: Expr) -> bool:
    return str(getattr(expr.type, "dtype", "")) in ROUNDING


def with_shortest_numbers(outputs: Sequence[Expr]) -> list[Expr]:
    """Give float constants that come from elsewhere the shortest number that rounds to them.

    What a graph was written with is not in it any more; 0.1 in float32 stands for 0.1.
    """
    made: dict[Expr, Expr] = {}
    for expr in reverse_post_order(outputs):
        if isinstance(expr, Const) and expr.asked is None and _is_finite_number(expr.value):
            made[expr] = Const(float(str(expr.value)), expr.dtype)
        elif expr.operands:
            made[expr] = expr.with_operands(tuple(made[one] for one in expr.operands))
        else:
            made[expr] = expr
    return [made[one] for one in outputs]


def _is_finite_number(value: Any) -> bool:
    return value.ndim == 0 and is_floating(value.dtype) and bool(np.isfinite(value))


def _text(rewritten: Rewritten) -> tuple[str, ...]:
    if isinstance(rewritten, Workload):
        return tuple(listing(rewritten.outputs))
    return () if rewritten is None else rewritten.text


def _types(rewritten: Workload | Executable) -> list[str] | None:
    if isinstance(rewritten, Workload):
        return [str(one.type) for one in rewritten.outputs]
    return None if rewritten.types is None else [str(one) for one in rewritten.types]


def _script(rewriter: Rewriter, workload: Workload, inputs: Mapping[str, Any]) -> str:
    """Return the script of a finding; a script that cannot be written must not hide it."""
    try:
        return rewriter.script(workload, inputs)
    except Exception:
        return ""
