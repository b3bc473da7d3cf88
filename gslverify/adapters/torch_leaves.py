"""Operands that calls of PyTorch take, drawn for the kinds that schemas of operators name."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from gslverify.networks.choices import Choices, NothingDrawnError, one_of

SIZES = (2, 3, 4, 5, 0)
RANKS = (2, 3, 1, 4, 0)
DTYPES = tuple(
    getattr(torch, name)
    for name in ("float32", "float16", "float64", "int64", "bfloat16", "int32", "bool")
)
NUMBERS = (1.0, 2.0, 0.5, 0.0, -1.0, 3.0)
OPTIONAL = re.compile(r"Optional\[(.*)\]")
FAR = 2**63 - 1
"""What stands for the end of an axis."""


@dataclass(frozen=True, slots=True)
class Place:
    """A parameter of a function: its name and kind, as schemas write them; "" if unknown."""

    name: str
    kind: str
    is_required: bool = True
    by_name: bool = False


def schemas(function: Any) -> list[list[Place]]:
    """Return the parameters of a function or method, of each overload that only computes."""
    if isinstance(function, torch._ops.OpOverload):
        overloads = [function]
    else:
        name = function if isinstance(function, str) else getattr(function, "__name__", "")
        packet = getattr(torch.ops.aten, name, None)
        overloads = [getattr(packet, one) for one in packet.overloads()] if packet else []
    return [_places(one._schema) for one in overloads if computes(one)]


def computes(overload: Any) -> bool:
    """Tell whether an operator returns tensors only, and writes to none of its operands."""
    given, returned = overload._schema.arguments, overload._schema.returns
    writes = any(one.alias_info is not None and one.alias_info.is_write for one in given)
    return not writes and {str(one.type) for one in returned} <= {"Tensor", "List[Tensor]"}


def _places(schema: Any) -> list[Place]:
    return [
        Place(one.name, _kind(one), not one.has_default_value(), one.kwarg_only)
        for one in schema.arguments
    ]


def _kind(argument: Any) -> str:
    """Return the kind of what is given: nobody writes down that an operand is its default, None."""
    kind, optional = str(argument.real_type), OPTIONAL.fullmatch(str(argument.real_type))
    return optional[1] if optional and argument.has_default_value() else kind


class Leaves:
    """Draws operands; sizes and dtypes of one graph are mostly the same few."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.sizes = (one_of(choices, SIZES), one_of(choices, SIZES), 1)
        self.dtype = one_of(choices, (torch.float32, torch.float32, *DTYPES))

    def drawn(self, kind: str, beside: Sequence[Any]) -> Any:
        """Return an operand of a kind, `beside` which a call has these others.

        Raises NothingDrawnError for a kind of which nothing is known.
        """
        if inner := OPTIONAL.fullmatch(kind):
            is_given = self.choices.number(2) < 2
            return self.drawn(inner[1], beside) if is_given else None
        tensors = [one for one in beside if isinstance(one, torch.Tensor)]
        makers: dict[str, Callable[[], Any]] = {
            "Tensor": lambda: self._tensor_beside(tensors),
            "List[Tensor]": lambda: [self.tensor() for _ in range(1 + self.choices.number(2))],
            "int": lambda: one_of(self.choices, self._integers(tensors)),
            "List[int]": lambda: self._lists(tensors),
            "number": lambda: one_of(self.choices, NUMBERS),
            "float": lambda: one_of(self.choices, NUMBERS),
            "bool": lambda: bool(self.choices.number(1)),
            "ScalarType": lambda: one_of(self.choices, DTYPES),
            "Device": lambda: torch.device("cpu"),
            "Layout": lambda: torch.strided,
        }
        if kind not in makers:
            raise NothingDrawnError(f"operands of the kind {kind or 'unknown'} are not drawn")
        return makers[kind]()

    def _tensor_beside(self, tensors: Sequence[Any]) -> Any:
        """Return a tensor; where there is one already, sometimes a number, as graphs have it."""
        is_number = bool(tensors) and self.choices.number(4) == 4
        return one_of(self.choices, NUMBERS) if is_number else self.tensor()

    def tensor(self) -> Any:
        """Return a tensor of small integers, also one whose last axes are the other way round."""
        shape = [one_of(self.choices, self.sizes) for _ in range(one_of(self.choices, RANKS))]
        is_other = self.choices.number(5) == 5
        dtype = one_of(self.choices, DTYPES) if is_other else self.dtype
        is_turned = len(shape) > 1 and self.choices.number(4) == 4
        if is_turned:
            shape[-2:] = reversed(shape[-2:])
        made = values(shape, dtype, self.choices.number(255))
        return made.transpose(-1, -2) if is_turned else made

    def _integers(self, tensors: Sequence[Any]) -> list[int]:
        """Return axes, sizes, and their edges; in front those of the first tensor."""
        shape = list(tensors[0].shape) if tensors else []
        return list(dict.fromkeys([0, 1, -1, 2, len(shape) - 1, -len(shape), *shape, 3, FAR]))

    def _lists(self, tensors: Sequence[Any]) -> list[int]:
        """Return sizes, axes or parts of the first tensor, or any sizes."""
        if not tensors:
            return [one_of(self.choices, self.sizes) for _ in range(self.choices.number(3))]
        shape = list(tensors[0].shape)
        axes = list(range(len(shape)))
        turned = list(axes)
        for place in axes:
            other = self.choices.number(place)
            turned[place], turned[other] = turned[other], turned[place]
        axis = one_of(self.choices, axes or [0])
        size = shape[axis] if shape else 1
        part = self.choices.number(size)
        merged = [*shape[:axis], math.prod(shape[axis : axis + 2]), *shape[axis + 2 :]]
        options = [shape, turned, [axis], [axis - len(shape)], [part, size - part], merged]
        options += [[one - len(shape) for one in turned], shape[::-1], [-1], [math.prod(shape)]]
        return one_of(self.choices, [*options, [*shape[:axis], 1, *shape[axis:]], axes, [size], []])


def values(shape: Sequence[int], dtype: Any, seed: int) -> Any:
    """Return a tensor of small integers; those that may be indices are 0 or 1."""
    generator = torch.Generator().manual_seed(seed)
    lowest, highest = (-3, 4) if dtype.is_floating_point else (0, 2)
    return torch.randint(lowest, highest, tuple(shape), generator=generator).to(dtype)
