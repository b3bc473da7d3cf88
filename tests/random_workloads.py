"""Random workloads of all kinds of expressions, and what it means that two are the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from gsl import Call, Const, Expr, Proj, Tuple, Var, Workload
from gsl.operators import lookup
from gsl.records import encode
from gsl.types import TupleType

SHAPE = (2, 3)
DTYPES = ("float32", "float16", "int32")
SMALL_NUMBERS = st.integers(-2, 2)


def call(name: str, *operands: Expr, **attributes: Any) -> Call:
    return Call(lookup(name), operands, attributes)


@st.composite
def tensors(draw: st.DrawFn, dtype: str) -> Any:
    """Draw an array in which zeros are frequent."""
    count = int(np.prod(SHAPE))
    numbers = draw(st.lists(SMALL_NUMBERS, min_size=count, max_size=count))
    return np.array(numbers, dtype).reshape(SHAPE)


@st.composite
def workloads(draw: st.DrawFn) -> Workload:
    """Draw a network of a few leaves of every kind and up to a dozen calls, tuples, projections."""
    pool: list[Expr] = []
    parameters = {}
    for index in range(draw(st.integers(2, 6))):
        dtype = draw(st.sampled_from(DTYPES))
        kind = draw(st.sampled_from(("input", "parameter", "constant", "filled")))
        if kind == "constant":
            pool.append(Const(draw(tensors(dtype))))
        elif kind == "filled":
            pool.append(call("Full", shape=SHAPE, fill_value=draw(SMALL_NUMBERS), dtype=dtype))
        else:
            pool.append(Var(f"{kind}{index}", SHAPE, dtype))
            if kind == "parameter":
                parameters[f"{kind}{index}"] = draw(tensors(dtype))
    for _ in range(draw(st.integers(0, 12))):
        pool.append(_grown(draw, pool))
    outputs = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=3))
    variables = [expr for expr in pool if isinstance(expr, Var)]
    return Workload(outputs, parameters, variables)


def _grown(draw: st.DrawFn, pool: Sequence[Expr]) -> Expr:
    one = draw(st.sampled_from(pool))
    if isinstance(one.type, TupleType):
        return Proj(one, draw(st.integers(0, len(one.type.fields) - 1)))
    others = [expr for expr in pool if expr.type == one.type]
    kind = draw(st.sampled_from(("unary", "binary", "tuple", "split", "join", "cast")))
    match kind:
        case "unary":
            return call(draw(st.sampled_from(("Negative", "Square"))), one)
        case "binary":
            name = draw(st.sampled_from(("Add", "Multiply", "FloorDivide")))
            return call(name, one, draw(st.sampled_from(others)))
        case "tuple":
            return Tuple([one, draw(st.sampled_from(pool)), one])
        case "split" if one.shape[1] == 3:
            return call("Split", one, indices_or_sections=(1, 2), axis=1)
        case "join" if one.shape[0] == 2:
            pieces = call("Split", one, indices_or_sections=2)
            return call("Concatenate", Tuple([Proj(pieces, 1), Proj(pieces, 0)]))
        case _:
            return call("Cast", one, dtype="float16" if one.dtype == "float32" else "float32")


def inputs_for(workload: Workload, seed: int) -> dict[str, Any]:
    """Return arrays of small numbers, zero among them, for all inputs."""
    generator = np.random.default_rng(seed)
    return {v.name: generator.integers(-2, 3, v.shape).astype(v.dtype) for v in workload.inputs}


def assert_same_values(left: Any, right: Any) -> None:
    """Demand the same dtypes, shapes and elements, looking into tuples and lists."""
    if isinstance(right, tuple | list):
        assert len(left) == len(right)
        for one, other in zip(left, right, strict=True):
            assert_same_values(one, other)
        return
    assert np.asarray(left).dtype == np.asarray(right).dtype
    np.testing.assert_array_equal(left, right, strict=True)


def description(workload: Workload) -> Any:
    """Return all that a workload consists of as something that can be compared."""
    records, positions = encode([*workload.outputs, *workload.variables])
    values = {name: _comparable(value) for name, value in workload.parameters.items()}
    inputs = [variable.name for variable in workload.inputs]
    described = [tuple(map(_comparable, record)) for record in records]
    return described, positions, len(workload.outputs), inputs, list(values.items())


def _comparable(part: Any) -> Any:
    if isinstance(part, np.ndarray):
        return part.dtype.name, part.shape, part.tobytes()
    # The text, because NaN does not equal itself; it also tells True from 1.
    return repr(part)
