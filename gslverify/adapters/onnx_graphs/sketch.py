"""What is known of a graph before it is drawn: operators and how they are wired."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Operand = str | None
"""The name of a value, made by a step or a leaf of the graph; None is an operand left out."""


@dataclass(frozen=True, slots=True)
class Step:
    """A node: its `attributes` are fixed, others are chosen.

    It needs those that are `wanted`. With `others` it may get attributes beside those, with `more`
    operands beside `operands`.
    """

    operator: str
    operands: tuple[Operand, ...]
    results: tuple[str, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    others: bool = True
    more: bool = True
    wanted: tuple[str, ...] = ()
    domain: str = ""


@dataclass(frozen=True, slots=True)
class Sketch:
    """Steps in order of computation, the names of outputs, and leaves that are fixed constants."""

    name: str
    steps: tuple[Step, ...]
    outputs: tuple[str, ...]
    constants: Mapping[str, Any] = field(default_factory=dict)

    @property
    def operators(self) -> set[str]:
        """The operators of the graph."""
        return {step.operator for step in self.steps}


def chain(name: str, *operators: str, attributes: Sequence[Mapping[str, Any]] = ()) -> Sketch:
    """Return a sketch of unary steps one after the other, with further operands chosen."""
    steps = []
    for number, operator in enumerate(operators):
        given = attributes[number] if number < len(attributes) else {}
        before = f"v{number - 1}" if number else "x"
        steps.append(Step(operator, (before,), (f"v{number}",), given))
    return Sketch(name, tuple(steps), (steps[-1].results[0],))
