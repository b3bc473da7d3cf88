"""Workloads as files.

A file is a zip archive without compression: ``workload.json`` describes the network,
``constants/N.npy`` and ``parameters/N.npy`` hold the arrays, also for ``numpy.load``. Nothing is
pickled. The same workload always gives the same bytes.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from secrets import token_hex
from typing import IO, TYPE_CHECKING, Any, TypeVar
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import numpy as np

from gsl.attr.term import Term
from gsl.errors import GraphError, OperatorError, StorageError
from gsl.expr import Call, Expr, Var
from gsl.graph import reverse_post_order
from gsl.operators.declaration import REGISTRY, lookup
from gsl.records import Record, decode, encode

if TYPE_CHECKING:
    from gsl.workload import Workload

FORMAT = "gsl workload"
VERSION = 1
HEADER = "workload.json"
NPY_VERSION = (1, 0)
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every member of an archive, the earliest that there is."""

AnyPath = str | PathLike[str]
AnyWorkload = TypeVar("AnyWorkload", bound="Workload")


def save(workload: Workload, path: AnyPath) -> None:
    """Save a workload as one file, in place of what is there.

    The file appears complete or not at all. Raises StorageError when it cannot be written, and for
    what could not be loaded again: symbolic sizes and values, and operators not registered.
    """
    try:
        header, arrays = _described(workload)
    except GraphError as error:
        cure = "save a network of registered operators and known sizes"
        raise StorageError(path, f"cannot hold this workload: {error}", cure) from error
    try:
        with _replacing(Path(os.path.realpath(path))) as stream, ZipFile(stream, "w") as archive:
            with _new_member(archive, HEADER) as member:
                member.write(json.dumps(header, separators=(",", ":"), allow_nan=False).encode())
            for name, array in arrays.items():
                with _new_member(archive, name) as member:
                    np.lib.format.write_array(member, _canonical(array), NPY_VERSION, False)
    except OSError as error:
        cure = "choose a place that may be written to and has room"
        raise StorageError(path, f"cannot be written: {_cause(error)}", cure) from error


@contextmanager
def _replacing(target: Path) -> Iterator[IO[bytes]]:
    """Give a file that replaces `target` when all goes well and disappears otherwise."""
    temporary = target.with_name(f".{token_hex(8)}.part")
    try:
        with temporary.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _new_member(archive: ZipFile, name: str) -> IO[bytes]:
    info = ZipInfo(name, EPOCH)
    info.compress_type = ZIP_STORED
    info.create_system = 3
    info.external_attr = 0o644 << 16
    return archive.open(info, "w", force_zip64=True)


def _canonical(array: Any) -> Any:
    return array.astype(array.dtype.newbyteorder("<"), order="C", copy=False)


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
    }
    arrays = {_constant(i): record[2] for i, record in enumerate(records) if record[0] == "const"}
    arrays |= {_parameter(i): array for i, array in enumerate(workload.parameters.values())}
    return header, arrays


def _constant(position: int) -> str:
    return f"constants/{position}.npy"


def _parameter(index: int) -> str:
    return f"parameters/{index}.npy"


def _check_operators(outputs: Sequence[Expr]) -> None:
    for expr in reverse_post_order(outputs):
        if isinstance(expr, Call) and REGISTRY.get(expr.operator.name) is not expr.operator:
            raise GraphError(f"operator {expr.operator} is not the registered one of that name")


def _record_to_json(record: Record) -> list[Any]:
    match record:
        case "const", operands, Term() as value:
            raise GraphError(f"a constant is only known symbolically: {value}")
        case "const", operands, _:
            return ["const", operands]
        case "call", operands, operator, attributes:
            values = {name: _value_to_json(value) for name, value in attributes.items()}
            return ["call", operands, operator, values]
        case _:
            return [*record[:2], *map(_value_to_json, record[2:])]


def _value_to_json(value: Any) -> Any:
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else {"float": str(float(value))}
        case tuple():
            return [_value_to_json(item) for item in value]
        case _:
            raise GraphError(f"a size or an attribute is {value!r}, not a plain value")


def load(path: AnyPath, kind: type[AnyWorkload]) -> AnyWorkload:
    """Return the workload of class `kind` that a file holds.

    Raises StorageError when the file is missing, damaged, of another version or not a saved
    workload, and when it uses an operator that is not declared.
    """
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
        parameters = {name: _array(archive, _parameter(index)) for index, name in names}
        return kind(outputs, parameters, variables)  # type: ignore[arg-type]


@contextmanager
def _explaining(path: AnyPath) -> Iterator[None]:
    """Turn whatever goes wrong with a file into a StorageError."""
    try:
        yield
    except StorageError:
        raise
    except OSError as error:
        cure = "check the path and who may read it"
        raise StorageError(path, f"cannot be read: {_cause(error)}", cure) from error
    except MemoryError as error:
        raise StorageError(path, "does not fit into memory", "use a larger machine") from error
    except BadZipFile as error:
        raise _foreign(path, f"is not a saved workload, or only a part of one: {error}") from error
    except Exception as error:  # a file may hold anything, so anything may go wrong with it
        reason = f"is damaged: {type(error).__name__}: {error}"
        raise StorageError(path, reason, "copy it again, or save the workload again") from error


def _foreign(path: AnyPath, reason: str) -> StorageError:
    return StorageError(path, reason, "give a file that `Workload.save` has written")


def _cause(error: OSError) -> str:
    return error.strerror or str(error)


def _header(path: AnyPath, archive: ZipFile) -> Mapping[str, Any]:
    if HEADER not in archive.namelist():
        raise _foreign(path, f"is not a saved workload: it has no {HEADER}")
    with _member(archive, HEADER) as member:
        header = json.load(member)
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise _foreign(path, f"is not a saved workload: its {HEADER} is of another format")
    if header.get("version") != VERSION:
        reason = f"has version {header.get('version')}, not {VERSION}"
        raise StorageError(path, reason, "load it with the release that has saved it")
    return header


def _member(archive: ZipFile, name: str) -> IO[bytes]:
    info = archive.getinfo(name)
    if info.compress_type != ZIP_STORED:
        raise ValueError(f"{name} is compressed")
    return archive.open(info)


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
            return kind, below, _array(archive, _constant(position))
        case "call", [str() as operator, dict() as attributes]:
            values = {name: _value(value) for name, value in attributes.items()}
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


def _value(written: Any) -> Any:
    match written:
        case list():
            return tuple(map(_value, written))
        case {"float": str() as text}:
            return float(text)
        case _:
            return written


def _array(archive: ZipFile, name: str) -> Any:
    """Return the array of a member; a shape that the member is too small for is not believed."""
    with _member(archive, name) as member:
        if np.lib.format.read_magic(member) != NPY_VERSION:
            raise ValueError(f"{name} is of another version")
        shape, _, dtype = np.lib.format.read_array_header_1_0(member)
        if member.tell() + math.prod(shape) * dtype.itemsize != archive.getinfo(name).file_size:
            raise ValueError(f"{name} does not have the size of its array")
        member.seek(0)
        return np.lib.format.read_array(member, allow_pickle=False)
