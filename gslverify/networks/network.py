"""A generated network around a match."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

from gsl.expr import Expr, Var
from gslverify.evaluation_order import inputs_of

PLANTED = {"twice": 2, "weight shared": 2, "one match on another": 1}
"""Contexts that are rewritten as often as possible, and how many matches lie in them at least."""

MAY_DECLINE = frozenset({"one tensor for two"})
"""Contexts in which a match may be declined: two patterns need not stand for one tensor."""

NOT_APPLICABLE = "there is no place for the context"
"""Why a match is not embedded, followed by the name of the context."""


@dataclass(frozen=True, slots=True)
class Network:
    """A generated network.

    `outputs` contains the match; `matched` are the expressions that the outputs of the rule must
    match, `context` what was built around them, `model` the attributes and sizes by name. With
    `escaping` a value inside the match is an output, too, so this match has to be declined;
    `in_corner` says that the model lies in the corner that was asked for, `at_limits` that inputs
    are the largest and the least of their dtypes, too. The `sampler` knows other models of the same
    structure, and `constants` are the values of those that the rule leaves open.
    """

    outputs: tuple[Expr, ...]
    matched: tuple[Expr, ...]
    context: str
    model: Mapping[str, Any] = field(default_factory=dict)
    escaping: bool = False
    in_corner: bool = False
    at_limits: bool = False
    sampler: Any = field(default=None, repr=False, compare=False)
    constants: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def variables(self) -> tuple[Var, ...]:
        """The inputs of the network."""
        return inputs_of(self.outputs)

    @property
    def elements(self) -> int:
        """The number of elements of all inputs."""
        return sum(prod(variable.shape) for variable in self.variables)
