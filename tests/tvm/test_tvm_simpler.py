"""Calls that are done as simpler ones: the same bytes come out."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np
import pytest
from relax_graphs import call
from simpler_calls import CASES, values_of, var

from gsl.evaluate import evaluate
from gsl.expr import Call, Expr, Tuple, Var
from gsl.operators.declaration import tensors
from gsl.tvm.simpler import is_view, same_bytes, simplified


@pytest.mark.parametrize(("made", "types"), CASES.values(), ids=CASES)
def test_a_simpler_call_makes_the_same_bytes(made: Call, types: str):
    simple = simplified(made)
    assert simple.operator is made.operator
    given = tensors(tuple(operand.type for operand in simple.operands))
    assert ", ".join(map(str, given)) == types
    assert bytes_of(simple, operands_of(made)) == bytes_of(made, operands_of(made))


def operands_of(made: Call) -> list[Any]:
    """Return arrays for the tensors that a call is given, in order."""
    values = values_of(made)
    leaves = [f for o in made.operands for f in (o.operands if isinstance(o, Tuple) else [o])]
    return [values[leaf.name] for leaf in leaves if isinstance(leaf, Var)]


def bytes_of(made: Call, arrays: list[Any]) -> list[bytes]:
    """Return the bytes of the results when the operands of a call have those of some arrays."""
    numbers = count()
    operands = [named(operand, numbers) for operand in made.operands]
    given = tensors(tuple(operand.type for operand in operands))
    pairs = zip(arrays, given, strict=True)
    values = {f"x{n}": same_bytes(array, its) for n, (array, its) in enumerate(pairs)}
    (result,) = evaluate([Call(made.operator, operands, made.attributes)], values)
    parts = result if isinstance(result, tuple) else (result,)
    return [np.ascontiguousarray(part).tobytes() for part in parts]


def named(operand: Expr, numbers: Any) -> Expr:
    if isinstance(operand, Tuple):
        return Tuple([named(field, numbers) for field in operand.operands])
    (given,) = tensors((operand.type,))
    return Var(f"x{next(numbers)}", given.shape, given.dtype)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (call("Reshape", var(2, 6), shape=(3, 4)), True),
        (call("Squeeze", var(2, 1), axis=(1,)), True),
        (call("Reshape", var(0, 6), shape=(3, 0)), False),
        (call("Exp", var(2)), False),
    ],
    ids=["reshaped", "squeezed", "without elements", "computed"],
)
def test_what_only_gives_another_shape_is_not_computed(made: Call, expected: bool):
    assert is_view(made) is expected
