"""Load workloads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar
from zipfile import BadZipFile, ZipFile

from gsl.errors import OperatorError, StorageError
from gsl.expr import Var
from gsl.operators.declaration import lookup
from gsl.records import Record, decode
from gsl.storage.form import (
    FORMAT,
    HEADER,
    VERSION,
    AnyPath,
    cause,
    constant_name,
    from_json,
    open_member,
    parameter_name,
    read_array,
    require_path,
)

if TYPE_CHECKING:
    from gsl.workload import Workload

AnyWorkload = TypeVar("AnyWorkload", bound="Workload")


def load(path: AnyPath, kind: type[AnyWorkload]) -> AnyWorkload:
    """Return the workload of class `kind` that a file holds.

    Raises StorageError when the file is missing, damaged, of another version or not a saved
    workload, and when it uses an operator that is not declared; MisuseError for what is no path.
    """
    require_path(path)
    with _explaining(path), ZipFile(path) as archive:
        header = _header(path, archive)
        records = [_record(archive, *entry) for entry in enumerate(header["records"])]
        _check_declared(path, records)
        exprs = decode(records)
        outputs = [exprs[_below(position, len(exprs))] for position in header["outputs"]]
        variables = [exprs[_below(position, len(exprs))] for position in header["variables"]]
        if not all(isinstance(variable, Var) for variable in variables):
            raise ValueError("a variable is another expression")
        names = enumerate(header["parameters"])
        parameters = {name: read_array(archive, parameter_name(index)) for index, name in names}
        called = header.get("output_names")  # files of version 0.1.0 have none
        return kind(outputs, parameters, variables, called)  # type: ignore[arg-type]


@contextmanager
def _explaining(path: AnyPath) -> Iterator[None]:
    """Turn whatever goes wrong with a file into a StorageError."""
    try:
        yield
    except StorageError:
        raise
    except OSError as error:
        cure = "check the path and who may read it"
        raise StorageError(path, f"cannot be read: {cause(error)}", cure) from error
    except MemoryError as error:
        raise StorageError(path, "does not fit into memory", "use a larger machine") from error
    except BadZipFile as error:
        raise _foreign(path, f"is not a saved workload, or only a part of one: {error}") from error
    except Exception as error:  # a file may hold anything, so anything may go wrong with it
        reason = f"is damaged: {type(error).__name__}: {error}"
        raise StorageError(path, reason, "copy it again, or save the workload again") from error


def _foreign(path: AnyPath, reason: str) -> StorageError:
    cure = "copy it again, or give a file that `Workload.save` has written"
    return StorageError(path, reason, cure)


def _header(path: AnyPath, archive: ZipFile) -> Mapping[str, Any]:
    if HEADER not in archive.namelist():
        raise _foreign(path, f"is not a saved workload: it has no {HEADER}")
    with open_member(archive, HEADER) as member:
        header = json.load(member)
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise _foreign(path, f"is not a saved workload: its {HEADER} is of another format")
    if header.get("version") != VERSION:
        reason = f"has version {header.get('version')}, not {VERSION}"
        raise StorageError(path, reason, "load it with the release that has saved it")
    return header


def _check_declared(path: AnyPath, records: Sequence[Record]) -> None:
    for name in dict.fromkeys(record[2] for record in records if record[0] == "call"):
        try:
            lookup(name)
        except OperatorError as error:
            cure = "import the module that declares it before you load the file"
            raise StorageError(path, str(error), cure) from error


def _record(archive: ZipFile, position: int, written: Any) -> Record:
    kind, operands, *rest = written
    below = tuple(_below(operand, position) for operand in operands)
    match kind, rest:
        case "const", []:
            return kind, below, read_array(archive, constant_name(position))
        case "call", [str() as operator, dict() as attributes]:
            values = {name: from_json(value) for name, value in attributes.items()}
            return kind, below, operator, values
        case "var", [str(), list() as shape, str()] if all(type(size) is int for size in shape):
            return kind, below, rest[0], tuple(shape), rest[2]
        case ("tuple", []) | ("proj", [int()]):
            return kind, below, *rest
        case _:
            raise ValueError(f"record {position} is not that of an expression")


def _below(position: Any, count: int) -> int:
    if type(position) is not int or not 0 <= position < count:
        raise ValueError(f"{position!r} is not the number of an earlier record")
    return position
