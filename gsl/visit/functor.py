"""Functions that are defined by cases: one method for each kind of expression."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Concatenate, Generic, ParamSpec, TypeVar, TypeVarTuple, overload

from gsl.errors import GraphError
from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.operators.declaration import Operator

Case = type[Expr] | Operator
"""What a method can be for: a kind of expression, or the calls of one operator."""

R = TypeVar("R")
Arguments = TypeVarTuple("Arguments")
Self = TypeVar("Self")
Kind = TypeVar("Kind", bound=Expr)
Rest = ParamSpec("Rest")


@overload
def handles(
    *cases: type[Kind],
) -> Callable[
    [Callable[Concatenate[Self, Kind, Rest], R]], Callable[Concatenate[Self, Kind, Rest], R]
]:
    """Mark a method for kinds of expressions."""


@overload
def handles(
    *cases: Operator,
) -> Callable[
    [Callable[Concatenate[Self, Call, Rest], R]], Callable[Concatenate[Self, Call, Rest], R]
]:
    """Mark a method for the calls of operators."""


def handles(*cases: Any) -> Callable[[Any], Any]:
    """Make a method of an ExprFunctor the one for kinds of expressions or for operators.

    Raises GraphError for a case that is neither.
    """
    for case in cases:
        if not isinstance(case, Operator) and not (
            isinstance(case, type) and issubclass(case, Expr)
        ):
            raise GraphError(f"a method handles kinds of expressions or operators, not {case!r}")

    def mark(method: Any) -> Any:
        method.handled = cases
        return method

    return mark


class ExprFunctor(Generic[R, *Arguments]):
    """A function of an expression and `Arguments` that returns `R`.

    A call goes to the method for the operator of the expression if there is one (see `handles`),
    else to the one for its kind or the nearest base of it. Those for `Const` and `Var` pass on to
    `visit_leaf`; that, and all others that are not overridden, to `visit_default`. Operands are
    not visited: `ExprVisitor`, `ExprMutator` and `post_order_fold` do that.

    Raises GraphError for what is no expression and, when the class is made, for a case that two
    of its methods handle.
    """

    _methods: ClassVar[Mapping[Case, str]] = MappingProxyType(
        {
            Const: "visit_const",
            Var: "visit_var",
            Call: "visit_call",
            Tuple: "visit_tuple",
            Proj: "visit_proj",
            Expr: "visit_default",
        }
    )

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        methods = dict(ExprFunctor._methods)
        for base in reversed(cls.__mro__):
            methods.update(_handled(base))
        cls._methods = MappingProxyType(methods)

    def __call__(self, expr: Expr, *arguments: *Arguments) -> R:
        """Return what the method for `expr` returns."""
        name = self._methods.get(expr.operator) if isinstance(expr, Call) else None
        if name is None:
            name = self._method_for_kind(type(expr))
        result: R = getattr(self, name)(expr, *arguments)
        return result

    def _method_for_kind(self, kind: type) -> str:
        for base in kind.__mro__:
            if base in self._methods:
                return self._methods[base]
        raise GraphError(f"{type(self).__name__} is for expressions, not for a {kind.__name__}")

    def visit_const(self, const: Const, *arguments: *Arguments) -> R:
        """Handle a constant; by default as a leaf."""
        return self.visit_leaf(const, *arguments)

    def visit_var(self, var: Var, *arguments: *Arguments) -> R:
        """Handle a variable; by default as a leaf."""
        return self.visit_leaf(var, *arguments)

    def visit_call(self, call: Call, *arguments: *Arguments) -> R:
        """Handle a call whose operator has no method of its own."""
        return self.visit_default(call, *arguments)

    def visit_tuple(self, whole: Tuple, *arguments: *Arguments) -> R:
        """Handle a tuple."""
        return self.visit_default(whole, *arguments)

    def visit_proj(self, proj: Proj, *arguments: *Arguments) -> R:
        """Handle a projection."""
        return self.visit_default(proj, *arguments)

    def visit_leaf(self, leaf: Const | Var, *arguments: *Arguments) -> R:
        """Handle a constant or a variable."""
        return self.visit_default(leaf, *arguments)

    def visit_default(self, expr: Expr, *arguments: *Arguments) -> R:
        """Handle whatever has no method of its own; by default raise GraphError."""
        raise GraphError(
            f"{type(self).__name__} has no method for {expr!r}; override `visit_default`, or the "
            "method for its kind"
        )


def _handled(base: type) -> dict[Case, str]:
    names: dict[Case, str] = {}
    for name, method in vars(base).items():
        for case in getattr(method, "handled", ()):
            if case in names:
                shown = case.name if isinstance(case, Operator) else case.__name__
                raise GraphError(f"{base.__name__} handles {shown} twice: {names[case]}, {name}")
            names[case] = name
    return names
