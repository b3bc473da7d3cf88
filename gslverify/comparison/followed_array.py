"""What all arrays have in common that the references of operators run on instead of NumPy's own.

NumPy hands its functions over to such an array (NEP 13 and NEP 18), which looks them up in a table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

FunctionRule = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]
"""Takes the function and its arguments as they were given."""


class FollowedArray(NDArrayOperatorsMixin):
    """Elements with more than their values; a function without a rule is refused, not computed."""

    __slots__ = ("dtype", "value")

    functions: ClassVar[dict[Any, FunctionRule]]
    """The rules of functions of whole arrays."""

    refusal: ClassVar[type[Exception]]
    """The error about a function without a rule, made of its name."""

    dtype: np.dtype[Any]
    value: np.ndarray[tuple[int, ...], Any]

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes."""
        return self.value.shape

    @property
    def ndim(self) -> int:
        """The rank."""
        return self.value.ndim

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.value.size

    def __len__(self) -> int:
        return len(self.value)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise self.refusal("a conversion to an array")

    def __array_function__(
        self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        if func not in self.functions:
            raise self.refusal(f"{func.__module__}.{func.__name__}")
        return self.functions[func](func, args, kwargs)

    def refuse_ufunc(self, ufunc: Any, method: str, options: dict[str, Any]) -> Exception:
        """Return the error about a way to call a ufunc that has no rule."""
        name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        return self.refusal(f"numpy.{name}" + (" with options" if options else ""))
