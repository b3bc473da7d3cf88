"""The form of a saved workload: what its members are called and how values stand in them."""

from __future__ import annotations

import math
from os import PathLike
from typing import IO, Any
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import numpy as np

from gsl.errors import GraphError, MisuseError
from gsl.numpy_dtypes import for_file, from_file

FORMAT = "gsl workload"
VERSION = 1
HEADER = "workload.json"
NPY_VERSION = (1, 0)
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every member of an archive, the earliest that there is."""

AnyPath = str | PathLike[str]


def constant_name(position: int) -> str:
    """Return the name of the member for the constant at a position of the records."""
    return f"constants/{position}.npy"


def parameter_name(index: int) -> str:
    """Return the name of the member for a parameter."""
    return f"parameters/{index}.npy"


def require_path(path: object) -> None:
    """Raise MisuseError for what is no path."""
    if not isinstance(path, str | PathLike):
        raise MisuseError(f"a workload is saved to or loaded from a path, not {path!r}")


def cause(error: OSError) -> str:
    """Return what the system says, without the path."""
    return error.strerror or str(error)


def new_member(archive: ZipFile, name: str) -> IO[bytes]:
    """Open a member for writing; nothing in it depends on the time or the machine."""
    info = ZipInfo(name, EPOCH)
    info.compress_type = ZIP_STORED
    info.create_system = 3
    info.external_attr = 0o644 << 16
    return archive.open(info, "w", force_zip64=True)


def open_member(archive: ZipFile, name: str) -> IO[bytes]:
    """Open a member for reading; raise KeyError when there is none."""
    info = archive.getinfo(name)
    if info.compress_type != ZIP_STORED:
        raise ValueError(f"{name} is compressed")
    return archive.open(info)


def write_array(archive: ZipFile, name: str, array: Any) -> None:
    """Write an array as a member, whatever its layout in memory."""
    canonical = array.astype(array.dtype.newbyteorder("<"), order="C", copy=False)
    with new_member(archive, name) as member:
        np.lib.format.write_array(member, for_file(canonical), NPY_VERSION, allow_pickle=False)


def read_array(archive: ZipFile, name: str) -> Any:
    """Return the array of a member; a shape that the member is too small for is not believed."""
    with open_member(archive, name) as member:
        if np.lib.format.read_magic(member) != NPY_VERSION:
            raise ValueError(f"{name} is of another version")
        shape, _, dtype = np.lib.format.read_array_header_1_0(member)
        if member.tell() + math.prod(shape) * dtype.itemsize != archive.getinfo(name).file_size:
            raise ValueError(f"{name} does not have the size of its array")
        member.seek(0)
        return from_file(np.lib.format.read_array(member, allow_pickle=False))


def to_json(value: Any) -> Any:
    """Return a size or an attribute as JSON can say it; raise GraphError for what is symbolic."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else {"float": str(float(value))}
        case tuple():
            return [to_json(item) for item in value]
        case _:
            raise GraphError(f"a size or an attribute is {value!r}, not a plain value")


def from_json(written: Any) -> Any:
    """Return what `to_json` has written."""
    match written:
        case list():
            return tuple(map(from_json, written))
        case {"float": str() as text}:
            return float(text)
        case _:
            return written
