"""Which values may be integers that were computed, and so may have wrapped.

Sums and products of integers are equal modulo a power of two, as laws of rings show. Where they are
compared, converted or decide about anything, what they are within the range of their dtype counts.
"""

from __future__ import annotations

from typing import assert_never

from gsl.kernel.expression import AnyExpression, Apply, Expression, Number, Read, Reduction, Select
from gslverify.prove.values.values import EXTREMA

_KEPT = frozenset({"cast", "select", *EXTREMA} - {"product"})
"""Functions whose results are among their arguments, or what these are in another dtype."""

_TRUTHS = frozenset({"==", "!=", "<", "<=", ">", ">=", "and", "or", "not"})


class Computed:
    """Tells of expressions whether their values are computed, and remembers it."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Expression, bool]] = {}

    def __call__(self, expression: Expression) -> bool:
        """Tell whether a value is anything but one of elements, constants and truth values."""
        key = id(expression)
        if key not in self._known:
            self._known[key] = expression, self._is_computed(expression)  # type: ignore[arg-type]
        return self._known[key][1]

    def _is_computed(self, expression: AnyExpression) -> bool:
        match expression:
            case Number() | Read():
                return False
            case Select(then=then, otherwise=otherwise):
                return self(then) or self(otherwise)
            case Apply(function=function, arguments=arguments):
                if function in _TRUTHS:
                    return False
                return function not in _KEPT or any(map(self, arguments))
            case Reduction(function=function, body=body):
                return function not in _KEPT or self(body)
            case _:
                assert_never(expression)
