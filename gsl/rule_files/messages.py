"""What processes that run rule files send: pickled records, of which nothing but data is read.

Whoever reads them decides about a run, and pickles can call any function; so only records of our
own (dataclasses and enumerations of gsl and gslverify), arrays and plain values are read.
"""

from __future__ import annotations

import io
import pickle
import sys
from dataclasses import is_dataclass
from enum import Enum
from importlib import import_module
from typing import Any

OWN_PACKAGES = frozenset({"gsl", "gslverify"})

PLAIN = frozenset(
    [
        *(
            ("builtins", name)
            for name in ("set", "frozenset", "complex", "bytearray", "slice", "range")
        ),
        ("collections", "Counter"),
        ("collections", "OrderedDict"),
        ("numpy", "dtype"),
        ("numpy", "ndarray"),
        ("numpy._core.multiarray", "_reconstruct"),
        ("numpy._core.multiarray", "scalar"),
        ("numpy._core.numeric", "_frombuffer"),
        ("numpy.core.multiarray", "_reconstruct"),
        ("numpy.core.multiarray", "scalar"),
        ("numpy.core.numeric", "_frombuffer"),
        ("_codecs", "encode"),
        ("pathlib", "Path"),
        ("pathlib", "PosixPath"),
        ("pathlib._local", "PosixPath"),
    ]
)
"""What pickles of arrays, paths and plain values are made by."""


class MessageError(Exception):
    """A message holds more than data, or is none at all."""


def written(value: Any) -> bytes:
    """Return a value as a message; raises what pickle raises for one that is not data."""
    message = io.BytesIO()
    _Writer(message, protocol=5).dump(value)
    return message.getvalue()


def read(message: bytes) -> Any:
    """Return the value in a message; raise MessageError where it is not data."""
    try:
        return _Reader(io.BytesIO(message)).load()
    except MessageError:
        raise
    except Exception as error:  # the bytes may be anything
        raise MessageError(f"{type(error).__name__}: {error}") from error


class _Writer(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        """Write a member of an enumeration by its value: Python up to 3.11.3 calls `getattr`."""
        return (type(value), (value.value,)) if isinstance(value, Enum) else NotImplemented


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in PLAIN:
            return super().find_class(module, name)
        package = module.partition(".")[0]
        if package == "ml_dtypes":
            return super().find_class(module, name)
        if package in OWN_PACKAGES and "." not in name:
            found = vars(sys.modules.get(module) or import_module(module)).get(name)
            if isinstance(found, type) and (is_dataclass(found) or issubclass(found, Enum)):
                return found
        raise MessageError(f"it holds {module}.{name}, which is not data")
