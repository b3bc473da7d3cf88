"""Every operator, five ways: shape rule, symbols, reference (with error bounds), kernel and TVM.

The instances are drawn by the verifier's own generation from a rule whose source is one call, so
that attributes come from their declared domains. See `one_call` for how.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from by_kernel import check_kernel
from one_call import OPERATORS, Drawn, dtypes, explore
from symbolic import check_symbolic
from three_way import Case, reference

from gsl.expr import Call, Var
from gsl.numpy_dtypes import computed, iinfo, is_floating, kind_of
from gsl.operators import REGISTRY, Operator
from gsl.tvm.worker import Failure
from gsl.types import ANY_FLOAT, STORED, TensorType
from gslverify.comparison.bounded import AmbiguousError, Bounded, rounding_like
from gslverify.comparison.bounded.array import UFUNCS
from gslverify.comparison.compare import lift
from gslverify.structures.models.concrete import value_in
from gslverify.structures.models.symbols import instance_symbols
from gslverify.trials.backend import Asked, coarsest_dtype, opinions, run

EXAMPLES = 40
FEWEST = 10
FEWEST_COMPARED = 10
INTEGER_QUOTIENTS = ("Divide", "FloorDivide", "Mod", "Remainder", "TruncDivide")


@pytest.fixture(scope="module", params=OPERATORS)
def drawn(request: pytest.FixtureRequest) -> list[Drawn]:
    """Calls of an operator, of every dtype that it declares."""
    operator, found = OPERATORS[request.param], dict[str, Drawn]()
    explore(operator, lambda one: found.setdefault(key(one), one), EXAMPLES)
    assert len(found) >= FEWEST
    assert {dtype for one in found.values() for dtype in dtypes_in(one)} >= set(dtypes(operator))
    return list(found.values())


def test_shape_rule_and_symbols_agree_with_the_reference(drawn: list[Drawn]) -> None:
    for one in drawn:
        check_types(one)


def test_bounds_cover_the_reference(drawn: list[Drawn]) -> None:
    for one in drawn:
        check_bounds(one)


def test_the_reference_takes_integers_of_any_size(drawn: list[Drawn]) -> None:
    for one in drawn:
        check_largest(one.case)


def test_kernel_and_reference_agree(drawn: list[Drawn]) -> None:
    assert sum(check_kernel(one.case) for one in drawn) >= FEWEST_COMPARED


@pytest.mark.tvm
def test_reference_and_tvm_agree(drawn: list[Drawn]) -> None:
    check_on_tvm(drawn)


def key(drawn: Drawn) -> str:
    """Return what makes two drawn calls the same."""
    values = ",".join(f"{name}={array.tolist()}" for name, array in sorted(drawn.inputs.items()))
    return f"{drawn.case}:{values}"


def dtypes_in(drawn: Drawn) -> set[str]:
    outputs = value_fields(drawn.call.type)
    return {v.dtype for v in drawn.network.variables} | {part.dtype for part in outputs}


def value_fields(type_: Any) -> list[TensorType]:
    return [type_] if isinstance(type_, TensorType) else list(type_.fields)


def check_types(drawn: Drawn) -> None:
    """Compare the shape rule on ints with the reference, on symbols, and on hidden sizes."""
    with np.errstate(all="ignore"):
        reference(drawn.case)
    check_symbolic(drawn.case)
    check_model(drawn)


def check_model(drawn: Drawn) -> None:
    """Demand that the symbolic instance, seen in the model, is the concrete call."""
    instance = drawn.sampler.instance
    model = {symbol: drawn.network.model[symbol.name] for symbol in instance_symbols(instance)}
    (output,) = instance.outputs
    assert str(at(output.expr.type, model)) == str(drawn.call.type)
    attributes = output.expr.attributes
    assert value_in(tuple(attributes.values()), model) == tuple(drawn.call.attributes.values())
    violated = [c.reason for c in instance.claims if value_in(c.term, model) is not True]
    assert violated == []


def at(type_: Any, model: Any) -> Any:
    """Return a symbolic type with the values of a model."""
    if isinstance(type_, TensorType):
        return TensorType(value_in(type_.shape, model), value_in(type_.dtype, model))
    return replace(type_, fields=tuple(at(field, model) for field in type_.fields))


def check_bounds(drawn: Drawn) -> None:
    """Compare the reference on arrays with error bounds with plain ones: as drawn, in float64."""
    case, machine = drawn.case, coarsest_dtype(drawn.network.outputs)
    _check_bounds(case, case.operands, case.canonical, machine)
    wide = {name: widened_dtype(value) for name, value in case.canonical.items()}
    _check_bounds(case, tuple(map(widened, case.operands)), wide, "float64")


def _check_bounds(case: Case, operands: Any, attributes: dict[str, Any], machine: str) -> None:
    declared = case.operator.infer(case.types, case.canonical)
    with np.errstate(all="ignore"):
        plain = computed(case.operator.reference, operands, attributes, declared)
        try:
            with rounding_like(machine):
                lifted = tuple(map(lift, operands))
                bounded = lift(computed(case.operator.reference, lifted, attributes, declared))
        except AmbiguousError:
            return
        for one, other in zip(leaves(bounded), leaves(plain), strict=True):
            check_covered(one, other, case)


def check_largest(case: Case) -> None:
    """Demand that integers of any size give a value, or are refused as an index is."""
    largest = tuple(map(_largest, case.operands))
    with np.errstate(all="ignore"), suppress(IndexError, MemoryError):
        reference(case._replace(operands=largest))


def _largest(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_largest, value))
    is_integer = value.dtype.kind in "iu"
    return np.full_like(value, np.iinfo(value.dtype).max) if is_integer else value


def leaves(value: Any) -> list[Any]:
    return list(value) if isinstance(value, tuple) else [value]


def widened(value: Any) -> Any:
    """Return floats in float64."""
    if isinstance(value, tuple):
        return tuple(map(widened, value))
    return value.astype(np.float64) if is_floating(value.dtype) else value


def widened_dtype(value: Any) -> Any:
    return "float64" if isinstance(value, str) and value in ANY_FLOAT else value


def check_covered(bounded: Any, plain: Any, case: Case) -> None:
    """Demand the same dtype and that the bound of every element covers a run without bounds."""
    assert bounded.dtype == plain.dtype, case
    if not isinstance(bounded, Bounded):
        np.testing.assert_array_equal(bounded, plain, err_msg=str(case))
        return
    known = np.isfinite(bounded.value) & np.isfinite(bounded.error)
    gap = np.abs(bounded.value - np.asarray(plain, np.float64))
    assert np.all(gap[known] <= bounded.error[known]), f"{case}: {bounded!r} against {plain!r}"


def check_on_tvm(drawn: list[Drawn]) -> None:
    """Demand that TVM computes what the references compute, within the machine's rounding."""
    asked = [one for one in drawn if dtypes_in(one).isdisjoint(STORED)]
    asked = [one for one in asked if not is_deviating(one.case)]
    said = opinions([Asked(one.network.outputs, one.inputs) for one in asked])
    wrong = [
        f"{one.case} {one.inputs}: {opinion.difference or opinion.failure}"
        for one, opinion in zip(asked, said, strict=True)
        if not opinion.agrees
    ]
    assert not wrong, "\n".join([f"{len(wrong)} of {len(drawn)}:", *wrong[:5]])


def is_deviating(case: Case) -> bool:
    """Tell whether TVM is known to compute something else: see `test_tvm_skips_extremes`."""
    if case.operator.name == "DynamicQuantizeLinear":
        return not case.operands[0].any()  # 0 / 0, which is no integer
    if case.operator.name in INTEGER_QUOTIENTS:
        return overflows(*case.operands)
    if case.operator.name not in ("Argmax", "Argmin"):
        return False
    (data,) = case.operands
    if kind_of(data.dtype) not in "iu":
        return False
    limits = iinfo(data.dtype)
    extreme = limits.min if case.operator.name == "Argmax" else limits.max
    return bool((data == extreme).all(axis=case.canonical["axis"]).any())


def overflows(left: Any, right: Any) -> bool:
    """Tell whether a quotient has no place in its dtype, where the processor stops the program."""
    if kind_of(left.dtype) != "i":
        return False
    return bool(((left == iinfo(left.dtype).min) & (right == -1)).any())


@pytest.mark.tvm
def test_tvm_skips_extremes() -> None:
    """The reduction starts from the least value, at position -1, and keeps it in a tie."""
    data = Var("x", (2,), "int8")
    call = Call(OPERATORS["Argmax"], (data,), {"axis": 0})
    found = run([call], {"x": np.array([-128, -128], np.int8)})
    assert not isinstance(found, Failure)
    assert found[0] == -1


def altered(name: str, **changes: Any) -> Operator:
    """Return an operator with something else in its declaration."""
    return replace(OPERATORS[name], **changes)


def too_long(need: Any, data: Any, **attributes: Any) -> Any:
    """A shape rule of Transpose and others that is wrong about the first size."""
    return data.with_shape((data.shape[0] + 1, *data.shape[1:]))


def blind_to_symbols(need: Any, data: Any, **attributes: Any) -> Any:
    """A shape rule of Flatten that is right about ints only."""
    return data.with_shape((data.size if isinstance(data.size, int) else data.size + 1,))


def one_dtype(data: Any) -> Any:
    return np.maximum(data, 0).astype("float32")


def unkept(data: Any, axis: Any, keepdims: bool) -> Any:
    return np.sum(data, axis=axis).astype(data.dtype)


MISTAKES = {
    "shape rule about ints": altered("Flip", rule=too_long),
    "shape rule about symbols": altered("Flatten", rule=blind_to_symbols),
    "dtype of the reference": altered("Relu", reference=one_dtype),
    "widening reference": altered("Sum", reference=np.sum),
    "shape of the reference": altered("Sum", reference=unkept),
    "number of outputs": altered("BatchNorm", reference=lambda data, *rest, **attributes: data),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_seen(mistake: str) -> None:
    with pytest.raises((AssertionError, ValueError)):
        explore(MISTAKES[mistake], check_types, EXAMPLES)


@pytest.mark.parametrize(
    ("name", "ufunc"),
    [("Exp", np.exp), ("Add", np.add), ("Divide", np.divide), ("Dense", np.matmul)],
)
def test_bounds_that_do_not_cover_are_seen(
    name: str, ufunc: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exact(ufunc: Any, dtype: Any, *operands: Bounded) -> Bounded:
        return Bounded(ufunc(*(operand.value for operand in operands)), dtype=dtype)

    monkeypatch.setitem(UFUNCS, ufunc, exact)
    with pytest.raises(AssertionError):
        explore(OPERATORS[name], check_bounds, EXAMPLES)


def test_shifted_values_with_bounds_are_seen() -> None:
    def shifted(data: Any, **attributes: Any) -> Any:
        return data + 1e-3 if isinstance(data, Bounded) else data

    with pytest.raises(AssertionError):
        explore(altered("Round", reference=shifted), check_bounds, EXAMPLES)


WRONG_ON_TVM = {
    "lowering": altered("Maximum", relax_name="minimum"),
    "attribute of the lowering": altered(
        "LeakyRelu", lowering=lambda relax, data, alpha: relax.nn.leakyrelu(data, alpha + 1e-3)
    ),
    "reference": altered("Subtract", reference=lambda lhs, rhs: lhs - rhs - (lhs == rhs)),
    "rounding of the reference": altered("Round", reference=lambda data: np.floor(data + 0.5)),
    "no lowering": altered("Square", relax_name="no_such_operator"),
}


@pytest.mark.tvm
@pytest.mark.parametrize("mistake", WRONG_ON_TVM)
def test_mistakes_are_seen_on_tvm(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = WRONG_ON_TVM[mistake]
    monkeypatch.setitem(REGISTRY, wrong.name, wrong)
    drawn: list[Drawn] = []
    explore(wrong, drawn.append, EXAMPLES)
    with pytest.raises(AssertionError):
        check_on_tvm(drawn)
