"""What may be written as the name, type or value of a pattern; anything else is GSL113."""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from gsl.attr.term import Term, as_term
from gsl.errors import RuleError, did_you_mean
from gsl.numpy_dtypes import is_floating, kind_of
from gsl.span import here, resolve
from gsl.types import ALL_DTYPES


def checked_constraints(**written: Any) -> Mapping[str, Term]:
    """Return attributes of a pattern as terms, without those that are None."""
    dtype = written.get("dtype")
    if not (dtype is None or isinstance(dtype, Term) or dtype in ALL_DTYPES):
        hint = did_you_mean(str(dtype), ALL_DTYPES) or f"known are {', '.join(ALL_DTYPES)}"
        raise _malformed(f"{dtype!r} is not a dtype", hint)
    checked = {**written, "shape": checked_shape(written.get("shape"))}
    if "value" in written:
        checked["value"] = checked_value(written["value"], dtype)
    if "ndim" in written:
        checked["ndim"] = _checked_rank(written["ndim"], checked["shape"])
    return MappingProxyType(
        {name: as_term(value) for name, value in checked.items() if value is not None}
    )


def checked_name(name: Any) -> str | None:
    """Return the name of a pattern, which is one that a variable may have, or None."""
    if name is None:
        return None
    if not isinstance(name, str):
        cure = "a pattern has a text as its name; its shape and dtype have keywords"
        raise _malformed(f"{_shortened(name)} is not a name", cure)
    if keyword.iskeyword(name):
        raise _malformed(f"{name!r} is a keyword of Python", f"write `{name}_`, for example")
    if not name.isidentifier():
        raise _malformed(f"{name!r} is not a name", "use letters, digits and underscores")
    return name


def _checked_rank(rank: Any, shape: Any) -> Any:
    """Return a number of axes as it was written; beside a tuple of sizes it is how many there are.

    A number that says what the tuple says is left out.
    """
    if rank is None or isinstance(rank, Term):
        return rank
    if not _is_size(rank):
        raise _malformed(f"{rank!r} is not a number of axes", "write a natural number")
    if isinstance(shape, tuple | list):
        if len(shape) != rank:
            message = f"a shape of {len(shape)} sizes does not have {rank} axes"
            raise _malformed(message, "leave `ndim` out, which the shape tells")
        return None
    return rank


def checked_shape(shape: Any) -> Any:
    """Return a shape as it was written: None, a term, or a tuple of sizes, terms and None."""
    if shape is None or isinstance(shape, Term):
        return shape
    if not isinstance(shape, tuple | list):
        raise _malformed(f"{shape!r} is not a shape", "write a tuple of sizes, such as (2, None)")
    for size in shape:
        if not (size is None or isinstance(size, Term) or _is_size(size)):
            cure = "sizes are natural numbers; None is any size"
            raise _malformed(f"{size!r} is not a size", cure)
    return shape


def _is_size(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and int(value) >= 0


def checked_value(value: Any, dtype: Any = None) -> Any:
    """Return the value of a constant as it was written: None, a term, numbers in nested tuples.

    A dtype that is a name has to hold the value exactly, but for rounding to a float; elements of
    bool are truth values, and those of all other dtypes numbers.
    """
    if value is None or isinstance(value, Term) or _has_terms(value):
        return value
    array = _array(value)
    if array is None:
        raise _malformed(f"{_shortened(value)} is not a number", "write a number or nested tuples")
    if isinstance(dtype, str) and not _fits(array, np.dtype(dtype)):
        message = f"{_shortened(value)} is not a value of {dtype}"
        raise _malformed(message, "choose a dtype that has the value")
    return _of_sort(value, dtype) if isinstance(dtype, str) else value


def _of_sort(value: Any, dtype: str) -> Any:
    """Return numbers as truth values or the other way round, as the elements of a dtype are."""
    if isinstance(value, tuple | list):
        return tuple(_of_sort(item, dtype) for item in value)
    if dtype == "bool":
        return bool(value)
    return int(value) if isinstance(value, bool | np.bool_) else value


def _has_terms(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return any(item is None or _has_terms(item) for item in value)
    return isinstance(value, Term)


def _array(value: Any) -> Any:
    """Return numbers as an array; None for anything else, and for what no dtype holds."""
    if not isinstance(value, bool | int | float | tuple | list | np.generic):
        return None
    try:
        array = np.array(value)
    except ValueError:
        return None
    if kind_of(array.dtype) == "O" and isinstance(value, int):
        return None
    return array if kind_of(array.dtype) in "biuf" else None


def _fits(array: Any, dtype: np.dtype[Any]) -> bool:
    with np.errstate(all="ignore"):
        stored = array.astype(dtype)
    if is_floating(dtype):
        return bool(np.all(np.isfinite(stored) == np.isfinite(array.astype(np.float64))))
    return bool(np.array_equal(stored, array))


def _shortened(value: Any) -> str:
    # Python refuses to write very long integers.
    if isinstance(value, int) and abs(value) >= 10**20:
        return f"an integer of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:36]}..."


def _malformed(message: str, cure: str) -> RuleError:
    return RuleError("GSL113", message, resolve(here()), cure)
