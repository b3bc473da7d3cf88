"""How a counterexample stands in a file: JSON without pickled objects, hashed over its contents.

Arrays are inline, row by row, up to 4 KB of them; more go into an `.npz` archive beside the file.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np

from gsl.errors import GslError
from gsl.numpy_dtypes import for_file, from_file, is_floating
from gsl.records import Record
from gsl.storage.form import from_json, to_json
from gsl.types import ALL_DTYPES
from gslverify import documents
from gslverify.case import Case
from gslverify.documents import written
from gslverify.repro.document import FORMAT, VERSION, ArrayDocument, CaseDocument

INLINE_BYTES = 4096

MOST_HEADER_BYTES = 65_536
"""More than what stands before the elements of an array in a file."""

NOT_HASHED = ("hash", "tool", "archive", "message", "shown", "seed", "rule_hash", "arrays")
"""What says nothing about the case itself, so that finding it again gives the same file."""


DAMAGES = (
    BadZipFile,
    GslError,
    IndexError,
    KeyError,
    MemoryError,
    OSError,
    OverflowError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What reading a file may raise that is not what was written."""


class UnreadableError(GslError):
    """A file does not hold a counterexample, or no longer the one it was written with."""

    def __init__(self, path: Path, why: str, cure: str = "") -> None:
        remedy = cure or "delete it and verify the rule again to get a new one"
        super().__init__(f"{path}: {why}; {remedy}")
        self.path = path


@dataclass(frozen=True, slots=True)
class Stored:
    """What a file says: the rule and how it failed, the case, and what people are shown."""

    rule_id: str
    rule_hash: str
    code_id: str
    message: str
    case: Case
    tool: Mapping[str, str]
    seed: int = 0
    shown: Sequence[tuple[str, Sequence[str]]] = ()


def contents_of(
    stored: Stored, stem: str = "", limit: int = INLINE_BYTES
) -> tuple[bytes, bytes, str]:
    """Return the text of a file, that of the archive beside it (or nothing), and the hash.

    `stem` is the name of the file without its ending, `limit` how many bytes of arrays may be
    inline. Raises GslError for a symbolic graph.
    """
    arrays: dict[str, Any] = {}
    records = [_record_to_json(record, n, arrays) for n, record in enumerate(stored.case.records)]
    arrays |= {f"input {name}": array for name, array in stored.case.inputs.items()}
    arrays = {name: _with_one_nan(array) for name, array in arrays.items()}
    small = sum(array.nbytes for array in arrays.values()) <= limit
    case = stored.case
    document = CaseDocument(
        format=FORMAT,
        version=VERSION,
        rule=stored.rule_id,
        rule_hash=stored.rule_hash,
        code=stored.code_id,
        message=stored.message,
        seed=stored.seed,
        tool=stored.tool,
        context=case.context,
        escaping=case.escaping,
        records=tuple(records),
        source=case.source,
        matched=case.matched,
        target=case.target,
        inputs=tuple(case.inputs),
        shown=tuple([label, list(lines)] for label, lines in stored.shown),
        arrays=tuple(_array(name, array, small) for name, array in arrays.items()),
        archive="" if small else f"{stem}.npz",
        hash="",
    )
    header = written(document)
    digest = header["hash"] = _digest(header, arrays)
    text = json.dumps(header, indent=1, sort_keys=True, allow_nan=False) + "\n"
    return text.encode(), b"" if small else _archive(arrays), digest


def _array(name: str, array: Any, is_small: bool) -> ArrayDocument:
    values = _values(array) if is_small else None
    return ArrayDocument(name, array.dtype.name, array.shape, values)


def _with_one_nan(array: Any) -> Any:
    """Return an array whose NaNs are all the same: JSON knows neither their signs nor payloads."""
    return (
        np.where(np.isnan(array), array.dtype.type(np.nan), array)
        if is_floating(array.dtype)
        else array
    )


def _archive(arrays: Mapping[str, Any]) -> bytes:
    buffer = io.BytesIO()
    values = enumerate(arrays.values())
    np.savez(buffer, **{f"array{number}": for_file(array) for number, array in values})
    return buffer.getvalue()


def _values(array: Any) -> tuple[Any, ...]:
    return tuple(to_json(value) for value in np.ravel(array).tolist())


def _digest(header: Mapping[str, Any], arrays: Mapping[str, Any]) -> str:
    kept = {key: value for key, value in header.items() if key not in NOT_HASHED}
    digest = hashlib.sha256(json.dumps(kept, sort_keys=True).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        digest.update(f"{name} {array.dtype.name} {array.shape}".encode() + little.tobytes())
    return digest.hexdigest()


def _record_to_json(record: Record, position: int, arrays: dict[str, Any]) -> list[Any]:
    match record:
        case "const", _, value:
            arrays[f"constant {position}"] = value
            return ["const", []]
        case "const", _, asked, dtype:
            return ["const", [], to_json(asked), dtype]
        case "call", operands, operator, attributes:
            plain = {name: to_json(value) for name, value in attributes.items()}
            return ["call", list(operands), operator, plain]
        case kind, operands, *rest:
            return [kind, list(operands), *map(to_json, rest)]
        case _:
            raise GslError(f"not a record of an expression: {record!r}")


def read(path: Path) -> Stored:
    """Return what a file says; raise UnreadableError with the reason and the cure."""
    return parse(_contents(path), path)


def _contents(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UnreadableError(
            path, f"cannot be read: {error.strerror}", "check the path"
        ) from error


def rule_in(path: Path) -> str:
    """Return the rule that a file is about, whose operators have to be known to read the rest.

    Raises UnreadableError.
    """
    return str(_header(_contents(path), path).get("rule"))


def parse(contents: bytes, path: Path) -> Stored:
    """Return what the text of a file says; `path` is where it is from. Raises UnreadableError."""
    header = _header(contents, path)
    try:
        document = documents.read(CaseDocument, header)
        arrays = _read_arrays(document, path.parent)
        if _digest(header, arrays) != document.hash:
            raise ValueError("its contents do not fit its hash, so somebody has changed it")
        return _stored(document, arrays)
    except DAMAGES as error:
        raise UnreadableError(path, f"is damaged: {type(error).__name__}: {error}") from error


def _header(contents: bytes, path: Path) -> dict[str, Any]:
    try:
        header = json.loads(contents)
    except (ValueError, RecursionError) as error:
        raise UnreadableError(path, f"is not a counterexample, or damaged: {error}") from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise UnreadableError(path, "is not a counterexample of gslverify", "name another file")
    if header.get("version") != VERSION:
        cure = "replay it with the release that has written it"
        raise UnreadableError(path, f"has version {header.get('version')}, not {VERSION}", cure)
    return header


def _read_arrays(document: CaseDocument, folder: Path) -> dict[str, Any]:
    names = [array.name for array in document.arrays]
    if not document.archive:
        return dict(zip(names, map(_inline, document.arrays), strict=True))
    path = folder / Path(document.archive).name
    if path.exists() and not path.is_file():
        raise ValueError(f"{path.name} is no file, and might have no end")
    with ZipFile(path) as archive:
        members = [
            _member(archive, f"array{n}.npy", array) for n, array in enumerate(document.arrays)
        ]
    return dict(zip(names, members, strict=True))


def _member(archive: ZipFile, name: str, entry: ArrayDocument) -> Any:
    """Return an array of an archive, once its size is seen to be what the header says.

    A few bytes may be compressed from so many that no machine has room for them.
    """
    if entry.dtype not in ALL_DTYPES:
        raise ValueError(f"`{entry.dtype}` is not a dtype")
    if not all(size >= 0 for size in entry.shape):
        raise ValueError(f"{entry.shape} is not a shape")
    expected = prod(entry.shape) * np.dtype(entry.dtype).itemsize
    stored = archive.getinfo(name).file_size
    if not expected <= stored <= expected + MOST_HEADER_BYTES:
        raise ValueError(f"{name} has {stored} bytes, not the {expected} of {entry.name}")
    with archive.open(name) as member:
        array = from_file(np.lib.format.read_array(member, allow_pickle=False))
    if array.shape != entry.shape or array.dtype.name != entry.dtype:
        raise ValueError(f"{name} is not {entry.dtype} {entry.shape}")
    return array


def _inline(entry: ArrayDocument) -> Any:
    if entry.dtype not in ALL_DTYPES:
        raise ValueError(f"`{entry.dtype}` is not a dtype")
    values = [from_json(value) for value in entry.values or ()]
    return np.array(values, dtype=entry.dtype).reshape(entry.shape)


def _stored(document: CaseDocument, arrays: Mapping[str, Any]) -> Stored:
    records = tuple(_record(written, n, arrays) for n, written in enumerate(document.records))
    parts = (document.source, document.matched, document.target)
    source, matched, target = (_positions(part, len(records)) for part in parts)
    inputs = {name: arrays[f"input {name}"] for name in document.inputs}
    case = Case(records, source, matched, target, inputs, document.context, document.escaping)
    case.exprs()
    return Stored(
        rule_id=document.rule,
        rule_hash=document.rule_hash,
        code_id=document.code,
        message=document.message,
        case=case,
        tool=document.tool,
        seed=document.seed,
        shown=[(str(label), tuple(map(str, lines))) for label, lines in document.shown],
    )


def _positions(written: Any, count: int) -> tuple[int, ...]:
    return tuple(_below(position, count) for position in written)


def _below(position: Any, count: int) -> int:
    if type(position) is not int or not 0 <= position < count:
        raise ValueError(f"{position!r} is not the number of an earlier record")
    return position


def _record(written: Any, position: int, arrays: Mapping[str, Any]) -> Record:
    kind, operands, *rest = written
    below = _positions(operands, position)
    match kind, rest:
        case "const", []:
            return kind, below, arrays[f"constant {position}"]
        case "const", [asked, str() as dtype]:
            return kind, below, float(from_json(asked)), dtype
        case "call", [str() as operator, dict() as attributes]:
            return kind, below, operator, {n: from_json(v) for n, v in attributes.items()}
        case "var", [str() as name, list() as shape, str() as dtype]:
            return kind, below, name, tuple(shape), dtype
        case ("tuple", []) | ("proj", [int()]):
            return kind, below, *rest
        case _:
            raise ValueError(f"record {position} is not that of an expression")
