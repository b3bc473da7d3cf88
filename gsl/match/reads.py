"""How compiled code reads the attributes of nodes: `attribute_of`, with the kind known before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from gsl.attr.code import Code
from gsl.attr.evaluate import equal
from gsl.attr.writer import Kind, TermWriter, Written, kind_of
from gsl.errors import UndecidedError
from gsl.expr import Call as CallExpr
from gsl.expr import Const as ConstExpr
from gsl.expr import Expr, attribute_of
from gsl.operators import Operator
from gsl.operators.domain import (
    Choice,
    Domain,
    DtypeName,
    Integer,
    Integers,
    Real,
    Sizes,
)
from gsl.operators.domain_axes import Axes, Axis, Permutation
from gsl.operators.ranges import stored
from gsl.pat import Call, Const, GetItem, Pattern, Tuple, Variable

_KINDS: tuple[tuple[tuple[type, ...], Kind], ...] = (
    ((Integer, Axis), Kind.INTEGER),
    ((Integers, Axes, Permutation, Sizes), Kind.INTEGERS),
    ((DtypeName,), Kind.TEXT),
    ((Real,), Kind.REAL),
)
EXACT = frozenset((Kind.INTEGER, Kind.INTEGERS, Kind.FLAG, Kind.TEXT))
"""Kinds of values that are interchangeable when they compare equal by ==."""

OF_TYPES = {"shape": Kind.INTEGERS, "dtype": Kind.TEXT, "ndim": Kind.INTEGER}
"""What types tell of all nodes that no operator gives attributes of these names."""


class Reads:
    """Writes the reading of attributes; what is read from a node once is kept under a name."""

    def __init__(self, code: Code) -> None:
        self._code = code
        self._kept: dict[tuple[str, str], str] = {}
        self._names: dict[str, tuple[str, ...]] = {}

    def attribute(self, pattern: Pattern, node: str, name: str) -> Written:
        """Return the source of attribute `name` of the node that `pattern` stands for."""
        known = pattern.callee if isinstance(pattern, Call) else None
        if isinstance(known, Operator) and name in known.attributes:
            mapping = self.keep(node, "expr.attributes")
            self._names[mapping] = tuple(known.attributes)
            return Written(f"{mapping}[{name!r}]", kind_of_domain(known.attributes[name].domain))
        if isinstance(known, Operator) or isinstance(pattern, Variable | Const | GetItem):
            if name == "ndim":
                return Written(f"len({self.keep(node, 'expr.type')}.shape)", Kind.INTEGER)
            if name in OF_TYPES:
                return Written(f"{self.keep(node, 'expr.type')}.{name}", OF_TYPES[name])
        if isinstance(pattern, GetItem) and name == "index":
            return Written(f"{node}.expr.index", Kind.INTEGER)
        if isinstance(pattern, Tuple) and name == "length":
            return Written(f"len({node}.operands)", Kind.INTEGER)
        if name in _FAST:
            return Written(f"{self._code.constant(_FAST[name])}({node}.expr)", OF_TYPES[name])
        return Written(f"{self._code.constant(attribute_of)}({node}.expr, {name!r})")

    def is_read(self, text: str) -> bool:
        """Tell whether `text` only reads one attribute of a call."""
        return text.partition("[")[0] in self._names

    def together(self, texts: list[str]) -> list[str]:
        """Return `texts`, with the readings of all attributes of a call in their order as one."""
        for mapping, names in self._names.items():
            every = [f"{mapping}[{name!r}]" for name in names]
            for place in range(len(texts) - len(every) + 1) if len(every) > 1 else ():
                if texts[place : place + len(every)] == every:
                    return self.together(
                        [*texts[:place], f"*{mapping}.values()", *texts[place + len(every) :]]
                    )
        return texts

    def keep(self, node: str, path: str) -> str:
        """Return a name for what `path`, which every such node has, leads to."""
        if not node.isidentifier():
            return f"{node}.{path}"
        if (node, path) not in self._kept:
            name = self._kept[node, path] = self._code.fresh("a")
            self._code.line(f"{name} = {node}.{path}")
        return self._kept[node, path]

    def forget(self, known: dict[tuple[str, str], str]) -> None:
        """Go back to the names of `known`, because a block that kept others has ended."""
        self._kept = dict(known)

    def known(self) -> dict[tuple[str, str], str]:
        """Return the names that are known now, for `forget`."""
        return dict(self._kept)


@contextmanager
def block(code: Code, reads: Reads, terms: TermWriter) -> Iterator[None]:
    """Forget afterwards what was given names meanwhile, because the block has ended."""
    depth, were_read, were_written = code.depth, reads.known(), terms.known()
    yield
    code.depth = depth
    reads.forget(were_read)
    terms.forget(were_written)


def kind_of_domain(domain: Domain) -> Kind:
    """Return the kind of all canonical values of a domain."""
    if isinstance(domain, Choice):
        kinds = {kind_of(option) for option in domain.options}
        return kinds.pop() if len(kinds) == 1 else Kind.ANY
    return next((kind for types, kind in _KINDS if isinstance(domain, types)), Kind.ANY)


def _shape(expr: Expr) -> Any:
    if isinstance(expr, CallExpr) and "shape" in expr.attributes:
        return _of_kind(expr.attributes["shape"], Kind.INTEGERS)
    return expr.type.shape  # type: ignore[union-attr]


def _dtype(expr: Expr) -> Any:
    if isinstance(expr, CallExpr) and "dtype" in expr.attributes:
        return _of_kind(expr.attributes["dtype"], Kind.TEXT)
    return expr.type.dtype  # type: ignore[union-attr]


def _of_kind(value: Any, kind: Kind) -> Any:
    if kind_of(value) is not kind:
        raise UndecidedError(f"{value!r} is an attribute of another kind")
    return value


def _ndim(expr: Expr) -> Any:
    if isinstance(expr, CallExpr) and "ndim" in expr.attributes:
        return _of_kind(expr.attributes["ndim"], Kind.INTEGER)
    return len(expr.type.shape)  # type: ignore[union-attr]


_FAST = {"shape": _shape, "dtype": _dtype, "ndim": _ndim}


def has_value(expr: Any, value: Any) -> Any:
    """Tell whether a constant has a known value, without looking at all of a large one."""
    array, dtype = expr.value, expr.tensor_type.dtype
    if isinstance(array, np.ndarray) and array.ndim == 0 and not isinstance(value, tuple):
        return equal_stored(value, array.item(), dtype)
    if isinstance(array, np.ndarray) and (array.ndim == 0 or len(array) != _length(value)):
        return False
    return equal_stored(value, attribute_of(expr, "value"), dtype)


def equal_stored(asked: Any, value: Any, dtype: Any) -> Any:
    """Tell whether a constant of `dtype` that was asked to be `asked` has `value`.

    So 0.1 equals what a float32 constant has of it.
    """
    answer = equal(asked, value)
    return equal(stored(asked, dtype), value) if answer is False else answer


def comparison(expr: Expr, name: str) -> Callable[[Any, Any], Any]:
    """Return how a value that a pattern asks for is compared with attribute `name` of `expr`."""
    if name == "value" and isinstance(expr, ConstExpr):
        return partial(equal_stored, dtype=expr.tensor_type.dtype)
    return equal


def _length(value: Any) -> int:
    return len(value) if isinstance(value, tuple) else -1


def share_attributes(expr: Any, like: Any) -> Any:
    """Tell whether a call has all its attributes in common with another one."""
    known = like.attributes
    return known is expr.attributes or all(
        equal(known[name] if name in known else attribute_of(like, name), value) is True
        for name, value in expr.attributes.items()
    )
