"""Whether two networks compute the same functions: random testing modulo primes.

See `gslverify.comparison.modular` for what is computed and why agreement says so much.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gsl.errors import GraphError, GslError
from gsl.evaluate import value_or_error
from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.graph import reverse_post_order
from gsl.types import ANY_FLOAT, TensorType
from gslverify.comparison.modular import PRIMES, Field, Modular, OutsideError, VanishingError
from gslverify.comparison.modular.array import Exponent, lifted
from gslverify.comparison.modular.ufuncs import sum_degree

ERROR = 1e-30
"""How improbable it must be that two different networks agree."""
LEAST_TRIALS = 4
MOST_TRIALS = 24
MOST_VANISHING = 4
MOST_ELEMENTS = 1500
"""Elements of the inputs of a network that is examined: large ones need many more trials."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What random testing says about two networks.

    They compute the same functions but for an `error`; or they `differ` for some residues, which
    proves nothing; or the `reason` says why neither is known.
    """

    error: float = 1.0
    differ: bool = False
    reason: str = ""

    @property
    def holds(self) -> bool:
        """Whether the networks are known to be the same."""
        return self.error <= ERROR


def compare_identities(
    source: Sequence[Expr], target: Sequence[Expr], inputs: Mapping[str, Any], seed: int = 0
) -> Identity:
    """Tell whether two networks compute the same functions of their inputs.

    `inputs` gives the values of those that are used as indices, and of no other. The trials go on
    until an error of at most ERROR is left, and LEAST_TRIALS of them; the primes take turns.
    """
    generator = np.random.default_rng(seed)
    error, vanished = 1.0, 0
    try:
        concrete = indices_among((*source, *target))
        for number in range(MOST_TRIALS):
            field = Field(PRIMES[number % len(PRIMES)], generator)
            try:
                chance = _trial(field, (source, target), concrete, inputs)
            except VanishingError as reason:
                vanished += 1
                if vanished > MOST_VANISHING:
                    return Identity(reason=str(reason))
                continue
            if chance is None:
                return Identity(differ=True)
            error *= chance
            if error <= ERROR and number + 1 >= LEAST_TRIALS:
                return Identity(error)
            if chance**MOST_TRIALS > ERROR:
                return Identity(reason="the degrees are too high")
    except OutsideError as reason:
        return Identity(reason=str(reason))
    except GslError as error_of_graph:
        return Identity(reason=str(error_of_graph))
    return Identity(reason="the degrees are too high")


def _trial(
    field: Field, sides: Any, concrete: frozenset[Expr], inputs: Mapping[str, Any]
) -> float | None:
    """Return how probable agreement of different networks is, or None when they disagree."""
    variables: dict[str, Any] = {}
    for side in sides:
        for expr in reverse_post_order(side):
            if isinstance(expr, Var) and expr.name not in variables:
                is_index = expr in concrete
                variables[expr.name] = inputs[expr.name] if is_index else unknown_input(expr, field)
    before, after = (_evaluated(side, variables, field, concrete) for side in sides)
    degree = 0
    pairs_of_outputs = zip(_flat(before, field), _flat(after, field), strict=True)
    for one, other in pairs_of_outputs:
        if not np.array_equal(one.value, other.value):
            return None
        degree = max(degree, sum_degree(one.degree, other.degree)[0])
    pairs = field.applications * (field.applications - 1) // 2
    return (max(degree, 1) + 2 * pairs * field.argument) / field.order


def unknown_input(variable: Var, field: Field) -> Modular:
    """Return independent random residues for a variable, and random exponents beside them."""
    value = field.generator.integers(0, field.prime, variable.shape)
    inner = field.generator.integers(0, field.order, variable.shape)
    exponent = None if variable.dtype == "bool" else Exponent(inner, 1.0, 0)
    return Modular(field, value, variable.dtype, (1, 0), exponent)


def _evaluated(
    outputs: Sequence[Expr],
    variables: Mapping[str, Any],
    field: Field,
    concrete: frozenset[Expr],
) -> list[Any]:
    values: dict[Expr, Any] = {}
    for expr in reverse_post_order(outputs):
        operands = [values[operand] for operand in expr.operands]
        value = _value(expr, operands, variables, field)
        values[expr] = value if expr in concrete else _followed(value, field)
    return [values[output] for output in outputs]


def _value(expr: Expr, operands: list[Any], variables: Mapping[str, Any], field: Field) -> Any:
    if isinstance(expr, Const) and expr.asked is not None:
        return lifted(expr.asked, field, np.dtype(expr.dtype))
    try:
        return value_or_error(expr, operands, variables)
    except (TypeError, AttributeError, GraphError) as error:
        raise OutsideError(f"{expr!r} is not followed modulo a prime: {error}") from error


def _followed(value: Any, field: Field) -> Any:
    """Turn arrays into residues, so that constants are as exact as everything else."""
    if isinstance(value, tuple | list):
        return tuple(_followed(part, field) for part in value)
    return lifted(value, field)


def _flat(values: Any, field: Field) -> Iterator[Modular]:
    for value in values:
        if isinstance(value, tuple):
            yield from _flat(value, field)
        else:
            yield lifted(value, field)


MOVES = frozenset(
    {
        *("Transpose", "Reshape", "Flatten", "ExpandDims", "Squeeze", "Flip", "Concatenate"),
        *("Stack", "BroadcastTo", "Repeat", "Tile", "StridedSlice", "Split", "Take"),
        "GatherElements",
    }
)
"""Operators through which the elements of indices can be followed without knowing them."""


def indices_among(outputs: Sequence[Expr]) -> frozenset[Expr]:
    """Return what is used as indices, which keep the values that were drawn.

    Raises OutsideError when indices are computed, or used as numbers, too.
    """
    users: dict[Expr, list[Expr]] = {}
    seeds: list[Expr] = []
    for expr in reverse_post_order(outputs):
        for place, operand in enumerate(expr.operands):
            if not _is_index(expr, place):
                users.setdefault(operand, []).append(expr)
            else:
                seeds.append(operand)
    below = reverse_post_order(seeds)
    found = frozenset(below)
    for expr in below:
        if isinstance(expr, Call) and expr.operator.name not in MOVES:
            raise OutsideError(f"indices are computed by {expr.operator}")
        others = [user for user in users.get(expr, ()) if user not in found]
        if isinstance(expr.type, TensorType) and expr.type.dtype in ANY_FLOAT:
            raise OutsideError("indices come out of a table of floats")
        if others and not all(_moves(user) for user in others):
            raise OutsideError("indices are used as numbers, too")
    return found


def _is_index(user: Expr, place: int) -> bool:
    return isinstance(user, Call) and user.operator.operands[place].name == "indices"


def _moves(user: Expr) -> bool:
    return isinstance(user, Proj | Tuple) or (
        isinstance(user, Call) and user.operator.name in MOVES
    )
