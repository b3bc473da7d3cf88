"""Save workloads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

from gsl.attr.term import Term
from gsl.errors import GraphError, StorageError
from gsl.expr import Call, Expr
from gsl.graph import reverse_post_order
from gsl.operators.declaration import REGISTRY, OpaqueOperator, Operator, lookup
from gsl.records import Record, encode
from gsl.storage.form import (
    FORMAT,
    HEADER,
    VERSION,
    AnyPath,
    cause,
    constant_name,
    new_member,
    parameter_name,
    require_path,
    to_json,
    write_array,
)
from gsl.storage.replacing import replacing

if TYPE_CHECKING:
    from gsl.workload import Workload


def save(workload: Workload, path: AnyPath) -> None:
    """Save a workload as one file, in place of what is there.

    The file appears complete or not at all. Raises StorageError when it cannot be written, and for
    what could not be loaded again: symbolic sizes and values, and operators not registered;
    MisuseError for what is no path.
    """
    require_path(path)
    try:
        header, arrays = _described(workload)
    except GraphError as error:
        cure = "save a network of registered operators and known sizes"
        raise StorageError(path, f"cannot hold this workload: {error}", cure) from error
    try:
        with replacing(path) as stream, ZipFile(stream, "w") as archive:
            with new_member(archive, HEADER) as member:
                member.write(json.dumps(header, separators=(",", ":"), allow_nan=False).encode())
            for name, array in arrays.items():
                write_array(archive, name, array)
    except OSError as error:
        cure = "choose a place that may be written to and has room"
        raise StorageError(path, f"cannot be written: {cause(error)}", cure) from error


def _described(workload: Workload) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the header, and the arrays by the names of their members."""
    _check_operators(workload.outputs)
    records, positions = encode([*workload.outputs, *workload.variables])
    count = len(workload.outputs)
    header = {
        "format": FORMAT,
        "version": VERSION,
        "records": [_record_to_json(record) for record in records],
        "outputs": positions[:count],
        "variables": positions[count:],
        "parameters": list(workload.parameters),
        "output_names": workload.given_output_names,
    }
    arrays = {
        constant_name(i): record[2] for i, record in enumerate(records) if record[0] == "const"
    }
    arrays |= {parameter_name(i): array for i, array in enumerate(workload.parameters.values())}
    return header, arrays


def _check_operators(outputs: Sequence[Expr]) -> None:
    for expr in reverse_post_order(outputs):
        if isinstance(expr, Call) and not _is_found_by_name(expr.operator):
            raise GraphError(f"operator {expr.operator} is not the registered one of that name")


def _is_found_by_name(operator: Operator) -> bool:
    name = operator.name
    known = lookup(name) if isinstance(operator, OpaqueOperator) else REGISTRY.get(name)
    return known is operator


def _record_to_json(record: Record) -> list[Any]:
    match record:
        case "const", operands, Term() as value:
            raise GraphError(f"a constant is only known symbolically: {value}")
        case "const", operands, _:
            return ["const", operands]
        case "call", operands, operator, attributes:
            values = {name: to_json(value) for name, value in attributes.items()}
            return ["call", operands, operator, values]
        case _:
            return [*record[:2], *map(to_json, record[2:])]
