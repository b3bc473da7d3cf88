"""Which kernel computes a call, and on what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count
from types import MappingProxyType
from typing import Any, NamedTuple

from gsl.expr import Call
from gsl.operators.declaration import tensors
from gsl.tvm.generality import any_sizes, generalised, is_flat
from gsl.tvm.numbered import filler, known_places, numbered
from gsl.tvm.simpler import has_elements, is_view, simplified
from gsl.types import TensorType, Type

Codes = Mapping[str, tuple[int, ...]]
NOTHING: Codes = MappingProxyType({})
SLICES = ("begin", "end", "strides")


class Key(NamedTuple):
    """What decides about a kernel: operator, attributes as text, types of the operands.

    A size is a number, or a negative one that stands for any size, equal ones for equal sizes.
    """

    operator: str
    attributes: str
    types: tuple[Type, ...]


class Form(NamedTuple):
    """How a call is computed."""

    key: Key | None
    """That of the kernel; None where there is nothing to compute, only another shape to give."""
    call: Call
    """The simpler call that the kernel is for."""
    is_simpler: bool = False
    """Whether it is another than the one that was asked about."""
    codes: Codes = NOTHING
    """Attributes that may be any numbers: what stands for these, as in keys; a number is known."""
    numbers: tuple[int, ...] = ()
    """These numbers, in the order of the codes."""


def exact(call: Call) -> Key:
    """Return the key of the kernel for these very sizes and attributes."""
    types = tuple(operand.type for operand in call.operands)
    return Key(call.operator.name, repr(dict(call.attributes)), types)


def general(call: Call) -> Form:
    """Return the form whose kernel serves as many other calls as can be."""
    if is_view(call):
        return Form(None, call, is_simpler=True)
    filled = filler(call)
    simple = simplified(call if filled is None else _filled_with_zero(call))
    key = exact(simple)
    types, codes = _types_and_codes(simple)
    values = simple.attributes
    if filled is not None:
        codes = {**codes, "pad_value": (min(codes["pad_width"]) - 1,)}
        values = {**values, "pad_value": filled}
    numbers = tuple(
        number
        for name in codes
        for code, number in zip(codes[name], listed(values[name]), strict=True)
        if code < 0
    )
    if codes:
        key = key._replace(attributes=repr({**simple.attributes, **codes}))
    return Form(key._replace(types=types), simple, simple is not call, codes, numbers)


def _filled_with_zero(call: Call) -> Call:
    return Call(call.operator, call.operands, {**call.attributes, "pad_value": 0.0})


def listed(number: int | tuple[int, ...]) -> tuple[int, ...]:
    """Return an attribute of one number as those of several are."""
    return number if isinstance(number, tuple) else (number,)


def _types_and_codes(call: Call) -> tuple[tuple[Type, ...], Codes]:
    given = tuple(operand.type for operand in call.operands)
    tensor = isinstance(call.type, TensorType) and all(call.type.shape)
    if has_elements(call) and (names := numbered(call)):
        return _all_any(call, names)
    match call.operator.name:
        case "Full" | "Zeros" | "Ones" if tensor:
            return given, {"shape": tuple(range(-1, -1 - len(call.attributes["shape"]), -1))}
        case "BroadcastTo" if tensor:
            target = call.attributes["shape"]
            data, shape = any_sizes([tensors(given)[0].shape, target])
            return (tensors(given)[0].with_shape(data),), {"shape": shape}
        case "StridedSlice" if tensor:
            types = generalised(call)
            fresh = count(-1 - len(tensors(types)[0].shape), -1)
            rank = len(call.attributes["begin"])
            return types, {name: tuple(next(fresh) for _ in range(rank)) for name in SLICES}
        case "Split":
            # TVM cuts only sizes that are known.
            return _known_size(generalised(call), given, call.attributes["axis"]), NOTHING
    if is_flat(call):
        shapes = any_sizes([one.shape for one in tensors(given)])
        pairs = zip(tensors(given), shapes, strict=True)
        return tuple(one.with_shape(shape) for one, shape in pairs), NOTHING
    return generalised(call), NOTHING


def _all_any(call: Call, names: Iterable[str]) -> tuple[tuple[Type, ...], Codes]:
    """Return types of any sizes, and codes for attributes of these names."""
    fresh = count(-1, -1)
    types = tuple(
        one.with_shape(tuple(next(fresh) for _ in one.shape))
        for one in tensors(tuple(operand.type for operand in call.operands))
    )
    codes: dict[str, tuple[int, ...]] = {}
    for name in names:
        numbers = listed(call.attributes[name])
        known = known_places(call, name)
        codes[name] = tuple(
            number if place in known else next(fresh) for place, number in enumerate(numbers)
        )
    return types, codes


def _known_size(types: tuple[Any, ...], given: tuple[Any, ...], axis: int) -> tuple[Type, ...]:
    shape = list(types[0].shape)
    shape[axis] = given[0].shape[axis]
    return (types[0].with_shape(tuple(shape)),)
