"""Sums of products that an equation between axes describes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from string import ascii_lowercase, ascii_uppercase
from typing import Annotated, Any, ClassVar

import numpy as np

from gsl.attr.evaluate import equal
from gsl.kernel.expression import Expression
from gsl.kernel.meaning import Elements, Index, total
from gsl.operators.declaration import Need, Tensors, operator
from gsl.operators.domain import Domain, Fresh
from gsl.operators.join import fields_of
from gsl.types import NUMERIC, Bool, Int, TensorType, TupleType, Type

LETTERS = ascii_lowercase + ascii_uppercase


def sides_of(equation: str) -> tuple[list[str], str]:
    """Return the letters of each operand and of the result of a canonical equation."""
    left, result = equation.split("->")
    return left.split(","), result


@dataclass(frozen=True, slots=True)
class Equation(Domain):
    """One letter for each axis of each operand and of the result: "ik,kj->ij".

    An ellipsis stands for the leading axes of an operand that have no letter, right-aligned.
    Without a result it is the letters that occur once, in the order of the alphabet.
    """

    sampled: ClassVar[bool] = True

    def normalise(self, value: Any, operands: tuple[Type, ...]) -> Any:
        """Return the equation with its result and without ellipses, which then have letters."""
        if not isinstance(value, str):
            raise ValueError(f"{value!r} is no equation such as 'ik,kj->ij'")
        left, arrow, result = value.replace(" ", "").partition("->")
        parts = left.split(",")
        if not operands and "..." in value:
            raise ValueError(f"{value!r} leaves axes open: write a letter for each of them")
        if not operands:
            return f"{left}->{result if arrow else _once(left)}"
        ranks = [tensor.ndim for tensor in _fields(operands)]
        if len(ranks) != len(parts):
            raise ValueError(f"{value!r} is not an equation of {len(ranks)} tensors")
        free = [letter for letter in LETTERS if letter not in value]
        lengths = [
            rank - len(part.replace("...", "")) for rank, part in zip(ranks, parts, strict=True)
        ]
        widest = max((n for n, p in zip(lengths, parts, strict=True) if "..." in p), default=0)
        if widest > len(free) or any(n < 0 for n in lengths):
            raise ValueError(f"{value!r} does not fit to tensors of {ranks} axes")
        spelled = "".join(free[:widest])
        named = [
            part.replace("...", spelled[widest - n :])
            for n, part in zip(lengths, parts, strict=True)
        ]
        if not arrow:
            result = ("..." if "..." in left else "") + _once(left)
        return f"{','.join(named)}->{result.replace('...', spelled)}"

    def claim(self, value: Any, operands: tuple[Type, ...]) -> Bool:
        """Demand one letter for each axis, and a result of different letters that occur before."""
        parts, result = sides_of(value)
        ranks = [tensor.ndim for tensor in _fields(operands)]
        letters = "".join(parts)
        return (
            [len(part) for part in parts] == ranks
            and len(set(result)) == len(result)
            and set(result) <= set(letters)
            and set(letters) <= set(LETTERS)
        )

    def instances(self, operands: tuple[Type, ...], fresh: Fresh) -> Iterator[Any]:
        """Yield products that contract, repeat or keep axes, and those of one tensor."""
        ranks = [tensor.ndim for tensor in _fields(operands)]
        if not ranks or len(ranks) > 3:
            return
        outer = _distinct(ranks)
        yield f"{','.join(outer)}->{''.join(outer)}"
        for parts in (_chained(ranks), _batched(ranks)):
            letters = "".join(parts)
            kept = [c for c in dict.fromkeys(letters) if letters.count(c) == 1]
            yield f"{','.join(parts)}->{''.join(kept)}"
            yield f"{','.join(parts)}->{''.join(reversed(dict.fromkeys(letters)))}"


def _once(letters: str) -> str:
    """Return the letters that occur once, in the order of the alphabet."""
    return "".join(c for c in sorted(set(letters) - set(".,")) if letters.count(c) == 1)


def _fields(operands: tuple[Type, ...]) -> list[TensorType]:
    found = operands[0].fields if operands and isinstance(operands[0], TupleType) else ()
    return [field for field in found if isinstance(field, TensorType)]


def _distinct(ranks: Sequence[int]) -> list[str]:
    letters = iter(LETTERS)
    return ["".join(next(letters) for _ in range(rank)) for rank in ranks]


def _chained(ranks: Sequence[int]) -> list[str]:
    """The last axis of a tensor is the first of the next one."""
    parts = _distinct(ranks)
    for number in range(1, len(parts)):
        if parts[number - 1] and parts[number]:
            parts[number] = parts[number - 1][-1] + parts[number][1:]
    return parts


def _batched(ranks: Sequence[int]) -> list[str]:
    """All tensors have their first axes in common."""
    return [LETTERS[:rank] for rank in ranks]


@operator(dtypes=NUMERIC)
def Einsum(need: Need, tensors: Tensors, *, equation: Annotated[str, Equation()]) -> TensorType:
    """Sum products of one element of each tensor over all axes that the result does not have.

    `equation` has a letter for each axis: "bik,bkj->bij" multiplies matrices in batches. Equal
    letters are axes of equal size, sizes of 1 are not repeated. Source: onnx.Einsum, relax.einsum.
    """
    fields = fields_of(need, tensors)
    parts, result = sides_of(equation)
    sizes: dict[str, Int] = {}
    for part, field in zip(parts, fields, strict=True):
        for letter, size in zip(part, field.shape, strict=True):
            known = sizes.setdefault(letter, size)
            need(equal(known, size), f"all axes `{letter}` must have one size")
    return TensorType(tuple(sizes[letter] for letter in result), fields[0].dtype)


@Einsum.numpy
def _einsum(tensors: Any, equation: str) -> Any:
    return np.einsum(equation, *tensors)


@Einsum.kernel
def _einsum_element(index: Index, tensors: Sequence[Elements], equation: str) -> Expression:
    parts, result = sides_of(equation)
    sizes = {
        letter: size
        for part, tensor in zip(parts, tensors, strict=True)
        for letter, size in zip(part, tensor.shape, strict=True)
    }
    summed = [letter for letter in sizes if letter not in result]

    def product(*inner: Any) -> Expression:
        places = dict(zip((*result, *summed), (*index, *inner), strict=True))
        factors = [
            tensor[tuple(places[letter] for letter in part)]
            for part, tensor in zip(parts, tensors, strict=True)
        ]
        return reduce(lambda one, other: one * other, factors)

    return total([sizes[letter] for letter in summed], product)


@Einsum.relax
def _relax_einsum(relax: Any, tensors: Any, equation: str) -> Any:
    return relax.einsum(tuple(tensors), equation)
