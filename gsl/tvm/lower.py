"""From one operator to Relax calls: the twin of the same name, or the declared lowering."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tvm_ffi
from tvm import relax

from gsl.errors import GslError
from gsl.expr import Call
from gsl.numpy_dtypes import BFLOAT16
from gsl.operators.declaration import OpaqueOperator, Operand, Operator
from gsl.tvm.errors import BackendError, TypeMismatchError, reason
from gsl.tvm.opaque import write_opaque
from gsl.tvm.plain import relax_twin
from gsl.tvm.relax_types import to_relax_type

WITHOUT_BFLOAT16 = frozenset(
    ("Argmax", "Argmin", "IsFinite", "IsInf", "IsNaN", "LRN", "Power", "Remainder")
)


def lower(
    builder: Any, operator: Operator, operands: Sequence[Any], attributes: Mapping[str, Any]
) -> Any:
    """Return the Relax expression of an operator applied to Relax operands.

    A twin takes tuple operands as they are, a lowering gets their fields as a list. What TVM 0.27
    lacks for bfloat16 is computed in float32. Raises BackendError when the operator has neither.
    """
    if operator.name in WITHOUT_BFLOAT16 and any(map(_is_bfloat16, operands)):
        wide = [builder.emit(relax.op.astype(one, "float32")) for one in operands]
        found = builder.emit(_lower(builder, operator, wide, attributes))
        is_wide = str(found.ty.dtype) == "float32"
        return relax.op.astype(found, BFLOAT16.name) if is_wide else found
    return _lower(builder, operator, operands, attributes)


def _is_bfloat16(operand: Any) -> bool:
    return str(getattr(operand.ty, "dtype", "")) == BFLOAT16.name


def _lower(
    builder: Any, operator: Operator, operands: Sequence[Any], attributes: Mapping[str, Any]
) -> Any:
    if operator.lowering is not None:
        listed = [
            _operand(builder, declared, operand)
            for declared, operand in zip(operator.operands, operands, strict=True)
        ]
        return operator.lowering(relax.op, *listed, **attributes)
    if operator.relax_name:
        return relax_twin(operator.relax_name)(*operands, **attributes)
    raise BackendError(f"{operator} has no lowering to Relax")


def _operand(builder: Any, declared: Operand, operand: Any) -> Any:
    """Return an operand as a lowering gets it: fields as a list, None for one that is absent."""
    if declared.is_tuple:
        return _fields(builder, operand)
    is_absent = declared.is_optional and isinstance(operand.ty, relax.TupleType)
    return None if is_absent else operand


def _fields(builder: Any, whole: Any) -> list[Any]:
    if isinstance(whole, relax.Tuple):
        return list(whole.fields)
    count = len(whole.ty.fields)
    return [builder.emit(relax.TupleGetItem(whole, index)) for index in range(count)]


def emit_call(builder: Any, call: Call, operands: Sequence[Any]) -> Any:
    """Bind what a GSL call computes from Relax operands; return the variable.

    Raises BackendError when TVM refuses the call and TypeMismatchError when it infers a type
    other than the declared one.
    """
    try:
        variable = builder.emit(_relax_call(builder, call, operands))
    except GslError:
        raise
    except Exception as error:
        raise BackendError(f"TVM refuses {describe(call)}: {reason(error)}") from error
    if not tvm_ffi.structural_equal(variable.ty, to_relax_type(call.type)):
        inferred = str(variable.ty).replace("\n", " ")
        raise TypeMismatchError(f"TVM infers {inferred} for {describe(call)} -> {call.type}")
    return variable


def _relax_call(builder: Any, call: Call, operands: Sequence[Any]) -> Any:
    if isinstance(call.operator, OpaqueOperator):
        return write_opaque(builder, call, operands)
    return lower(builder, call.operator, operands, call.attributes)


def describe(call: Call) -> str:
    """Return a call as text: ``Softmax(float32[2,3], axis=-1)``."""
    operands = [str(operand.type) for operand in call.operands]
    attributes = [f"{name}={value!r}" for name, value in call.attributes.items()]
    return f"{call.operator}({', '.join(operands + attributes)})"
