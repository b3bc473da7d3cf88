"""Runs an operator three ways: by its shape rule, its NumPy reference and TVM."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from gsl.numpy_dtypes import computed as computed_in_numpy
from gsl.numpy_dtypes import iinfo, is_floating, kind_of
from gsl.operators.declaration import Operator
from gsl.types import STORED, TensorType, TupleType, Type


class Case(NamedTuple):
    """An operator, its operands (arrays, or tuples of arrays) and written attributes."""

    operator: Operator
    operands: tuple[Any, ...]
    attributes: dict[str, Any]

    def __str__(self) -> str:
        types = ", ".join(map(str, self.types))
        written = "".join(f", {name}={value!r}" for name, value in self.attributes.items())
        return f"{self.operator}({types}{written})"

    @property
    def types(self) -> tuple[Type, ...]:
        return tuple(map(type_of, self.operands))

    @property
    def canonical(self) -> dict[str, Any]:
        return self.operator.normalise(self.attributes, self.types)


def type_of(value: Any) -> Type:
    """Return the type of an array or of a tuple of arrays."""
    if isinstance(value, tuple | list):
        return TupleType(tuple(map(type_of, value)))
    return TensorType(tuple(map(int, value.shape)), value.dtype.name)


def infer(operator: Operator, *operands: Any, **attributes: Any) -> Type:
    """Return the type that the shape rule gives; operands are types or arrays."""
    types = tuple(o if isinstance(o, TensorType | TupleType) else type_of(o) for o in operands)
    return operator.infer(types, operator.normalise(attributes, types))


def reference(case: Case) -> Any:
    """Return what the NumPy reference computes, checked against the shape rule."""
    declared = case.operator.infer(case.types, case.canonical)
    with np.errstate(all="ignore"):
        result = computed_in_numpy(case.operator.reference, case.operands, case.canonical, declared)
    assert str(type_of(result)) == str(declared), f"{case}: {type_of(result)}, not {declared}"
    return result


def on_tvm(cases: list[Case], opt_level: int = 0) -> list[Any]:
    """Return what TVM computes for each case; all are compiled as one module."""
    import tvm
    from tvm import relax

    builder = relax.BlockBuilder()
    for index, case in enumerate(cases):
        _emit(builder, f"case{index}", case)
    target = tvm.target.Target({"kind": "llvm", "opt-level": opt_level})
    with tvm.transform.PassContext(config={"tirx.disable_assert": True}):
        executable = tvm.compile(builder.finalize(), target)
    machine = relax.VirtualMachine(executable, tvm.cpu())
    return [
        _arrays(machine[f"case{index}"](*_leaves(tvm, case.operands)))
        for index, case in enumerate(cases)
    ]


def _emit(builder: Any, name: str, case: Case) -> None:
    from tvm import relax

    leaves: list[Any] = []

    def variable(type_: Type) -> Any:
        if isinstance(type_, TupleType):
            return [variable(field) for field in type_.fields]
        leaves.append(relax.Var(f"x{len(leaves)}", relax.TensorType(type_.shape, type_.dtype)))
        return leaves[-1]

    operands = [variable(type_) for type_ in case.types]
    with builder.function(name, leaves):
        with builder.dataflow():
            result = builder.emit(lower(case.operator)(*operands, **case.canonical))
            result = builder.emit_output(result)
        builder.emit_func_output(result)


def lower(operator: Operator) -> Any:
    """Return the function from Relax expressions and attributes to a Relax expression."""
    from tvm import relax

    if operator.lowering is not None:
        lowering = operator.lowering
        return lambda *operands, **attributes: lowering(relax.op, *operands, **attributes)
    return reduce(getattr, operator.relax_name.split("."), relax.op)


def _leaves(tvm: Any, operands: Any) -> list[Any]:
    if isinstance(operands, tuple | list):
        return [leaf for operand in operands for leaf in _leaves(tvm, operand)]
    return [tvm.runtime.tensor(operands)]


def _arrays(value: Any) -> Any:
    return value.numpy() if hasattr(value, "numpy") else tuple(_arrays(field) for field in value)


def is_run_by_tvm(case: Case) -> bool:
    """Tell whether TVM runs an operator on these dtypes: it takes none that are only stored."""
    from gsl.tvm.lower import WITHOUT_BFLOAT16

    names = {one.dtype for one in _tensor_types((*case.types, infer_case(case)))}
    return names.isdisjoint(STORED) and not (
        "bfloat16" in names and case.operator.name in WITHOUT_BFLOAT16
    )


def infer_case(case: Case) -> Type:
    """Return the type of the result of a case."""
    return case.operator.infer(case.types, case.canonical)


def _tensor_types(types: Iterable[Type]) -> Iterator[TensorType]:
    for one in types:
        yield from _tensor_types(one.fields) if isinstance(one, TupleType) else (one,)


def check(cases: list[Case], **tolerance: float) -> None:
    """Demand that shape rule, reference and TVM, where it runs them, agree: exactly on integers."""
    cases = [case for case in cases if is_run_by_tvm(case)]
    assert cases
    for case, computed in zip(cases, on_tvm(cases), strict=True):
        _compare(case, reference(case), computed, tolerance)


def _compare(case: Case, expected: Any, computed: Any, tolerance: dict[str, float]) -> None:
    if isinstance(expected, tuple):
        for field, value in zip(expected, computed, strict=True):
            _compare(case, field, value, tolerance)
        return
    assert str(type_of(computed)) == str(type_of(expected)), f"{case}: TVM {type_of(computed)}"
    if is_floating(expected.dtype):
        name = expected.dtype.name
        expected, computed = (one.astype(np.float64) for one in (expected, computed))
        close = {"rtol": 0.0, "atol": ROUNDING[name] * scale(expected)} | tolerance
        np.testing.assert_allclose(computed, expected, err_msg=str(case), **close)
    else:
        np.testing.assert_array_equal(computed, expected, err_msg=str(case))


ROUNDING = {"float64": 1e-12, "float32": 1e-5, "float16": 2e-2, "bfloat16": 5e-2}


def scale(array: Any) -> float:
    """Return the magnitude against which rounding errors of a result are measured."""
    finite = np.abs(array[np.isfinite(array)].astype(np.float64))
    return float(np.max(finite, initial=1.0))


def sample(seed: int, shape: tuple[int, ...], dtype: str, low: float = -2, high: float = 2) -> Any:
    """Return random values: full range for integers, between `low` and `high` for floats."""
    generator = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    if kind_of(kind) == "b":
        return generator.integers(0, 2, shape).astype(bool)
    if kind_of(kind) in "iu":
        bounds, wide = iinfo(kind), np.uint64 if kind == np.uint64 else np.int64
        return generator.integers(bounds.min, bounds.max, shape, wide, endpoint=True).astype(kind)
    return generator.uniform(low, high, shape).astype(kind)
