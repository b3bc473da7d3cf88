"""Counterexamples to rules of PyTorch's Inductor, given to torch.compile with the rule alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch._dynamo.backends.common import aot_autograd
from torch._functorch._aot_autograd.utils import make_boxed_func
from torch._inductor import pattern_matcher
from torch._inductor.decomposition import select_decomp_table
from torch._inductor.fx_passes.post_grad import remove_noop_ops
from torch.fx.experimental.proxy_tensor import make_fx

from gsl.errors import GslError
from gsl.evaluate import evaluate
from gsl.expr import Call, Const, Expr, Var
from gsl.lift import Instance
from gsl.lift.synthesis import original
from gslverify.adapters.foreign import Replayed
from gslverify.case import Case
from gslverify.passes.isolation import raised
from gslverify.passes.judging import ROUNDING, agreement
from gslverify.passes.verdicts import Ending

NOT_FINITE = "what the pattern computes is not finite, so an overflow decides"
LONGEST = 16
"""Elements that are repeated in the text of a tensor."""


class CannotReplayError(GslError):
    """A counterexample is no call of the pattern; the message says why."""


@dataclass(frozen=True, slots=True)
class Bound:
    """The arguments of a pattern at a counterexample: tensors and numbers by name."""

    tensors: Mapping[str, Any]
    numbers: Mapping[str, Any]


def bound(
    case: Case,
    instances: Sequence[Instance],
    names: Sequence[str],
    numbers: Mapping[str, Sequence[float]],
) -> Bound:
    """Return with which arguments a pattern computes what the counterexample matched.

    Args:
        case: the counterexample to the rule that was lifted from the instances.
        instances: what the rule does; their inputs are `tensors_0` and so on.
        names: the arguments that these inputs are, in order.
        numbers: the numbers that were given in each instance, by argument.

    Raises CannotReplayError where the graphs differ.
    """
    exprs = case.exprs()
    matched = [exprs[place] for place in case.matched]
    rows = list(_rows([[*one.source.outputs] for one in instances], matched))
    inputs = _inputs(exprs, case)
    tensors = {}
    for *sides, expr in rows:
        if isinstance(sides[0], Var):
            name = names[int(sides[0].name.rpartition("_")[2])]
            tensors[name] = evaluate([expr], inputs)[0]
    known = [row for row in rows if isinstance(row[0], Call | Const)]
    found = {name: _number(values, known) for name, values in numbers.items()}
    return Bound(tensors, found)


def larger(
    tensors: Mapping[str, Any], shapes: Mapping[str, tuple[int, ...]]
) -> Iterator[Mapping[str, Any]]:
    """Yield tensors as they are, then of other shapes with the same elements, then with others.

    Inductor does not look for matrices of size 1, for example, which counterexamples like.
    """
    yield tensors
    yield {name: np.resize(one, shapes[name]) for name, one in tensors.items()}
    drawn = np.random.default_rng(0)
    yield {
        name: drawn.integers(0, 3, shapes[name]).astype(one.dtype) for name, one in tensors.items()
    }


def _inputs(exprs: Sequence[Expr], case: Case) -> dict[str, Any]:
    """Return the inputs of a counterexample; where types alone refute the rule, any numbers."""
    found = dict(case.inputs)
    for place, expr in enumerate(exprs):
        if isinstance(expr, Var) and expr.name not in found:
            drawn = np.random.default_rng(place).uniform(0.5, 2.0, expr.shape)
            found[expr.name] = drawn.astype(expr.dtype)
    return found


def _rows(sources: Sequence[Sequence[Expr]], matched: Sequence[Expr]) -> Iterator[tuple[Expr, ...]]:
    """Yield the expressions of all instances side by side with what they are in a match."""
    pending = [tuple(row) for row in zip(*sources, matched, strict=True)]
    seen = set()
    while pending:
        row = pending.pop()
        if row in seen:
            continue
        seen.add(row)
        yield row
        first, last = row[0], row[-1]
        if isinstance(first, Var):
            continue
        alike = type(first) is type(last) and len(first.operands) == len(last.operands)
        if not alike or getattr(first, "operator", None) != getattr(last, "operator", None):
            raise CannotReplayError("the counterexample has other operators than the pattern")
        pending += zip(*(one.operands for one in row), strict=True)


def _number(values: Sequence[float], rows: Sequence[tuple[Expr, ...]]) -> float:
    """Return the number that was `values` in the instances, from what was computed of it."""
    for row in rows:
        for *known, now in zip(*map(_numbers, row), strict=False):
            found = original(values, known, now)
            if found is not None:
                return found
    return values[0]


def _numbers(expr: Expr) -> list[float]:
    if isinstance(expr, Const):
        return [float(expr.value)] if np.ndim(expr.value) == 0 else []
    assert isinstance(expr, Call)
    return [one for one in expr.attributes.values() if isinstance(one, float)]


def compared(arguments: Mapping[str, Any], given: Bound, script: Callable[[], str]) -> Replayed:
    """Run a pattern as it is, and compiled with its rule alone, which `arguments` register."""
    search = arguments["search_fn"]
    tensors = on_tensors(given)

    def pattern(*arrays: Any) -> Any:
        return search(**dict(zip(tensors, arrays, strict=True)), **given.numbers)

    counts: list[int] = []
    with torch.no_grad():
        try:
            expected = several(pattern(*tensors.values()))
            # Dynamo does not look into functions of Inductor itself, where its patterns are.
            traced = make_fx(pattern)(*tensors.values())
        except Exception as error:  # patterns raise anything
            return Replayed(False, f"the pattern itself cannot be run: {raised(error)}")
        try:
            backend = _backend(arguments, counts)
            torch.compiler.reset()
            compiled = torch.compile(traced, backend=backend, dynamic=False)
            actual = several(compiled(*tensors.values()))
        except Exception as error:
            if not any(counts):
                return Replayed(False, f"it is not rewritten: {raised(error)}")
            return Replayed(True, f"an exception: {raised(error)}", script())
    if not any(counts):
        return Replayed(False, "it leaves the graph as it is")
    if not all(bool(torch.isfinite(one).all()) for one in expected):
        return Replayed(False, NOT_FINITE)
    message = difference(expected, actual)
    return Replayed(True, message, script()) if message else Replayed(False, "it computes the same")


def _backend(arguments: Mapping[str, Any], counts: list[int]) -> Any:
    """Return a backend that rewrites by one rule, notes how often, and compiles nothing."""
    patterns = pattern_matcher.PatternMatcherPass()
    pattern_matcher.register_replacement(**{**arguments, "pass_dicts": patterns})

    def rewrite(module: Any, examples: Any) -> Any:
        remove_noop_ops(module.graph)
        counts.append(patterns.apply(module.graph))
        module.recompile()
        return make_boxed_func(module.forward)

    table = select_decomp_table()
    return aot_autograd(fw_compiler=rewrite, inference_compiler=rewrite, decompositions=table)


def on_tensors(given: Bound) -> dict[str, Any]:
    """Return arrays as tensors, by name."""
    return {name: torch.from_numpy(np.array(one)) for name, one in given.tensors.items()}


def tensor_text(array: Any) -> str:
    """Return an expression for a tensor; elements that repeat are written once."""
    flat, kind = array.ravel(), f"dtype=torch.{array.dtype.name}"
    for count in range(1, min(LONGEST, flat.size) + 1):
        if np.array_equal(
            np.resize(flat[:count], flat.shape), flat, equal_nan=flat.dtype.kind == "f"
        ):
            start = f"torch.tensor({flat[:count].tolist()!r}, {kind})"
            times = -(-flat.size // count)
            return f"{start}.repeat({times})[:{flat.size}].reshape({array.shape})"
    values = " ".join(repr(flat.tolist()).split())
    return f"torch.tensor({values}, {kind}).reshape({array.shape})"


def several(result: Any) -> list[Any]:
    """Return results as a list, also a single one."""
    return list(result) if isinstance(result, tuple | list) else [result]


def difference(expected: Sequence[Any], actual: Sequence[Any]) -> str:
    """Return how results differ by more than rounding; empty where they do not."""
    types = [[str(one.dtype).removeprefix("torch.") for one in some] for some in (expected, actual)]
    if types[0] != types[1]:
        return f"outputs of {', '.join(types[0])} became {', '.join(types[1])}"
    rounding = max((ROUNDING.get(one, 0.0) for one in types[0]), default=0.0)
    before, after = ([array_of(one) for one in some] for some in (expected, actual))
    ending, message = agreement(before, after, rounding=rounding)
    return "" if ending is Ending.AGREES else message


def array_of(tensor: Any) -> Any:
    """Return a tensor as an array; NumPy has no bfloat16."""
    plain = tensor.detach()
    return (plain.float() if plain.dtype is torch.bfloat16 else plain).numpy()
