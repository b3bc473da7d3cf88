"""Pairs of functions for `torch.fx.subgraph_rewriter`: found in modules, and applied by it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from typing import Any

import torch
from torch.fx import symbolic_trace
from torch.fx.subgraph_rewriter import replace_pattern

from gslverify.adapters.foreign import Replayed
from gslverify.adapters.torch_replay import Bound, difference, on_tensors, several
from gslverify.passes.isolation import raised

SHAPES = ((5, 5), (5, 5, 5), (5, 5, 5, 5), (5,))
"""Inputs that are tried for a pair without examples; which sizes are equal is found out later."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A pattern and what replaces it, with inputs that the pattern takes."""

    search: Callable[..., Any]
    replace: Callable[..., Any]
    inputs: tuple[Any, ...]


def pairs(target: str) -> Iterator[Pair]:
    """Yield the pairs of a module, or of a name in it: tuples of two functions, and lists of these.

    A third item has the example inputs; without one, the pattern is tried on square matrices and
    the like. Raises ImportError for a module that is not there, AttributeError for such a name.
    """
    name, _, attribute = target.partition(":")
    module = import_module(name)
    values = [getattr(module, attribute)] if attribute else list(vars(module).values())
    for value in values:
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, tuple) and len(one) in (2, 3) and all(map(_is_side, one[:2])):
                search, replace, *examples = one
                yield Pair(search, replace, tuple(examples[0]) if examples else _inputs(search))


def _is_side(value: Any) -> bool:
    """Tell whether something can be traced as one side of a pair: no classes, no builtins."""
    if isinstance(value, type) or not callable(value):
        return False
    try:
        return bool(signature(value).parameters)
    except ValueError:  # what is written in C says nothing about its parameters
        return False


def _inputs(search: Callable[..., Any]) -> tuple[Any, ...]:
    """Return inputs that a pattern takes; none where it takes nothing of what is tried."""
    count = len(signature(search).parameters)
    for shape in SHAPES:
        inputs = tuple(torch.ones(shape) for _ in range(count))
        try:
            search(*inputs)
        except Exception:  # patterns raise anything
            continue
        return inputs
    return ()


def replaced(
    search: Callable[..., Any], replace: Callable[..., Any], given: Bound, script: Callable[[], str]
) -> Replayed:
    """Rewrite a pattern by its own pair, and compare what both compute."""
    tensors: Mapping[str, Any] = on_tensors(given)
    with torch.no_grad():
        try:
            expected = several(search(**tensors))
            module = symbolic_trace(search)
        except Exception as error:
            return Replayed(False, f"the pattern itself cannot be run: {raised(error)}")
        try:
            if not replace_pattern(module, search, replace):
                return Replayed(False, "it leaves the graph as it is")
            actual = several(module(**tensors))
        except Exception as error:
            return Replayed(True, f"an exception: {raised(error)}", script())
    message = difference(expected, actual)
    return Replayed(True, message, script()) if message else Replayed(False, "it computes the same")


def lines_of(search: Callable[..., Any], replace: Callable[..., Any]) -> list[str]:
    """Return the lines of a script that apply a pair to `tensors`."""
    names = f"{search.__name__} as pattern, {replace.__name__} as replacement"
    return [
        f"from {search.__module__} import {names}",
        "from torch.fx import symbolic_trace",
        "from torch.fx.subgraph_rewriter import replace_pattern",
        "",
        "module = symbolic_trace(pattern)",
        "replace_pattern(module, pattern, replacement)",
        "print(pattern(**tensors))",
        "print(module(**tensors))",
        "",
    ]
