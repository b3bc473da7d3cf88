"""Python's operators over patterns: calls, or a finding that names what to write instead.

The thesis overloads arithmetic. Comparisons are not overloaded: `==` has to tell patterns apart,
and Python would split ``0 < x < 1`` into two questions with an answer at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from gsl.attr.term import Operand
from gsl.errors import RuleError
from gsl.span import here, resolve

if TYPE_CHECKING:
    from gsl.pat.pattern import Call


class Arithmetic(Operand):
    """Base of patterns: arithmetic builds the calls that `_build` makes of its operands."""

    __slots__ = ()

    def _build(self, operator: str, *operands: Any) -> Call:
        raise TypeError(f"{type(self).__name__} does not say how to build {operator}")

    def __add__(self, other: Any) -> Call:
        return self._build("Add", self, other)

    def __radd__(self, other: Any) -> Call:
        return self._build("Add", other, self)

    def __sub__(self, other: Any) -> Call:
        return self._build("Subtract", self, other)

    def __rsub__(self, other: Any) -> Call:
        return self._build("Subtract", other, self)

    def __mul__(self, other: Any) -> Call:
        return self._build("Multiply", self, other)

    def __rmul__(self, other: Any) -> Call:
        return self._build("Multiply", other, self)

    def __truediv__(self, other: Any) -> Call:
        return self._build("Divide", self, other)

    def __rtruediv__(self, other: Any) -> Call:
        return self._build("Divide", other, self)

    def __floordiv__(self, other: Any) -> Call:
        return self._build("FloorDivide", self, other)

    def __rfloordiv__(self, other: Any) -> Call:
        return self._build("FloorDivide", other, self)

    def __mod__(self, other: Any) -> Call:
        return self._build("Mod", self, other)

    def __rmod__(self, other: Any) -> Call:
        return self._build("Mod", other, self)

    def __pow__(self, other: Any) -> Call:
        return self._build("Power", self, other)

    def __rpow__(self, other: Any) -> Call:
        return self._build("Power", other, self)

    def __matmul__(self, other: Any) -> Call:
        return self._build("Matmul", self, other)

    def __rmatmul__(self, other: Any) -> Call:
        return self._build("Matmul", other, self)

    def __neg__(self) -> Call:
        return self._build("Negative", self)

    def __abs__(self) -> Call:
        return self._build("Abs", self)

    def __lt__(self, other: Any) -> NoReturn:
        raise _refused("<", "op.Less(x, y)")

    def __le__(self, other: Any) -> NoReturn:
        raise _refused("<=", "op.LessEqual(x, y)")

    def __gt__(self, other: Any) -> NoReturn:
        raise _refused(">", "op.Greater(x, y)")

    def __ge__(self, other: Any) -> NoReturn:
        raise _refused(">=", "op.GreaterEqual(x, y)")

    def __and__(self, other: Any) -> NoReturn:
        raise _refused("&", "op.LogicalAnd(x, y)")

    def __rand__(self, other: Any) -> NoReturn:
        raise _refused("&", "op.LogicalAnd(x, y)")

    def __or__(self, other: Any) -> NoReturn:
        raise _refused("|", "op.LogicalOr(x, y)")

    def __ror__(self, other: Any) -> NoReturn:
        raise _refused("|", "op.LogicalOr(x, y)")

    def __invert__(self) -> NoReturn:
        raise _refused("~", "op.LogicalNot(x)")

    def __bool__(self) -> bool:
        raise _refused("`if`, `and`, `or` or `not`", "op.Where(condition, x, y) or op.LogicalAnd")


def _refused(written: str, cure: str) -> RuleError:
    written = written if "`" in written else f"`{written}`"
    message = f"{written} does not build a pattern"
    place = resolve(here())
    return RuleError("GSL118", message, place, f"write {cure}, or use attributes such as x.ndim")
